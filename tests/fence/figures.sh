#!/bin/sh
# SPDX-License-Identifier: MIT
# The table of conversions in README.md has rows of that in doc/performance.md:
# both documents show the same runs (bench/table).
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
table() {
	sed -n '/^<!-- bench\/table/,/^<!-- end of table/p' "$top_srcdir/$1" |
		grep '^|'
}
all=$(table doc/performance.md)
table README.md | {
	count=0
	while IFS= read -r row; do
		count=$((count + 1))
		printf '%s\n' "$all" | grep -Fqx "$row" || {
			echo "doc/performance.md lacks this row of README.md:" \
				"$row; run bench/table"
			exit 1
		}
	done
	# The head has two lines.
	[ $count -gt 2 ] || {
		echo 'README.md has no table of bench/table'
		exit 1
	}
}
