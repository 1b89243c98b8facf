#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-markup's own style, on small logs whose addresses are in no module that
# has symbols, or in none at all: where text stays, what is said about it.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
mkdir empty cases
none='--debug-file-directory=empty'
context='{{{module:0:a:elf:aa}}}\n{{{mmap:0x1000:0x1000:load:0:rx:0x0}}}\n'

say '# 1. the scanner: braces, unknown and malformed tags stay'
while IFS= read -r line; do
	case $line in
	'== '*) case=cases/${line#== }; : >"$case" ;;
	*@*) ;;
	*) printf '%b' "$line" >>"$case" ;;
	esac
done <"$markup_data/cases.txt"
for case in scanner multi-line addresses frame-numbers kinds field-counts; do
	say "## $case"
	show gsym-markup $none --quiet cases/$case
done

say '# 2. build IDs, modes, IDs and sizes'
for case in module-ids sizes build-ids modes types odd-fields; do
	say "## $case"
	show gsym-markup $none --quiet cases/$case
done

say '# 6. boundaries, 7. contextual lines, 8. duplicates and overlaps'
for case in edges context-lines headers crlf mixed-endings interleaved \
	duplicates context-field-counts; do
	say "## $case"
	show gsym-markup $none cases/$case
done
show_with "$context"'{{{mmap:0x1000:0x800:load:0:r:0x0}}}\n{{{mmap:0x1c00:0x800:load:0:r:0x0}}}\n{{{mmap:0x1400:0x100:load:0:w:0x7000}}}\n{{{bt:0:0x1000:pc}}}\n{{{bt:0:0x1450:pc}}}\n{{{bt:0:0x1850:pc}}}\n{{{bt:0:0x23ff:pc}}}\n{{{bt:0:0x2400:pc}}}\n' \
	gsym-markup $none
show_with '{{{module:0:a:elf:aa}}}\n{{{mmap:0x1000:0x1000:load:0:r:0}}}\n{{{module:0:b:elf:bb}}}\n{{{mmap:0x3000:0x1000:load:0:r:0}}}\n{{{bt:0:0x1010}}}\n{{{bt:0:0x3010}}}\n' \
	gsym-markup $none
say '# 32-bit rescue'
show_with '{{{module:0:a:elf:aa}}}\n{{{mmap:0xfffff000:0x2000:load:0:rx:0}}}\n{{{bt:0:0x10:pc}}}\n{{{bt:0:0x1010:pc}}}\n' \
	gsym-markup $none

say '# 9. reset'
show_with '{{{reset}}}\nx\n'"$context"'{{{reset}}}{{{module:1:b:elf:bb}}}\ny {{{data:0x1000}}}\n{{{reset:begin}}}\n{{{reset:begin}}}\n'"$context"'{{{bt:0:0x1001}}}\n{{{reset:end}}}\n{{{bt:0:0x1001}}}\n' \
	gsym-markup $none

say '# 10. SGR'
show gsym-markup $none --color=always cases/sgr
show gsym-markup $none --color=never cases/sgr
show gsym-markup $none --color=never --strip-ansi cases/sgr
show gsym-markup $none --color cases/frame-numbers

say '# 11. ends and bytes'
show gsym-markup $none cases/no-end
show gsym-markup $none cases/no-end-plain
show gsym-markup $none cases/empty
gsym-markup $none cases/bytes >bytes.out
od -c bytes.out >bytes.od
show cat bytes.od

say '# 12. hexdict'
show_with "$context"'{{{hexdict:\n  RIP: 0x1010 LR: 0x1020 RDI: 0x1010 RAX: 0x10246 ZERO: 0 V#: 14 X:0x1030\n  R9: zzz {{{ R10: 0x1040\n}}} tail\n' \
	gsym-markup $none -q
show_with "$context"'regs {{{hexdict:RIP: 0x1010}}} and {{{hexdict:PC: 0x1100 SP: 0x9000}}} on one line\n{{{hexdict:}}}\n' \
	gsym-markup $none -q
