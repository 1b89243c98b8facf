#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-create gives the same output before and after dwz: with partial units,
# and with a supplementary file of either kind.  A missing supplementary file is
# a warning.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"

need dwz
need g++
here=$top_srcdir/tests/matrix

# The functions of $1.
functions()
{
	gsym-dump --functions "$1"
}

for version in 4 5; do
	rm -f one two common
	g++ -std=c++17 -O2 -g -gdwarf-$version -o one.orig "$here/main.cc" \
		"$here/thunks.cc" "$here/templates.cc" || exit 99
	cp one.orig two.orig
	gsym-create -q --verify -o orig.gsym one.orig || fail 'the original'
	functions orig.gsym >orig

	# Partial units in the file itself.
	cp one.orig one
	dwz one 2>log || fail "dwz: $(cat log)"
	gsym-create --verify --json -o one.gsym one >summary 2>err ||
		fail "partial units: $(cat err)"
	grep -q '"warnings":\[\]' summary || fail "$(cat summary)"
	functions one.gsym | cmp - orig || fail "DWARF $version: partial units"

	for kind in '' --dwarf-5; do
		[ "$version$kind" != 4--dwarf-5 ] || continue
		cp one.orig one
		cp two.orig two
		dwz $kind -m common one two 2>log || fail "dwz -m: $(cat log)"
		[ -e common ] || fail "dwz $kind: no common file: $(cat log)"
		gsym-create --verify --json -o one.gsym one >summary 2>err ||
			fail "dwz $kind: $(cat err)"
		grep -q '"warnings":\[\]' summary || fail "$(cat summary)"
		functions one.gsym | cmp - orig ||
			fail "DWARF $version, dwz $kind"

		# Without the file, and with another one.
		mv common away
		gsym-create --verify --json -o less.gsym one >summary 2>err ||
			fail "dwz $kind, missing: $(cat err)"
		grep -q '"kind":"missing-file","count":1,' summary ||
			fail "dwz $kind, missing: $(cat summary)"
		[ "$(gsym-dump --functions less.gsym | wc -l)" = \
			"$(gsym-dump --functions one.gsym | wc -l)" ] ||
			fail "dwz $kind: functions went with the names"
		cp one.orig common
		gsym-create --json -o less.gsym one >summary 2>err ||
			fail "dwz $kind, wrong: $(cat err)"
		grep -q 'has another build ID' summary ||
			fail "dwz $kind, wrong: $(cat summary)"
		rm common away
	done
done
exit 0
