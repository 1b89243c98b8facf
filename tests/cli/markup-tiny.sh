#!/bin/sh
# SPDX-License-Identifier: MIT
# With limits of 1, 2 and 3 (GSYM_LIMIT of config.h) gsym-markup loses no text of
# any log in testdata, and writes pages to their end.  Memory that is freed gets
# other bytes.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/logs-lib.sh"
need python3
tiny=$top_builddir/gsym-markup-tiny
[ -x "$tiny" ] || skip 'no gsym-markup-tiny, which "make check" builds'
make_symbols

# The bytes of a log, but for blanks, are in its output in their order, for each
# line "LOG OUTPUT".
cat >within.py <<'END'
import sys
for line in sys.stdin:
    name, output = line.split()
    log, text = (open(path, "rb").read() for path in (name, output))
    at = 0
    for byte in log.replace(b" ", b""):
        at = text.find(byte, at) + 1
        if not at:
            sys.exit(f"{name} loses text")
END

# Short for the log of many modules that crashed gsym-markup.
for module in aaa b c d; do
	echo " f+0x1/0x2 [$module] (a.c:7)"
done >modules.log
echo ' f+0x1/0x2 [aaa]' >>modules.log

# Filter the log $1 with the options $2 and limits of $3.
filter()
{
	export GSYM_TINY_LIMITS="$3"
	# shellcheck disable=SC2086 # a list of options
	"$tiny" -q --logs $2 <"$1" >text.$count ||
		fail "$1: status $?, limits of $3"
	grep -q '{{{\|null' "$1" || echo "$1 text.$count" >>texts
	count=$((count + 1))
	# shellcheck disable=SC2086
	"$tiny" -q --logs --by-process --format=html $2 <"$1" >out ||
		fail "$1: status $?, limits of $3, a page"
	tail -n 1 out | grep -q '^</html>$' || fail "$1: no end of the page"
	rm -rf pages
	# shellcheck disable=SC2086
	"$tiny" -q --logs --by-process --output-dir=pages $2 "$1" ||
		fail "$1: status $?, limits of $3, pages"
	[ -s pages/index.html ] || fail "$1: no index"
}

MALLOC_PERTURB_=165 GLIBC_TUNABLES=glibc.malloc.tcache_count=0
export MALLOC_PERTURB_ GLIBC_TUNABLES
for limit in 1 2 3; do
	count=0
	: >texts
	filter modules.log '--kernel=kernel/vmlinux.gsym' $limit
	for log in "$data"/*/*.log; do
		name=${log#"$data"/}
		filter "$log" "$(options_of "${name%.log}")" $limit
	done
	for log in "$top_srcdir"/testdata/markup/*.txt; do
		filter "$log" --debug-file-directory=none $limit
	done
	python3 within.py <texts || fail "limits of $limit"
	part_passed "limits of $limit"
done
parts_finish