show_with "$context"'physboot: {{{hexdict:\nphysboot:  RIP: 0x1010\nphysboot:  V: 14\nphysboot: }}}\n' \
	gsym-markup $none -q
show_with 'a {{{hexdict:\nRIP: 0x10 {{{symbol:_Z1fv}}} b\nnext\n' gsym-markup $none -q
show_with 'a {{{hexdict:\nnot closed\n' gsym-markup $none -q
show_with "$context"'{{{hexdict:RIP: 0x1010 RDI: 0x1}}}\n' gsym-markup $none -q --hexdict=inline
show_with "$context"'{{{hexdict:RIP: 0x1010}}}\n' gsym-markup $none -q --hexdict=off

say '# 13. dumpfile'
show_with "$context"'{{{dumpfile:sancov:a"b.\001..}}} x\n{{{module:1:b":elf:bb}}}\n{{{mmap:0x5000:0x10:load:1:rw:0x10}}}\n{{{dumpfile:other:../../etc/passwd}}}\n' \
	gsym-markup $none --dumpfile-output=dumps.json
show cat dumps.json

say '# prefixes'
show_with 'physboot: {{{reset}}}\nphysboot: {{{module:0:a:elf:aa}}}\nphysboot: {{{mmap:0x1000:0x1000:load:0:rx:0x0}}}\nphysboot: hello\n' \
	gsym-markup $none
show_with 'once: {{{module:0:a:elf:aa}}}\nhello\n' gsym-markup $none

say '# 15. processes'
show_with '==1== {{{module:0:a:elf:aa}}}\n==2== {{{module:0:b:elf:bb}}}\n==1== {{{mmap:0x1000:0x1000:load:0:rx:0x0}}}\n{{{module:0:k:elf:cc}}}\n{{{mmap:0xffffffff80000000:0x1000:load:0:rx:0x0}}}\n==2== {{{mmap:0x1000:0x1000:load:0:rx:0x0}}}\n==1== {{{bt:0:0x1010}}}\n==2== {{{bt:0:0x1020}}}\n==1== {{{bt:1:0xffffffff80000010}}}\n{{{bt:0:0x1010}}}\n==1== {{{reset}}}\n==1== {{{bt:0:0x1010}}}\n==2== {{{bt:0:0x1020}}}\n' \
	gsym-markup $none --by-process
for log in '[1.5] 7.8> ' '[1.5][7][8][tag] INFO: ' \
	'11-20 10:00:00.000  7  8 I tag: ' 'Nov 20 10:00:00 host d[7]: ' '==7=='; do
	show_with "$log"'{{{module:0:a:elf:aa}}}\n'"$log"'{{{mmap:0x1000:0x10:load:0:rx:0x0}}}\n'"$log"'at {{{pc:0x1004}}}\n{{{pc:0x1004}}}\n' \
		gsym-markup $none -q --by-process
done
show_with 'p1 {{{module:0:a:elf:aa}}}\np2 hello\np1 {{{mmap:0x1000:0x10:load:0:rx:0x0}}}\np1 {{{pc:0x1004}}}\np2 {{{pc:0x1004}}}\n' \
	gsym-markup $none -q '--by-process=regex:p([0-9]+) '
show gsym-markup --by-process=regex:x cases/empty
show gsym-markup '--by-process=regex:(' cases/empty

say '# messages that repeat'
i=0
while [ $i -lt 25 ]; do
	echo '{{{pc:0x1}}}'
	i=$((i + 1))
done >many
show gsym-markup $none --strict many

say '# styles of module lines'
show_with "$context"'x\n{{{mmap:0x5000:0x10:load:0:r:0x0}}}\ny\n' \
	gsym-markup $none --module-lines=short
show_with "$context"'x\n' gsym-markup $none --module-lines=none
show_with "$context"'a {{{bt:3:0x1010:ra:from CFI}}} b {{{bt:4:0x9}}}\n' \
	gsym-markup $none -q --style=fuchsia
show_with '{{{module:0:C:/x.exe:elf:ab:more}}}\nx\n' gsym-markup $none
finish
