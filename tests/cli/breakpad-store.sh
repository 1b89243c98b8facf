#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-create --recursive on a store of Breakpad files, NAME/ID/NAME.sym.  The
# store also has compressed files, damaged files, files in the wrong folder, and
# files of other kinds.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
fixtures=$top_srcdir/testdata/breakpad

# Copy a file to the folder of the store that its MODULE record names.
put()
{
	set -- "$1" $(head -n 1 "$1" | tr -d '\r')
	folder=store/$6/$5
	mkdir -p "$folder" || exit 99
	cp "$1" "$folder/$6.sym"
}

for name in clang_inline gcc_split deep_inline windows_crlf mozilla_style; do
	put "$fixtures/$name.sym"
done
find store -name '*.sym' | sort >plain
[ "$(wc -l <plain)" -ge 4 ] || fail "a store: $(cat plain)"
sed 's/^MODULE Linux x86_64 ..../MODULE Linux x86_64 ABCD/; s/^INFO CODE_ID .*//' \
	"$fixtures/gcc_split.sym" >other.sym
put other.sym
gzip "$folder"/*.sym
zipped=$(ls "$folder"/*.sym.gz)
sed '/^INFO CODE_ID/d' other.sym | sed 's/ ABCD/ ABCE/' >third.sym
if command -v zstd >/dev/null && gsym-create -q -o z.gsym other.sym &&
	zstd -q -c other.sym >z.zst && gsym-create -q -o z.gsym z.zst 2>err; then
	put third.sym
	zstd -q --rm "$folder"/*.sym
else
	put third.sym
fi
# A file in the folder of another program.
mkdir -p store/liar/00112233445566778899AABBCCDDEEFF0
sed 's/ ABCD/ ABCF/' other.sym >store/liar/00112233445566778899AABBCCDDEEFF0/liar.sym
# A file without functions; a damaged file; files in formats that are refused.
printf 'MODULE Linux x86_64 0123456789ABCDEF0123456789ABCDEF0 e\nSTACK CFI x\n' \
	>empty.sym
put empty.sym
printf 'MODULE Linux x86_64 0123456789ABCDEF0123456789ABCDEF1 d\nwhat\n' >bad.sym
put bad.sym
printf 'MODULE Linux' | sed 's/./&\x00/g' >store/utf16.sym
printf 'MSCF\000\000\000\000libx.so.sym\000' >store/cab.sy_
gzip -c other.sym | head -c 600 >store/cut.sym.gz
# Files that are neither symbol files nor damaged symbol files.
echo 'a text' | gzip -c >store/text.gz
printf '\377\376t\000e\000x\000t\000!\000' >store/text.utf16
printf 'MSCF\000\000\000\000readme.txt\000' >store/text.cab
printf '\037\213nonsense' >store/nonsense.gz
echo text >store/text
: >store/nothing
sed 1d "$fixtures/clang_inline.sym" >store/headless.sym
find store -type f | sort >before

gsym-create --recursive --output-dir=one -j1 store 2>err
[ $? = 2 ] || fail "status: $(cat err)"
grep -q '^store: 8 converted, 0 kept, 1 without functions, 4 failed$' err ||
	fail "summary: $(cat err)"
for bad in 'd.*line 2, column 1' 'utf16.sym.*UTF-16' 'cab.sy_.*cabinet' \
	'cut.sym.gz.*damaged'; do
	grep -q "^gsym-create: 'store/.*$bad" err || fail "$bad: $(cat err)"
done
grep -q "warning: 'store/liar/.*another program than .* folder says" err ||
	fail "misplaced: $(cat err)"
[ "$(wc -l <err)" = 6 ] || fail "more than that: $(cat err)"
find store -type f | sort | cmp - before || fail 'the store was touched'
while read -r file; do
	gsym-create -q -o alone.gsym "$file" || fail "$file"
	cmp alone.gsym "one/${file#store/}.gsym" || fail "$file is another"
done <plain
[ -e "one/${zipped#store/}.gsym" ] || fail "$zipped"

# The number of threads changes neither outputs nor messages.
gsym-create -q --recursive --output-dir=many -j5 store 2>err
[ $? = 2 ] || fail "status: $(cat err)"
diff -r one many || fail 'threads make a difference'
sort err >told
gsym-create -q --recursive --output-dir=few -j2 store 2>err
sort err | cmp - told || fail 'threads say something else'

# Once more: outputs are kept, but an output with another build ID is replaced.
find one -type f | sort >had
gsym-create --recursive --output-dir=one store 2>err
grep -q '^store: 0 converted, 8 kept, 1 without' err || fail "again: $(cat err)"
first=$(head -n 1 plain)
cp "$(ls one/liar/*/*)" "one/${first#store/}.gsym"
gsym-create --recursive --output-dir=one --json store >json 2>err
grep -q '"converted":1,.*"kept":7,' json || fail "again: $(cat json)"
grep -q '"outcome":"kept","misplaced":true' json || fail "JSON: $(cat json)"
diff -r one many || fail 'what was not kept'
find one -type f | sort | cmp - had || fail 'more files'

# By build ID, which comes from the records.  A second file of the same program
# gives no second output.
cp "$first" store/copy.sym
gsym-create --recursive --install=tree store 2>err
[ $? = 2 ] || fail "--install: $(cat err)"
grep -q ': 8 converted, 0 kept, 1 the same as others, 1 without' err ||
	fail "--install: $(cat err)"
(cd tree/.build-id && find . -type f | sort) >installed
[ "$(grep -c '\.gsym$' installed)" = 8 ] || fail "$(cat installed)"
# Each but one is of an ELF program, and has a .debug file for llvm-symbolizer
# beside it.
[ "$(grep -c '\.debug$' installed)" = 7 ] || fail "$(cat installed)"
for file in $(cat plain) "$zipped"; do
	gsym-create --json -o alone.gsym "$file" >json || fail "$file"
	id=$(sed -n 's/.*"uuid":"\(..\)\([^"]*\)".*/\1\/\2/p' json)
	cmp alone.gsym "tree/.build-id/$id.debug.gsym" || fail "$file: $id"
done
gsym-create --recursive --install=tree store 2>err
grep -q ': 0 converted, 8 kept, 1 the same as others, 1 without' err || fail "again: $(cat err)"

# With --from=breakpad files without a MODULE record are converted, and programs
# are skipped.
compile prog
mkdir odd && mv prog store/headless.sym odd
gsym-create -r --from=breakpad --output-dir=out odd 2>err || fail "$(cat err)"
grep -q '^odd: 1 converted, 0 kept, 0 failed$' err || fail "odd: $(cat err)"
exit 0
