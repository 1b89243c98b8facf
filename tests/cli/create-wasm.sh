#!/bin/sh
# SPDX-License-Identifier: MIT
# WebAssembly: stacks are those of llvm-symbolizer at each address of the code;
# debug files are found, and proved by the build ID or the code.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
data=$top_srcdir/testdata/wasm
cp "$data"/*.wasm . && cp -R "$data/debug" . || exit 99
chmod -R u+w .

# Both readers of DWARF, and LLVM's answers; GSYM has no columns.
gsym-create --verify plain.wasm -o plain.gsym 2>err || fail "$(cat err)"
grep -q '^plain.wasm: WebAssembly, wasm32, 32-bit, little-endian, build ID 0123' \
	err || fail "summary: $(cat err)"
grep -q 'verified: 5 functions, 0 differences' err || fail "$(cat err)"
mkdir bin && ln -s "$top_builddir/gsym-lookup" bin/llvm-symbolizer
i=0
while [ $i -lt 320 ]; do
	printf '0x%x\n' $i
	i=$((i + 1))
done >addresses
bin/llvm-symbolizer --no-demangle --obj=plain.wasm <addresses >answers ||
	fail "llvm-symbolizer: status $?"
sed 's/:[0-9]*$/:0/' "$data/plain.expected" | diff -u - answers ||
	fail "other answers than LLVM's"

# DWARF 5, and a module with names.
for file in prog prog5; do
	gsym-create --verify -o $file.gsym $file.wasm 2>err ||
		fail "$(cat err)"
	grep -q ' 0 differences' err || fail "$(cat err)"
done

# A debug file that the module names: in its folder as named, beside the module,
# by build ID, and by --debug-file.
expect_debug()
{
	gsym-create -o found.gsym "$@" 2>err || fail "$*: $(cat err)"
	grep -q ' 5 from debug info' err || fail "$*: $(cat err)"
	cmp -s found.gsym prog.gsym || fail "$*: other data than of prog.wasm"
}
expect_debug stripped.wasm
mv debug/stripped.debug.wasm .
expect_debug stripped.wasm
mkdir -p tree/.build-id/01
mv stripped.debug.wasm tree/.build-id/01/23456789abcdef0123456789abcdef.debug
expect_debug --debug-file-directory=tree stripped.wasm
expect_debug --debug-file=prog.wasm stripped.wasm

# Without it: names alone, and a warning that names the file.
rm -r tree
gsym-create -v -o found.gsym stripped.wasm 2>err || fail "$(cat err)"
grep -q 'debug/stripped.debug.wasm is not used' err || fail "$(cat err)"
grep -q ' 0 from debug info' err || fail "$(cat err)"
[ "$(gsym-lookup found.gsym 0x2 | head -1)" != '0x2: ??' ] ||
	fail 'a module without debug info has no names'

# The debug file of another program.
LC_ALL=C sed 's/\x23\x45\x67\x89/\x23\x45\x67\x88/' prog.wasm >other.wasm
gsym-create --debug-file=other.wasm -o found.gsym stripped.wasm 2>err &&
	fail 'a module with another build ID is taken for the debug file'
grep -q 'it has another build id' err || fail "$(cat err)"
printf '\0asm\1\0\0\0' >empty.wasm
gsym-create --debug-file=empty.wasm -o found.gsym stripped.wasm 2>err &&
	fail 'a module without code is taken for the debug file'
grep -q 'it has other code' err || fail "$(cat err)"

# Split units: in files beside the module, in its package, and in a package that
# is named.
cp -R "$data/split" . && chmod -R u+w split
gsym-dump --functions prog5.gsym >whole.txt
same()
{
	gsym-create -v -o split.gsym "$@" 2>err || fail "$*: $(cat err)"
	gsym-dump --functions split.gsym | diff -u whole.txt - ||
		fail "$*: other functions than the whole program's"
}
same split/split.wasm
gsym-create -q --verify -o split.gsym split/split.wasm ||
	fail 'the readers differ'
gsym-create -q -MF split.d -o split.gsym split/split.wasm
grep -q 'split/prog.dwo' split.d || fail "$(cat split.d)"
mkdir away && mv split/*.dwo away
same --dwp=split/split.dwp split/split.wasm
mv split/split.dwp split/split.wasm.dwp
same split/split.wasm
rm split/split.wasm.dwp
gsym-create --require=debug-info -o split.gsym split/split.wasm 2>err &&
	fail 'the units that are missing are not missed'
grep -q 'prog.dwo was not found' err || fail "$(cat err)"

# Stacks of browsers have offsets in the module, whose code begins at 0x40: the
# module has to be beside the symbols, and of their build.
mkdir stacks && cp plain.wasm stacks && cp plain.gsym stacks/plain.wasm.gsym
cat >log <<'END'
    at f (https://a.example/plain.wasm:wasm-function[1]:0x50)
g@http://a.example/plain.wasm?v=2:wasm-function[2]:0xa0
    at wasm://wasm/0133c842:wasm-function[1]:0x50
    at https://a.example/plain.wasm:wasm-function[1]:0x3f
    1:     0xa0 - plain.wasm!run
    2:     0xa0 - <unknown>!run
END
cat >wanted <<'END'
    twice (/src/./inner.h:12) [inline]
    at f (https://a.example/plain.wasm:wasm-function[1]:0x50) helper (/src/prog.c:6)
g@http://a.example/plain.wasm?v=2:wasm-function[2]:0xa0 run (/src/prog.c:18)
    at wasm://wasm/0133c842:wasm-function[1]:0x50
    at https://a.example/plain.wasm:wasm-function[1]:0x3f
    1:     0xa0 - plain.wasm!run (/src/prog.c:18)
    2:     0xa0 - <unknown>!run
END
gsym-markup --logs --symbols=stacks log 2>err | diff -u wanted - ||
	fail "stacks of browsers: $(cat err)"
gsym-markup --logs --symbols=stacks wanted 2>err | diff -u wanted - ||
	fail "stacks of browsers, twice: $(cat err)"
cp other.wasm stacks/plain.wasm
gsym-markup --logs --symbols=stacks log 2>err | diff -u log - ||
	fail 'the offsets of a module with another build ID are taken'
exit 0
