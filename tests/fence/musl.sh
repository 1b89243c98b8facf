#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-lookup, gsym-dump and gsym-markup, built with musl as static programs,
# give the same answers as the tools of this build.
set -u
cd "${top_builddir:?}" && : "${top_srcdir:?}" || exit 99
. "$top_srcdir/tests/support/tools.sh"
need musl-gcc
build=$PWD
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 99' HUP INT TERM
[ -x "$top_srcdir/configure" ] || exit 99
# A source folder that is configured itself cannot be configured elsewhere.
[ ! -e "$top_srcdir/config.status" ] ||
	skip "the source folder is configured itself (make distclean there)"
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS CPPFLAGS LDFLAGS CC
mkdir "$tmp/include" "$tmp/build" && cd "$tmp/build" || exit 99
# musl-gcc uses none of the system's include folders.
for header in xxhash.h; do
	echo "#include <$header>" | gcc -E -M - | tr ' ' '\n' |
		grep "/$header\$" | head -n 1 |
		while read -r file; do cp "$file" "$tmp/include"; done
done
"$top_srcdir/configure" -q --disable-convert --disable-shared \
	CC=musl-gcc CPPFLAGS="-I$tmp/include" CFLAGS=-O1 \
	>"$tmp/log" 2>&1 && make -s -j2 LDFLAGS=-all-static >>"$tmp/log" 2>&1 || {
	tail -n 30 "$tmp/log"
	echo "it does not build"
	exit 1
}
bad=0
for tool in gsym-lookup gsym-dump gsym-markup; do
	readelf -d "$tool" 2>&1 | grep -q 'NEEDED' && {
		echo "$tool is not static"
		bad=1
	}
done

# Compare the output of both tools. $1: the tool; the rest: arguments.
same()
{
	tool=$1
	shift
	"$build/$tool" "$@" >"$tmp/want" 2>"$tmp/want.err"
	want=$?
	"./$tool" "$@" >"$tmp/got" 2>"$tmp/got.err"
	got=$?
	[ $want = $got ] && cmp -s "$tmp/want" "$tmp/got" &&
		cmp -s "$tmp/want.err" "$tmp/got.err" && return
	echo "$tool $*: another answer"
	bad=1
}

compared=0
for file in "$top_srcdir"/testdata/gsym/*.gsym; do
	[ -e "$file" ] || continue
	same gsym-dump --no-demangle "$file"
	same gsym-dump --verify "$file"
	same gsym-lookup --no-demangle "$file" 0x1000 0x1173 0x401000
	compared=$((compared + 1))
done
same gsym-markup --no-demangle "$top_srcdir/testdata/markup/llc.txt"
same gsym-markup --no-demangle --format=html \
	"$top_srcdir/testdata/markup/asan-heap.txt"
[ $compared -ge 3 ] || { echo "only $compared files compared"; bad=1; }
exit $bad
