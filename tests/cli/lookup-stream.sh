#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-lookup --stream: one answer for each line, whatever the line holds.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/stream-lib.sh"
put 0a0b0c0d work.gsym
put deadbeef odd.gsym

say '# formats'
for format in json folded tsv; do
	show_with '0a0b0c0d 0x40100e\n0A0B0C0D\t4198442\ndeadbeef 0x1005\n' \
		stream --stream=$format
done
show_with '0a0b0c0d 0x40100e\n' stream --stream --no-inlines --basenames
show_with '0a0b0c0d 0x40100f\n' stream --stream=tsv --return-addresses
show_with 'deadbeef 0x1005\n' stream --stream=folded --demangle
say '# names with control characters and semicolons'
for format in json folded tsv; do
	show_with 'deadbeef 0x1010\n' stream --stream=$format
done

say '# lines of all kinds'
lines='0a0b0c0d 0x40100e\n\n \n\t\n0a0b0c0d\n0a0b0c0d 40100e\r\n'
lines=$lines'0a0b0c0d  0x40100e third\n0a0b0c0d 0x40100e \n0a0 1\n0g 1\n'
lines=$lines'0a0b0c0d -1\n0a0b0c0d -9223372036854775808\n0a0b0c0d -0\n'
lines=$lines'0a0b0c0d -9223372036854775809\n0a0b0c0d -0x10\n0a0b0c0d -\n'
lines=$lines'0a0b0c0d 18446744073709551616\n0a0b0c0d main\nffff 1\nff 1\n'
lines=$lines'0a0b\0000c0d 1\n0a0b0c0d\t\t1\n0a0b0c0d\t0x401000'
show_with "$lines" stream --stream
show_with "$lines" stream --stream=tsv
show_with "$lines" stream --stream=folded
say '# keys'
for format in json folded tsv; do
	show_with '0a0b0c0d 0x40100e  a\tb c\\\\ \n0a0b0c0d 0x40100e\n'\
'x y\tkey\n0a0b0c0d 0x40100e \377\000\001\r\n\n' stream \
		--stream=$format --keys
done
say '# --strict'
show_with '0a0b0c0d 0x40100e\n' stream --stream=folded --strict
show_with '0a0b0c0d 0x5\n' stream --stream=folded --strict
show_with 'ff 0x5\n' stream --stream=folded --strict
show_with 'ff\n' stream --stream=folded --strict
say '# options'
show stream --stream=xml
show stream --stream file
show stream --stream --build-id=00
show stream --stream --json
show stream --stream --adjust-vma=1
show stream --stream --max-open=0
show stream --keys work.gsym
show gsym-lookup --stream --gsym-file-directory=nowhere
say '# no input'
show stream --stream
say '# a file with another build ID'
show_with '0a0b0c0d 1\n0a0b0c0d 1\n' \
	gsym-lookup --stream=tsv --gsym-file-directory=store

# A damaged record answers for itself alone.
count_lines()
{
	[ "$(wc -l <"$2")" -eq "$1" ] || fail "$2: not $1 lines"
}
size=$(wc -c <work.gsym)
at=0
while [ "$at" -lt "$size" ]; do
	{ head -c "$at" work.gsym; printf '\377'; tail -c +$((at + 2)) work.gsym
	} >cut.gsym
	put cccccccc cut.gsym
	printf '%s\n' 'cccccccc 0x40100e' '0a0b0c0d 0x40100e' 'x' |
		stream --stream=tsv >out 2>/dev/null || fail "byte $at: $?"
	count_lines 3 out
	sed -n 2p out | grep -q '^ok' || fail "byte $at: lost an answer"
	at=$((at + 5))
done

