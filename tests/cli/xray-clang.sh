#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-xray on traces that the installed clang's runtimes write.  The traced
# program counts its own calls and prints the counts that the trace should have.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/xray-record.sh"
need python3

# Compare the trace $1/$2 with the counts that the program printed; $3: the kind
# of comparison (see xray-said.py); $4: the program.
check()
{
	python3 "$top_srcdir/tests/cli/xray-said.py" "$3" "$1/$2.trace" \
		"$1/$2.said" "$1/$4" "$1/liblib.so" ||
		fail "$1, $2: see above"
	checked=$((checked + 1))
}

# Names from debug info, from a GSYM file beside a stripped program, and from
# symbols alone.
names()
{
	gsym-xray account -m $1/program -f csv $1/fib.trace >own ||
		fail "$1: account"
	gsym-create -q -o program.gsym $1/program >log 2>&1 ||
		fail "$1: $(cat log)"
	strip -o stripped $1/program || fail 'strip'
	gsym-xray account -m stripped -g program.gsym -f csv $1/fib.trace \
		>gsym 2>err || fail "$1: account with GSYM"
	[ -s err ] && fail "$1: $(cat err)"
	cmp own gsym || fail "$1: GSYM file and debug info differ"
	strip -g -o symbols $1/program
	# The cache has the debug info by now, under the same build ID.
	XDG_CACHE_HOME=$PWD/empty gsym-xray -q account -m symbols -f csv $1/fib.trace \
		>symbols.csv
	sed 's/"[^"]*"$/""/' own | cmp - symbols.csv ||
		fail "$1: symbols and debug info differ"
}

checked=0
all=func_duration_threshold_us=0
for clang in clang++-14 clang++-19 clang++-22 clang++; do
	[ $clang = clang++ ] && [ $checked -gt 0 ] && continue
	program_of $clang || continue
	record $clang program xray-fdr $all fib fib || continue
	check $clang fib exact program
	names $clang
	for story in threads tail throw arguments; do
		record $clang program xray-fdr $all $story $story ||
			fail "$clang: $story is not told"
		check $clang $story exact program
	done
	for story in fib threads tail throw arguments; do
		# In basic mode calls that an exception ends stay on the
		# runtime's stack.
		record $clang program env "$all max_stack_depth=1000" $story \
			basic-$story || fail "$clang: basic mode, $story"
		check $clang basic-$story exact program
	done
	# Many small blocks: the events of one thread are in several blocks.
	record $clang program xray-fdr "$all buffer_size=512 buffer_max=200" \
		threads small || fail "$clang: small blocks"
	check $clang small exact program
	record $clang program xray-fdr "$all buffer_size=4096 buffer_max=4" \
		ring ring || fail "$clang: ring"
	check $clang ring ring program
	record $clang program xray-fdr func_duration_threshold_us=1000 \
		threshold threshold || fail "$clang: threshold"
	check $clang threshold threshold program
	record $clang program xray-fdr "$all buffer_max=1000" threshold whole ||
		fail "$clang: threshold of 0"
	check $clang whole exact program
	for story in events typed; do
		record $clang program xray-fdr $all $story $story ||
			fail "$clang: $story"
		# Old compilers have no events.
		grep -q ^custom $clang/$story.said || continue
		check $clang $story $story program
	done
	library_of $clang || continue
	record $clang with-library xray-fdr $all library library || continue
	check $clang library exact with-library
	libraries=yes
done
[ $checked -gt 0 ] || skip 'no clang has a runtime of XRay' \
	'(Debian: clang-19, libclang-rt-19-dev)'
echo "$checked traces${libraries:+, shared objects too}"
exit 0
