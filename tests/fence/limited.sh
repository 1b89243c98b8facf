#!/bin/sh
# SPDX-License-Identifier: MIT
# A test that hangs is ended, and has failed; the status of others is kept.
set -u
: "${top_srcdir:?}"
limited=$top_srcdir/tests/limited.sh
bad=0

# Expect status $1 of the command after it.
expect()
{
	want=$1
	shift
	"$@" >/dev/null 2>&1
	status=$?
	[ $status = "$want" ] || {
		echo "$*: status $status instead of $want"
		bad=1
	}
}
expect 0 "$limited" true
expect 77 "$limited" sh -c 'exit 77'
command -v timeout >/dev/null || {
	echo 'skipped: there is no timeout (Debian: coreutils)'
	exit 77
}
expect 124 env GSYM_TEST_LIMIT=1 "$limited" sleep 1000
GSYM_TEST_LIMIT=1 "$limited" sleep 1000 |
	grep -qx 'the test was ended after 1 seconds' || {
	echo 'the log does not say that the test was ended'
	bad=1
}
# Both kinds of tests run within a limit.
grep -q '^LOG_COMPILER = .*limited.sh' "$top_srcdir/tests/local.mk" &&
	grep -q '^SH_LOG_COMPILER = .*limited.sh' "$top_srcdir/tests/local.mk" || {
	echo 'tests/local.mk runs tests without limited.sh'
	bad=1
}
exit $bad
