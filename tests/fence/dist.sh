#!/bin/sh
# SPDX-License-Identifier: MIT
# Every file of the repository is in the release.  No file that the build makes
# at the top is unknown to .gitignore.
set -u
cd "${top_builddir:?}" && : "${top_srcdir:?}" || exit 99
. "$top_srcdir/tests/support/tools.sh"
[ -e libgsym-convert.la ] ||
	skip "releases are made with conversion (not --disable-convert)"
need git
tmp=$(mktemp -d) || exit 99
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT

git -C "$top_srcdir" ls-files >"$tmp/tracked" 2>/dev/null
[ -s "$tmp/tracked" ] || skip "the sources are no git repository"
unset MAKEFLAGS MFLAGS MAKELEVEL
make -s distdir distdir="$tmp/dist" top_distdir="$tmp/dist" \
	>"$tmp/log" 2>&1 || {
	cat "$tmp/log"
	exit 1
}
bad=0
while read -r file; do
	case $file in
	.git* | */.gitkeep) continue ;;
	esac
	[ -e "$tmp/dist/$file" ] || {
		echo "$file is not distributed (EXTRA_DIST)"
		bad=1
	}
done <"$tmp/tracked"
# A build in the source folder would put its programs at the top.
for program in $(find . -maxdepth 1 -type f -perm -u+x); do
	git -C "$top_srcdir" check-ignore -q "${program#./}" || {
		echo "${program#./} is not in .gitignore"
		bad=1
	}
done
exit $bad
