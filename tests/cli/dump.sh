#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-dump: every view, as text and as JSON.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
bytes work work.gsym
bytes odd odd.gsym

for file in work.gsym odd.gsym; do
	for view in --header --functions --files --strings --statistics --verify; do
		show gsym-dump $view $file
		show gsym-dump --json $view $file
	done
done
show gsym-dump work.gsym
show gsym-dump --function=work --files work.gsym
show gsym-dump --function=0x401030 work.gsym
show gsym-dump --function=0x40100e --json work.gsym
show gsym-dump --function=0x1005 odd.gsym
show gsym-dump --function=0x1005 --demangle odd.gsym
show gsym-dump --function=_ZN1a1bEi --json odd.gsym
show gsym-dump --function=last odd.gsym
show gsym-dump --function=0x1010 odd.gsym
show gsym-dump --function=nobody --function=0x5 --json work.gsym
show gsym-dump
show gsym-dump missing
show gsym-dump work.gsym odd.gsym
show gsym-dump --function
finish
