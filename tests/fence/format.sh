#!/bin/sh
# SPDX-License-Identifier: MIT
# What a new format of programs takes: format.patch adds one, "Hut", to a copy
# of the source.  gsym-create, of that copy, converts a file of the format,
# names its build ID, and refuses one that is cut short.  gsym-lookup, of that
# copy, finds the GSYM file by the build ID.  The patch may touch five files.
set -u
cd "${top_builddir:?}" && : "${top_srcdir:?}" "${CC:?}" || exit 99
. "$top_srcdir/tests/support/tools.sh"
fail()
{
	echo "$*"
	exit 1
}
patched_copy format 5 create lookup common source personality

# The value of a variable of the build.
variable()
{
	sed -n "s/^$1 = //p" Makefile
}

# The rooms that know what the patch changes.  The structs of the headers keep
# their sizes, so the readers of DWARF and the other formats are those of the
# build.
objects=
for file in "$tmp"/libgsym/object/*.c "$tmp"/libgsym/container/*.c \
	"$tmp"/libgsym/convert/*.c "$tmp"/libgsym/store/*.c \
	"$tmp"/libgsym/reader/image.c "$tmp"/libgsym/hut/*.c \
	"$tmp"/tools/create/*.c "$tmp"/tools/lookup/*.c; do
	name=$(basename "${file%/*}")-$(basename "$file" .c)
	# shellcheck disable=SC2046,SC2086 # CC and variables may have flags
	$CC -std=gnu11 -O0 -D_GNU_SOURCE -I. -I"$tmp/libgsym/include" \
		-I"$tmp/libgsym" -I"$tmp/tools" \
		$(variable YAML_CFLAGS) $(variable NETTLE_CFLAGS) \
		-c "$file" -o "$tmp/$name.o" || fail "$file does not compile"
	case $name in
	create-* | lookup-* | convert-* | container-* | hut-*) ;;
	*) objects="$objects $tmp/$name.o" ;;
	esac
done
libraries=".libs/libtools.a .libs/libpersonality.a .libs/libgsym.a
	.libs/libgsym-demangle.a $(variable IBERTY_LIBS)"
inputs="$(find .libs -name libsecond.a) .libs/libgsym-convert.a $(variable DWARF_LIBS) $(variable ZLIB_LIBS)
	$(variable DEFLATE_LIBS) $(variable ISAL_LIBS) $(variable ZSTD_LIBS) $(variable LZMA_LIBS)
	$(variable YAML_LIBS) $(variable NETTLE_LIBS)"
# shellcheck disable=SC2086 # lists of files
$CC -o "$tmp/gsym-create" "$tmp"/create-*.o "$tmp"/convert-*.o \
	"$tmp"/container-*.o "$tmp"/hut-*.o $objects -Wl,--start-group \
	$libraries $inputs -Wl,--end-group -lpthread -lm ||
	fail 'gsym-create is not linked'
# shellcheck disable=SC2086
$CC -o "$tmp/gsym-lookup" "$tmp"/lookup-*.o $objects -Wl,--start-group \
	$libraries -Wl,--end-group -lpthread -lm ||
	fail 'gsym-lookup is not linked'

# 16 bytes of code at 0x1000: "first" begins there, "second" 8 bytes later.
cd "$tmp" || exit 99
printf 'HUT1\001\043\105\147\211\253\315\357' >prog.hut
printf '\000\020\000\000\020\000\000\000\002\000\000\000' >>prog.hut
printf '0123456789abcdef' >>prog.hut
printf '\000\000\000\000\005first\010\000\000\000\006second' >>prog.hut
id=0123456789abcdef

./gsym-create --identify prog.hut >out || fail 'gsym-create --identify fails'
cat out
grep -q Hut out || fail 'gsym-create --identify does not name the format'
grep -q $id out || fail 'gsym-create --identify does not name the build ID'

./gsym-create -q --out-file=prog.gsym prog.hut || fail 'gsym-create fails'
./gsym-lookup prog.gsym 0x1004 0x100c >out || fail 'gsym-lookup fails'
cat out
grep -q 'first' out && grep -q 'second' out || fail 'a symbol gets lost'
rm prog.gsym

# The build ID of a program leads to the GSYM file in the store.  The program
# has other names by then.  Its own symbols are no answer.
./gsym-create -q --install=store prog.hut || fail 'gsym-create --install fails'
[ -e store/.build-id/01/23456789abcdef.debug.gsym ] ||
	fail 'the GSYM file is not stored by build ID'
LC_ALL=C sed 's/first/other/; s/second/others/' prog.hut >renamed.hut
./gsym-lookup --gsym-file-directory=store renamed.hut 0x1004 0x100c >out ||
	fail 'gsym-lookup does not find the GSYM file of a program'
cat out
grep -q 'first' out && grep -q 'second' out ||
	fail 'gsym-lookup answers otherwise for the program'

# Cut in the build ID, in the code, and in the last name.
for size in 8 30 60; do
	head -c $size prog.hut >cut.hut
	./gsym-create -q --out-file=cut.gsym cut.hut 2>err &&
		fail "gsym-create converts $size bytes of a program"
	cat err
	grep -q 'the hut breaks off' err || fail "no message for $size bytes"
	[ ! -e cut.gsym ] || fail "a GSYM file of $size bytes of a program"
done
