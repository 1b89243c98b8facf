#!/bin/sh
# SPDX-License-Identifier: MIT
# Interrupted calls (EINTR), and calls of read, pread, write and pwrite that
# transfer fewer bytes than they were asked for: the tools write the same bytes
# and messages as without, with the same status.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"

[ -z "${GSYM_SANITIZE:-}" ] || skip 'sanitizers replace the same functions'
# shellcheck disable=SC2086
${CC:-cc} -O1 -fPIC -shared -o ../short_calls.so \
	"$top_srcdir/tests/support/short_calls.c" 2>../stderr ||
	skip "no library for LD_PRELOAD: $(head -n 1 ../stderr)"
library=$PWD/../short_calls.so
make_shape
gsym=debug/.build-id/5b/${shape_id#5b}.debug.gsym
area=$(address_of _ZN3geo5Shape4areaEiPFvPKcPvS3_E)

# What the outputs of the command "$@" become; standard input is ../stdin.
# Output files are printed, too.
run()
{
	rm -rf made
	mkdir made
	"$@" <../stdin >../out 2>../err
	echo "status $?" >>../out
	(cd made && find . -type f | sort | while IFS= read -r file; do
		echo "$file"
		cat "$file"
	done) >>../out
}

# $1: the name of the case; the rest: a command, whose input is ../stdin and
# whose output files are in "made".
walk()
{
	name=$1
	shift
	run "$@"
	mv ../out ../wanted
	mv ../err ../wanted_err
	rm -f ../calls
	for seed in 1 2 3 4 5 6; do
		run env LD_PRELOAD="$library" SHORT_CALLS_SEED=$seed \
			SHORT_CALLS_COUNT="$PWD/../calls" "$@"
		cmp ../wanted ../out || fail "$name, seed $seed"
		cmp ../wanted_err ../err || fail "$name, seed $seed: messages"
	done
	[ -s ../calls ] || skip 'LD_PRELOAD does not work here'
	awk -v name="$name" '{ a += $1; b += $2 } END {
		printf "%s: %d calls interrupted, %d short\n", name, a, b
		exit a + b < 6 }' ../calls || fail "$name: too few calls"
}

: >../stdin
cp "$top_srcdir/testdata/breakpad/clang_inline.sym" \
	"$top_srcdir/testdata/go/gosample-amd64" .
gzip -k clang_inline.sym 2>/dev/null || cp clang_inline.sym clang_inline.sym.gz

# ---- conversions
walk create gsym-create -j2 -o made/o.gsym libshape.so
walk 'create, all options' gsym-create -j1 -o made/o.gsym --merged-functions \
	--dwarf-callsites --data-symbols libshape.so
walk 'create, segments' gsym-create -o made/o.gsym --segment-size=1000 \
	libshape.so
walk 'create, Go' gsym-create -o made/o.gsym gosample-amd64
for file in clang_inline.sym clang_inline.sym.gz; do
	walk "create, $file" gsym-create -o made/o.gsym $file
done
walk 'create, GSYM' gsym-create -o made/o.gsym --format=v2 $gsym
walk 'create, verified' gsym-create --verify -o made/o.gsym libshape.so
mkdir tree
cp libshape.so clang_inline.sym tree
head -c 3000 libshape.so >tree/cut.so
walk 'create, a folder' gsym-create -r -j2 --quiet --output-dir=made tree
walk 'create, embedded' gsym-create --embed=libshape.so -o made/o.so \
	libshape.so

# ---- lookups
i=0
while [ $i -lt 3000 ]; do
	echo "$((area + i % 60))"
	i=$((i + 1))
done >../stdin
walk lookup gsym-lookup $gsym
walk 'lookup, JSON' gsym-lookup --json --num-threads=3 $gsym
walk 'lookup, copied' gsym-lookup --copy $gsym
sed 's/^/libshape.so /' ../stdin | head -n 200 >../requests
mv ../requests ../stdin
ln -s "$(command -v gsym-lookup)" llvm-symbolizer
walk 'lookup as llvm-symbolizer' ./llvm-symbolizer
: >../stdin
walk dump gsym-dump --header --functions --files --strings --statistics \
	--verify $gsym

# ---- logs
split_cases
cat cases/* cases/* cases/* >../stdin
walk markup gsym-markup --gsym-file-directory=debug
walk 'markup, a page' gsym-markup --gsym-file-directory=debug --format=html
XDG_CACHE_HOME=made
export XDG_CACHE_HOME
walk 'markup, converted' gsym-markup --convert --debug-file-directory=debug
unset XDG_CACHE_HOME

# ---- traces
: >../stdin
ln -s "$top_srcdir/testdata/xray"/* .
walk 'xray, info' gsym-xray info traces/calls-fdr-threshold.xray \
	traces/shapes-threads.xray synthetic/bad-truncated-fn.xray
walk 'xray, account' gsym-xray account -m bin/shapes -g maps/shapes.gsym \
	traces/shapes-throw.xray traces/shapes-late.xray
walk 'xray, dump' gsym-xray dump -m bin/events traces/events-long.xray
walk 'xray, flame' gsym-xray flame -m bin/shapes traces/shapes-threads.xray