# The longest line, and one byte more; then the next line is answered.
awk 'BEGIN {
	line = "0a0b0c0d 0x40100e "
	while (length(line) < 65536) line = line "k"
	line = substr(line, 1, 65536)
	print line; print line "k"; print "0a0b0c0d 0x40100e a"
	while (length(line) < 9000000) line = line line
	print line; print "0a0b0c0d 0x40100e b"; printf "%s", line
}' >long
for format in json folded tsv; do
	stream --stream=$format --keys <long >out 2>err ||
		fail "long lines, $format: $?"
	count_lines 6 out
	cut -f 2- out | awk '{ print /ok|;/ }' | tr -d '\n' >kinds
	[ "$(cat kinds)" = 101010 ] ||
		fail "long lines, $format: $(cat kinds)"
	[ "$(head -n 1 out | cut -f 1 | wc -c)" -eq 65519 ] ||
		fail "$format: a key is cut"
done

# Random bytes: as many lines come out as went in, with each format.
for seed in 1 2 3 4 5 6; do
	awk -v seed=$seed 'BEGIN {
		srand(seed)
		for (i = 0; i < 30000; i++) {
			c = int(rand() * 40)
			if (c < 10) printf "%d", c
			else if (c < 16) printf "%c", c + 87
			else if (c < 20) printf " "
			else if (c < 22) printf "\t"
			else if (c < 26) printf "\n"
			else if (c < 28) printf "\r"
			else if (c < 30) printf "%c", 127 + rand() * 128
			else if (c < 31) printf "%c", 0
			else if (c < 34) printf "0a0b0c0d 0x4010%d%d", rand() * 9, rand() * 9
			else if (c < 36) printf "-"
			else printf "deadbeef 0x10%d%d", rand() * 9, rand() * 9
		}
		printf "\n"
	}' >random
	for format in json folded tsv; do
		stream --stream=$format --keys <random >out 2>/dev/null ||
			fail "random bytes $seed, $format: $?"
		count_lines "$(wc -l <random)" out
	done
done

mkfifo to from
# Readable names are those of the file of the line, although its bytes may be
# where those of another file were.
sed 's/_ZN1a1bEi/_ZN1c1dEi/' odd.gsym >odd2.gsym
put eeeeeee0 odd.gsym
sed 's/_ZN1a1bEi/_ZN1e1fEi/' odd.gsym >odd3.gsym
put eeeeeee1 odd2.gsym
put eeeeeee2 odd3.gsym
i=0
while [ $i -lt 30 ]; do
	echo "eeeeeee$((i % 3)) 0x1005"
	i=$((i + 1))
done >two
timeout 60 gsym-lookup --no-verify --gsym-file-directory=store \
	--stream=folded --demangle --max-open=1 <to >from &
exec 3>to 4<from
while read -r line; do
	echo "$line" >&3
	read -r answer <&4
	printf '%s\n' "$answer"
done <two >one-by-one
exec 3>&- 4<&-
wait $!
i=0
while [ $i -lt 10 ]; do
	printf '%s\n' 'a::b(int);in\tline' 'c::d(int);in\tline' \
		'e::f(int);in\tline'
	i=$((i + 1))
done >want
cmp one-by-one want ||
	fail 'names of another file'
# The same in one batch.
i=0
while [ $i -lt 30 ]; do
	file=$((i % 3 + 1))
	put "eeee00$((i + 10))" "odd${file#1}.gsym"
	echo "eeee00$((i + 10)) 0x1005"
	i=$((i + 1))
done >batch
stream --stream=folded --demangle --max-open=1 <batch |
	cmp - want || fail 'names of another file of the batch'

# --retry: a file that comes later.
timeout 60 gsym-lookup --no-verify --gsym-file-directory=store \
	--stream=folded --retry=1 <to >from 2>../stderr &
exec 3>to 4<from
echo 'bbbbbbbb 0x40100e' >&3
read -r answer <&4
[ -z "$answer" ] || fail "an answer without a file: $answer"
put bbbbbbbb work.gsym
sleep 1.1
echo 'bbbbbbbb 0x40100e' >&3
read -r answer <&4
[ -n "$answer" ] || fail 'a file that came later is not found'
exec 3>&- 4<&-
wait $!

# The reader of the output ends early: no message.
awk 'BEGIN { for (i = 0; i < 200000; i++) print "0a0b0c0d 0x40100e" }' |
	stream --stream 2>err | head -n 1 >out
[ ! -s err ] || fail "$(cat err)"
finish
