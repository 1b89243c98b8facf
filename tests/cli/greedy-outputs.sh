#!/bin/sh
# SPDX-License-Identifier: MIT
# Small files that ask for outputs of any size get a message, and an output in
# proportion to the file.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
. "$top_srcdir/tests/cli/personality-lib.sh"
need python3
python3 "$top_srcdir/tests/cli/greedy-outputs.py" . || exit 99

# $1: the status of the command; $2: the most bytes of its output; $3: a part of
# its message; the rest: the command.
cut()
{
	status=$1 most=$2 message=$3
	shift 3
	# More than the output of all these commands: no disk is filled.
	(ulimit -f 400000 && timeout 60 "$@") >out 2>err
	same "$*: status, $(cat err)" $? "$status"
	[ "$(wc -c <out)" -le "$most" ] || fail "$*: $(wc -c <out) bytes"
	grep -q "$message" err || fail "$*: $(cat err)"
}

# A view of gsym-dump may have 256 times the bytes of the file and a megabyte,
# and goes on to the end of the item that it shows.
left='is left out: the output has many times the size of the file'
for file in rows inlines merged; do
	for json in '' --json; do
		cut 2 80000000 "$left" gsym-dump $json --function=0x1001 \
			$file.gsym
		[ -z "$json" ] || python3 -c 'import json, sys
for line in open("out", encoding="utf-8"): json.loads(line)' ||
			fail "$file: no JSON"
	done
done

# An answer may have 256 KiB of names.
long='addresses affected: '
seq 4096 16 5680 | while read -r at; do printf '0x%x\n' $at; done >addresses
cut 0 10000 "${long}100" gsym-lookup names.gsym <addresses
same 'the answer' "$(sed -n 1p out)" \
	'0x1000: ?? (the names of the answer are too long)'
cp out wanted
cut 0 10000 "${long}100" gsym-lookup --num-threads=1 names.gsym <addresses
cmp wanted out || fail 'another answer with one thread'
for i in 1 2 3 4 5 6; do cat addresses addresses; done >many
cut 0 100000 "${long}1200" gsym-lookup names.gsym <many
cut 0 20000 "${long}100" gsym-lookup --json names.gsym <addresses
cut 0 500 "${long}1" gsym-lookup inlines.gsym 0x1001
cut 0 500 "${long}1" gsym-lookup --style=go inlines.gsym 0x1001
cut 0 300000 "${long}1" gsym-lookup --merged-functions merged.gsym 0x1001
cut 2 300000 "${long}1" gsym-lookup --strict --merged-functions --json \
	merged.gsym 0x1001
mkdir -p store/.build-id/ab && cp names.gsym \
	store/.build-id/ab/cdef0123.debug.gsym || exit 99
sed 's/^/abcdef0123 /' addresses >lines
for format in json tsv folded; do
	cut 0 20000 'damaged: 100' gsym-lookup --stream=$format --no-verify \
		--gsym-file-directory=store <lines
done
cut 0 5000 'too long' "$a2l" -fe names.gsym <addresses
sed 's/^/names.gsym /' addresses >lines
for style in LLVM JSON; do
	cut 0 20000 'too long' "$sym" --output-style=$style <lines
done
sed 's/^/DATA names.gsym /' addresses >lines
cut 0 20000 'too long' "$sym" <lines
# A name that is merely long is shown.
gsym-lookup long.gsym 0x1001 >out || fail 'a name of 100,000 bytes'
same 'a name of 100,000 bytes' "$(wc -c <out)" 100013

# With a limit of 4 KiB, and twice and three times as much.
tiny=$top_builddir/gsym-lookup-tiny
bytes work work.gsym
for limit in 1 2 3; do
	GSYM_TINY_LIMITS=$limit "$tiny" long.gsym 0x1001 >out 2>err
	same "limit $limit" "$(cat out)" \
		'0x1001: ?? (the names of the answer are too long)'
	GSYM_TINY_LIMITS=$limit "$tiny" work.gsym 0x40100e 0x401043 >out 2>err
	same "limit $limit, status" $? 0
	same "limit $limit, short names" "$(tail -1 out)" \
		"$(gsym-lookup work.gsym 0x401043)"
done

# The linkage name, if the readable form of it is too long for an answer.
pairs=_Z1fSt4pairIiiE
for i in 0 1 2 3 4 5 6 7; do
	pairs=${pairs}S_IS${i}_S${i}_E
done
printf 'MODULE Linux x86_64 0 pairs\nFUNC 1000 10 0 %s\n' "$pairs" >pairs.sym
gsym-create -q -o pairs.gsym pairs.sym || fail 'pairs.sym'
mkdir -p pairs/.build-id/ab && cp pairs.gsym \
	pairs/.build-id/ab/cdef0123.debug.gsym || exit 99
"$sym" -e pairs.gsym 0x1001 >out
[ "$(head -n 1 out | wc -c)" -gt 8000 ] || fail "readable: $(cat out)"
for limit in 1 2; do
	GSYM_TINY_LIMITS=$limit "$tiny" --personality=llvm-symbolizer \
		-e pairs.gsym 0x1001 >out 2>err
	same "limit $limit, linkage name" "$(head -n 1 out)" "$pairs"
	for form in '' --json --stream=folded; do
		echo 'abcdef0123 0x1001' >lines
		[ "$form" = --stream=folded ] ||
			set -- pairs.gsym 0x1001
		[ "$form" != --stream=folded ] ||
			set -- --no-verify --gsym-file-directory=pairs
		GSYM_TINY_LIMITS=$limit "$tiny" $form "$@" <lines >out 2>err ||
			fail "limit $limit, $form: $(cat err)"
		grep -qw -- "$pairs" out || fail "limit $limit, $form: $(cat out)"
	done
done

# What gsym-xray writes may have 64 times the bytes of its inputs and 64 MiB.
left='many times the size of the traces'
for format in text json; do
	cut 2 150000000 "$left" gsym-xray diff --stacks -qf $format \
		deep.xray deep.xray
done
gsym-xray diff --stacks -q -t 10 deep.xray deep.xray >out || fail '--top'
cut 2 150000000 "$left" gsym-xray diff --stacks -q -o table deep.xray deep.xray
[ ! -e table ] || fail 'a part of the table stays'
exit 0
