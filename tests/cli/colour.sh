#!/bin/sh
# SPDX-License-Identifier: MIT
# Colour is used on terminals only, and not with NO_COLOR.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
bytes work work.gsym
need script
export TERM=xterm

terminal()
{
	script -qec "$1" /dev/null </dev/null | tr -d '\r'
}
pty || skip 'no pseudo-terminal can be made (is /dev/pts mounted?)'

coloured()
{
	terminal "$1" | grep -q "$(printf '\033')"
}
lookup='gsym-lookup work.gsym 0x40100e'
terminal "$lookup" | grep -q 'ex.c:2' || fail 'nothing on a terminal'
coloured "$lookup" || fail 'no colour on a terminal'
coloured "gsym-dump work.gsym" || fail 'no colour from gsym-dump'
coloured "NO_COLOR=1 $lookup" && fail 'colour with NO_COLOR'
coloured "NO_COLOR= $lookup" || fail 'no colour with an empty NO_COLOR'
coloured "TERM=dumb $lookup" && fail 'colour on a dumb terminal'
coloured "$lookup --color=never" && fail 'colour with --color=never'
coloured "$lookup --json" && fail 'colour in JSON'
coloured "$lookup | cat" && fail 'colour in a pipe'
coloured "$lookup --color=always | cat" || fail 'no colour with --color=always'
exit 0
