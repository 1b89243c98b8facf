#!/bin/sh
# SPDX-License-Identifier: MIT
# The proof harnesses compile, the code that they quote is still there, and
# doc/reliability.md has a row for each.
set -u
cd "${top_srcdir:-$(dirname "$0")/../..}" || exit 99
. tests/support/tools.sh
need python3
python3 tests/proofs/prove --check || exit 1
bad=0
for name in $(sed -n 's/^void prove_\([a-z_0-9]*\)(void)$/\1/p' \
	tests/proofs/*.c); do
	grep -q "^| $name |" doc/reliability.md ||
		{ echo "doc/reliability.md has no row of $name"; bad=1; }
done
exit $bad
