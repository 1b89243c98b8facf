#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-create --verify of a line table that libdwarf refuses: Zig's linker fills
# gaps of line programs with extended opcodes 0, which no version of DWARF
# defines.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
size=$(echo __SIZEOF_POINTER__ | ${CC:-cc} -E -P - | tail -n 1)

# Assemble NAME.o: a unit with the function f of 16 bytes, lines 7 and 8 of
# /src/f.c, and the bytes PADDING between its two rows.
object() # NAME PADDING
{
	cat >"$1.s" <<END
	.text
	.globl f
	.type f, %function
f:	.zero 16
	.size f, 16
	.section .debug_abbrev, "", %progbits
	.uleb128 1, 0x11
	.byte 1			# the unit has children
	.uleb128 0x03, 0x08, 0x11, 0x01, 0x12, 0x0b, 0x10, 0x17, 0, 0
	.uleb128 2, 0x2e
	.byte 0
	.uleb128 0x03, 0x08, 0x11, 0x01, 0x12, 0x0b, 0, 0
	.byte 0
	.section .debug_info, "", %progbits
	.long .Lunit_end - .Lunit
.Lunit:	.short 5
	.byte 1, $size
	.long .debug_abbrev
	.uleb128 1
	.asciz "f.c"
	.dc.a f
	.byte 16
	.long .debug_line
	.uleb128 2
	.asciz "f"
	.dc.a f
	.byte 16, 0
.Lunit_end:
	.section .debug_line, "", %progbits
	.long .Ltable_end - .Ltable
.Ltable:
	.short 5
	.byte $size, 0
	.long .Lprogram - .Lheader
.Lheader:
	.byte 1, 1, 1, -5, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1
	.byte 1, 1, 8, 1
	.asciz "/src"
	.byte 2, 1, 8, 2, 11, 1
	.asciz "f.c"
	.byte 0
.Lprogram:
	.byte 0, $size + 1, 2	# DW_LNE_set_address
	.dc.a f
	.byte 4, 0, 3, 6, 1	# file 0, line 7, a row
	$2
	.byte 2, 8, 3, 1, 1	# address 8, line 8, a row
	.byte 2, 8, 0, 1, 1	# address 16, the end
.Ltable_end:
END
	# shellcheck disable=SC2086
	${CC:-cc} -c -o "$1.o" "$1.s" 2>../stderr || {
		echo "skipped: the assembler does not make this object"
		exit 77
	}
}

object whole ''
# 120 bytes: libdwarf reads unknown opcodes of 100 bytes at most.
object padded '.byte 0, 120; .zero 120'
for name in whole padded; do
	gsym-create --verify -o $name.gsym $name.o >out 2>&1 ||
		fail "$name: status $?: $(cat out)"
	say "$name: $(sed -n '/verified/,$p' out)"
	say "$(gsym-lookup $name.gsym 0 8)"
done
gsym-create -q --verify --json -o padded.gsym padded.o >out ||
	fail "--json: status $?"
grep -q '"verify":{"functions":1,"differences":0,"unread":1}' out ||
	fail "--json: $(cat out)"
finish
