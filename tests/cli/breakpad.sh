#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-create on Breakpad files: from a file, a pipe and compressed, with one
# result; and files that are none.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
fixtures=$top_srcdir/testdata/breakpad
cp "$fixtures/gcc_split.sym" split.sym || exit 99

gsym-create split.sym 2>summary || fail "status $?: $(cat summary)"
grep -q '^split.sym: Breakpad, ' summary || fail "no format: $(cat summary)"
gsym-lookup split.sym.gsym 0x1228 >answer || fail 'no answer'
grep -q 'shapes::mul.* at .*shapes.h:5 (inlined)' answer ||
	fail "no mul: $(cat answer)"
grep -q 'total.* at .*main.cpp:9$' answer || fail "no total: $(cat answer)"

gsym-create -q -o pipe.gsym - <split.sym || fail "pipe: $?"
cmp split.sym.gsym pipe.gsym || fail 'a pipe makes a difference'
cat split.sym | gsym-create -q -o pipe.gsym - || fail "pipe: $?"
cmp split.sym.gsym pipe.gsym || fail 'a pipe makes a difference'
gzip -c split.sym | gsym-create -q -o gzip.gsym - || fail "gzip: $?"
cmp split.sym.gsym gzip.gsym || fail 'gzip makes a difference'
if command -v zstd >/dev/null; then
	zstd -q -c split.sym >split.zst
	if gsym-create -q -o zstd.gsym split.zst 2>err; then
		cmp split.sym.gsym zstd.gsym || fail 'zstd makes a difference'
	fi
fi

gsym-create -q --base=0x400000 -o base.gsym "$fixtures/fixed_base.sym" ||
	fail "--base: $?"
at=$(sed -n '/^0x/{p;q;}' "$fixtures/fixed_base.expected")
gsym-lookup --strict base.gsym "$at" >/dev/null || fail "nothing at $at"

# What cannot be used ends with 2, says why, and leaves nothing.
refuse()
{
	rm -f no.gsym
	gsym-create -o no.gsym "$@" >out 2>err
	[ $? = 2 ] || fail "$*: no error"
	[ "$(wc -l <err)" = 1 ] || fail "$*: $(cat err)"
	[ ! -e no.gsym ] || fail "$*: an output file"
}
refuse "$fixtures/cfi_only.sym"
printf '\377\376M\000O\000D\000' >utf16.sym
refuse utf16.sym
grep -q 'UTF-16' err || fail "UTF-16: $(cat err)"
gzip -c split.sym | head -c 300 >cut.gz
refuse cut.gz
printf 'MODULE Linux x86_64 0 a\nnothing else\n' >none.sym
refuse none.sym
grep -q 'line 2, column 1' err || fail "no place: $(cat err)"
refuse --strict "$fixtures/odd_records.sym"
gsym-create - <split.sym 2>/dev/null && fail 'no output is named'
exit 0
