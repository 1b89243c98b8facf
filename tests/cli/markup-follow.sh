#!/bin/sh
# SPDX-License-Identifier: MIT
# Gsym-markup --follow writes lines while
# the log grows, is truncated, and is replaced; module lines end after a time.
# Also: pauses of a pipe, signals, and a reader of the output that ends.  Each
# step may take a minute.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
mkdir empty
none='--debug-file-directory=empty'
wait_for()
{
	until_true grep -qF -e "$1" out
}
printf 'first\n' >log
gsym-markup $none -f log >out 2>err &
child=$!
trap 'kill $child 2>/dev/null; rm -rf "$scratch"' EXIT
wait_for first
printf '{{{module:0:a:elf:aa}}}\n{{{mmap:0x1000:0x1000:load:0:rx:0x0}}}\n' >>log
wait_for '[[[ELF module #0x0 "a"; BuildID=aa [0x1000-0x1fff](rx)]]]'
printf 'at {{{pc:0x1234}}}\n' >>log
wait_for 'at a+0x234'
printf 'not ended' >>log
wait_for 'not ended'
printf ' and on\n' >>log
wait_for 'not ended and on'
printf 'a {{{hexdict:\nnever closed\n' >>log
wait_for 'never closed'
: >log
sleep 1
printf 'after the cut\n' >>log
wait_for 'after the cut'
mv log old
printf 'last of the old one\n' >>old
printf 'a new file\n' >log
wait_for 'a new file'
wait_for 'last of the old one'
kill -TERM $child
wait $child
status=$?
[ $status = 0 ] || fail "status $status"

# A pipe: complete lines are written before its end.
mkfifo pipe
gsym-markup $none >out 2>err <pipe &
child=$!
exec 3>pipe
printf 'one {{{symbol:_Z1fv}}}\n' >&3
wait_for 'one f()'
printf '{{{module:0:a:elf:aa}}}\n' >&3
wait_for '[[[ELF module #0x0 "a"; BuildID=aa]]]'
# Half a line is written after a second, and the rest when it comes.
printf 'half' >&3
wait_for 'half'
printf ' a line\n' >&3
wait_for 'half a line'
exec 3>&-
wait $child || fail 'pipe'

# --follow with a pipe, and with standard input.
for name in fifo -; do
	mkfifo fifo
	gsym-markup $none -f $name >out 2>err <>fifo &
	child=$!
	exec 3>fifo
	printf 'out of %s\n' $name >&3
	wait_for "out of $name"
	exec 3>&-
	kill -TERM $child
	wait $child || fail "-f $name: status $?"
	[ -s err ] && { cat err; fail "-f $name: a message"; }
	rm fifo
done

# A signal ends the log; an element that has not ended is text.
mkfifo pipe2
gsym-markup $none --dumpfile-output=dumps.json >out 2>err <pipe2 &
child=$!
exec 3>pipe2
printf '{{{dumpfile:t:n}}}\n{{{hexdict:\nA: 0x1\n' >&3
wait_for '[[[dumpfile:t:n]]]'
kill -INT $child 2>/dev/null
# A shell may start background processes with SIGINT ignored.
sleep 0.2
kill -TERM $child 2>/dev/null
wait $child
status=$?
[ $status = 130 ] || [ $status = 143 ] || fail "status $status of a signal"
exec 3>&-
printf '[[[dumpfile:t:n]]]\n{{{hexdict:\nA: 0x1\n' | cmp - out || fail signal
grep -q '"name":"n"' dumps.json || fail 'dumps'

# There is no message if the reader of the output ends.
yes 'text {{{symbol:_Z1fv}}}' | head -n 200000 >many
{ gsym-markup $none many 2>err; echo $? >status; } | head -n 1 >out
[ -s err ] && { cat err; fail 'a message about a closed pipe'; }
[ "$(cat status)" -gt 128 ] || fail "status $(cat status) of a closed pipe"

# A log that does not exist yet.  A line without end ends with its file.
gsym-markup $none -f late >out 2>err &
child=$!
until_true grep -q "note: 'late' does not exist yet" err
printf 'half {{{symbol:' >late
sleep 0.5
mv late old
printf 'whole\n' >late
wait_for 'whole'
kill -TERM $child
wait $child || fail 'late'
printf 'half {{{symbol:\nwhole\n' | cmp - out || { cat out; fail 'glued'; }
exit 0
