#!/bin/sh
# SPDX-License-Identifier: MIT
# PE: split units are object files beside the program.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
cp -R "$top_srcdir/testdata/pe/split" . && chmod -R u+w split || exit 99
cd split || exit 99
gsym-create --verify -MF split.d -o split.gsym split.dll 2>err ||
	fail "$(cat err)"
grep -q ' 0 differences' err || fail "$(cat err)"
grep -q 'split.dwo' split.d || fail "$(cat split.d)"
address=$(gsym-dump --functions split.gsym | awk '$NF == "entry" { print $1 }')
gsym-lookup split.gsym "$address" >out
sed 's/^[^:]*: *//; s/^ *//' out >frames
printf '%s\n' 'entry at /src/split.c:10' >wanted
diff -u wanted frames || fail "entry: $(cat out)"
# Behind the start, twice is inlined.
i=1
while [ $i -lt 40 ]; do
	printf '0x%x\n' $((address + i))
	i=$((i + 1))
done | gsym-lookup split.gsym >out
grep -q 'twice + [0-9]* at /src/split.c:7 (inlined)' out || fail "$(cat out)"

# Without the file, and with one that is no object file, names alone.
for damage in 'rm split.dwo' 'echo no object >split.dwo' \
	'head -c 100 "$top_srcdir/testdata/pe/split/split.dwo" >split.dwo'; do
	eval "$damage"
	gsym-create -o split.gsym split.dll 2>err || fail "$damage: $(cat err)"
	grep -q ' 0 from debug info, 2 from symbols' err ||
		fail "$damage: $(cat err)"
	grep -q 'split.dwo was not found' err || fail "$damage: $(cat err)"
done
exit 0
