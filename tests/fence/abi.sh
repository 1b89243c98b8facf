#!/bin/sh
# SPDX-License-Identifier: MIT
# The shared libraries keep the ABI of tests/abi: nothing is removed, and structs
# change only as gsym/types.h allows.  With the argument "update", writes
# tests/abi anew, which belongs to a release.
set -u
cd "${top_builddir:?}" && : "${top_srcdir:?}" || exit 99
skip()
{
	echo "skipped: $*"
	exit 77
}

for tool in abidiff abidw python3 readelf; do
	command -v $tool >/dev/null ||
		skip "$tool is not installed (Debian: abigail-tools)"
done
[ -z "${GSYM_SANITIZE:-}" ] || skip "sanitizers add symbols"
[ -e .libs/libgsym.so ] || skip "no shared libraries were built"
readelf -h .libs/libgsym.so | grep -q 'X86-64$' ||
	skip "the ABI that is kept is that of x86-64"
readelf -SW .libs/libgsym.so | grep -q '\.debug_info' ||
	skip "the libraries have no debug info"
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
headers=$top_srcdir/libgsym/include
bad=0

if [ "${1:-}" = update ]; then
	for library in libgsym libgsym-convert; do
		abidw --headers-dir "$headers" --drop-private-types \
			--no-corpus-path --no-comp-dir-path --no-show-locs \
			--no-elf-needed --no-architecture \
			".libs/$library.so" |
			gzip -9n >"$top_srcdir/tests/abi/$library.abi.gz"
	done
	exit 0
fi

# Members may be added at the end of structs that grow.
cat >"$tmp/growing" <<EOF
[suppress_type]
  type_kind = struct
  name_regexp = ^($(python3 "$top_srcdir/tests/fence/headers.py" \
	"$top_srcdir" --growing | paste -sd '|'))\$
  has_data_member_inserted_at = end
