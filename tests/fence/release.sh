#!/bin/sh
# SPDX-License-Identifier: MIT
# All files name the same release, and packaging/release notices if one does not.
set -u
: "${top_srcdir:?}"
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
"$top_srcdir/packaging/release" check || exit 1

files='NEWS configure.ac debian/changelog packaging/gsym.spec packaging/gsym.rb
packaging/release packaging/npm/package.json packaging/vcpkg/vcpkg.json
packaging/conan/conanfile.py packaging/APKBUILD python/pyproject.toml python/gsym/__init__.py
libgsym/include/gsym/types.h'

# Make a copy of these files that can be changed.
copy()
{
	rm -rf "$tmp/copy"
	for file in $files; do
		mkdir -p "$tmp/copy/$(dirname $file)" &&
			cp "$top_srcdir/$file" "$tmp/copy/$file" || exit 99
	done
	chmod -R u+w "$tmp/copy"
}

for changed in $files; do
	[ $changed != packaging/release ] || continue
	copy
	sed -i 's/^\(gsym \|AC_INIT(\[gsym\], \[\|gsym (\|Version: *\|  version "\|version = "\|__version__ = "\|  "version": "\|  "version-string": "\|    version = "\|pkgver=\|#define GSYM_VERSION_PATCH \)/&9/' \
		"$tmp/copy/$changed" || exit 99
	! "$tmp/copy/packaging/release" check >"$tmp/out" 2>&1 || {
		echo "another number in $changed is not noticed"
		exit 1
	}
done
# The number in the names of archives alone.
for changed in packaging/gsym.spec packaging/gsym.rb; do
	copy
	sed -i '/^Source0/s/\.tar/9.tar/; /^  url/s/\.tar/9.tar/' \
		"$tmp/copy/$changed" || exit 99
	! "$tmp/copy/packaging/release" check >"$tmp/out" 2>&1 || {
		echo "another archive in $changed is not noticed"
		exit 1
	}
done
# A folder that is there already is left alone.
! "$top_srcdir/packaging/release" build "$tmp" 2>"$tmp/err" >"$tmp/out" || exit 1
grep -q 'is there already' "$tmp/err" || {
	cat "$tmp/err"
	exit 1
}
exit 0
