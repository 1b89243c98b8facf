#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-xray and files: outputs are whole or not there, inputs may be pipes,
# and what is too much for exact percentiles is said to be.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
ln -s "$top_srcdir/testdata/xray"/* .
trace=traces/shapes-threads.xray
: >here
ls -A >../before

gsym-xray convert "$trace" >wanted || fail 'convert'
gsym-xray convert -o made "$trace" >out 2>err || fail "status $? with -o"
[ -s out ] && fail 'something on standard output in spite of -o'
cmp wanted made || fail '-o writes something else'
gsym-xray convert --output=- "$trace" >got || fail 'status with -o -'
cmp wanted got || fail '-o - writes something else'
# Neither the input nor a folder nor a full disk; nothing stays behind.
cp "$trace" own
gsym-xray convert -o own own 2>err && fail 'the input was overwritten'
cmp own "$trace" || fail 'the input has changed'
gsym-xray convert -o . "$trace" 2>err && fail 'a folder was written'
gsym-xray account -o made nosuch 2>err && fail 'no input is fine'
cmp wanted made || fail 'a failure has changed the output'
gsym-xray account -o made --strict synthetic/bad-action5.xray 2>err &&
	fail 'damage is fine'
cmp wanted made || fail 'damage has changed the output'
if [ -c /dev/full ]; then
	gsym-xray dump "$trace" >/dev/full 2>err
	[ $? = 2 ] || fail 'a full disk is fine'
	grep -q 'cannot write' err || fail 'no word about the full disk'
fi
rm -f made own got wanted out err
ls -A >../after
diff ../before ../after || fail 'something was left behind'

# llvm-xray's spelling.
gsym-xray account -m bin/calls traces/calls-fdr.xray >wanted
for option in -instr_map=bin/calls --instr_map=bin/calls; do
	gsym-xray account $option traces/calls-fdr.xray >got
	cmp wanted got || fail "$option"
done
gsym-xray account -instr_map bin/calls traces/calls-fdr.xray >got
cmp wanted got || fail '-instr_map and a word'
gsym-xray fdr-dump --compat=llvm traces/calls-fdr.xray |
	cmp - expect/calls-fdr.fdr-dump.txt || fail 'fdr-dump'

# 2^19 calls of 1000 ns, whose durations take 2 MiB.
printf '\005\000\001\000\003\000\000\000' >head
printf '\000\312\232\073\000\000\000\000' >>head
printf '\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000' >>head
# Extents of 48 + 2^23 bytes, buffer, wall time, processor.
printf '\017\060\000\200\000\000\000\000\000\000\000\000\000\000\000\000' >>head
printf '\001\007\000\000\000\000\000\000\000\000\000\000\000\000\000\000' >>head
printf '\011\001\000\000\000\000\000\000\000\000\000\000\000\000\000\000' >>head
printf '\005\000\000\350\003\000\000\000\000\000\000\000\000\000\000\000' >>head
printf '\020\000\000\000\001\000\000\000\022\000\000\000\350\003\000\000' >body
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
	cat body body >twice && mv twice body
done
cat head body >large
rm body
gsym-xray account -f json large >exact 2>err || fail 'large'
[ -s err ] && fail "large: $(cat err)"
grep -q '"calls":524288,"total":524288000,"self":524288000,"min":1000,"median":1000,"p90":1000,"p99":1000,"max":1000,"mean":1000,.*"approximate":false' exact ||
	fail "large: $(cat exact)"
gsym-xray account --budget=1 -f json large >near
grep -q '"min":1000,"median":100[0-9],"p90":100[0-9],"p99":100[0-9],"max":1000,"mean":1000,.*"approximate":true' near ||
	fail "beyond the budget: $(cat near)"
gsym-xray account --budget=1 large | grep -q ' 1000 *~100[0-9] *~100[0-9] *~100[0-9] *1000 ' ||
	fail 'no mark'
# A pipe is as good as a file.
# shellcheck disable=SC2002
cat large | gsym-xray account -f json - | cmp - exact || fail 'pipe'
exit 0
