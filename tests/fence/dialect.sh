#!/bin/sh
# SPDX-License-Identifier: MIT
# What a new dialect of logs takes: dialect.patch adds one, "hop", to a copy of
# the source, and a word that announces its frames, for which the first table of
# words has no place.  gsym-markup, of that copy, answers its frames among those
# of other dialects.  The patch may touch four files.
set -u
cd "${top_builddir:?}" && : "${top_srcdir:?}" "${CC:?}" || exit 99
. "$top_srcdir/tests/support/tools.sh"
fail()
{
	echo "$*"
	exit 1
}
patched_copy dialect 4 markup common source

objects='' number=0
for file in "$tmp"/libgsym/logs/*.c "$tmp"/libgsym/markup/*.c \
	"$tmp"/libgsym/stacks/*.c "$tmp"/libgsym/render/*.c \
	"$tmp"/libgsym/filter/*.c libgsym/markup/*_files.c "$tmp"/tools/markup/*.c \
	tools/markup/*_files.c; do
	number=$((number + 1)) object=$tmp/$((number + 1)).o
	# shellcheck disable=SC2086 # CC may have flags
	$CC -std=gnu11 -O0 -D_GNU_SOURCE -I. -I"$tmp/libgsym/include" \
		-I"$tmp/libgsym" -I"$tmp/tools" -c "$file" -o "$object" ||
		fail "$file does not compile"
	objects="$objects $object"
done
# shellcheck disable=SC2086 # lists of files
$CC -o "$tmp/gsym-markup" $objects -Wl,--start-group .libs/libtools.a \
	.libs/libgsym.a .libs/libgsym-demangle.a \
	$(sed -n 's/^IBERTY_LIBS = //p' Makefile) \
	-Wl,--end-group -lpthread -lm || fail 'gsym-markup is not linked'

# Each line is longer than what one step of the search looks at.
line='A line of the log before the frame, which nothing announces: '
for form in all hop,glibc; do
	printf '%s%s\n' "$line" 'hop 2: libgeo.so~=0x1104' \
		"$line" 'hop: libgeo.so~=0x1104' \
		"$line" 'libgeo.so(+0x1104) [0x7f0000001104]' |
		"$tmp/gsym-markup" --logs="${form#all}" \
			--symbols="$source/testdata/logs/gcc" >"$tmp/out" ||
		fail "gsym-markup fails for $form"
	cat "$tmp/out"
	[ "$(grep -c 'geo::Shape::area' "$tmp/out")" -eq 2 ] ||
		fail "other answers for $form"
	grep -q 'hop 2: .*geo::Shape::area' "$tmp/out" ||
		fail "no answer for a hop, with $form"
done
