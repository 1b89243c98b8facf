#!/bin/sh
# SPDX-License-Identifier: MIT
# A lookup program links with libcore.a, libbase.a and libc alone.  Objects of
# format/ neither allocate nor open files.  Objects of reader/ allocate the
# reader's handle and the index of names, and nothing else.
set -u
cd "${top_builddir:?}" || exit 99
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
bad=0

for archive in .libs/libcore.a .libs/libbase.a; do
	[ -e $archive ] || { echo "$archive was not built"; exit 99; }
done

# Link the program without other libraries, and run it.
if [ -z "${GSYM_SANITIZE:-}" ]; then
	$CC -I"$top_srcdir/libgsym/include" -nodefaultlibs \
		-o "$tmp/lookup" "$top_srcdir/tests/fence/lookup.c" \
		.libs/libcore.a .libs/libbase.a -lc -lgcc || exit 1
	"$tmp/lookup" "$top_srcdir/testdata/gsym/little.gsym" 0x401010 \
		>"$tmp/out" || { echo "the lookup failed"; bad=1; }
	printf 'twice /src/inline.c:16\nwork /src/inline.c:26\n' |
		diff -u - "$tmp/out" || bad=1
	# The thread pool of libbase.a must not get into a lookup program.
	if nm "$tmp/lookup" | grep -qE 'pthread_create|gsym_pool'; then
		echo 'a lookup program holds threads'
		bad=1
	fi
fi

# The undefined symbols of the objects of room $1, one "object symbol" a line.
undefined()
{
	for object in libgsym/"$1"/*.o; do
		nm -u "$object" | sed "s|^ *U|${object##*/}|"
	done
}

# $1: the room; $2: symbols that its objects may not use; $3: exceptions, as
# "object symbol".  Each is an extended regular expression.
never()
{
	undefined "$1" >"$tmp/undefined"
	[ -s "$tmp/undefined" ] || { echo "$1: no objects"; bad=1; }
	more=$(grep -E " ($2)" "$tmp/undefined" | grep -vxE "$3")
	[ -z "$more" ] || { echo "$1 asks for: $more"; bad=1; }
}

foreign='elf_|gelf_|dwarf_|inflate|uncompress|libdeflate|isal_|ZSTD_|lzma_|XXH'
memory='(m|c|re|reallocarr)alloc$|reallocarray$|free$|mmap|munmap'
never format "$foreign|open|read$|fopen|pthread_" 'none'
# Encoders call base/emit.h, and only that allocates.
never format "$memory" 'none'
never reader "$foreign|pthread_|fopen|read$" 'none'
never reader "$memory" \
	'(image|names|paths).o (calloc|free)|image.o (mmap|munmap)(64)?'
exit $bad
