#!/bin/sh
# SPDX-License-Identifier: MIT
# The installed headers keep the ABI of tests/abi: no function is removed, and
# structs change only as gsym/types.h allows.  With the argument "update", writes
# tests/abi anew, which belongs to a release.
#
# abidw of libabigail describes a library that is made of the headers alone.  It
# would not do for the libraries themselves: libabigail 2.2 loses a function that
# is declared in one unit and defined in another one.  tests/fence/exports.sh
# compares headers and libraries.
set -u
cd "${top_builddir:?}" && : "${top_srcdir:?}" "${CC:?}" || exit 99
skip()
{
	echo "skipped: $*"
	exit 77
}

for tool in abidiff abidw python3 readelf; do
	command -v $tool >/dev/null ||
		skip "$tool is not installed (Debian: abigail-tools)"
done
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
headers=$top_srcdir/tests/fence/headers.py
baseline=$top_srcdir/tests/abi/gsym.abi.gz

python3 "$headers" "$top_srcdir" --stub >"$tmp/stub.c" || exit 99
# shellcheck disable=SC2086 # CC may have flags
$CC -std=gnu11 -g -O0 -w -shared -fPIC -I"$top_srcdir/libgsym/include" \
	"$tmp/stub.c" -o "$tmp/stub.so" || exit 99
readelf -h "$tmp/stub.so" | grep -q 'X86-64$' ||
	skip "the ABI that is kept is that of x86-64"
abidw --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed \
	"$tmp/stub.so" | sed "s|$tmp|.|g" >"$tmp/now.abi" || exit 99
[ "${1:-}" != update ] || {
	gzip -9n <"$tmp/now.abi" >"$baseline"
	exit
}

passed=$(python3 "$headers" "$top_srcdir" --passed | paste -sd '|' -)
[ -n "$passed" ] || exit 99
gzip -dc "$baseline" >"$tmp/before.abi" || exit 99
abidiff --no-added-syms "$tmp/before.abi" "$tmp/now.abi" >"$tmp/log" 2>&1
status=$?
# 4 and 8: the ABI changed; 1 and 2: abidiff failed.
[ $((status & 15)) != 0 ] || exit 0
# Structs that the library passes may have more members, and be larger.
[ $((status & 11)) != 0 ] || ! grep -vE "^\$|^(Func|Vari).*: 0 Removed|^[0-9]+ func|\
 has some indirect sub-type changes:|^ *parameter [0-9]+ .* sub-type changes:|\
^ *in (pointed to|unqualified underlying) type '(const )?(struct )?($passed)[' ]|\
^ *type size changed from|^ *[0-9]+ data member insertions?:|\
^ *'.*', at offset |details were reported earlier" "$tmp/log" || status=8
[ $((status & 11)) != 0 ] || exit 0
echo "abidiff says $status"
cat "$tmp/log"
echo "tests/abi/README.md says what to do"
exit 1
