#!/bin/sh
# SPDX-License-Identifier: MIT
# The tour in README.md works when its commands are copied into a shell, in a
# clone, after ./quickstart.  The clone is made of links here.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need python3
need g++
need_second
libc=/lib/x86_64-linux-gnu/libc.so.6
[ -e $libc ] || skip 'this is no Debian for amd64'
id=$(readelf -n $libc | sed -n 's/.*Build ID: //p')
[ -e "/usr/lib/debug/.build-id/$(echo "$id" | cut -c 1-2)/$(echo "$id" |
	cut -c 3-).debug" ] ||
	skip "the C library's debug info is missing (Debian: libc6-dbg)"
ln -s "$top_srcdir/examples" "$top_srcdir/testdata" . &&
	mkdir build && ln -s "$top_builddir"/* build || exit 99
python3 "$top_srcdir/tests/cli/tour.py" "$top_srcdir/README.md" . ||
	fail 'the tour is not what README.md says'
# All that the tour makes is in a folder that git ignores.
for file in *; do
	case $file in
	examples | testdata | build) ;;
	*) fail "the tour leaves $file" ;;
	esac
done
