#!/bin/sh
# SPDX-License-Identifier: MIT
# The installed headers keep the rules of gsym/types.h, and each compiles alone,
# in C and in C++, where a struct may be used without the word "struct".
set -u
cd "${top_builddir:?}" && : "${top_srcdir:?}" || exit 99
. "$top_srcdir/tests/support/tools.sh"
need python3
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
bad=0

python3 "$top_srcdir/tests/fence/headers.py" "$top_srcdir" "$tmp/all.cc" ||
	bad=1

# $1: language; $2: source; the rest: compiler and flags.
compile()
{
	language=$1 source=$2
	shift 2
	"$@" -x "$language" -fsyntax-only -Wall -Wextra -pedantic -Werror \
		-I"$top_srcdir/libgsym/include" "$source" || bad=1
}

for header in "$top_srcdir"/libgsym/include/gsym/*.h; do
	echo "#include <gsym/${header##*/}>" >"$tmp/one.c"
	# shellcheck disable=SC2086 # CC may have flags
	compile c "$tmp/one.c" $CC -std=c11
done
[ $bad = 0 ] || exit 1
need "${CXX:-g++}" g++
for header in "$top_srcdir"/libgsym/include/gsym/*.h; do
	echo "#include <gsym/${header##*/}>" >"$tmp/one.cc"
	compile c++ "$tmp/one.cc" "${CXX:-g++}" -std=c++17
done
compile c++ "$tmp/all.cc" "${CXX:-g++}" -std=c++17
exit $bad
