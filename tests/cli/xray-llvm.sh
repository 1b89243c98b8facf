#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-xray and llvm-xray give the same output, for every trace of testdata/xray
# and for traces that clang's runtime writes now.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/xray-record.sh"
# Older ones have other tables.
need_llvm llvm-xray 19
LLVM_XRAY=$llvm
export LLVM_XRAY
need python3

# $1: the least number of traces to compare in each way; the rest: traces.
compare()
{
	python3 "$top_srcdir/tests/cli/xray-peer.py" \
		"$top_srcdir/man/gsym-xray.1" "$@" || fail 'see above'
}

set --
for trace in "$top_srcdir"/testdata/xray/traces/*.xray \
	"$top_srcdir"/testdata/xray/synthetic/*.xray; do
	case $trace in
	# Both programs refuse these files.
	*/bad-header-short.xray | */bad-type2.xray | */bad-version6.xray) ;;
	*) set -- "$@" "$trace" ;;
	esac
done
compare 27 "$@"

# The newest installed clang that has an XRay runtime.
all=func_duration_threshold_us=0
for clang in clang++-22 clang++-19 clang++; do
	program_of $clang && record $clang program xray-fdr $all fib fib && break
	clang=
done
[ "$clang" ] || skip 'no clang has a runtime of XRay' \
	'(Debian: clang-19, libclang-rt-19-dev)'
for story in threads tail throw arguments events typed; do
	record $clang program xray-fdr $all $story $story ||
		fail "$clang: $story is not told"
done
for story in fib threads tail throw arguments; do
	record $clang program env "$all max_stack_depth=1000" $story \
		basic-$story || fail "$clang: basic mode, $story"
done
record $clang program xray-fdr "$all buffer_size=4096 buffer_max=4" ring ring ||
	fail "$clang: ring"
record $clang program xray-fdr func_duration_threshold_us=1000 threshold \
	threshold || fail "$clang: threshold"
compare 8 $clang/*.trace
exit 0
