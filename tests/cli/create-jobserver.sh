#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-create takes as many threads as make's jobserver has tokens for, by a pipe
# and by a named pipe, and gives the tokens back, whatever ends it.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need mkfifo
[ -e /proc/self/fd ] || skip 'there is no /proc'

compile prog
mkfifo pool
exec 7<>pool
processors=$(nproc 2>/dev/null || echo 1)

# Leave exactly $1 tokens in the pool.
fill()
{
	dd if=/proc/self/fd/7 of=/dev/null bs=100 iflag=nonblock 2>/dev/null
	[ "$1" = 0 ] || printf "%0$1d" 0 >&7
}
# The number of tokens in the pool, which is empty then.
left()
{
	dd if=/proc/self/fd/7 bs=1000 iflag=nonblock 2>/dev/null | wc -c
}
# $1: the jobserver's option; $2: the tokens; $3: the threads.
threads()
{
	fill "$2"
	MAKEFLAGS=" -j $1" gsym-create -v -o out.gsym prog 2>err ||
		fail "$1: $(cat err)"
	grep -q "^  threads: $3\$" err || fail "$1, $2 tokens: $(cat err)"
	[ "$(left)" = "$2" ] || fail "$1: tokens are lost"
}
for form in 7,7 "fifo:$PWD/pool"; do
	threads "--jobserver-auth=$form" 0 1
	most=4
	[ "$processors" -ge 5 ] || most=$((processors - 1))
	threads "--jobserver-auth=$form" 4 $((most + 1))
	[ "$processors" = 1 ] || threads "--jobserver-auth=$form" 1 2
done
threads '--jobserver-auth=1,2 --jobserver-auth=7,7' 0 1
threads '--jobserver-fds=7,7' 0 1

# --num-threads asks nobody.
fill 3
MAKEFLAGS='--jobserver-auth=7,7' gsym-create -v -j3 -o out.gsym prog 2>err
grep -q '^  threads: 3$' err || fail "-j3: $(cat err)"
[ "$(left)" = 3 ] || fail '-j3: tokens are lost'

# A jobserver that is not there, and options that make no sense.
for wrong in 98,99 -2,-2 0,0 x fifo: "fifo:$PWD/none" "fifo:$PWD/prog" ''; do
	MAKEFLAGS="--jobserver-auth=$wrong" gsym-create -q -o out.gsym prog \
		</dev/null 2>err || fail "$wrong: $(cat err)"
	[ ! -s err ] || fail "$wrong: $(cat err)"
done

# Without a jobserver, conversions share as many slots as there are processors: a
# conversion that goes on keeps its own, and one that is killed gives it back.
# Those that may use one processor have slots of their own, so that no other test
# waits.
array=$(ipcmk -S 1 2>/dev/null | sed 's/.*: *//')
if [ -n "$array" ] && taskset -c 0 true 2>/dev/null; then
	ipcrm -s "$array"
	unset MAKEFLAGS
	mkfifo never
	taskset -c 0 gsym-create -q --callsites-yaml-file=never -o out.1 prog \
		>/dev/null 2>&1 &
	running=$!
	for try in 1 2 3 4 5 6 7 8 9; do
		taskset -c 0 timeout 1 gsym-create -q -o out.gsym prog
		status=$?
		[ $status != 124 ] || break
	done
	# --max-time counts the wait, also before a sandbox.
	taskset -c 0 gsym-create -q --sandbox=try --max-time=1 -o out.gsym \
		prog 2>err
	[ $? = 2 ] && grep -q max-time err || fail "--max-time: $(cat err)"
	# A conversion that was told how many threads to take waits for nobody.
	for option in -j1 --num-threads=2; do
		taskset -c 0 timeout 60 gsym-create -q $option -o out.gsym prog ||
			fail "$option: $?"
	done
	kill -KILL $running
	[ $status = 124 ] || fail "no conversion waits: $status, $try"
	wait
	taskset -c 0 timeout 60 gsym-create -q -o out.gsym prog ||
		fail 'no slot is free'
else
	echo 'no semaphores here (ipcmk, taskset): slots are not tried'
fi

# A failure, a signal, and --recursive give the tokens back.
fill 3
MAKEFLAGS='--jobserver-auth=7,7' gsym-create -q -o out.gsym err 2>/dev/null
[ "$(left)" = 3 ] || fail 'a failure: tokens are lost'
mkfifo slow
exec 8<>slow
fill 3
MAKEFLAGS='--jobserver-auth=7,7' gsym-create -q --max-time=1 -o out.gsym \
	--from=breakpad - <&8 2>err && fail 'it does not wait'
[ "$(left)" = 3 ] || fail 'a signal: tokens are lost'
mkdir in
cp prog in/a
cp prog in/b
fill 3
MAKEFLAGS='--jobserver-auth=7,7' gsym-create -q -r --output-dir=out in ||
	fail '--recursive'
[ "$(left)" = 3 ] || fail '--recursive: tokens are lost'

# make itself, which tells of lost tokens.
if command -v make >/dev/null; then
	cat >Makefile <<'EOF'
all: 1 2 3 4 5 6
1 2 3 4 5 6:
	+gsym-create -q -o $@.gsym prog
EOF
	env -u MAKEFLAGS make -j3 all >log 2>&1 || fail "make: $(cat log)"
	grep -qi jobserver log && fail "make: $(cat log)"
fi
exit 0
