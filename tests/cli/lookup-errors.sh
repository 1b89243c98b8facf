#!/bin/sh
# SPDX-License-Identifier: MIT
# A failure is a line on standard error and status 2.  A reader of a pipe that
# goes away is no failure.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
bytes work work.gsym
: >empty
echo 'no GSYM data, but some text that is longer than a header' >text

show gsym-lookup
show gsym-lookup missing 1
show gsym-lookup . 1
show gsym-lookup empty 1
show gsym-lookup text 1
show gsym-lookup --nothing work.gsym
show gsym-lookup --adjust-vma work.gsym
show gsym-lookup --adjust-vma=fg work.gsym
show gsym-lookup --adjust-vma=1ffffffffffffffff work.gsym
show gsym-lookup --adjust-vma
show gsym-lookup --color=blue work.gsym
show gsym-lookup --num-threads=257 work.gsym
show gsym-lookup --json=yes work.gsym
show gsym-lookup -x work.gsym
show gsym-lookup --merged-functions-filter=f work.gsym
show gsym-lookup --merged-functions --merged-functions-filter='(' work.gsym
show gsym-lookup --inline work.gsym 0x401000
show gsym-lookup --base=0x400000 work.gsym 0x1000
show gsym-lookup -e work.gsym 0x401000
show gsym-lookup --obj=work.gsym 0x401000
show gsym-lookup --addresses work.gsym 0x401000
show gsym-lookup --lookup work.gsym 0x401000
show gsym-lookup --convert=prog
show gsym-lookup --dsym prog.dSYM
show gsym-lookup --verify work.gsym
show gsym-dump --lookup work.gsym
show gsym-dump --convert=prog

say '# every truncation, opened or refused, ends with status 0, 1 or 2'
size=$(wc -c <work.gsym)
at=0
while [ $at -lt $size ]; do
	head -c $at work.gsym >cut.gsym
	gsym-lookup cut.gsym 0x40100e 0x401030 >/dev/null 2>../stderr
	status=$?
	[ $status -le 2 ] || fail "$at bytes: status $status"
	[ $at -ge 106 ] || [ $status = 2 ] || fail "$at bytes were accepted"
	[ $status != 2 ] || [ -s ../stderr ] || fail "$at bytes: no message"
	at=$((at + 1))
done

say '# damage is counted, and an error if that is wanted'
head -c 180 work.gsym >half.gsym
show gsym-lookup half.gsym 0x40100e 0x401030
show gsym-lookup --strict --json half.gsym 0x401030

say '# output that cannot be written'
[ -c /dev/full ] || skip 'no /dev/full'
: >../stdout
gsym-lookup work.gsym 1 >/dev/full 2>../stderr
note_end $?
gsym-lookup --help >/dev/full 2>../stderr
note_end $?
gsym-lookup work.gsym 1 2>../stderr >&-
note_end $?
gsym-lookup work.gsym 2>../stderr <&-
note_end $?

say '# a closed pipe'
yes 0x401000 | head -n 200000 >many
{ gsym-lookup work.gsym <many 2>../stderr; echo $? >status; } | head -n 1 >../stdout
note_end 0
case $(cat status) in
141 | 269) say 'ended by SIGPIPE' ;;
*) say "status $(cat status)" ;;
esac
finish
