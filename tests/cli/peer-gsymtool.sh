#!/bin/sh
# SPDX-License-Identifier: MIT
# A strict reader of GSYM, gsymtool of the crate gsym-rs, accepts the files that
# gsym-create writes.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
command -v gsymtool >/dev/null ||
	skip "there is no gsymtool (cargo install gsym-rs --version 0.2.1" \
		"--no-default-features --features cli,mmap)"

# gsym-create with the arguments after the input makes files that are accepted.
count=0
accepted()
{
	input=$1
	shift
	rm -f out.gsym*
	gsym-create -q "$@" -o out.gsym "$input" 2>err ||
		fail "$input $*: $(cat err)"
	for file in out.gsym*; do
		count=$((count + 1))
		gsymtool --color never verify "$file" >log 2>&1 ||
			fail "$input $*: $(cat log)"
	done
}

# In the line table of f the window of line deltas is +2 alone, and the last row
# is at line 1: opcode 3 and a special opcode would pass line -1.
cat >lines.sym <<'END'
MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 lines
FILE 0 a.c
FUNC 1000 10 0 f
1000 4 100 0
1004 4 102 0
1008 4 104 0
100c 4 1 0
END

compile prog
data=$top_srcdir/testdata
for input in prog lines.sym "$data"/breakpad/gcc_split.sym \
		"$data"/breakpad/many_ranges.sym \
		"$data"/breakpad/deep_inline.sym "$data"/gsym/*.gsym; do
	accepted "$input"
	accepted "$input" --format=v2
	accepted "$input" --endian=big
	accepted "$input" --format=v2 --endian=big
done
for format in v1 v2; do
	accepted prog --format=$format --merged-functions --data-symbols
	accepted prog --format=$format --segment-size=600
done
[ $count -gt 30 ] || fail "only $count files"
