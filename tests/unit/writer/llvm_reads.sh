#!/bin/sh
# SPDX-License-Identifier: MIT
# llvm-gsymutil dumps the files of write_samples without a complaint, and looks
# up in them what write_samples put there.
set -u
. "${top_srcdir:?}/tests/support/tools.sh"
# Older ones know neither merged functions nor call sites.
need_llvm llvm-gsymutil 22
tool=$llvm
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
"${top_builddir:?}/write_samples" "$dir" || exit 99
bad=0

fail()
{
	echo "$*"
	bad=1
}

# The answers, as llvm-gsymutil prints them.
cat >"$dir/answers" <<'END'
0x0000000000001000: rich
0x0000000000001004: rich + 4 @ /src/a.c:10
0x0000000000001008: rich + 8 @ /src/a.c:4000
0x0000000000001010: inlined @ /src/b.h:3 [inlined]
                    rich + 16 @ /src/a.c:4000
0x0000000000001013: deeper + 1 @ /src/b.h:3 [inlined]
                    inlined + 3 @ /src/b.h:2 [inlined]
                    rich + 19 @ /src/a.c:4000
0x0000000000001018: rich + 24
0x000000000000101c: rich + 28 @ /src/a.c:0
0x0000000000001020: rich + 32 @ ??:15
0x0000000000001024: inlined + 20 @ /src/a.c:12 [inlined]
                    rich + 36 @ /src/a.c:4000
0x000000000000107f: rich + 127 @ /src/a.c:12
0x0000000000001084: nested + 4
0x0000000000001090: rich @ /src/a.c:12
0x00000000000010d0: rich + 64 @ /src/a.c:9
END
addresses=$(sed -n 's/^\(0x[0-9a-f]*\):.*/--address=\1/p' "$dir/answers")

count=0
for file in "$dir"/*.gsym; do
	name=$(basename "$file")
	count=$((count + 1))
	last=${name%-*}
	"$tool" "$file" >"$dir/dump" 2>"$dir/errors" ||
		fail "$name: the dump ends with an error"
	[ ! -s "$dir/errors" ] || fail "$name: $(cat "$dir/errors")"
	if grep -iE 'error|invalid|unsupported|unknown' "$dir/dump"; then
		fail "$name: the dump complains"
	fi
	[ "$(grep -c '^FunctionInfo @' "$dir/dump")" = 4 ] ||
		fail "$name: not four functions"
	[ "$(grep -c 'Merged FunctionInfos' "$dir/dump")" = 2 ] ||
		fail "$name: not two merged functions"
	flags='0x000d Flags[InternalCall | ExternalCall]'
	grep -qF "$flags "'MatchRegex[^aa$;bb.*]' "$dir/dump" ||
		fail "$name: a call site is missing"
	"$tool" "$file" $addresses 2>&1 | sed 1d >"$dir/found"
	diff "$dir/answers" "$dir/found" || fail "$name: other answers"
	"$tool" "$file" --address=0x$last | grep -q ': last$' ||
		fail "$name: the last function is missing"
	"$tool" --merged-functions "$file" --address=0x100d >"$dir/merged" 2>&1
	grep -q '^Found 2 functions' "$dir/merged" &&
		grep -qF 'CallSites: ^aa$, bb.*' "$dir/merged" ||
		fail "$name: merged functions: $(cat "$dir/merged")"
done
[ $count = 12 ] || fail "$count samples, not 12"
exit $bad
