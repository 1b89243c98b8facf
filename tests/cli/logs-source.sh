#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-markup --source-lines: source code below each place, of files below the
# folders of --source-root alone.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/logs-lib.sh"
mkdir -p root/src/shapes other
cp "$data"/src/*.cpp "$data"/src/*.h root/src/shapes
log=$data/sanitizer/asan-uaf.log

# Filter the log $log with the other arguments.
source_lines()
{
	logs "$log" sanitizer/x "$@" >out 2>err || fail "status $?: $*"
}

# The output without source code is the expected one, and the files' lines are
# where they belong.
source_lines --source-lines=3 --source-root=other --source-root=root
sed '/^ *\(    [> ]\) *[0-9]* | /d' out >without
cmp -s "$data/sanitizer/asan-uaf.expected" without ||
	{ diff "$data/sanitizer/asan-uaf.expected" without; fail 'other lines'; }
cat >wanted <<'END'
    #2 0x7f00c9c755d8 in geo::each(geo::Shape const&, unsigned long, int (*)(geo::Shape const&, unsigned long)) /src/shapes/geo.cpp:24 (/src/shapes/asan/libgeo.so+0x25d8) (BuildId: 4e5b31cbda5fbf63a21efc0cbc37168753c6833f)
          23 |         for (size_t k = from; k < shape.count; k++)
        > 24 |                 sum += call(shape, k);
          25 |         return sum;
END
grep -A 3 '^ *#2 0x7f00c9c755d8' out | head -n 4 >got
cmp -s wanted got || { diff wanted got; fail 'wrong source code'; }
# Every line with a mark is the line of the place above it.
awk -v root=root '
	/^ *> *[0-9]+ \| / {
		sub(/ \| .*/, ""); sub(/.* /, "")
		if ($0 != line) { print "line " $0 " at " place; bad = 1 }
		marks++
	}
	match($0, /\/src\/shapes\/[a-z.]+:[0-9]+/) {
		place = substr($0, RSTART, RLENGTH)
		line = place; sub(/.*:/, "", line)
	}
	END { exit bad || marks < 7 }' out || fail 'marks at other lines'
cp out once
log=once source_lines --source-lines=3 --source-root=root
cmp -s once out || fail 'changed again'
source_lines
log=once source_lines
cmp -s once out || fail 'changed again, without source code'
# With inlined calls in the line of the frame, that line has the code of all.
source_lines --source-lines=1 --source-root=root --log-inlines=short
[ "$(sed -n '/#0 0x7f00c9c75581/,/#1/p' out | grep -c ' | ')" = 3 ] ||
	fail 'short inlines'
source_lines --source-lines=1 --source-root=root --log-inlines=none
[ "$(sed -n '/#0 0x7f00c9c75581/,/#1/p' out | grep -c ' | ')" = 1 ] ||
	fail 'no inlines'
sed 's/$/\r/' "$data/sanitizer/asan-uaf.log" >crlf.log
log=crlf.log source_lines --source-lines=1 --source-root=root
! grep -v "$(printf '\r')\$" out || fail 'CR LF'
log=$data/sanitizer/asan-uaf.log
sed -n '/#3 0x5642f8fd6b54/q;p' "$log" | head -c -1 >cut.log
log=cut.log source_lines --source-lines=1 --source-root=root
[ "$(tail -n 1 out)" = '        > 24 |                 sum += call(shape, k);' ] ||
	{ tail -n 3 out; fail 'no line end'; }
log=$data/sanitizer/asan-uaf.log

# ---- files that must not be read ---------------------------------------------
none()
{
	source_lines --source-lines=3 --source-root=root
	cmp -s "$data/sanitizer/asan-uaf.expected" out || fail "$1"
}
mv root/src/shapes outside
ln -s ../../outside root/src/shapes
none 'a link leads out of the folder'
rm root/src/shapes
none 'no files'
mkdir root/src/shapes
mkfifo root/src/shapes/geo.cpp root/src/shapes/main.cpp
none FIFOs
rm root/src/shapes/*.cpp
for file in geo main; do
	{ cat outside/$file.cpp; head -c 1048576 /dev/zero; } \
		>root/src/shapes/$file.cpp
done
none 'a file of more than 1 MiB'
[ "$(grep -c 'more than 1 MiB' err)" = 2 ] || fail 'no note about large files'
# Short files, and bytes that a terminal must not get.
printf '\n\n\n\n\n\033[31m\351\t#0 0x1 (/src/shapes/asan/libgeo.so+0x2581)' \
	>root/src/shapes/geo.cpp
source_lines --source-lines=3 --source-root=root
printf '        > 6 | \\x1b[31m\351  #0 0x1 (%s+0x2581)\n' \
	/src/shapes/asan/libgeo.so >wanted
grep '> 6 |' out >got
cp out once
cmp -s wanted got || { cat got; fail 'hostile source code'; }
log=once source_lines
cmp -s once out || fail 'a frame in source code'
logs "$data/sanitizer/asan-uaf.log" sanitizer/x --source-lines=3 >out 2>err
[ $? = 2 ] && grep -q 'needs --source-root' err || fail 'no --source-root'
logs "$data/sanitizer/asan-uaf.log" sanitizer/x --source-lines=21 \
	--source-root=root >out 2>err
[ $? = 2 ] || fail '21 lines'
exit 0
