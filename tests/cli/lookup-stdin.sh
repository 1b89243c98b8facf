#!/bin/sh
# SPDX-License-Identifier: MIT
# Addresses from standard input, one a line.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
bytes work work.gsym

show_with '0x401000\n0x40100e\n' gsym-lookup work.gsym
show_with '0x401000' gsym-lookup work.gsym
show_with '' gsym-lookup work.gsym
say '# blanks, carriage returns and empty lines'
show_with '\n  0x401000\t\r\n\r\n \n\t4198400\n' gsym-lookup work.gsym
say '# lines that are no addresses are answered in their place'
show_with '0x401000\n401000 x\n0x401000\nffff8000\n' gsym-lookup work.gsym
show_with '1\0002\n\033[1m\n0x401000\n' gsym-lookup work.gsym

say '# a line too long for any address, whole and in pieces'
long=$(printf '%05000d' 0)
{ echo "$long"; echo 0x401000; printf '%s' "$long"; } >long
: >../stdout
gsym-lookup work.gsym <long >answers 2>../stderr
note_end $?
cut -c 1-8,4090- answers >>../actual
{
	cat long | { dd bs=4500 count=1 2>/dev/null; sleep 0.2; cat; }
} | gsym-lookup work.gsym >pieces 2>/dev/null
cmp answers pieces >>../actual

say '# many lines: as many answers, in their order'
i=0
while [ $i -lt 2000 ]; do
	echo "0x40100e"
	echo "$i"
	i=$((i + 1))
done >some
cat some some some some some some some some some some >many
gsym-lookup --json work.gsym <many >answers || fail "status $?"
[ $(wc -l <answers) = 40000 ] || fail 'not an answer for each line'
sed -n '2~2s/.*"address":"\(0x[0-9a-f]*\)".*/\1/p' answers | head -2000 |
	while read -r n; do echo $((n)); done >got
sed -n '2~2p' some >wanted
cmp wanted got || fail 'answers out of order'
for threads in 1 2 5 256; do
	gsym-lookup --num-threads=$threads --json work.gsym <many | cmp - answers ||
		fail "other answers on $threads threads"
done
gsym-lookup work.gsym <many | grep -c 'work + 14' >>../actual

say '# a number that is too long is refused in masses as well'
{ cat some; printf '0x%05000d\n' 401000; cat some; } >mass
gsym-lookup work.gsym <mass 2>../stderr | grep -c 'the line is too long' \
	>>../actual
cat ../stderr >>../actual
finish
