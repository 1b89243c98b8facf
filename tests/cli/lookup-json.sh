#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-lookup's JSON output.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
bytes work work.gsym
bytes odd odd.gsym

show gsym-lookup --json work.gsym 0x40100e 4198442 0x401044
show gsym-lookup --json --no-inlines --basenames work.gsym 0x40100e
show gsym-lookup --json work.gsym 40100e ''
say '# names are demangled only with --demangle'
show gsym-lookup --json odd.gsym 0x1005
show gsym-lookup --json --demangle odd.gsym 0x1005
say '# neither UTF-8 nor printable'
show gsym-lookup --json odd.gsym 0x1010
say '# merged functions and call sites'
show gsym-lookup --json --merged-functions --call-sites odd.gsym 0x1008 0x1009
show gsym-lookup --json --merged-functions --call-sites work.gsym 0x401000
show_with 'x"\377y\n' gsym-lookup --json odd.gsym
finish
