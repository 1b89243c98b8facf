#!/bin/sh
# SPDX-License-Identifier: MIT
# Run a test that hangs for no longer than GSYM_TEST_LIMIT seconds (default: 1800,
# which a slow and busy machine needs for no test): tests/limited.sh TEST...
set -u
limit=${GSYM_TEST_LIMIT:-1800}
command -v timeout >/dev/null || exec "$@"
timeout --foreground -k 10 "$limit" "$@"
status=$?
[ $status != 124 ] && [ $status != 137 ] ||
	echo "the test was ended after $limit seconds"
exit $status
