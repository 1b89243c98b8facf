#!/bin/sh
# SPDX-License-Identifier: MIT
# What a new kind of information of functions (an InfoType) takes: kind.patch adds
# one, "probes", to a copy of the source.  kind.c writes, reads, verifies, cuts and
# transcodes probes, and gsym-dump shows them.  The patch may touch eight files.
set -u
cd "${top_builddir:?}" && : "${top_srcdir:?}" "${CC:?}" || exit 99
. "$top_srcdir/tests/support/tools.sh"
fail()
{
	echo "$*"
	exit 1
}
patched_copy kind 8 dump common

# The rooms that know the structs which the patch changes.
objects=
for file in "$tmp"/libgsym/format/*.c "$tmp"/libgsym/writer/*.c \
	"$tmp"/libgsym/reader/*.c "$tmp"/libgsym/convert/transcode.c \
	"$tmp"/tools/dump/*.c $(grep -l gsym_function "$tmp"/tools/common/*.c) \
	"$source/tests/fence/kind.c"; do
	name=$(basename "${file%/*}")-$(basename "$file" .c)
	# shellcheck disable=SC2086 # CC may have flags
	$CC -std=gnu11 -O0 -D_GNU_SOURCE -I. -I"$tmp/libgsym/include" \
		-I"$tmp/libgsym" -I"$tmp/tools" -I"$source/tools" -c "$file" \
		-o "$tmp/$name.o" || fail "$file does not compile"
	case $name in
	dump-* | common-* | fence-kind | convert-transcode) ;;
	*) objects="$objects $tmp/$name.o" ;;
	esac
done
libraries=".libs/libtools.a .libs/libstore.a .libs/libbase.a
	.libs/libcore.a .libs/libgsym-demangle.a
	$(sed -n 's/^IBERTY_LIBS = //p' Makefile)"
# shellcheck disable=SC2086 # lists of files
$CC -o "$tmp/kind" "$tmp/fence-kind.o" "$tmp/convert-transcode.o" $objects -Wl,--start-group $libraries \
	-Wl,--end-group -lpthread -lm || fail 'kind is not linked'
# shellcheck disable=SC2086
$CC -o "$tmp/gsym-dump" "$tmp"/dump-*.o "$tmp"/common-*.o $objects -Wl,--start-group $libraries \
	-Wl,--end-group -lpthread -lm || fail 'gsym-dump is not linked'

"$tmp/kind" "$tmp/probes.gsym" || fail 'probes get lost'
"$tmp/gsym-dump" --verify "$tmp/probes.gsym" >"$tmp/out" ||
	fail 'gsym-dump finds damage in a sound file'
"$tmp/gsym-dump" --functions --statistics --function=outer "$tmp/probes.gsym" \
	>"$tmp/out" || exit 1
for text in 'p: probes' 'l--cp outer' '%  probes' '  Probes' '+4 first a.c:10'
do
	grep -qF -- "$text" "$tmp/out" || fail "gsym-dump lacks: $text"
done
"$tmp/gsym-dump" -j --function=0x1020 "$tmp/probes.gsym" >"$tmp/out" || exit 1
grep -qF '{"offset":32,"file":"b.c","line":30,"name":"last"}' "$tmp/out" ||
	fail 'gsym-dump -j lacks a probe'
