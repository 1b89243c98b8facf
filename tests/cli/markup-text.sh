#!/bin/sh
# SPDX-License-Identifier: MIT
# No text is lost.  Random logs with
# unknown tags alone do not change.  Of logs with known tags each piece of text
# between elements is written once, in the same order.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
need python3
number=1
while [ $number -le 12 ]; do
	python3 "$top_srcdir/tests/cli/markup-random.py" $number aa 0x1000 \
		0x2000 300 >log || fail 'no log'
	python3 - <<'END2' || fail 'no logs'
import re
log = open("log", "rb").read().replace(b"\x1b", b"")
tags = rb"(symbol|pc|data|bt|hexdict|dumpfile|reset|module|mmap)"
with open("other", "wb") as file:
    file.write(re.sub(rb"\{\{\{" + tags,
                      lambda m: m.group().upper(), log))
# Words with a number: at the start of each line, and between elements.
parts = log.replace(b"}}}{{{", b"}}} M {{{").split(b" M ")
log = b"".join(part + b" W%dW " % i for i, part in enumerate(parts))
lines = log.split(b"\n")
with open("marked", "wb") as file:
    file.write(b"".join(b"S%dS " % i + line + b"\n"
                        for i, line in enumerate(lines)))
END2
	for options in '' --by-process --style=fuchsia --color=always; do
		gsym-markup -q $options <other >out || fail "status $?"
		cmp other out || fail "log $number, '$options': other bytes"
	done
	gsym-markup -q --hexdict=off --debug-file-directory=none <marked >out ||
		fail "status $?"
	grep -aoE '[SW][0-9]+[SW] ' marked >wanted
	grep -aoE '[SW][0-9]+[SW] ' out >got
	[ -s wanted ] || fail 'no words'
	diff wanted got || fail "log $number: words are lost"
	number=$((number + 1))
done

# The line of the log in a message cannot control the terminal.
printf 'a\033]0;t\007\t\302\233\342\200\256\303\251 {{{pc:zz}}}\n' |
	gsym-markup >out 2>messages
wanted='a?]0;t? ?????\303\251 {{{pc:zz}}}'
[ "$(sed -n 2p messages)" = "$(printf "$wanted")" ] || {
	cat -v messages
	fail 'bytes of the log in a message'
}
exit 0
