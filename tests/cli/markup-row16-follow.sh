#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-markup --follow: lines come out while the log is written; the log is cut
# off, renamed and written anew; module lines end by themselves.  Also: a pipe
# that pauses.  Nothing here depends on how fast anything is, but everything
# has to happen within a minute.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
mkdir empty
none='--debug-file-directory=empty'
wait_for()
{
	tries=0
	until grep -qF -e "$1" out; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || { cat out err; fail "no '$1'"; }
		sleep 0.1
	done
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

# A pipe: what is complete comes out before the end.
mkfifo pipe
gsym-markup $none <pipe >out 2>err &
child=$!
exec 3>pipe
printf 'one {{{symbol:_Z1fv}}}\n' >&3
wait_for 'one f()'
printf '{{{module:0:a:elf:aa}}}\n' >&3
wait_for '[[[ELF module #0x0 "a"; BuildID=aa]]]'
exec 3>&-
wait $child || fail 'pipe'
exit 0
