#!/bin/sh
# SPDX-License-Identifier: MIT
# Lookups in converted Go programs give the answers in testdata/go.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
data=$top_srcdir/testdata/go

# $1: the program; $2: the file of expected answers; $3: "symbols" or "", see
# tests/support/as_expected.c.
check()
{
	gsym-create -q --strict -o out.gsym "$1" || fail "$1: status $?"
	gsym-dump --verify out.gsym >/dev/null || fail "$1: does not verify"
	# shellcheck disable=SC2086
	as_expected out.gsym "$data/$2" $3 || fail "$1: wrong answers"
}

PATH=$top_builddir:$PATH
for program in "$data"/synthetic/*.elf; do
	case $program in
	*go1.2-* | *go1.5-*) check "$program" synthetic/synthetic-noinline.expect '' ;;
	*) check "$program" synthetic/synthetic.expect '' ;;
	esac
done
check "$data/plan9/go10.elf" plan9/go1.expect ''
check "$data/plan9/go11.elf" plan9/go1.expect ''
for name in amd64 arm64 s390x; do
	check "$data/gosample-$name" "gosample-$name.expect" ''
done

# The table is found if its section has another name, or there are no section
# headers.
objcopy --rename-section .gopclntab=.elsewhere "$data/gosample-amd64" renamed &&
	check renamed gosample-amd64.expect ''
if command -v python3 >/dev/null; then
	python3 - "$data/gosample-amd64" bare <<'END' || fail 'no headers to remove'
import sys
b = bytearray(open(sys.argv[1], 'rb').read())
b[0x28:0x30] = bytes(8)                 # e_shoff
b[0x3c:0x40] = bytes(4)                 # e_shnum, e_shstrndx
open(sys.argv[2], 'wb').write(b)
END
	check bare gosample-amd64.expect ''
fi

# The table's section holds something else: the error says so.
head -c 4096 /dev/zero >zeros
for section in .gopclntab .data.rel.ro.gopclntab; do
	objcopy --update-section .gopclntab=zeros \
		--rename-section .gopclntab=$section \
		"$data/gosample-amd64" damaged || fail 'no program to damage'
	for option in --from=best --from=go; do
		gsym-create -q $option -o none.gsym damaged 2>err &&
			fail "$section: a table of zeros"
		grep -q ": section $section: neither a table of Go" err ||
			fail "$section, $option: $(cat err)"
	done
done
[ ! -e none.gsym ] || fail 'a file without a function'

# A program of Plan 9, made of a header, an empty text, the symbol table of 64
# bits, and the line table.
if command -v python3 >/dev/null; then
	python3 - "$data/plan9" aout <<'END' || fail 'cannot make a program'
import struct, sys
text = 0x300000
symbols = open(sys.argv[1] + '/plan9-64.syms', 'rb').read()
lines = open(sys.argv[1] + '/go1.gopclntab', 'rb').read()
header = struct.pack('>8IQ', 0x8a97, text, 0, 0, len(symbols), 0, 0,
                     len(lines), 0x400c00)
open(sys.argv[2], 'wb').write(header + bytes(text) + symbols + lines)
END
	check aout plan9/go1.expect ''
fi

# Answers in the form of a traceback: a call, the start of a function, a generic
# function, and an address outside of all functions.
gsym-create -q -o out.gsym "$data/synthetic/go1.20-amd64.elf" &&
	gsym-lookup --style=go out.gsym 0x401044 0x4010c0 0x4010c5 1 >trace
cat >wanted <<'END'
util.Leaf(...)
	/w/util/util.go:30
main.mid(...)
	/w/util/util.go:7
main.outer(...)
	/w/main.go:22 +0x24
main.pick[...](...)
	/w/main.go:50
main.pick[...](...)
	/w/main.go:1050 +0x5
??(...)
	0x1
END
diff -u wanted trace || fail 'the traceback is another one'
gsym-lookup --style=go --json out.gsym 1 2>/dev/null &&
	fail 'there is no JSON in the style of Go'

# --from=go is an error where there is no table.
: >empty.c
${CC:-cc} -c -o empty.o empty.c && {
	gsym-create -q --from=go empty.o 2>err && fail 'a table in an empty object'
	grep -q 'no table of the Go runtime' err || fail "$(cat err)"
}

command -v xz >/dev/null ||
	skip 'four programs are packed by xz, which is not installed' \
		'(Debian: xz-utils); the other programs are fine'
for name in amd64-lldpie darwin-arm64 mips windows-amd64; do
	packed=$data/gosample-$name.xz
	[ -e "$packed" ] || packed=$data/gosample-$name.exe.xz
	xz -dc "$packed" >program || fail "cannot unpack $packed"
	symbols=
	[ $name != amd64-lldpie ] || symbols=symbols
	check program "gosample-$name.expect" "$symbols"
done

# Pointers as chained fixups, which Apple's linker writes.
if command -v python3 >/dev/null; then
	xz -dc "$data/gosample-darwin-arm64.xz" >plain
	for form in 2 6; do
		"$top_srcdir/tests/support/chain_fixups.py" plain chained \
			$form || fail 'cannot chain pointers'
		check chained gosample-darwin-arm64.expect ''
	done
fi
exit 0
