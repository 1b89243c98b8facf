#!/bin/sh
# SPDX-License-Identifier: MIT
# The core tier stands on libc alone: a lookup program links with its static
# objects and nothing else, format/ neither allocates nor opens anything, and
# reader/ allocates its handle and nothing more.
set -u
cd "${top_builddir:?}" || exit 99
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
bad=0

for archive in .libs/libcore.a .libs/libbase.a; do
	[ -e $archive ] || { echo "$archive was not built"; exit 99; }
done

# Link, with nothing but libc, and run.
if [ -z "${GSYM_SANITIZE:-}" ]; then
	$CC -I"$top_srcdir/libgsym/include" -nodefaultlibs \
		-o "$tmp/lookup" "$top_srcdir/tests/fence/lookup.c" \
		.libs/libcore.a .libs/libbase.a -lc -lgcc || exit 1
	"$tmp/lookup" "$top_srcdir/testdata/gsym/little.gsym" 0x401010 \
		>"$tmp/out" || { echo "the lookup failed"; bad=1; }
	printf 'twice /src/inline.c:16\nwork /src/inline.c:26\n' |
		diff -u - "$tmp/out" || bad=1
	# Threads would come along with a pool that nobody asked for.
	if nm "$tmp/lookup" | grep -qE 'pthread_create|gsym_pool'; then
		echo 'a lookup program holds threads'
		bad=1
	fi
fi

# What is undefined in the objects of a room, one "object symbol" a line.
undefined()
{
	for object in libgsym/"$1"/*.o; do
		nm -u "$object" | sed "s|^ *U|${object##*/}|"
	done
}

# $1: room; $2: what its objects may not ask for; $3: what is exempt.
never()
{
	undefined "$1" >"$tmp/undefined"
	[ -s "$tmp/undefined" ] || { echo "$1: no objects"; bad=1; }
	more=$(grep -E " ($2)" "$tmp/undefined" | grep -vxE "$3")
	[ -z "$more" ] || { echo "$1 asks for: $more"; bad=1; }
}

foreign='elf_|gelf_|dwarf_|inflate|uncompress|libdeflate|ZSTD_|lzma_|XXH'
memory='(m|c|re|reallocarr)alloc$|reallocarray$|free$|mmap|munmap'
never format "$foreign|open|read$|fopen|pthread_" 'none'
# The encoders write into base/emit.h, which allocates on its own.
never format "$memory" 'none'
never reader "$foreign|pthread_|fopen|read$" 'none'
never reader "$memory" 'image.o (calloc|free|mmap|munmap)(64)?'
exit $bad
