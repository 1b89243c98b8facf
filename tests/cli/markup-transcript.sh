#!/bin/sh
# SPDX-License-Identifier: MIT
# A program is run that logs its own
# memory, stack and variables.  Our own style shows them; --compat=llvm writes
# the bytes of llvm-symbolizer.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
make_shape
cp "$markup_data/demo.cpp" .
demo_id=de300010203040506070809a
g++ -O2 -g -fPIE -pie -Wl,--build-id=0x$demo_id -Wl,-rpath,"$PWD" \
	-ffile-prefix-map="$PWD"=/src/demo -o demo demo.cpp libshape.so \
	2>../stderr || { cat ../stderr; skip 'no demo program'; }
file=debug/.build-id/de/${demo_id#de}.debug
mkdir -p "${file%/*}"
gsym-create --quiet -o $file.gsym demo || fail 'no GSYM file'
objcopy --only-keep-debug demo $file && strip -g $file || fail 'no symbols'
ASAN_OPTIONS=detect_leaks=0 ./demo >log || skip 'the program does not run here'
grep -q '^{{{bt:2:' log || skip 'no backtrace here'

expect()
{
	grep -qE -e "$1" out || { cat log out err; fail "$2: no '$1'"; }
}
gsym-markup --debug-file-directory=debug log >out 2>err || fail "status $?"
address='0x[0-9a-f]{16}'
place=' \/src\/demo\/'
expect '^\[\[\[ELF module #0x0 "demo"; BuildID=de300010203040506070809a \[' demo
expect '^\[\[\[ELF module #0x[0-9a-f]+ "libshape.so"; BuildID=5ba9e0010203040506070809 \[0x' lib
expect '^in leaf, called from shape_entry\[\/src\/demo\/shape.cpp:19\]$' pc
expect "^    #0\\.1  $address geo::leaf${place}shape.cpp:7 \\(libshape.so\\+0x" leaf
expect "^    #0\\.2  $address geo::middle${place}shape.cpp:11 \\(libshape.so\\+0x" middle
expect "^    #0    $address geo::Shape::area\\(int, void \\(\\*\\)\\(char const\\*, void\\*, void\\*\\)\\)${place}shape.cpp:14 \\(libshape.so\\+0x" area
expect "^    #1    $address shape_entry${place}shape.cpp:19 \\(libshape.so\\+0x" entry
expect "^    #2    $address main${place}demo.cpp:[0-9]+ \\(demo\\+0x" main
expect "^    #[0-9]+    $address _start \\(demo\\+0x" _start
expect '^bias bias\+0x8 table table table\+20 table\+0x14 count shape_count$' data
expect '^code as data shape_entry, data as code table, stack \[\[\[data:0x' other
[ "$(grep -c '^error: no symbols for module' err)" -ge 1 ] ||
	{ cat err; fail 'no message about modules without symbols'; }

# Older ones read no GSYM files.
theirs=$(llvm_tool llvm-symbolizer 22) || {
	echo 'not compared: there is no llvm-symbolizer of LLVM 22 or later'
	exit 0
}
for colour in never always; do
	$theirs --filter-markup --no-debuginfod --color=$colour \
		--debug-file-directory=debug <log >theirs 2>theirs.err
	gsym-markup --compat=llvm --color=$colour \
		--debug-file-directory=debug <log >ours 2>ours.err ||
		fail "status $?"
	diff -a theirs ours || fail "the output, colour $colour"
	diff -a theirs.err ours.err || fail "the messages, colour $colour"
done
exit 0
