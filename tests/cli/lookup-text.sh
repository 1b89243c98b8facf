#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-lookup's text output, and the options that change it.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
bytes work work.gsym
bytes odd odd.gsym

say '# inlined calls, lines, misses'
show gsym-lookup work.gsym 0x40100e 0x401012 0x401013 0x401000 4198442 0x401043
show gsym-lookup work.gsym 0x401044 0 0xffffffffffffffff
show gsym-lookup --no-inlines work.gsym 0x40100e
show gsym-lookup --no-inlines --inlines work.gsym 0x40100e
show gsym-lookup --basenames work.gsym 0x40100e

say '# addresses'
show gsym-lookup work.gsym 020010016
show gsym-lookup work.gsym 40100e 0x40100g 089 '' -- -1
show gsym-lookup work.gsym 0x10000000000000000 18446744073709551616
show gsym-lookup --adjust-vma=0x10000 work.gsym 0x41100e
show gsym-lookup --adjust-vma=0xffffffffffff0000 work.gsym 0x3f100e
show gsym-lookup --return-addresses work.gsym 0x401013 0
show gsym-lookup --return-addresses --adjust-vma 0x1000 work.gsym 0x402013

say '# names'
show gsym-lookup odd.gsym 0x1005 0x1009 0x100b
show gsym-lookup --no-demangle odd.gsym 0x1005
show gsym-lookup --no-demangle -C odd.gsym 0x1005
show gsym-lookup odd.gsym 0x1012 0x5000

say '# merged functions and call sites'
show gsym-lookup --merged-functions odd.gsym 0x1005
show gsym-lookup --call-sites odd.gsym 0x1008 0x100c 0x1009
show gsym-lookup --call-sites --return-addresses odd.gsym 0x1008
show gsym-lookup --call-sites --merged-functions --no-demangle odd.gsym 0x1008

say '# strict'
show gsym-lookup --strict work.gsym 0x40100e
show gsym-lookup --strict work.gsym 0x40100e 1
show gsym-lookup --strict work.gsym x 1
finish
