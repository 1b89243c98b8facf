#!/bin/sh
# SPDX-License-Identifier: MIT
# Sum up a run of "make check": tests/summary.sh LOG...
#
# Each test of a program that writes TAP is counted; any other program counts as
# one test.  A test that TAP announces but does not report counts as failed, and
# so does a program that fails without naming a failed test.  Prints the log of
# each failed program and the reason of each skipped one.  The last line is
# "N passed, N failed, N skipped".
set -u
LC_ALL=C
export LC_ALL
passed=0 failed=0 skipped=0 programs=0 skips=''

# Print "PASSED FAILED SKIPPED" for the TAP log $1.
count_tap()
{
	awk '
	/^1\.\.[0-9]+/ { plan = substr($1, 4) + 0 }
	/^not ok / { bad++; next }
	/^ok .*# *[Ss][Kk][Ii][Pp]/ { skip++; next }
	/^ok / { good++ }
	END {
		lost = plan - good - bad - skip
		print good + 0, bad + (lost > 0 ? lost : 0), skip + 0
	}' "$1"
}

for log; do
	trs=${log%.log}.trs
	name=${log%.log}
	result=$(sed -n 's/^:global-test-result: //p' "$trs" 2>/dev/null)
	programs=$((programs + 1))
	good=0 bad=0 skip=0
	if grep -q '^1\.\.[0-9]' "$log" 2>/dev/null; then
		# shellcheck disable=SC2046 # three numbers
		set -- $(count_tap "$log")
		good=$1 bad=$2 skip=$3
		[ "$result" = PASS ] || [ "$bad" -gt 0 ] || bad=1
		skips="$skips$(sed -n "s|^ok - *\(.*\)# *SKIP *|  $name: \1: |p" \
			"$log")
"
	elif [ "$result" = PASS ]; then
		good=1
	elif [ "$result" = SKIP ]; then
		skip=1
		why=$(grep -v '^SKIP ' "$log" | grep . | tail -n 1)
		skips="$skips  $name: ${why:-no reason given}
"
	else
		bad=1
	fi
	passed=$((passed + good))
	failed=$((failed + bad))
	skipped=$((skipped + skip))
	if [ "$bad" -gt 0 ]; then
		printf '\n=== %s: %s failed ===\n' "$name" "$bad"
		if [ -e "$log" ]; then
			tail -n 200 "$log"
		else
			echo "it was never run"
		fi
	fi
done

skips=$(printf '%s' "$skips" | grep .)
[ -z "$skips" ] || printf '\nskipped:\n%s\n' "$skips"
[ $failed -eq 0 ] || printf '\nThe logs are next to the programs, in %s.\n' \
	"$(pwd)"
printf '\n%s test programs\n' "$programs"
printf '%s passed, %s failed, %s skipped\n' $passed $failed $skipped
[ $failed -eq 0 ] && [ $passed -gt 0 ]
