#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-dump on damaged files: --verify names each problem, and every view ends
# with status 0, 1 or 2.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need python3
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
			--strings --statistics --report --verify bad.gsym \
			>/dev/null 2>&1
		[ $? -le 2 ] || fail "$file cut at $at"
		patch_file $file.gsym $at '\377'
		gsym-dump --functions --function=0x40100e --function=0x1005 \
			--files --strings --statistics --report \
			--since=$file.gsym --verify bad.gsym \
			>/dev/null 2>&1
		[ $? -le 2 ] || fail "$file changed at $at"
		at=$((at + 3))
	done
done

# 2000 functions share one record of 1000 parts or, with "names", have names of
# 20,000 bytes that are ends of one string, as have 2000 files: the views leave
# functions and files out.
shared()
{
	python3 - "$1" <<'END' >shared.gsym || fail 'no shared.gsym'
import struct, sys
COUNT, PARTS, LENGTH = 2000, 1000, 20000
names = sys.argv[1] == "names"
strings = b"\0" + b"f" * LENGTH + b"\0"
files = struct.pack("<III", COUNT, 0, 0) + b"".join(
    struct.pack("<II", 1 + i, 2 + i) for i in range(COUNT - 1))
at = 48 + 8 * COUNT + len(files) + len(strings)
pad = -at % 4
records, offsets = b"", []
for i in range(COUNT):
    if names or not i:
        records += struct.pack("<II", 16, 1 + i if names else LENGTH)
        records += b"" if names else struct.pack("<II", 77, 0) * PARTS
        records += bytes(8)
    offsets.append(at + pad + (16 * i if names else 0))
sys.stdout.buffer.write(
    struct.pack("<IHBBQIII20x", 0x4753594d, 1, 4, 0, 0x1000, COUNT,
                48 + 8 * COUNT + len(files), len(strings)) +
    struct.pack(f"<{COUNT}I", *(16 * i for i in range(COUNT))) +
    struct.pack(f"<{COUNT}I", *offsets) +
    files + strings + bytes(pad) + records)
END
}
for what in records names; do
	shared $what
	for view in --functions '--functions --json' --statistics --report \
		--files; do
		[ "$what $view" != 'names --statistics' ] || continue
		# shellcheck disable=SC2086
		gsym-dump $view shared.gsym >out 2>err
		[ $? = 2 ] && grep -q 'are left out' err ||
			fail "$what $view: $(cat err)"
		[ "$(wc -c <out)" -lt 8000000 ] || fail "$what $view: too much"
	done
done
finish
