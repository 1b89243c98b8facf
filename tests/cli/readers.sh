#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/matrix/readers: llvm-gsymutil reads our files and we read its files, with
# no difference; and a reader that shows another record, or another answer, or
# that refuses a file, is found.
set -u
: "${top_srcdir:?}"
cd "${top_builddir:?}" || exit 99
. "$top_srcdir/tests/support/tools.sh"
need python3
# Older ones know neither merged functions nor call sites.
need_llvm llvm-gsymutil 22
need cc
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
cc -g -O2 -o "$tmp/prog" "$top_srcdir/tests/matrix/cold.c" -c || exit 99

# The reader is $1.
try()
{
	"$top_srcdir/tests/matrix/readers" --llvm "$1" --addresses 500 . \
		"$tmp/prog" >"$tmp/out" 2>&1
}

fail()
{
	echo "$1"
	cat "$tmp/out"
	exit 1
}

try "$llvm" || fail 'there are differences'
grep -q "^  $(basename "$llvm"): .*records [1-9]" "$tmp/out" || fail 'no records'
grep -q "^  $(basename "$llvm"): .*theirs 1 [1-9]" "$tmp/out" ||
	fail 'its own files were not read'
grep -q '^  gsym-dump: files [1-9]' "$tmp/out" || fail 'gsym-dump read nothing'

# $1: name of a reader; $2: what sed changes in the output of llvm-gsymutil.
changed()
{
	cat >"$tmp/$1" <<-END
	#!/bin/sh
	"$llvm" "\$@" >"$tmp/\$\$" 2>&1
	status=\$?
	sed '$2' "$tmp/\$\$"
	rm "$tmp/\$\$"
	exit \$status
	END
	chmod +x "$tmp/$1"
	try "$tmp/$1" && fail "$1: no difference was found"
	grep -q "^$1: .*prog" "$tmp/out" || fail "$1 is not named"
}
changed row 's/^\(  0x[0-9a-f]* .*:\)\([0-9]\)/\11\2/'
changed answer 's/^\(0x[0-9a-f]*: .*:\)\([0-9]\)/\11\2/'
changed refuses 's/^FunctionInfo @/error: no FunctionInfo @/'
exit 0
