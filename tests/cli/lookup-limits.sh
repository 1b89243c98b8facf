#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-lookup and its personalities with limits of 1, 2 and 3: answers in memory,
# lines of a thread, addresses that are sorted, open modules.  The answers stay
# the same.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
. "$top_srcdir/tests/cli/lib.sh"
tiny=$top_builddir/gsym-lookup-tiny
[ -x "$tiny" ] || skip 'gsym-lookup-tiny is not built: make gsym-lookup-tiny'
mkdir bin && cp -P "$top_builddir/config.h" bin || exit 99
for tool in create dump markup xray; do
	[ ! -x "$top_builddir/gsym-$tool" ] ||
		ln -s "$top_builddir/gsym-$tool" bin || exit 99
done
ln -s "$tiny" bin/gsym-lookup

bytes stack stack.gsym
for id in 0e 0f; do
	mkdir -p store/.build-id/$id
	cp stack.gsym "store/.build-id/$id/$id$id$id.debug.gsym" || exit 99
done
# A line that several threads would share, which is the last one.
bytes work work.gsym
{
	echo 0x40100e
	head -c 200000 /dev/zero | tr '\0' a
	echo
} >lines
for threads in 1 2 3 8; do
	gsym-lookup --num-threads=$threads work.gsym <lines >out 2>err
	status=$?
	[ $status = 2 ] || fail "a long line, $threads threads: status $status"
	[ $threads != 1 ] || cp out wanted
	cmp wanted out || fail "a long line, $threads threads"
done

# Many functions that share their code.
{
	echo 'MODULE Linux x86_64 000000000000000000000000000000000 m'
	i=10
	while [ $i -lt 200 ]; do
		echo "FUNC 1000 10 0 f$i"
		i=$((i + 1))
	done
} >merged.sym
gsym-create -q --merged-functions -o merged.gsym merged.sym ||
	fail 'merged functions'
third=$(gsym-lookup --merged-functions merged.gsym 0x1004 |
	sed -n '3s/.* \(f[0-9]*\) .*/\1/p')

# A file in which every name is empty.
file=.build-id/0e/0e0e0e.debug.gsym
mkdir -p nameless/.build-id/0e
cp store/$file nameless/$file
place=$(gsym-dump --json store/$file |
	sed 's/.*"strings":{"offset":\([0-9]*\),"size":\([0-9]*\)}.*/\1 \2/')
dd if=/dev/zero of=nameless/$file bs=1 seek="${place% *}" count="${place#* }" \
	conv=notrunc 2>/dev/null

for limit in 1 2 3; do
	scripts='lookup-text lookup-stdin lookup-stream'
	[ $limit != 1 ] || scripts="$scripts lookup-json lookup-coprocess \
		personality-styles personality-requests"
	for test in $scripts; do
		(cd bin && top_builddir=$PWD GSYM_TINY_LIMITS=$limit \
			"$top_srcdir/tests/cli/$test.sh") >log 2>&1
		status=$?
		[ $status = 0 ] || [ $status = 77 ] || {
			cat log
			fail "$test with limits of $limit: status $status"
		}
	done

	# Every number of threads, and answers that find no room in memory.
	i=0
	while [ $i -lt 300 ]; do
		printf '0x40100e\n0x401043\nwork+2\nx\n0x401000\n'
		i=$((i + 1))
	done >lines
	gsym-lookup work.gsym <lines >wanted 2>err
	for threads in 1 2 7; do
		GSYM_TINY_LIMITS=$limit timeout 60 "$tiny" \
			--num-threads=$threads work.gsym <lines >out 2>err ||
			[ $? = 2 ] || fail "limit $limit, $threads threads"
		cmp wanted out || fail "limit $limit, $threads threads"
	done

	# Names of merged functions that are tried by a filter.
	GSYM_TINY_LIMITS=$limit timeout 60 "$tiny" --merged-functions \
		--merged-functions-filter=none merged.gsym 0x1004 >out 2>err
	grep -q '^0x1004: ??' out && grep -q 'is damaged' err ||
		fail "names that are tried, limit $limit: $(cat out err)"
	GSYM_TINY_LIMITS=$limit timeout 60 "$tiny" --merged-functions \
		--merged-functions-filter="^$third\$" merged.gsym 0x1004 >out 2>err
	# The rest of the functions is not tried.
	grep -q "^0x1004: $third " out && grep -q 'is damaged' err ||
		fail "a name that is tried, limit $limit: $(cat out err)"

	# Stacks of --stream: of two files all addresses are answered, and the
	# last ones of a long stack are not.
	i=0
	{
		echo 0e0e0e0e 0x401020,0f0f0f0f:0x401010,0e0e0e0e:0x401008
		echo 0e0e0e0e 0x401020,aa:1,bb:1,cc:1,dd:1,ee:1,ff:1,0x401008
		printf '0e0e0e0e 0x401020'
		while [ $i -lt 6000 ]; do
			printf ',4198416'
			i=$((i + 1))
		done
		echo
	} >stacks
	GSYM_TINY_LIMITS=$limit timeout 60 "$tiny" --no-verify --stream --stack \
		--gsym-file-directory=store <stacks >out 2>err ||
		fail "stacks, limit $limit"
	sed -n 1p out | grep -q '"two".*"main".*"main".*"status":"ok"}$' ||
		fail "two files, limit $limit: $(sed -n 1p out)"
	sed -n 2p out | grep -q 'in too many files.*"main".*"nofile"}$' ||
		fail "seven files, limit $limit: $(sed -n 2p out)"
	sed -n 3p out | grep -q '"two".*"main".*names of the answer are too long' ||
		fail "a long stack, limit $limit"

	# Names without bytes take room, too.
	GSYM_TINY_LIMITS=$limit timeout 60 "$tiny" --no-verify --stream --stack \
		--gsym-file-directory=nameless <stacks >out 2>err ||
		fail "a long stack without names, limit $limit"
	sed -n 3p out | grep -q '"ok".*names of the answer are too long' ||
		fail "a long stack without names, limit $limit"
done
exit 0
