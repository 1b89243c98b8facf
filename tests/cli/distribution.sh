#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/matrix/distribution: counts of files, addresses and differences, what
# happens after an interruption, and that wrong answers are "ours".
set -u
: "${top_srcdir:?}"
cd "${top_builddir:?}" || exit 99
. "$top_srcdir/tests/support/tools.sh"
need python3
need cc
need_llvm llvm-symbolizer
srcdir=$(cd "$top_srcdir" && pwd)
build=$PWD
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT

fail()
{
	echo "$1"
	cat "$tmp/out" "$tmp/err"
	exit 1
}

# $1: folder of the tools; other arguments are for distribution.
try()
{
	tools=$1
	shift
	"$srcdir/tests/matrix/distribution" --folder "$tmp/folder" \
		--addresses 300 "$tools" "$@" >"$tmp/out" 2>"$tmp/err"
}

# Whether the last row of the table has the numbers $1.
row()
{
	grep -q "^| all | $1 |" "$tmp/out" || fail "no row '$1'"
}

program="build:cc -O2 -g main.c shapes.c cold.c start.S -o \$OUT"
# Files, with DWARF, not made, not compared, other bytes, not verified.
try "$build" "$program" path:/no/such/file || fail 'differences'
row '1 | 1 | 0 | 0 | 0 | 0'
grep -q '^path:/no/such/file' "$tmp/err" || fail 'a package was not tried'
[ ! -e "$tmp/folder/package/out" ] || fail 'files of a package are left'

# What is done is not done again; a line that was cut off does not count.
printf '{"package": "path:' >>"$tmp/folder/results.jsonl"
try "$build" "$program" || fail 'differences of a second run'
row '1 | 1 | 0 | 0 | 0 | 0'
[ ! -s "$tmp/err" ] || fail 'a package was tried again'

# A gsym-lookup whose lines are wrong.
wrong_tools "$tmp/wrong"
rm -r "$tmp/folder"
try "$tmp/wrong" "$program" && fail 'wrong answers were not seen'
grep -q 'OURS' "$tmp/err" || fail 'wrong answers are not ours'
