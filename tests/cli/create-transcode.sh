#!/bin/sh
# SPDX-License-Identifier: MIT
# GSYM files as the input of gsym-create: other versions, byte orders,
# segments.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
compile prog
gsym-create -q --data-symbols --merged-functions --dwarf-callsites \
	-o own.gsym prog || fail "$?"
cp own.gsym what-it-is-shows-from-the-content

# To version 2 in big-endian order, and back: nothing is lost.
gsym-create --verify --format=v2 --endian=big -o big2.gsym \
	what-it-is-shows-from-the-content 2>err || fail "v2: $(cat err)"
grep -q 'GSYM, little-endian' err || fail "what the input is: $(cat err)"
grep -q ', 0 differences' err || fail '--verify'
gsym-dump big2.gsym | grep -q 'version  *2, big-endian' || fail 'not v2'
gsym-create -q --endian=little -o back.gsym big2.gsym || fail 'back'
cmp own.gsym back.gsym || fail 'something was lost on the way'
gsym-create -q -o same.gsym big2.gsym || fail 'the order of the input'
gsym-dump same.gsym | grep -q 'version  *1, big-endian' || fail 'not v1 big'
gsym-create --json -o x.gsym big2.gsym | grep -q '"input_format":"GSYM"' ||
	fail '--json'

# Without lines, without inlined calls, and without both.  A function with
# inlined calls has one row, without a source, then.
flags()
{
	gsym-create -q "$@" -o less.gsym prog || fail "$*: $?"
	gsym-dump --verify less.gsym >/dev/null || fail "$*: not sound"
	gsym-dump --functions less.gsym | sed 1,2d |
		awk '{ l = l || $3 == "l---"; i = i || $3 ~ /i/ }
			END { printf "%d%d\n", l, i }'
}
[ "$(flags)" = 11 ] || fail 'prog has no lines or no inlined calls'
[ "$(flags --no-lines)" = 01 ] || fail '--no-lines'
[ "$(flags --no-inlines)" = 10 ] || fail '--no-inlines'
[ "$(flags --no-lines --no-inlines)" = 00 ] || fail 'neither'

# In segments: each is a complete GSYM file, and together they have the
# functions of the unsegmented file.
gsym-dump --functions own.gsym | sed 1,2d | sort >wanted
for format in v1 v2; do
	for limit in 600 1000 100000; do
		rm -f seg-0x*
		gsym-create --verify --format=$format --segment-size=$limit \
			-o seg prog --data-symbols --merged-functions \
			--dwarf-callsites 2>err ||
			fail "$format, segments of $limit: $(cat err)"
		: >got
		for segment in seg-0x*; do
			gsym-dump --verify "$segment" >/dev/null ||
				fail "$segment is damaged"
			[ "$(wc -c <"$segment")" -le $limit ] ||
				fail "$segment is too large"
			gsym-dump --functions "$segment" | sed 1,2d >>got
			gsym-dump "$segment" | grep '^  build ID \|^  base ' >id
			gsym-dump own.gsym | grep '^  build ID \|^  base ' | cmp - id ||
				fail "$segment: build ID or base address"
			first=$(gsym-dump --functions "$segment" |
				sed -n '3s/^ *\(0x[0-9a-f]*\).*/\1/p')
			[ "$segment" = "seg-$first" ] || fail "name: $segment"
		done
		sort got | cmp - wanted || fail "$format $limit: functions"
	done
	[ "$(ls seg-0x* | wc -l)" = 1 ] || fail 'one would have done'
done
gsym-create --segment-size=600 -o seg own.gsym 2>err || fail 'of a GSYM file'
grep -q '[1-9][0-9]* segments$' err || fail "$(cat err)"
# Smaller than a function: files of one function each, and a warning for each.
rm -f seg-0x*
gsym-create --segment-size=99 -o seg own.gsym 2>err || fail "99: $(cat err)"
: >got
for segment in seg-0x*; do
	size=$(wc -c <"$segment")
	[ "$(gsym-dump --functions "$segment" | sed 1,2d | wc -l)" = 1 ] ||
		fail "$segment has several functions"
	[ "$size" -le 99 ] ||
		echo "gsym-create: warning: '$segment' has $size bytes," \
			"more than 99: a function cannot be divided" >>got
done
[ -s got ] || fail 'no segment is larger than 99 bytes'
grep warning: err | sort >warned
sort got | cmp - warned || fail "warnings: $(cat err)"
rm -f seg-0x*
gsym-create -q --segment-size=99 -o seg own.gsym 2>err && [ ! -s err ] ||
	fail "-q: $(cat err)"

# All segments are written, or none: the last one cannot be, and the others are
# as they were.
rm seg-0x*
gsym-create -q --segment-size=600 -o seg own.gsym || fail 'of a GSYM file'
set -- seg-0x*
[ $# -gt 1 ] || fail "only $# segments"
ls seg-0x* >names
for segment in seg-0x*; do
	echo old >"$segment"
done
last=$(gsym-dump --functions own.gsym | sed -n 's/^ *\(0x[0-9a-f]*\).*/\1/p' |
	sed 's/^/seg-/' | grep -Fxf names | tail -1)
rm "$last"
mkdir "$last"
gsym-create -q --segment-size=600 -o seg own.gsym 2>err
[ $? = 2 ] && grep -q "cannot write '$last': it is a folder" err ||
	fail "the last segment is a folder: $(cat err)"
rmdir "$last"
for segment in seg-0x*; do
	[ "$(cat "$segment")" = old ] || fail "$segment was written"
done
ls -A | grep -q gsym-new && fail "temporary files: $(ls -A)"
gsym-create -q --segment-size=600 -o seg own.gsym || fail 'again'

# Files of llvm-gsymutil lose only rows that no lookup can reach.
if gsymutil=$(llvm_tool llvm-gsymutil); then
	$gsymutil --convert=prog -o llvm.gsym >/dev/null 2>&1 ||
		fail 'llvm-gsymutil'
	gsym-create -q -o again.gsym llvm.gsym || fail 'of a file of LLVM'
	gsym-dump --functions llvm.gsym | sed -n 's/.* 0x\|^  0x//;1,$p' |
		sed -n 's/^ *\([0-9a-f]*\) .*/0x\1/p' >addresses
	gsym-lookup llvm.gsym <addresses >wanted
	gsym-lookup again.gsym <addresses | cmp - wanted || fail 'lookups'
	segment=$(ls seg-0x* | head -1)
	$gsymutil "$segment" >/dev/null 2>err && [ ! -s err ] ||
		fail "LLVM on a segment: $(cat err)"
fi

# A truncated file is refused, or its undamaged functions are converted.
size=$(wc -c <own.gsym)
at=48
while [ $at -lt "$size" ]; do
	head -c $at own.gsym >cut.gsym
	gsym-create -q -o x.gsym cut.gsym 2>err
	status=$?
	[ $status = 0 ] || [ $status = 2 ] || fail "cut at $at: $status"
	[ $status = 0 ] && { gsym-dump --verify x.gsym >/dev/null || fail "$at"; }
	at=$((at + 37))
done
exit 0
