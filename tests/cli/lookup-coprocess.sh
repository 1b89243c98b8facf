#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that writes an address to a pipe gets the answer before it closes
# the pipe, and before it completes another line.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
bytes work work.gsym
mkfifo to from
# The time limit only ends a test that would wait for ever.
timeout 60 gsym-lookup --json work.gsym <to >from &
exec 3>to 4<from
for address in 0x401000 0x40100e nonsense 0x5; do
	say "> $address"
	echo "$address" >&3
	read -r line <&4 || fail "no answer for $address"
	say "$line"
done
printf '0x401028\n0x4010' >&3
read -r line <&4 || fail 'no answer in front of half a line'
say "$line"
printf '2c\n0x40103a' >&3
read -r line <&4 || fail 'no answer for a line in two pieces'
say "$line"
exec 3>&-
read -r line <&4 || fail 'no answer for a last line without an end'
say "$line"
wait $!
say "status $?"

# The same behind many lines, for which all threads were started.
i=0
while [ $i -lt 5000 ]; do
	echo 0x40100e
	i=$((i + 1))
done >many
gsym-lookup --num-threads=1 --json work.gsym <many >wanted
timeout 60 gsym-lookup --num-threads=3 --json work.gsym <to >from &
exec 3>to 4<from
cat many >&3 &
head -n 5000 <&4 | cmp - wanted || fail 'other answers on three threads'
for address in 0x401000 nonsense; do
	printf '%s\n0x4010' "$address" >&3
	read -r line <&4 || fail "no answer behind many lines: $address"
	say "$line"
	printf '0e\n' >&3
	read -r line <&4 || fail 'no answer behind half a line'
	say "$line"
done
exec 3>&-
wait
finish
