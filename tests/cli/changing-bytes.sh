#!/bin/sh
# SPDX-License-Identifier: MIT
# Files whose bytes change at random while they are mapped: conversions, lookups,
# logs and traces end by themselves, and read nothing outside of the files.  The
# script runs for GSYM_CHANGING_SECONDS (15); more is of use with a build that has
# sanitizers.  GSYM_CHANGING_SEED is the number to begin with.  libdwarf, which has
# mistakes of its own, takes no part (SECURITY.md).
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"

# shellcheck disable=SC2086
${CC:-cc} -O2 -fPIC -shared -pthread -o ../changing.so \
	"$top_srcdir/tests/support/changing.c" 2>../stderr ||
	skip "no library for LD_PRELOAD: $(head -n 1 ../stderr)"
preload=$PWD/../changing.so
# The library of AddressSanitizer has to come first.
[ -z "${GSYM_SANITIZE:-}" ] ||
	preload=$(${CC:-cc} -print-file-name=libasan.so):$preload
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0:hard_rss_limit_mb=3000
end=$(($(date +%s) + ${GSYM_CHANGING_SECONDS:-15}))
seed=${GSYM_CHANGING_SEED:-1}
runs=0
: >../changes

# Run the command "$@" while its files change.  Whatever its answer is, it ends
# with a status of its own.
run()
{
	[ "$(date +%s)" -lt $end ] || return 0
	seed=$((seed + 1))
	runs=$((runs + 1))
	timeout 60 env LD_PRELOAD="$preload" CHANGING_SEED=$seed \
		CHANGING_COUNT="$PWD/../changes" "$@" \
		<../stdin >../out 2>../err
	status=$?
	[ $status -le 2 ] && return
	grep -a -A 12 'ERROR\|runtime error' ../err | head -n 30
	tail -n 3 ../err
	echo "seed $seed: $* ends with $status"
	[ -n "${GSYM_CHANGING_GO_ON:-}" ] || fail "see above"
}

make_shape
gsym=debug/.build-id/5b/${shape_id#5b}.debug.gsym
area=$(address_of _ZN3geo5Shape4areaEiPFvPKcPvS3_E)
split_cases
cat cases/* >../log
data=$top_srcdir/testdata
ln -s "$data/xray"/* .
mkdir tree store
cp libshape.so "$data/breakpad/clang_inline.sym" "$data/go/gosample-amd64" \
	"$data/macho/shapes.dylib" "$data/wasm/prog5.wasm" tree
cp -r libshape.so debug store
i=0
while [ $i -lt 400 ]; do
	echo "$((area - 100 + i))"
	i=$((i + 1))
done >../addresses
sed 's/^/libshape.so /' ../addresses >../requests
ln -s "$(command -v gsym-lookup)" llvm-symbolizer
ln -s "$(command -v gsym-lookup)" addr2line

conversions()
{
	for file in libshape.so $gsym "$data"/gsym/*.gsym \
		"$data"/breakpad/clang_inline.sym \
		"$data"/breakpad/odd_records.sym \
		"$data"/go/gosample-amd64 "$data"/macho/shapes.dylib \
		"$data"/macho/arm64.macho "$data"/pe/gcc.dll \
		"$data"/pe/clang.dll "$data"/wasm/prog5.wasm; do
		run gsym-create -q -j$((1 + seed % 3)) -o made.gsym "$file"
	done
	run gsym-create -q -o made.gsym --merged-functions \
		--dwarf-callsites --data-symbols libshape.so
	run gsym-create -q -o made.gsym --merged-functions "$data"/gsym/merged.gsym
	run gsym-create -q -o made.gsym --segment-size=1000 libshape.so
	run gsym-create -q -o made.gsym --format=v2 $gsym
	run gsym-create -q -o made.so --embed=libshape.so libshape.so
	run gsym-create --identify libshape.so "$data"/pe/gcc.dll \
		"$data"/macho/shapes.dylib "$data"/go/gosample-amd64
	run gsym-create -q -r -j2 --output-dir=made tree
}

lookups()
{
	cp ../addresses ../stdin
	for options in '' --json --inlines=no --check '--num-threads=2'; do
		# shellcheck disable=SC2086
		run gsym-lookup $options $gsym
	done
	run gsym-lookup libshape.so
	run gsym-lookup --symbol=geo::Shape::area $gsym
	cp ../requests ../stdin
	run ./llvm-symbolizer
	run ./addr2line -a -f -i -e libshape.so $area
	: >../stdin
	for view in --header --functions --files --strings --statistics \
		--verify --all; do
		run gsym-dump $view $gsym
		run gsym-dump $view "$data"/gsym/merged.gsym
	done
}

logs()
{
	cp ../log ../stdin
	run gsym-markup --gsym-file-directory=debug
	run gsym-markup --gsym-file-directory=debug --format=html
	run gsym-markup --gsym-file-directory=debug --symbols=tree
}

traces()
{
	: >../stdin
	run gsym-xray info traces/calls-fdr-threshold.xray \
		traces/shapes-threads.xray synthetic/bad-truncated-fn.xray
	for command in account stack graph 'convert --to=folded' flame; do
		# shellcheck disable=SC2086
		run gsym-xray $command -m bin/shapes -g maps/shapes.gsym \
			traces/shapes-throw.xray traces/shapes-late.xray
	done
	run gsym-xray dump -m bin/events traces/events-long.xray
	run gsym-xray extract bin/shapes
}

while [ "$(date +%s)" -lt $end ]; do
	: >../stdin
	conversions
	lookups
	logs
	traces
done
changes=$(awk '{ n += $1 } END { print n + 0 }' ../changes)
[ "$changes" -gt 0 ] || skip 'LD_PRELOAD does not work here'
echo "$runs runs, $changes changes"
