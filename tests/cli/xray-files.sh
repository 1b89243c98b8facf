#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-xray and files: an output file is complete or does not exist, the input
# may be a pipe, and percentiles beyond the memory limit are marked as
# approximate.
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
# The output may be neither the input nor a folder.  A full disk is an error.
# No temporary file is left.
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

# Options spelled as for llvm-xray.
gsym-xray account -m bin/calls traces/calls-fdr.xray >wanted
for option in -instr_map=bin/calls --instr_map=bin/calls; do
	gsym-xray account $option traces/calls-fdr.xray >got
	cmp wanted got || fail "$option"
done
gsym-xray account -instr_map bin/calls traces/calls-fdr.xray >got
cmp wanted got || fail '-instr_map and a word'
gsym-xray fdr-dump --compat=llvm traces/calls-fdr.xray |
	cmp - expect/calls-fdr.fdr-dump.txt || fail 'fdr-dump'

# 2^19 calls of 1000 ns, whose durations take 2 MiB of memory.
printf '\005\000\001\000\003\000\000\000' >head
printf '\000\312\232\073\000\000\000\000' >>head
printf '\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000' >>head
# Extents record of 48 + 2^23 bytes, new buffer, wall time, processor.
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
gsym-xray account --budget=1 large | grep -q '1.000 us *~1.00[0-9] us *~1.00[0-9] us *~1.00[0-9] us *1.000 us ' ||
	fail 'no mark'

# Write a trace of 1 GHz with two blocks. $1: microseconds between them; $2: the
# four bytes of the second block's tick counter, in octal.
clock()
{
	printf '\005\000\001\000\003\000\000\000\000\312\232\073'
	printf '\000%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
	for block in 'a 0 000 000 000 000' "b $1 $2"; do
		# shellcheck disable=SC2086
		set -- $block
		printf '\017\060'
		printf '\000%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14
		printf '\001\007'
		printf '\000%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14
		# Microseconds: 0, 100000 or 99999.
		printf '\011\000\000\000\000\000\000\000\000'
		case $2 in
		0) printf '\000\000\000\000' ;;
		100000) printf '\240\206\001\000' ;;
		99999) printf '\237\206\001\000' ;;
		esac
		# shellcheck disable=SC2059
		printf "\\000\\000\\000\\005\\000\\000\\$3\\$4\\$5\\$6"
		printf '\000%.0s' 1 2 3 4 5 6 7 8 9
	done
}
# 96 and 104 million ticks in 100 ms: within 5 % of 1 GHz, so there is no
# warning.  Below, 106 and 94 million ticks give a warning.
for row in '100000 000 330 270 005' '100000 000 352 062 006'; do
	clock "${row%% *}" "${row#* }" >good
	gsym-xray info good >out 2>err || fail 'clock'
	grep -q 'frequency by wall times: [19][06]*[04]*0000000 Hz' out ||
		fail "no estimate: $(cat out)"
	[ -s err ] && fail "$row: $(cat err)"
done
for row in '100000 000 153 121 006' '100000 000 121 232 005'; do
	clock "${row%% *}" "${row#* }" >bad
	gsym-xray account bad 2>&1 >out | grep -q 'by the wall times' ||
		fail "no word about the clock: $row"
	gsym-xray account -q bad 2>&1 >out | grep . && fail '-q speaks'
done
# Wall times less than 100 ms apart are not compared.
clock 99999 '000 153 121 006' >short
gsym-xray info short 2>&1 | grep 'wall times' && fail 'too short a time'

# Four messages for each kind of damage; further ones are counted only.
printf '\003\000\000\000\003\000\000\000\000\312\232\073' >damaged
printf '\000%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 >>damaged
for _ in 1 2 3 4 5 6; do
	printf '\007%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 \
		17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 >>damaged
done
gsym-xray account -f csv damaged >out 2>err || fail 'damage is refused'
[ "$(cat out)" = 'id,calls,total,self,min,median,p90,p99,max,mean,inferred,unfinished,orphans,approximate,function,place' ] ||
	fail "an empty table: $(cat out)"
[ "$(grep -c ' at offset ' err)" = 4 ] || fail "not four: $(cat err)"
grep -q 'damages of kind bad-kind: 6$' err || fail "no count: $(cat err)"
gsym-xray info damaged >out 2>err
[ -s err ] && fail "info warns of what it lists: $(cat err)"
grep -qx '    bad-kind: 6' out && grep -qx '      and 2 more' out &&
	grep -qx '      unknown record type 1799 at offset 128' out ||
	fail "no list: $(cat out)"

# A call whose exit has an earlier time than its entry, because the exit is from
# another processor.
{
	printf '\003\000\000\000\003\000\000\000\000\312\232\073'
	printf '\000%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
	printf '\000\000\000\000\001\000\000\000\011\000\000\000'
	printf '\000%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
	printf '\000\000\001\001\001\000\000\000\005\000\000\000'
	printf '\000%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
} >back
gsym-xray account -f csv back 2>err | grep -q '^1,1,0,0,0,' ||
	fail 'a call takes less than no time'
grep -q 'end before they begin, taken as 0 long: 1$' err || fail 'not counted'
gsym-xray info back | grep -qx '  calls that end before they begin: 1' ||
	fail 'not in info'

# A pipe is as good as a file.
# shellcheck disable=SC2002
cat large | gsym-xray account -f json - | cmp - exact || fail 'pipe'
exit 0
