#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/matrix/truth --small: the answers for programs whose functions and lines
# are known without debug info.  A lookup that lies is noticed.
set -u
: "${top_srcdir:?}"
cd "${top_builddir:?}" || exit 99
. "$top_srcdir/tests/support/tools.sh"
need python3
need gcc
truth=$top_srcdir/tests/matrix/truth
build=$PWD
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT

fail()
{
	echo "$1"
	cat "$tmp/out"
	exit 1
}

# A gsym-lookup whose lines are wrong: all places of the program are.
wrong_tools "$tmp/wrong"
"$truth" --only='^gcc bfd plain$' "$tmp/wrong" >"$tmp/out" 2>&1 &&
	fail 'wrong lines were not seen'
grep -Eq '^truth: 1 programs, ([0-9]+) places, \1 wrong$' "$tmp/out" ||
	fail 'not all places of a lookup with wrong lines are wrong'

# Each program that this machine can build, and the rest with the reason.
"$truth" --small . >"$tmp/out" 2>&1 || fail 'wrong places'
cat "$tmp/out"
grep -q '^ok  *gcc bfd plain:' "$tmp/out" ||
	fail 'gcc and its linker built nothing'
