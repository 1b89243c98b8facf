#!/bin/sh
# SPDX-License-Identifier: MIT
# Memory does not grow with the log: logs of up to 300 megabytes are filtered
# within an address space of 36.  bench/markup measures time, and memory in
# comparison with llvm-symbolizer.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
[ -z "${GSYM_SANITIZE:-}" ] || skip 'sanitizers take more than any limit'
make_shape
# Kilobytes.  The tool with its libraries takes about 10000, and its answers that
# are kept take up to 20480 (libgsym/markup/host.c).  With less than both it was a
# matter of luck whether these answers or something else got the last page.
limit=36000
(ulimit -v $limit && gsym-markup </dev/null) 2>/dev/null ||
	skip 'an empty log does not fit, or the shell has no ulimit -v'

context()
{
	echo "{{{module:0:libgeo.so:elf:$shape_id}}}"
	echo '{{{mmap:0x10000000:0x40000000:load:0:rx:0x0}}}'
}
# Filter standard input within the limit.  $1: the name of the case; $2: the
# least size of the output; the rest: options.
within()
{
	what=$1 least=$2
	shift 2
	got=$( (ulimit -v $limit && exec gsym-markup \
		--debug-file-directory=debug "$@" 2>../stderr) | wc -c)
	[ "$got" -ge "$least" ] ||
		fail "$what: $got bytes: $(head -n 5 ../stderr)"
	[ ! -s ../stderr ] || fail "$what: $(head -n 5 ../stderr)"
}
line='2026-01-02T03:04:05 server[77]: a line as others are, with nothing in it'
yes "$line" | head -c 300000000 | within plain 300000000 || exit 1
yes "$line" | head -c 30000000 | within 'plain, HTML' 30000000 --format=html || exit 1
yes "$line" | head -c 30000000 | within 'plain, llvm' 30000000 --compat=llvm || exit 1
# Half a million different addresses, some of them in functions.
frames()
{
	context
	awk 'BEGIN { for (i = 0; i < 500000; i++)
		printf "{{{bt:%d:0x%x}}}\n", i % 64, 268435457 + i }'
}
frames | within frames 20000000 || exit 1
frames | within 'frames, llvm' 20000000 --compat=llvm || exit 1
frames | within 'frames, HTML' 20000000 --format=html || exit 1
# Colours and openers that are text.
yes "$(printf '\033[1mbold \033[31mred\033[0m {{{not closed')" |
	head -c 30000000 | within colours 19000000 || exit 1
# Modules that are defined and reset.
context >both
echo '{{{reset}}}' >>both
i=0
while [ $i -lt 12 ]; do
	cat both both >more
	mv more both
	i=$((i + 1))
done
within resets 400000 <both
# One line of 100 megabytes.
head -c 100000000 /dev/zero | tr '\0' x | within 'a line' 100000000 || exit 1
exit 0
