#!/bin/sh
# SPDX-License-Identifier: MIT
# The columns of gsym/batch.h in pyarrow, a library of Arrow: arrow.py imports
# them, validates them and compares them with the answers of gsym-lookup.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/store-lib.sh"
python=${PYTHON:-python3}
need "$python" python3
$python -c 'import pyarrow' 2>/dev/null ||
	skip 'python3 cannot import pyarrow (pip install pyarrow)'
[ -z "${GSYM_SANITIZE:-}" ] || skip 'sanitizers have a malloc of their own'
library=$top_builddir/.libs/libgsym.so.0
[ -e "$library" ] || skip 'there is no shared library in the build'
make_store
i=-32
while [ $i -lt 1200 ]; do
	echo "$id $((start + i))"
	[ $((i % 5)) -ne 0 ] || echo "abcdef0123456789 $((start + i))"
	i=$((i + 4))
done >pairs
gsym-lookup --stream --gsym-file-directory=store <pairs >answers 2>err ||
	fail "$(cat err)"
$python "$top_srcdir/tests/cli/arrow.py" "$library" store pairs answers ||
	fail 'pyarrow and gsym-lookup differ'
exit 0
