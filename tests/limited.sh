#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/limited.sh TEST [ARGUMENT...]: run TEST, and end it if it runs for more
# than GSYM_TEST_LIMIT seconds, so that a test that hangs does not stop the suite.
# The default, 1800, is more than any test needs on a slow and busy machine.
# To the file GSYM_TEST_TIMES, if that is set, the test and its processor time are
# added: user, then system.
set -u
limit=${GSYM_TEST_LIMIT:-1800}
command -v timeout >/dev/null || exec "$@"
# --foreground: the test stays in the process group of make, so that Ctrl-C ends
# it.  -k: a test that ignores SIGTERM is killed ten seconds later.
timeout --foreground -k 10 "$limit" "$@"
status=$?
# timeout returns 124 if it ended the test, and 137 if it had to kill it.
[ $status != 124 ] && [ $status != 137 ] ||
	echo "the test was ended after $limit seconds"
if [ -n "${GSYM_TEST_TIMES:-}" ]; then
	times >"$GSYM_TEST_TIMES.$$"
	echo "$(tail -n 1 "$GSYM_TEST_TIMES.$$") ${*##*/}" >>"$GSYM_TEST_TIMES"
	rm -f "$GSYM_TEST_TIMES.$$"
fi
exit $status
