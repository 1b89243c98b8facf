#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-lookup --stream as a function of ClickHouse, embedded in chdb: the same
# stacks as without ClickHouse, row by row, and summed over distinct pairs.
# GSYM_CHDB_PYTHON names another Python than python3.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/store-lib.sh"
python=${GSYM_CHDB_PYTHON:-${PYTHON:-python3}}
need "$python" python3
"$python" -c 'import chdb' 2>/dev/null ||
	skip 'python3 cannot import chdb (pip install chdb; in a virtual' \
		'environment: GSYM_CHDB_PYTHON=ENVIRONMENT/bin/python)'
[ -z "${GSYM_SANITIZE:-}" ] || skip 'sanitizers write to standard error'
make_store
awk -v id="$id" -v start="$((start))" 'BEGIN {
	srand(18)
	for (i = 0; i < 100000; i++) {
		x = rand()
		printf "%s\t%d\n", x < 0.9 ? id : x < 0.95 ? "00112233" : "bad!",
			x < 0.98 ? start + int(rand() * 480) : -5
	}
}' >pairs
gsym-lookup --stream=folded --gsym-file-directory=store <pairs >answers \
	2>err || fail "$(cat err)"
"$python" "$top_srcdir/tests/cli/clickhouse.py" "$PWD/store" "$PWD/pairs" \
	"$PWD/answers" || fail 'ClickHouse and gsym-lookup differ'
exit 0
