#!/bin/sh
# SPDX-License-Identifier: MIT
# Each fuzz target is built, is in the table of tests/fuzz/README.md, and has a
# row of figures in doc/reliability.md.
set -u
cd "${top_srcdir:-$(dirname "$0")/../..}" || exit 99
bad=0
count=0
figures=$(sed -n "/^## Fuzzing/,/^## [^F]/p" doc/reliability.md)
for file in tests/fuzz/fuzz_*.c tests/fuzz/fuzz_*.py; do
	name=${file##*/fuzz_}
	name=${name%.*}
	count=$((count + 1))
	cat tests/*.mk | grep -q "fuzz_$name[.]${file##*.}" ||
		{ echo "$file: no fragment of the build has it"; bad=1; }
	grep -q "^| .*\`$name\`.* |" tests/fuzz/README.md ||
		{ echo "$file: tests/fuzz/README.md has no row"; bad=1; }
	echo "$figures" | grep -q "^| $name[ ,(]" ||
		{ echo "$file: doc/reliability.md has no figures"; bad=1; }
done
[ $bad = 0 ] && echo "$count fuzz targets are listed"
exit $bad
