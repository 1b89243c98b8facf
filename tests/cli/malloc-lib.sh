# SPDX-License-Identifier: MIT
# For scripts that include lib.sh: run a tool with each of its allocations
# failing in turn (tests/support/failing_malloc.c).

# About the number of allocations that fail in a walk; of more only some are
# tried.  GSYM_MALLOC_RUNS=100000 tries all.
malloc_runs=${GSYM_MALLOC_RUNS:-15}

# The variable that names the library.  A script that is run in place of a tool
# needs another one: it sets LD_PRELOAD for the tool alone.
malloc_preload=LD_PRELOAD

# Build the library.
make_failing_malloc()
{
	[ -z "${GSYM_SANITIZE:-}" ] || skip 'sanitizers have a malloc of their own'
	# shellcheck disable=SC2086
	${CC:-cc} -O1 -fPIC -shared -o ../failing_malloc.so \
		"$top_srcdir/tests/support/failing_malloc.c" 2>../stderr ||
		skip "no library for LD_PRELOAD: $(head -n 1 ../stderr)"
	LD_PRELOAD=$PWD/../failing_malloc.so FAILING_MALLOC_COUNT=../calls \
		gsym-lookup --version >../stdout 2>&1
	[ -s ../calls ] || skip 'LD_PRELOAD does not work here'
}

# $1, $2: a variable of failing_malloc.c and its value; the rest: a command.
# Standard input is ../stdin; output in ../out, messages in ../err.
with_failing_malloc()
{
	variable=$1=$2
	shift 2
	env "$variable" "$malloc_preload=$PWD/../failing_malloc.so" "$@" \
		<../stdin >../out 2>../err
}

# Check the run of the case $1: either it ended as without failures, or with a
# message and status 2.
check_failure()
{
	case $status in
	"$wanted_status") cmp -s ../wanted ../out && return ;;
	2) [ -s ../err ] && return ;;
	esac
	cmp ../wanted ../out
	tail -n 5 ../err
	fail "$1: status $status"
}

# $1: the name of the case; the rest: a command, whose input is ../stdin.
walk_malloc()
{
	name=$1
	shift
	"$@" <../stdin >../wanted 2>../err
	wanted_status=$?
	rm -f ../calls
	with_failing_malloc FAILING_MALLOC_COUNT ../calls "$@"
	status=$?
	check_failure "$name, without failures"
	calls=$(cat ../calls)
	step=$((calls / malloc_runs + 1))
	messages=0
	call=1
	while [ $call -le "$calls" ]; do
		for how in AT FROM; do
			with_failing_malloc FAILING_MALLOC_$how $call "$@"
			status=$?
			check_failure "$name, $how call $call of $calls"
			[ $status != 2 ] || messages=$((messages + 1))
		done
		# The first and the last calls are all tried.
		if [ $call -le 10 ] || [ $call -gt $((calls - 5)) ]; then
			call=$((call + 1))
		else
			call=$((call + step))
		fi
	done
	echo "$name: $calls allocations, $messages runs ended with a message"
}
