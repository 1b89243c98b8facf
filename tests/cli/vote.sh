#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/matrix/vote: gsym is with the majority, unless its lines or names are
# made wrong; files that cannot be compared are named.
set -u
: "${top_srcdir:?}"
cd "${top_builddir:?}" || exit 99
. "$top_srcdir/tests/support/tools.sh"
need python3
need cc
need addr2line binutils
build=$PWD
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
program="build:cc -O2 -g main.c shapes.c cold.c start.S -o \$OUT"

# $1: folder of the tools; other arguments are for vote.
try()
{
	tools=$1
	shift
	"$top_srcdir/tests/matrix/vote" --build "$tools" -n 300 "$@" \
		>"$tmp/out" 2>&1
}

fail()
{
	echo "$1"
	cat "$tmp/out"
	exit 1
}

try "$build" "$program" path:/no/such/file || fail 'no file was compared'
grep -q '^vote: 1 files, [0-9]* addresses' "$tmp/out" || fail 'no last line'
grep -q '^path:/no/such/file: not compared' "$tmp/out" ||
	fail 'a package that is not there is not named'
# LLVM's readers alone name the functions of PLTs, as gsym does.
grep -q 'llvm-symbolizer is not installed' "$tmp/out" &&
	skip 'there is no llvm-symbolizer (Debian: llvm-19)'
# What doc/exactness.md defines in another way than the majority is no defect.
grep -E '^[0-9]+ ' "$tmp/out" | grep -Ev '^[0-9]+ (behind|padding): ' &&
	fail 'gsym is not with the majority'
try "$build" /no/such/file && fail 'nothing was compared, and status is 0'

# $1: what is changed in the answers of gsym-lookup, $2: the class.
wrong()
{
	rm -rf "$tmp/wrong"
	wrong_tools "$tmp/wrong" "$1"
	try "$tmp/wrong" "$program" || fail 'no file was compared'
	grep -q "^[0-9]* $2: " "$tmp/out" || fail "no $2 is wrong"
}

wrong 's/"line":/"line":7/' line
wrong 's/"function":"/&x_/' function
wrong 's/"frames":.*/"frames":[]}/' 'missing answer'
