#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-markup --json: an object for each line, each frame and each reason.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
need python3
id=00112233445566778899aabbccddeeff01234567
cat >module.sym <<'END'
MODULE Linux x86_64 000000000000000000000000000000000 m
FILE 0 /src/a.c
INLINE_ORIGIN 0 tiny()
FUNC 1000 100 0 _Z4workv
INLINE 0 30 0 0 1000 20
1000 20 7 0
1020 e0 21 0
END
mkdir -p debug/.build-id/00
gsym-create -q -o "debug/.build-id/00/${id#00}.debug.gsym" module.sym \
	>/dev/null || fail 'gsym-create'
json() { gsym-markup -q --no-verify --debug-file-directory=debug --json "$@"; }
# The output without its first object is that of standard input.
expect()
{
	cat >expected
	sed 1d out | diff expected - || fail "$1: other objects"
}
version=$(gsym-markup --version | sed -n '1s/.* //p')

# Markup, of two processes, and a last line without an end.
{
	echo "==1== {{{module:0:/lib/m.so:elf:$id}}}"
	echo '==1== {{{mmap:0x10000:0x10000:load:0:rx:0x0}}}'
	echo '==1== {{{bt:0:0x11010:pc}}} "\'
	echo '==2== {{{bt:3:0x11010:pc}}}'
	printf '\033\377 {{{bt:1:0x11040:pc}}}'
} >log
json --by-process log >out || fail "status $?"
[ "$(head -n 1 out)" = \
	"{\"program\":\"gsym-markup\",\"version\":\"$version\",\"logs\":[]}" ] ||
	fail "the first object: $(head -n 1 out)"
expect markup <<'END'
{"line":1,"text":"==1== {{{module:0:/lib/m.so:elf:00112233445566778899aabbccddeeff01234567}}}"}
{"line":2,"text":"==1== {{{mmap:0x10000:0x10000:load:0:rx:0x0}}}"}
{"line":3,"text":"==1== {{{bt:0:0x11010:pc}}} \"\\"}
{"line":3,"frame":0,"process":"1","module":"/lib/m.so","address":"0x1010","found":true,"functions":[{"function":"tiny()","file":"/src/a.c","line":7,"offset":16,"inlined":true},{"function":"work()","linkage_name":"_Z4workv","file":"/src/a.c","line":30,"offset":16}]}
{"line":4,"text":"==2== {{{bt:3:0x11010:pc}}}"}
{"line":4,"frame":3,"process":"2","found":false,"functions":[]}
{"line":5,"text":"\u001b\ufffd {{{bt:1:0x11040:pc}}}"}
{"line":5,"frame":1,"found":false,"functions":[]}
END

# Frames without markup, of which some have an answer, and the reasons.
mkdir by-name
cp "debug/.build-id/00/${id#00}.debug.gsym" by-name/m.so.gsym
printf '%s\n' '/lib/m.so(+0x1011) [0x11011]' './a(_Z1fv+0x1) [0x1001]' \
	' ? g+0x1/0x2 [mod]' >log
json --logs --explain --symbols=by-name log >out 2>err || fail "status $?"
[ ! -s err ] || fail "messages: $(cat err)"
head -n 1 out | grep -q '"logs":\["kernel","android",.*"xen","valgrind","wasm"\]}$' ||
	fail "the forms: $(head -n 1 out)"
sed '/explain/!d; s/: .*//' out >reasons
[ "$(grep -c '^{"line":[1-3],"explain":"' out)" = 3 ] || fail "$(cat out)"
sed -i '/"explain"/d' out
expect logs <<'END'
{"line":1,"text":"/lib/m.so(+0x1011) [0x11011]"}
{"line":2,"text":"./a(_Z1fv+0x1) [0x1001]"}
{"line":3,"text":" ? g+0x1/0x2 [mod]"}
{"line":1,"frame":0,"module":"/lib/m.so","address":"0x1010","found":true,"functions":[{"function":"tiny()","file":"/src/a.c","line":7,"offset":16,"inlined":true},{"function":"work()","linkage_name":"_Z4workv","file":"/src/a.c","line":30,"offset":16}]}
{"line":2,"frame":1,"module":"./a","found":false,"functions":[{"function":"f()","linkage_name":"_Z1fv"}]}
END
json --logs=glibc --no-demangle log >out || fail "status $?"
grep -q '"functions":\[{"function":"_Z1fv"}\]' out || fail "$(cat out)"

# The number of a line behind one that ended the wait of a stack.
printf '%s\n' '/lib/m.so(+0x1011) [0x11011]' EIP: \
	'/lib/m.so(+0x1040) [0x11040]' x y '/lib/m.so(+0x1011) [0x11011]' >log
json --logs=glibc --symbols=by-name log >out || fail "status $?"
[ "$(sed -n 's/^{"line":\([0-9]*\),"frame":.*/\1/p' out | tr '\n' ' ')" = \
	'1 3 6 ' ] || fail "numbers of lines: $(cat out)"

# Of a long line the start, however the log is cut into pieces; and a name that
# is not made readable.
python3 -c 'print("x" * 511 + "\u00e9" + "y" * 600000)
print("./a(%s+0x1) [0x1001]" % ("f" * 5000))' >log
for how in 'cat log' 'dd if=log bs=7 status=none'; do
	$how | json --logs=glibc >out || fail "status $?"
	python3 - out <<'END' || fail "long lines: $how"
import json
import sys
objects = [json.loads(line) for line in open(sys.argv[1])][1:]
assert objects[0] == {"line": 1, "text": "x" * 511 + "\ufffd"}, objects[0]
assert len(objects[1]["text"]) == 512 and len(objects) == 3
assert objects[2]["functions"] == [{"function": "f" * 5000}]
END
done
# A short name whose readable form would be very long.
name=_Z1f1aIiiE
for i in 0 1 2 3 4 5 6 7 8; do name=${name}S_IS${i}_S${i}_E; done
echo "./a($name+0x1) [0x1001]" >log
json --logs=glibc >out <log || fail "status $?"
[ "$(wc -c <out)" -lt 1500 ] || fail 'a short name became a very long one'
: | json >out || fail 'an empty log'
[ "$(wc -l <out)" = 1 ] || fail "an empty log: $(cat out)"
for args in --format=html --compat=llvm --output-dir=x; do
	json $args log >out 2>err
	[ $? = 2 ] || fail "$args: $(cat err)"
	grep -q -e '--json does not go with' err || fail "$args: $(cat err)"
done
exit 0
