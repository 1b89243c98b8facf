#!/bin/sh
# SPDX-License-Identifier: MIT
# The guide: its commands, copied into a shell in a clone after ./quickstart,
# print what the pages show; its links and those of the other documents lead to
# files; and "make guide" makes pages of it whose links lead to pages.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need python3

python3 "$top_srcdir/tests/cli/links.py" "$top_srcdir" || fail 'links'
part_passed links

if ! command -v g++ >/dev/null || ! [ "$(uname -m)" = x86_64 ] ||
	[ ! -x "$top_builddir/gsym-create" ]; then
	part_skipped commands 'g++ on x86-64 and gsym-create are needed'
elif [ -n "${GSYM_SANITIZE:-}" ]; then
	part_skipped commands 'libraries of sanitizers need their runtime'
else
	for page in "$top_srcdir"/doc/guide/*.md; do
		grep -q '^\$ ' "$page" || continue
		name=$(basename "$page" .md)
		mkdir "$name" && ln -s "$top_srcdir/examples" \
			"$top_srcdir/testdata" "$top_srcdir/libgsym" \
			"$top_builddir" "$name" || exit 99
		[ -e "$name/build" ] ||
			ln -s "$top_builddir" "$name/build" || exit 99
		python3 "$top_srcdir/tests/cli/tour.py" "$page" "$name" ||
			fail "$name is not what doc/guide says"
		part_passed "$name"
	done
fi

if command -v lowdown >/dev/null && command -v mandoc >/dev/null; then
	sh "$top_srcdir/doc/guide/make-pages" "$top_srcdir" pages >log 2>&1 ||
		fail "no pages: $(cat log)"
	python3 "$top_srcdir/tests/cli/links.py" --pages pages ||
		fail 'links of pages'
	part_passed pages
else
	part_skipped pages 'lowdown or mandoc is not installed (Debian: lowdown mandoc)'
fi
parts_finish
