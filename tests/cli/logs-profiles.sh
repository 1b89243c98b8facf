#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-markup --logs on profiles, which are no logs: one note names gsym-pprof,
# and no byte changes.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/logs-lib.sh"
pprof=$top_srcdir/testdata/pprof
note='note: .*gsym-pprof'
# Memory in which each address has an answer.
all="--logs=maps --module=$data/nopie/shapes.gsym"

# The file $1 stays as it is, and $2 notes name gsym-pprof; options follow.
stays()
{
	file=$1
	notes=$2
	shift 2
	gsym-markup --debug-file-directory=none "$@" "$file" >out 2>err ||
		fail "$file: status $?"
	cmp -s "$file" out || { diff "$file" out; fail "$file changes"; }
	[ "$(grep -c "$note" err)" = "$notes" ] ||
		{ cat err; fail "$file: not $notes notes"; }
}

for kind in gperftools jemalloc; do
	stays "$pprof/$kind.heap" 1 --logs
	# shellcheck disable=SC2086
	stays "$pprof/$kind.heap" 1 $all
	stays "$pprof/$kind.heap" 0 --logs --quiet
	stays "$pprof/$kind.heap" 0
done
# A stack of one address.
printf '%s\n' 'heap profile:      1:       64 [     1:       64] @ heapprofile' \
	'     1:       64 [     1:       64] @ 0x00401343' >one.heap
printf '%s\n' heap_v2/524288 '  t*: 1: 64 [0: 0]' '@ 0x00401343' \
	'  t*: 1: 64 [0: 0]' >jemalloc.heap
for file in one.heap jemalloc.heap; do
	# shellcheck disable=SC2086
	stays $file 1 $all
done
# Folded stacks, and a log that is none.
printf '%s\n' 'main;geo::each(int, long);leaf 12' 'main;[libc.so.6];leaf 3' \
	>folded
stays folded 1 --logs
stays folded 0
printf '%s\n' 'main;leaf 12' 'user=a; took 3 ms' >text
stays text 0 --logs
printf '%s\n' '12:00 a;b 3' '[x] a;b 4' >text
stays text 0 --logs
printf 'main;leaf 12\n' >text
stays text 0 --logs
printf 'x\nheap profile: 1\n' >text
stays text 0 --logs
# One note for all files.
cat "$pprof/jemalloc.heap" folded >both
gsym-markup --debug-file-directory=none --logs "$pprof/jemalloc.heap" folded \
	>out 2>err
cmp -s both out || fail 'two files change'
[ "$(grep -c "$note" err)" = 1 ] || fail 'two notes'
exit 0
