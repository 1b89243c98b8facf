#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-lookup --stream with many lines and many files: the order of the answers,
# the files that are open, and the time of an answer to a single line.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/stream-lib.sh"

# 200,000 mixed lines of five files, one of which has the other byte order: the
# order of the input, with each number of threads.
ids='0a0b0c0d deadbeef 00000b16 00001111 00003e63'
put 0a0b0c0d work.gsym
put deadbeef odd.gsym
put 00000b16 "$top_srcdir/testdata/gsym/big.gsym"
put 00001111 "$top_srcdir/testdata/gsym/little.gsym"
put 00003e63 "$top_srcdir/testdata/gsym/merged.gsym"
for id in $ids; do
	file=store/.build-id/${id%??????}/${id#??}.debug.gsym
	gsym-dump --functions --json "$file" |
		sed 's/.*"start":"\([^"]*\)".*"size":\([0-9]*\).*/\1 \2/' |
		while read -r start size; do
			echo "$id $((start)) $size"
		done
done >functions
awk '{ id[NR] = $1; start[NR] = $2; size[NR] = $3 }
END {
	srand(3)
	for (i = 0; i < 200000; i++) {
		which = 1 + int(rand() * NR)
		printf "%s %d %d\n", id[which],
			start[which] - 8 + rand() * (size[which] + 16), i
	}
}' functions >mixed
[ "$(cut -d ' ' -f 1 mixed | sort -u | wc -l)" -eq 5 ] || fail 'not five files'
stream --stream --keys <mixed >out 2>err || fail "mixed lines: $?"
cut -d ' ' -f 3 mixed >want
cut -f 1 out | cmp - want || fail 'the keys have another order'
for threads in 2 7; do
	stream --stream --keys --num-threads=$threads <mixed 2>err |
		cmp - out || fail "$threads threads: other answers"
done
part_passed '200,000 mixed lines are answered in their order'
# The answers of gsym-lookup for each file, byte for byte.
cut -f 2 out | paste -d ' ' mixed - >answered
for id in $ids; do
	file=store/.build-id/${id%??????}/${id#??}.debug.gsym
	grep "^$id" mixed | cut -d ' ' -f 2 | gsym-lookup --json "$file" \
		2>err | sed 's/^{"address":"[^"]*",//; s/}$//' >want
	grep "^$id" answered | cut -d ' ' -f 4- | sed 's/^{"status":"[a-z]*",//
		s/,"error":"no function.*}$/}/; s/}$//' >got
	cmp want got || fail "$id: other answers than with a file"
	[ "$(grep -c '"function"' got)" -gt 1000 ] || fail "$id: no functions"
done
part_passed 'the answers are those of five runs with a file'

# Few files open: the answers are the same.
i=100
while [ $i -lt 400 ]; do
	put "aa$i"0ff work.gsym
	echo "aa${i}0ff 0x40100e $i"
	i=$((i + 1))
done >many
for round in 1 2 3; do
	awk -v seed=$round 'BEGIN { srand(seed) } { print rand() "\t" $0 }' many |
		sort | cut -f 2
done >rounds
stream --stream --keys --demangle <rounds >want || fail 'many files'
(
	ulimit -n 20
	stream --stream --keys --demangle --max-open=4 --num-threads=3
) <rounds >got || fail '--max-open=4'
cmp want got || fail '--max-open=4: other answers'
[ "$(grep -c '"status":"ok"' got)" -eq 900 ] || fail 'not all have answers'
mkfifo to from
timeout 60 gsym-lookup --no-verify --gsym-file-directory=store --stream \
	--max-open=4 <to >from &
exec 3>to 4<from
i=0
while read -r id address key; do
	echo "$id $address" >&3
	read -r answer <&4 || fail 'no answer before the next line'
	i=$((i + 1))
	for child in $(cat "/proc/$!/task/$!/children" 2>/dev/null); do
		open=$(grep -c '\.debug\.gsym$' "/proc/$child/maps")
		[ "$open" -eq $((i < 4 ? i : 4)) ] ||
			fail "line $i: $open files are mapped"
	done
	[ $i -lt 40 ] || break
done <rounds
exec 3>&- 4<&-
wait $! || fail "a co-process ends with $?"
part_passed '300 build IDs with four open files'

# A line, its answer, the next line: a thousand times.
if ! command -v python3 >/dev/null; then
	part_skipped 'a thousand lines one by one' \
		'python3 is not installed (Debian: python3)'
else
	python3 "$top_srcdir/tests/cli/coprocess.py" store 0a0b0c0d 0x40100e ||
		fail 'a thousand lines one by one'
	part_passed 'a thousand lines one by one'
fi
parts_finish
