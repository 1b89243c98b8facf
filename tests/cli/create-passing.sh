#!/bin/sh
# SPDX-License-Identifier: MIT
# A program is converted while its compressed .debug_info is inflated.  The
# output and the warnings are those of the same program without compression,
# also if the units cannot be read so and the conversion begins again, and for
# one address.
set -u
cd "${top_builddir:-.}" || exit 99
top=${top_srcdir:-$(dirname "$0")/../..}
. "$top/tests/support/tools.sh"
CC=${CC:-cc}
need as
need ld
need objcopy
need readelf
grep -Eq 'HAVE_(ISAL|ZSTD) 1' config.h ||
	skip 'built without ISA-L and libzstd'
build=$PWD
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
failed=0

# Six units with inlined calls, and main.
cd "$dir" || exit 99
for i in 1 2 3 4 5 6; do
	cat >"$i.c" <<EOT
static inline int twice$i(int x) { return x ? x * $i : x + 2; }
struct s$i { int a; struct s$i *next; };
int f$i(struct s$i *s) { return s->next ? f$i(s->next) : twice$i(s->a); }
static int h$i(int x) { return twice$i(x) + 1; }
int g$i(int x) { return h$i(twice$i(x)); }
EOT
done
echo 'int main(void) { return 0; }' >main.c
$CC -g -O2 -gz=none -o program main.c [1-6].c 2>/dev/null ||
	skip "$CC does not make a program"
readelf -SW program | grep -q debug_aranges ||
	skip "$CC does not write .debug_aranges"

# Print the offset and the size of section $2 of file $1, in hexadecimal.
place()
{
	readelf -SW "$1" 2>/dev/null | sed -n "s/.* $2  *[A-Z]*  *[0-9a-f]* \
\([0-9a-f]*\) \([0-9a-f]*\) .*/\1 \2/p"
}

# Change the byte at $2 of file $1 to the octal value $3.
poke()
{
	printf "\\$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# Convert $2 with further options, in folder $1: the output, and what is said.
run()
{
	folder=$1 file=$2
	shift 2
	mkdir -p "$folder"
	cp "$file" "$folder/program"
	(
		cd "$folder" || exit 99
		rm -f out
		"$build/gsym-create" -v "$@" -o out program 2>&1 |
			grep -E 'warning|error' >said
		[ -f out ] || echo none >out
	)
}

# Compare the conversions of $2, by each method, with those of the plain program
# $1.
compare()
{
	plain=$1 what=$2
	shift 2
	run plain "$plain" "$@"
	for method in $methods; do
		objcopy --compress-debug-sections="$method" "$plain" packed
		for threads in 1 3; do
			run packed.d packed -j "$threads" "$@"
			cmp plain/out packed.d/out &&
				diff plain/said packed.d/said || {
				echo "differs: $what, $method, $threads" \
					"threads $*"
				failed=1
			}
		done
	done
}

methods=zlib
objcopy --compress-debug-sections=zstd program packed 2>/dev/null &&
	methods='zlib zstd'

compare program 'the sound program'
compare program 'the sound program' --merged-functions
compare program 'the sound program' --data-symbols
for name in f1 g3 g6 main; do
	address=$(nm program | sed -n "s/ T $name\$//p")
	compare program "one address of $name" --only-for="0x$address"
done

# Bytes of all units, of their claims, abbreviations and lines.
for section in info aranges abbrev line; do
	set -- $(place program ".debug_$section")
	start=$((0x$1)) size=$((0x$2)) i=0
	while [ $i -lt 12 ]; do
		at=$((start + (i * 7919 + 4) % size))
		for value in 000 105; do
			cp program changed
			poke changed $at $value
			compare changed ".debug_$section+$((at - start))"
		done
		i=$((i + 1))
	done
done

# The third unit has no set, which is found out when the second one is read.  By
# then the first one was handed over, with a function where the third one claims
# the code.
unit()
{
	cat <<EOT
	.section .debug_info,"",%progbits
.Lunit$1:
	.4byte .Lend$1 - .Lbegin$1
.Lbegin$1:
	.2byte 4
	.4byte .Labbrev$1
	.byte 8
	.uleb128 1
	.asciz "unit$1.c"
	.8byte $2, $3
	.uleb128 2
	.asciz "$4"
	.8byte $5, $6
	.byte 0
.Lend$1:
	.section .debug_abbrev,"",%progbits
.Labbrev$1:
	.uleb128 1, 17
	.byte 1
	.uleb128 3, 8, 17, 1, 18, 7
	.byte 0, 0
	.uleb128 2, 46
	.byte 0
	.uleb128 3, 8, 17, 1, 18, 7
	.byte 0, 0, 0
EOT
}

{
	unit 1 0x1000 0x20 first 0x1040 0x20
	unit 2 0x1080 0x10 second 0x1080 0x10
	unit 3 0x1040 0x40 third 0x1040 0x10
	cat <<EOT
	.text
	.globl _start
	.type _start, @function
_start:	.fill 0x100, 1, 0x90
	.section .debug_aranges,"",%progbits
	.4byte 44
	.2byte 2
	.4byte 0
	.byte 8, 0
	.4byte 0
	.8byte 0x1000, 0x20, 0, 0
	.4byte 44
	.2byte 2
	.4byte .Lunit2
	.byte 8, 0
	.4byte 0
	.8byte 0x1080, 0x10, 0, 0
	.section .debug_line,"",%progbits
	.4byte 0, 0
EOT
} >late.s
as -o late.o late.s && ld -Ttext=0x1000 -o late late.o || exit 99
compare late 'a unit without a set'
for address in 0x1004 0x1044 0x1084 0x10c0; do
	compare late "a unit without a set, $address" --only-for=$address
done

# A set for no unit, in a debug file that has no code: the list of its sections
# grows by those of the program, and the section is inflated after that.
objcopy --strip-debug program stripped
objcopy --only-keep-debug program debug 2>/dev/null
for section in .init .plt .plt.got .plt.sec .text .fini; do
	objcopy --set-section-flags "$section=alloc,readonly" debug 2>/dev/null
done
set -- $(place debug .debug_aranges)
poke debug $((0x$1 + 6)) 003
for sections in 0 1 2 3 4 5 6 7 8; do
	run plain stripped --debug-file="$dir/debug"
	for method in $methods; do
		objcopy --compress-debug-sections="$method" debug packed.debug \
			2>/dev/null
		run packed.d stripped --debug-file="$dir/packed.debug"
		cmp plain/out packed.d/out || {
			echo "differs: a debug file without code, $method"
			failed=1
		}
	done
	# The list has room for some more.
	objcopy --add-section ".more$sections=stripped" debug 2>/dev/null
done

# Damage of the stream itself: there is no debug info, and a warning.
objcopy --strip-debug program bare
run plain bare
objcopy --compress-debug-sections=zlib program packed
set -- $(place packed .debug_info)
for back in 1 3 40 200; do
	cp packed changed
	at=$((0x$1 + 0x$2 - back))
	poke changed $at 125
	cmp -s packed changed && poke changed $at 252
	for threads in 1 3; do
		run packed.d changed -j $threads
		cmp plain/out packed.d/out || failed=1
		for text in 'bytes are damaged' 'no section .debug_info'; do
			grep -q "$text" packed.d/said && continue
			echo "the byte $back before the end: no '$text'"
			failed=1
		done
	done
done
exit $failed
