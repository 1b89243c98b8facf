#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-xray on a trace that clang's runtime writes here and now, and on
# llvm-xray's account of it.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"

clang=
for name in clang-19 clang-22 clang; do
	command -v $name >/dev/null && clang=$name && break
done
[ "$clang" ] || skip 'clang is missing'
cat >fib.c <<'END'
#define TRACED __attribute__((xray_always_instrument, noinline))
TRACED int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
TRACED int twice(int n) { return 2 * fib(n); }
int main(void) { return twice(10) == 110 ? 0 : 1; }
END
$clang -g -O0 -fxray-instrument -fxray-modes=xray-basic fib.c -o fib \
	2>log || skip "$clang links no XRay runtime"
XRAY_OPTIONS='patch_premain=true xray_mode=xray-basic xray_logfile_base=log.' \
XRAY_BASIC_OPTIONS=func_duration_threshold_us=0 ./fib 2>>log ||
	skip 'the traced program does not run here'
set -- log.*
[ -e "$1" ] || skip 'the runtime wrote no trace'

gsym-xray -q account -m fib --sort=id -f json "$1" >account || fail 'account'
# fib(10) is 177 calls.
grep -q '"calls":177,.*"function":"fib","place":".*fib\.c:2"' account ||
	fail "no fib: $(cat account)"
grep -q '"calls":1,.*"function":"twice","place":".*fib\.c:3"' account ||
	fail "no twice: $(cat account)"
gsym-create -q -o fib.gsym fib >/dev/null || fail 'gsym-create'
gsym-xray -q account -m fib -g fib.gsym --sort=id -f json "$1" >again ||
	fail 'account with GSYM'
cmp account again || fail 'GSYM file and debug info differ'
gsym-xray account -m fib "$1" 2>&1 >/dev/null | grep . &&
	fail 'a warning for a sound trace'
gsym-xray -q convert --to=folded --calls -m fib "$1" |
	grep -qx 'twice;fib;fib 2' || fail 'folded stacks'

command -v llvm-xray-22 >/dev/null || exit 0
llvm-xray-22 account -instr_map=fib -d -f csv "$1" >theirs 2>log ||
	skip 'llvm-xray refuses the trace'
gsym-xray -q account --all-levels -f csv --sort=id "$1" >ours
awk -F, 'NR == FNR { if (FNR > 1) { n++; calls[$1] = $2; sum[$1] = $8 } next }
	FNR > 1 { m++; d = sum[$1] * 1e9 - $3
		if (calls[$1] != $2 || d > 2 + $3 * 1e-6 || d < -2 - $3 * 1e-6)
			bad = 1 }
	END { exit bad || n != m || !n }' theirs ours || {
	cat theirs ours
	fail 'llvm-xray has another account'
}
exit 0
