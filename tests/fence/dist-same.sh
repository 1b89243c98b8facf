#!/bin/sh
# SPDX-License-Identifier: MIT
# "make dist" makes the same bytes in two clones that differ in folder, times,
# modes of files and umask, and again in the unpacked archive.
set -u
cd "${top_builddir:?}" && : "${top_srcdir:?}" || exit 99
. "$top_srcdir/tests/support/tools.sh"
[ -e libgsym-convert.la ] ||
	skip "releases are made with conversion (not --disable-convert)"
[ -e "$top_srcdir/.git" ] || skip "the sources are no git repository"
need git
need autoreconf
tar --sort=name -cf /dev/null "$top_srcdir/NEWS" 2>/dev/null ||
	skip "tar is not GNU tar"
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL SOURCE_DATE_EPOCH

fail()
{
	echo "$*"
	cat "$tmp/log"
	exit 1
}

# Make the archive of the sources $1, in the folder $2.
dist()
{
	mkdir -p "$2" && cd "$2" || exit 99
	"$1/configure" -q --cache-file="$tmp/cache" >"$tmp/log" 2>&1 &&
		XZ_OPT=-0T1 make -s dist >"$tmp/log" 2>&1 || fail "make dist failed in $2"
}

git -c safe.directory='*' clone -q "$top_srcdir" "$tmp/one" >"$tmp/log" 2>&1 ||
	fail "git clone failed"
"$tmp/one/autogen.sh" >"$tmp/log" 2>&1 || fail "autogen.sh failed"
# The second clone: private to its owner, and from another year.
umask 077
mkdir "$tmp/elsewhere" && cp -R "$tmp/one" "$tmp/elsewhere/another" || exit 99
find "$tmp/elsewhere" -exec touch -h -d 2001-02-03 {} +
chmod -R go-rwx "$tmp/elsewhere"
chmod g+w "$tmp/one/NEWS"
# What was generated has to stay newer than what it is made from.
find "$tmp/elsewhere" \( -name aclocal.m4 -o -name configure -o \
	-name Makefile.in -o -name config.h.in \) -exec touch -d 2001-03-04 {} +
dist "$tmp/one" "$tmp/one/build"
dist "$tmp/elsewhere/another" "$tmp/elsewhere/build"
archive=$(cd "$tmp/one/build" && ls gsym-*.tar.xz)
cmp "$tmp/one/build/$archive" "$tmp/elsewhere/build/$archive" || {
	for folder in one elsewhere; do
		tar -tvf "$tmp/$folder/build/$archive" >"$tmp/$folder/list"
	done
	diff "$tmp/one/list" "$tmp/elsewhere/list" | head
	exit 1
}
mkdir "$tmp/unpacked" && cd "$tmp/unpacked" &&
	tar -xf "$tmp/one/build/$archive" || exit 99
dist "$tmp/unpacked/${archive%.tar.xz}" "$tmp/unpacked/build"
cmp "$tmp/one/build/$archive" "$tmp/unpacked/build/$archive"
