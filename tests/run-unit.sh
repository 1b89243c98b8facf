#!/bin/sh
# SPDX-License-Identifier: MIT
# Run a test program: tests/run-unit.sh PROGRAM
#
# A program that uses criterion writes TAP, which tests/summary.sh counts.
# Criterion runs each test in a process of its own and ignores errors that a
# sanitizer reports when the process ends, such as leaks.  So sanitizers write
# their reports to files, and a report is a failure.
set -u
program=$1
reports=$(mktemp -d) || exit 99
trap 'rm -rf "$reports"' EXIT
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}log_path=$reports/asan
UBSAN_OPTIONS=print_stacktrace=1:log_path=$reports/ubsan
export ASAN_OPTIONS UBSAN_OPTIONS
# The C library of GNU fills what malloc returns: it does not look like zeros.
# Targets of fuzzing allocate megabytes for each of thousands of inputs, which
# would be filled for minutes.
case ${program##*/} in
fuzz_*) ;;
*)
	MALLOC_PERTURB_=${MALLOC_PERTURB_:-165}
	export MALLOC_PERTURB_
	;;
esac

if grep -q criterion "$program"; then
	set -- --tap
else
	set --
fi
"$program" "$@"
status=$?
for report in "$reports"/*; do
	# Remarks (tests that fork draw some) are no reports.
	grep -qE 'ERROR: |runtime error: ' "$report" 2>/dev/null || continue
	cat "$report"
	[ $status != 0 ] || status=1
done
exit $status
