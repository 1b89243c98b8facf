#!/bin/sh
# SPDX-License-Identifier: MIT
# --help and --version: on standard output, status 0, for every tool.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
for tool in gsym-create gsym-dump gsym-lookup gsym-xray gsym-markup; do
	[ -x "$top_builddir/$tool" ] || continue
	for option in --help --version -h -V; do
		$tool $option >$tool$option 2>../stderr || fail "$tool $option: $?"
		[ -s ../stderr ] && fail "$tool $option writes to standard error"
		[ -s $tool$option ] || fail "$tool $option writes nothing"
	done
	cmp $tool--help $tool-h || fail "-h is not --help"
	grep -q '^Licence MIT' $tool--version || fail 'no licence'
	# What it prints fits on a terminal and ends with where to read on.
	awk -v tool=$tool 'length > 80 { print tool ": too long: " $0; bad = 1 }
		END { exit bad }' $tool--help || fail 'help too wide'
	tail -n 1 $tool--help | grep -qx "Manual: man $tool" || fail 'no manual'
	# Every option is in the manual and in the completion.
	sed -n 's/^ *\(-.,\)\{0,1\} *--\([a-z-]*\).*/\2/p' $tool--help >options
	[ -s options ] || fail "no options in the help of $tool"
	while read -r option; do
		grep -q -e "--$option" "$top_srcdir/completions/$tool" ||
			fail "$option is not completed"
		grep -q "Fl -$option" "$top_srcdir/man/$tool.1" ||
			fail "$option is not in $tool(1)"
	done <options
done
exit 0
