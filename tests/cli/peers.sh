#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/peers/peers: a line of a test passes, differs, or is not run if the real
# program fails, too; without a checkout it is a skip.
set -u
: "${top_srcdir:?}"
cd "${top_builddir:?}" || exit 99
. "$top_srcdir/tests/support/tools.sh"
need python3
need bash
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
folder=$tmp/llvm-project/llvm/test/tools/llvm-symbolizer
mkdir -p "$folder" "$tmp/tools"
# The real program.
printf '#!/bin/sh\necho real\n' >"$tmp/tools/llvm-symbolizer"
chmod +x "$tmp/tools/llvm-symbolizer"

fail()
{
	echo "$1"
	cat "$tmp/out"
	exit 1
}

try()
{
	"$top_srcdir/tests/peers/peers" --tools "$tmp/tools" "$@" . \
		>"$tmp/out" 2>&1
}

cat >"$folder/lines.test" <<'END'
RUN: echo made by another line >%t
RUN: grep -q made %t && llvm-symbolizer \
RUN:   --version | grep gsym-lookup
RUN: llvm-symbolizer --version | grep nothing
END
try --beside "$tmp" || fail "status $?"
row='| llvm/test/tools/llvm-symbolizer |'
grep -qxF "$row 2 | 1 | 0 | 0 | 0 | 1 |" "$tmp/out" || fail 'another table'
echo '# RUN: llvm-symbolizer --version | grep real' >>"$folder/lines.test"
try --beside "$tmp"
[ $? = 1 ] || fail 'a line that differs is no failure'
grep -q 'lines.test 4: differs$' "$tmp/out" || fail 'the line is not named'
grep -qxF "$row 3 | 1 | 0 | 0 | 1 | 1 |" "$tmp/out" || fail 'another table'
try --beside "$tmp/tools"
[ $? = 77 ] || fail 'without a checkout it is no skip'
[ "$(grep -c 'skipped: fetch' "$tmp/out")" = 7 ] || fail 'what to fetch?'
exit 0
