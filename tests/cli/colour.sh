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

# The keys of --stream are bytes of the input: a program gets them as they are,
# a terminal no control characters.
printf '00 0x1 a\033[31mb\a\342\200\256\n' >keys
stream='gsym-lookup --stream=folded --keys --no-verify --gsym-file-directory=.'
terminal "$stream <keys" >out
grep -qF 'a\x1b[31mb\x07\xe2\x80\xae' out || fail "a key: $(od -c out)"
terminal "$stream <keys | od -c" >out
grep -q '033   \[   3   1   m   b  \\a 342' out || fail "a key: $(cat out)"
exit 0
