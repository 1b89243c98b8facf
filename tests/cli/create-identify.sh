#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-create --identify and --files-from: what many files are, and lists of
# files instead of a folder.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need objcopy
need strip
need readelf
compile prog -Wl,--build-id -rdynamic
compile plain -Wl,--build-id=none
id=$(readelf -n prog | sed -n 's/.*Build ID: *//p')
objcopy --only-keep-debug prog prog.debug
strip -o stripped prog
objcopy --add-gnu-debuglink=prog.debug stripped
printf 'MODULE Linux x86_64 0123456789ABCDEF0123456789ABCDEF0 x\n' >x.sym
printf 'FUNC 1000 10 0 main\n' >>x.sym
echo text >text
: >empty
head -c 20 prog >cut

gsym-create --identify prog plain stripped prog.debug x.sym text empty cut \
	missing . >out 2>err || fail "status $?: $(cat err)"
[ ! -s err ] || fail "$(cat err)"
[ "$(wc -l <out)" -eq 10 ] || fail "$(cat out)"
# $1: the line; the rest: what it has.
line()
{
	number=$1
	shift
	for text; do
		sed -n "${number}p" out | grep -qF "$text" ||
			fail "line $number: no $text: $(sed -n "${number}p" out)"
	done
}
line 1 "{\"input\":\"prog\",\"size\":$(wc -c <prog),\"input_format\":\"ELF\"," \
	"\"uuid\":\"$id\"" '"debug_info":true,"symbols":true}'
if ldd "$top_builddir/gsym-create" 2>/dev/null | grep -q nettle; then
	# Of the file's own, which create-file-id.sh compares.
	line 2 '"input":"plain"' '"debug_info":true'
	sed -n 2p out | grep -q '"uuid":"[0-9a-f]\{32\}"' || fail "$(cat out)"
else
	line 2 '"input":"plain"' '"uuid":""'
fi
line 3 "\"uuid\":\"$id\"" '"debug_info":false,"symbols":true' \
	'"debug_link":"prog.debug"}'
line 4 "\"uuid\":\"$id\"" '"debug_info":true'
line 5 '"input":"x.sym"' '"input_format":"Breakpad"' '"debug_info":true'
line 6 '{"input":"text","outcome":"format","error":"'
line 7 '{"input":"empty","outcome":"format","error":"'
line 8 '{"input":"cut","outcome":"'
line 9 '{"input":"missing","outcome":"io","error":"No such file or directory"}'
line 10 '{"input":".","outcome":"io","error":"it is a folder, device or pipe, not a file"}'

# Lists: lines, and names that end with NUL bytes.
odd='a name
of two lines'
cp prog "$odd"
printf 'prog\n\nstripped\nmissing' >list
gsym-create --identify --files-from=list >out || fail '--files-from'
[ "$(wc -l <out)" -eq 3 ] || fail "$(cat out)"
printf '%s\0prog\0' "$odd" | gsym-create --identify -0 --files-from=- >out ||
	fail '-0'
[ "$(grep -c "\"uuid\":\"$id\"" out)" -eq 2 ] || fail "$(cat out)"
line 1 '"input":"a name\u000aof two lines"'

# The same store as that of the folder.
mkdir in
cp prog stripped prog.debug in
gsym-create -q -r --install=one in || fail '--recursive'
for order in 'prog stripped prog.debug' 'stripped prog.debug prog'; do
	rm -rf two
	# shellcheck disable=SC2086
	printf '%s\n' $order | gsym-create -q -r --files-from=- --install=two ||
		fail '--files-from'
	diff -r one two || fail 'another store'
done
gsym-create -r --files-from=list --install=two 2>err
[ $? = 2 ] || fail 'a missing file'
grep -q "'missing': No such file" err || fail "$(cat err)"

for wrong in '--files-from=list' '--files-from=list in' '-0 prog' \
	'-r --files-from=list --output-dir=x' '--identify' \
	'-r --install=x --files-from=list in'; do
	# shellcheck disable=SC2086
	gsym-create -q $wrong >out 2>err
	[ $? = 2 ] && grep -q -- '--help' err || fail "$wrong: $(cat err)"
done
gsym-create --identify --files-from=nowhere >out 2>err && fail 'no list'
grep -q "cannot open 'nowhere'" err || fail "$(cat err)"
exit 0
