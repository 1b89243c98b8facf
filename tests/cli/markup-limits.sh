#!/bin/sh
# SPDX-License-Identifier: MIT
# Long lines, many openers and random bytes: no text is lost, and memory is
# bounded (by ulimit, unless sanitizers are on).
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
case ${GSYM_SANITIZE:-} in
'') ulimit -v 200000 ;;
esac
same()
{
	gsym-markup -q "$@" <in >out || fail "status $?"
	cmp in out || fail "$1: the text changed"
}
# One line of 30 MB, also with openers that close far away or never.
yes 'some text without end ' | tr -d '\n' | head -c 30000000 >in
same
{ cat in; echo '{{{symbol:'; cat in; echo '}}} end'; } >in2
mv in2 in
same
yes '{{{' | tr -d '\n' | head -c 6000000 >in
same
yes '{{{bt:' | tr -d '\n' | head -c 6000000 >in
same
{ yes '{{{' | tr -d '\n' | head -c 900000; echo '}}}'; } >in
same
yes '{{{hexdict:' | head -c 3000000 >in
same
yes '}}}' | tr -d '\n' | head -c 6000000 >in
same
head -c 4000000 /dev/urandom | tr '\033' '{' >in
same
# Elements are found everywhere in a line that is passed on in pieces.
{
	yes 'text {{{symbol:_Z1fv}}} ' | tr -d '\n' | head -c 4800000
	echo
} >in
gsym-markup -q <in >out
[ "$(grep -o 'f()' out | wc -l)" = 200000 ] || fail 'elements of a long line'
[ "$(sed 's/f()/{{{symbol:_Z1fv}}}/g' out | cmp - in 2>&1)" = '' ] ||
	fail 'text of a long line'
exit 0
