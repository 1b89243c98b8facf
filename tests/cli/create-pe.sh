#!/bin/sh
# SPDX-License-Identifier: MIT
# PE: split units are object files beside the program; the debug file is the one
# that .gnu_debuglink names.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
cp -R "$top_srcdir/testdata/pe/split" . && chmod -R u+w split || exit 99
cd split || exit 99
gsym-create --verify -MF split.d -o split.gsym split.dll 2>err ||
	fail "$(cat err)"
grep -q ' 0 differences' err || fail "$(cat err)"
grep -q 'split.dwo' split.d || fail "$(cat split.d)"
id=$(sed -n 's/.*, build ID \([0-9a-f]*\)$/\1/p' err)
[ ${#id} = 40 ] || fail "no build ID: $(cat err)"
gsym-dump split.gsym | grep -q "$id" || fail 'the GSYM file lacks the build ID'
address=$(gsym-dump --functions split.gsym | awk '$NF == "entry" { print $1 }')
gsym-lookup split.gsym "$address" >out
sed 's/^[^:]*: *//; s/^ *//' out >frames
printf '%s\n' 'entry at /src/split.c:10' >wanted
diff -u wanted frames || fail "entry: $(cat out)"
# Tools that convert the program find what they have made by its build ID.
gsym-lookup --convert split.dll "$address" 2>/dev/null |
	sed 's/^[^:]*: *//; s/^ *//' | diff -u wanted - || fail 'gsym-lookup'
printf '%s\n' entry /src/split.c:10 >two
XDG_CACHE_HOME=$PWD/cache gsym-addr2line -fe split.dll "$address" |
	diff -u two - || fail 'gsym-addr2line'
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

# The debug file: beside the program, in .debug, in a tree, by --debug-file; and
# not if its checksum is another one.
cd .. && cp -R "$top_srcdir/testdata/pe/linked" . && chmod -R u+w linked &&
	cd linked || exit 99
gsym-create -q -o whole.gsym "$top_srcdir/testdata/pe/gcc.dll" || exit 1
gsym-dump --functions whole.gsym >whole.txt
expect_debug()
{
	gsym-create -o found.gsym "$@" 2>err || fail "$*: $(cat err)"
	gsym-dump --functions found.gsym | diff -u whole.txt - ||
		fail "$*: other functions than the whole program's"
}
expect_debug linked.dll
mkdir .debug && mv linked.debug .debug
expect_debug linked.dll
mkdir -p "tree$PWD" && mv .debug/linked.debug "tree$PWD"
expect_debug --debug-file-directory=tree "$PWD/linked.dll"
mv "tree$PWD/linked.debug" other.debug
expect_debug --debug-file=other.debug linked.dll
gsym-create -o found.gsym linked.dll 2>err || fail "$(cat err)"
grep -q ' 0 from debug info' err || fail "$(cat err)"
grep -q 'debug file linked.debug was not found' err || fail "$(cat err)"
echo x >>other.debug
gsym-create --debug-file=other.debug -o found.gsym linked.dll 2>err &&
	fail 'a file of another build is taken'
grep -q 'its checksum is' err || fail "$(cat err)"
# By build ID, in a tree.
gsym-create -q -o whole.gsym identified.debug || exit 1
gsym-dump --functions whole.gsym >whole.txt
id=$(gsym-dump whole.gsym | sed -n 's/^ *build ID *//p')
[ ${#id} = 40 ] || fail "no build ID: $id"
hex=${id#??}
mkdir -p "tree/.build-id/${id%"$hex"}"
mv identified.debug "tree/.build-id/${id%"$hex"}/$hex.debug"
expect_debug --debug-file-directory=tree identified.dll
cp linked.dll linked.debug
gsym-create -o found.gsym linked.dll 2>err || fail "$(cat err)"
grep -q ' 0 from debug info' err || fail 'the program itself is taken'
exit 0
