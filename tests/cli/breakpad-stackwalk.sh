#!/bin/sh
# SPDX-License-Identifier: MIT
# For a Breakpad file minidump-stackwalk of rust-minidump gives the answers that
# gsym-lookup gives for the converted GSYM file: functions, files, lines and
# inlined calls at every address where a record starts or ends. minidump.py
# makes a dump of a process that has a thread at each of these addresses.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
minidump-stackwalk --help 2>&1 | grep -q -e '--symbols-path' ||
	skip 'minidump-stackwalk of rust-minidump is not installed' \
		'(cargo install minidump-stackwalk)'
need python3
minidump=$top_srcdir/tests/cli/minidump.py
asked=0
inlined=0

# rust-minidump reads nothing from the fixtures that are not in the list below:
# these have damaged records or records of the old layout.
compare()
{
	head=$(head -n 1 "$1" | tr -d '\r')
	id=$(echo "$head" | cut -d ' ' -f 4 | tr -d -)
	name=$(echo "$head" | cut -d ' ' -f 5-)
	rm -rf store
	mkdir -p "store/$name/$id" || exit 99
	cp "$1" "store/$name/$id/${name%.pdb}.sym"
	python3 "$minidump" addresses "$1" >addresses || fail "$1: addresses"
	python3 "$minidump" dump "$1" addresses >dump || fail "$1: no dump"
	minidump-stackwalk --json --symbols-path store dump >report 2>err ||
		fail "$1: $(tail -n 3 err)"
	python3 "$minidump" frames report >theirs || fail "$1: frames"
	gsym-create -q -o ours.gsym "$1" 2>err || fail "$1: $(cat err)"
	gsym-lookup --no-demangle ours.gsym <addresses |
		sed 's, + [0-9]*\( (inlined)\| at .*\)*$,\1,' >ours
	diff theirs ours >diff || fail "$1: $(head -n 20 diff)"
	asked=$((asked + $(wc -l <addresses)))
	inlined=$((inlined + $(grep -c '(inlined)' theirs)))
}

for fixture in clang_inline clang_older deep_inline fixed_base gcc_split \
	long_name many_ranges mozilla_style pe_program windows_crlf; do
	compare "$top_srcdir/testdata/breakpad/$fixture.sym"
done
[ $asked -gt 2000 ] && [ $inlined -gt 1000 ] ||
	fail "$asked addresses, $inlined inlined calls"
# Further files, such as those of real programs.
for file in ${BREAKPAD_FILES-}; do
	compare "$file"
done
echo "$asked addresses, $inlined inlined calls"
