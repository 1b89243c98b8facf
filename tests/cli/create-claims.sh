#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions claim what their DIEs say: units without claims, with dead ones, with
# the claims of others; also with --only-for, which reads few units.
set -u
cd "${top_builddir:-.}" || exit 99
top=${top_srcdir:-$(dirname "$0")/../..}
. "$top/tests/support/tools.sh"
need as ld
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
failed=0

# Unit $1 with DW_AT_low_pc $2 and DW_AT_high_pc $3, and the functions that
# follow, each as NAME START SIZE.  The code is at 0x1000.
unit()
{
	number=$1 low=$2 high=$3
	shift 3
	cat <<EOT
	.section .debug_info,"",%progbits
.Lunit$number:
	.4byte .Lend$number - .Lbegin$number
.Lbegin$number:
	.2byte 4
	.4byte .Labbrev
	.byte 8
	.uleb128 1
	.asciz "unit$number.c"
	.8byte $low
	.8byte $high
EOT
	while [ $# -gt 0 ]; do
		printf '\t.uleb128 2\n\t.asciz "%s"\n\t.8byte %s\n\t.8byte %s\n' \
			"$1" "$2" "$3"
		shift 3
	done
	printf '\t.byte 0\n.Lend%s:\n' "$number"
}

begin()
{
	cat <<EOT
	.text
	.globl _start
_start:	.fill 0x100, 1, 0x90
	.section .debug_abbrev,"",%progbits
.Labbrev:
	.uleb128 1, 17
	.byte 1
	.uleb128 3, 8, 17, 1, 18, 1
	.byte 0, 0
	.uleb128 2, 46
	.byte 0
	.uleb128 3, 8, 17, 1, 18, 7
	.byte 0, 0, 0
EOT
}

# Link $dir/in.s, and look up the addresses $1 ...: the answers have to be those
# of $dir/want, from the whole and from the part around the address.
check()
{
	what=$1
	shift
	as -o "$dir/o" "$dir/in.s" && ld -Ttext=0x1000 -o "$dir/p" "$dir/o" &&
		./gsym-create -q -o "$dir/whole" "$dir/p" || exit 99
	./gsym-lookup "$dir/whole" "$@" >"$dir/got"
	for address; do
		./gsym-create -q --only-for="$address" -o "$dir/part" "$dir/p"
		./gsym-lookup "$dir/part" "$address" >>"$dir/parts"
	done
	diff "$dir/want" "$dir/got" && diff "$dir/want" "$dir/parts" || {
		echo "wrong: $what"
		failed=1
	}
	rm "$dir/parts"
}

{
	begin
	unit 1 0 0 none 0x1000 0x10
	unit 2 0x1010 0x1020 claimed 0x1010 0x10
} >"$dir/in.s"
cat >"$dir/want" <<EOT
0x1004: none + 4
0x1014: claimed + 4
EOT
check "a unit whose claim is empty" 0x1004 0x1014

{
	begin
	unit 1 0x1000 0x1100 wide 0x1000 0x100
	unit 2 0x1100 0x1100 late 0x1080 0x10
} >"$dir/in.s"
cat >"$dir/want" <<EOT
0x1004: wide + 4
0x1084: late + 4
0x1094: wide + 4
EOT
check "of functions of two units the one that begins last" \
	0x1004 0x1084 0x1094

{
	begin
	unit 1 0x1000 0x1020 first 0x1000 0x20
	unit 2 0x1000 0x1020 second 0x1000 0x20
} >"$dir/in.s"
cat >"$dir/want" <<EOT
0x1004: first + 4
EOT
check "equal ranges" 0x1004

{
	begin
	unit 1 0 0x1100 dead 0 0x1100
	unit 2 0x1000 0x1020 live 0x1000 0x20
} >"$dir/in.s"
cat >"$dir/want" <<EOT
0x1004: live + 4
EOT
check "a unit of dropped code" 0x1004

# The whole is read where the units near the address say nothing of its code:
# the first unit claims too little.
{
	begin
	printf '\t.text\n\t.type sized, %%function\n\t.size sized, 0x10\n'
	printf 'sized:\t.fill 0x10, 1, 0x90\n'
	unit 1 0x1000 0x1010 sized 0x1100 0x10
	unit 2 0x1010 0x1020 claimed 0x1010 0x10
} >"$dir/in.s"
cat >"$dir/want" <<EOT
0x1104: sized + 4
EOT
check "a unit that claims less than its functions" 0x1104

# A symbol inside a function is right, and the warning names both.
{
	begin
	printf '\t.text\n\t.set inner, _start + 0x40\n'
	printf '\t.type inner, %%function\n\t.size inner, 0x10\n'
	unit 1 0x1000 0x1100 wide 0x1000 0x100
} >"$dir/in.s"
cat >"$dir/want" <<EOT
0x103c: wide + 60
0x1044: inner + 4
0x1054: wide + 4
EOT
check "a symbol inside a function" 0x103c 0x1044 0x1054
./gsym-create -v -o "$dir/whole" "$dir/p" 2>"$dir/said"
grep -q "warning: contradiction: at 0x1040 the symbol is inner and the function\
 of the debug info wide" "$dir/said" || {
	cat "$dir/said"
	echo "wrong: the warning of a contradiction"
	failed=1
}

exit $failed
