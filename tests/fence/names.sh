#!/bin/sh
# SPDX-License-Identifier: MIT
# Every global symbol has a prefix that CONTRIBUTING.md allows.
set -u
cd "${top_builddir:?}" || exit 99
. "${top_srcdir:?}/tests/support/tools.sh"
need nm

# The names that the object or archive $1 defines for other files.  Code for
# i386 has functions of gcc that return the program counter.
defined()
{
	nm "$1" 2>/dev/null | awk '$2 ~ /^[BCDRT]$/ &&
		$3 !~ /^__x86\.get_pc_thunk\./ { print $3 }'
}

# Print each name on standard input that does not match the pattern $2, after
# "$1: ".
others()
{
	grep -Evx "$2" | sed "s|^|$1: |"
}

for library in .libs/libgsym.a .libs/libgsym-demangle.a \
	.libs/libgsym-convert.a .libs/libgsym-xray.a .libs/libsecond.a; do
	[ ! -e $library ] || defined $library | others $library 'gsym_.*'
done >bad-names
# A program may link these archives as a whole.  The linker merges the thunks
# that gcc makes for i386.
for library in .libs/libgsym.a .libs/libgsym-convert.a .libs/libgsym-xray.a; do
	[ ! -e $library ] || nm "$library" 2>/dev/null |
		awk '$2 ~ /^[BCDRTVW]$/ && $3 !~ /^__x86\.get_pc_thunk/ {
			print $3
		}' | sort -u
done | sort | uniq -d | sed 's/$/: is in two archives/' >>bad-names
# Print "OBJECT NAME" for each name that objects of tools define for other files.
nm -A tools/*/*.o 2>/dev/null | awk '$2 ~ /^[BCDRT]$/ &&
	$3 !~ /^__x86\.get_pc_thunk\./ {
		sub(/:[0-9a-f]*$/, "", $1)
		print $1, $3
	}' >names
# tools/common: a word of the file, and the functions of report.h, which all tools
# call for errors.  The other tools: the word of the tool, or the first word of
# the file; gsym-lookup under other names: the first word of the file.
awk '{
	count = split($1, path, "/")
	tool = path[count - 1]
	file = path[count]
	sub(/.*-/, "", file)
	sub(/\.o$/, "", file)
	word = file
	sub(/_.*/, "", word)
	if (tool == "common") {
		if (file == "out")
			word = "out|number"
		else if (file == "path")
			word = "path|temporary"
		else if (file == "run")
			word = "run|sandbox"
		pattern = "(" word ").*|warn|die|die_usage|die_status"
	} else if (tool == "personality") {
		pattern = word "_.*"
	} else if (path[count] ~ "^gsym_" tool "-") {
		pattern = "main|" tool "|" tool "_.*|" word "_.*"
	} else {
		next
	}
	if ($2 !~ "^(" pattern ")$")
		print $1 ": " $2
}' names >>bad-names
if [ -s bad-names ]; then
	cat bad-names
	rm bad-names names
	exit 1
fi
rm bad-names
count=$(wc -l <names)
rm names
[ "$count" -gt 100 ] || {
	echo "only $count names were found"
	exit 1
}
