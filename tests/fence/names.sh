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
	.libs/libgsym-convert.a; do
	[ ! -e $library ] || defined $library | others $library 'gsym_.*'
done >bad-names
# A program may link both archives as a whole.  The linker merges the thunks
# that gcc makes for i386.
if [ -e .libs/libgsym-convert.a ]; then
	for library in .libs/libgsym.a .libs/libgsym-convert.a; do
		nm "$library" 2>/dev/null |
			awk '$2 ~ /^[BCDRTVW]$/ && $3 !~ /^__x86\.get_pc_thunk/ {
				print $3
			}' | sort -u
	done | sort | uniq -d | sed 's/$/: is in both archives/' >>bad-names
fi
# tools/common: a word of the file, and the functions of report.h, which all tools
# call for errors.
for object in tools/common/libtools_la-*.o; do
	file=${object##*-}
	file=${file%.o}
	case $file in
	out) words='out|number' ;;
	path) words='path|temporary' ;;
	run) words='run|sandbox' ;;
	*) words=${file%%_*} ;;
	esac
	defined "$object" | others "$object" \
		"($words).*|warn|die|die_usage|die_status"
done >>bad-names
# The other tools: the word of the tool, or the first word of the file.
for tool in create dump lookup markup xray; do
	for object in tools/$tool/gsym_$tool-*.o; do
		[ -e "$object" ] || continue
		file=${object##*-}
		file=${file%.o}
		defined "$object" | others "$object" \
			"main|$tool|${tool}_.*|${file%%_*}_.*"
	done
done >>bad-names
# gsym-lookup under other names.
for object in tools/personality/libpersonality_la-*.o; do
	file=${object##*-}
	file=${file%.o}
	defined "$object" | others "$object" "${file%%_*}_.*"
done >>bad-names
if [ -s bad-names ]; then
	cat bad-names
	rm bad-names
	exit 1
fi
rm bad-names
count=$(for object in tools/*/*.o; do defined "$object"; done | wc -l)
[ "$count" -gt 100 ] || {
	echo "only $count names were found"
	exit 1
}
