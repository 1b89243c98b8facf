#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-dump on damaged files: --verify names each problem, and every view ends
# with status 0, 1 or 2.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
bytes work work.gsym
bytes odd odd.gsym

# FILE with the bytes $3 (octal escapes) at offset $2, as bad.gsym.
patch_file()
{
	cp "$1" bad.gsym
	# shellcheck disable=SC2059
	printf "$3" | dd of=bad.gsym bs=1 seek="$2" conv=notrunc 2>/dev/null
}

say "# the second record's name is beyond the string table"
patch_file work.gsym 180 '\377\377\377\177'
show gsym-dump --verify bad.gsym
show gsym-dump --verify --json bad.gsym
show gsym-dump --functions bad.gsym
show gsym-dump --functions --json bad.gsym
show gsym-dump --statistics bad.gsym
say '# the rows have an impossible range'
patch_file work.gsym 124 '\005\172'
show gsym-dump --verify bad.gsym
show gsym-dump --function=work bad.gsym
show gsym-dump --function=work --json bad.gsym

say '# every truncation, and every byte changed'
for file in work odd; do
	size=$(wc -c <$file.gsym)
	at=0
	while [ $at -lt $size ]; do
		head -c $at $file.gsym >bad.gsym
		gsym-dump --functions --function=work --function=0x1005 --files \
			--strings --statistics --verify bad.gsym >/dev/null 2>&1
		[ $? -le 2 ] || fail "$file cut at $at"
		patch_file $file.gsym $at '\377'
		gsym-dump --functions --function=0x40100e --function=0x1005 \
			--files --strings --statistics --verify bad.gsym \
			>/dev/null 2>&1
		[ $? -le 2 ] || fail "$file changed at $at"
		at=$((at + 3))
	done
done
finish
