#!/bin/sh
# SPDX-License-Identifier: MIT
# The list below has a row for each part of gsym-markup's behaviour.  Every row
# has a test of its name: rowNN_... in tests/unit/markup, or
# tests/cli/markup-rowNN-....
set -u
cd "${top_srcdir:-$(dirname "$0")/../..}" || exit 99
bad=0
while read -r row what; do
	tests=$(sed -n "s/^Test([a-z]*, \\(row${row}_[a-z0-9_]*\\))\$/\\1/p" \
		tests/unit/markup/*.c
		ls tests/cli/markup-row$row-*.sh 2>/dev/null | sed 's|.*/||')
	[ "$row" != 20 ] || tests=$(ls bench/markup 2>/dev/null)
	if [ -n "$tests" ]; then
		printf '%s %s:\n' "$row" "$what"
		printf '%s\n' "$tests" | sed 's/^/    /'
	else
		echo "$row $what: no test has its name"
		bad=1
	fi
done <<'EOL'
01 what is an element, in both styles
02 scalars, accepted and refused, in every element
03 0 to 8 fields in every element
04 a whole log with GSYM files, in both styles
05 frame numbers, with and without inlines
06 edges of mappings, return addresses at 0, the end of memory
07 lines that describe memory: text around, line ends
08 duplicates, overlaps, size 0, neighbours
09 reset: with and without state, begin and end
10 SGR: every state with every element, colours off
11 bytes of any kind, long lines, floods
12 hexdict
13 dump files
14 all of the above as HTML
15 processes
16 following
17 where GSYM files are looked for
18 what gsym-create installs, found by llvm-symbolizer
19 logs of real programs
20 throughput and memory
EOL
exit $bad
