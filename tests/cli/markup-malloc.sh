#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-markup without memory: whichever allocation fails, the output is right,
# or there is a message and status 2.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
. "$top_srcdir/tests/cli/malloc-lib.sh"
make_failing_malloc
make_shape
area=$(address_of _ZN3geo5Shape4areaEiPFvPKcPvS3_E)
bias=$(address_of '.*bias.*')
hex() { printf '0x%x' $((65536 + $1)); }
context()
{
	cat <<EOL
$1{{{module:0:libgeo.so:elf:$shape_id}}}
$1{{{mmap:0x10000:0x3000:load:0:rx:0x0}}}
$1{{{mmap:0x13000:0x2000:load:0:rw:0x3000}}}
EOL
}
elements()
{
	cat <<EOL
text {{{bt:1:$(hex $((area + 28)))}}} tail
at {{{pc:$(hex $((area + 28))):ra}}}, {{{data:$(hex $((bias + 8)))}}}
{{{symbol:_Z1fv}}} {{{pc:x}}} {{{bt:0:0x1}}}
{{{dumpfile:t:n}}}
{{{hexdict:
RIP: $(hex $((area + 28))) A: $(hex $((bias + 8)))
}}} rest
{{{module:1:gone:elf:bb}}}
{{{mmap:0x1000:0x800:load:1:rx:0x0}}}
{{{mmap:0x1400:0x100:load:0:rx:0x0}}}
{{{bt:2:0x1200}}}
{{{reset}}}
EOL
	# What does not fit into the first buffers.
	i=0
	while [ $i -lt 20 ]; do
		echo "{{{module:$i:m$i:elf:cc}}}"
		echo "{{{mmap:0x${i}0000:0x1000:load:$i:r:0}}}"
		i=$((i + 1))
	done
	head -c 3000 /dev/zero | tr '\0' x
	echo '{{{symbol:main}}}'
	printf 'no end'
}
{ context ''; elements; } >../stdin
debug=--debug-file-directory=debug
walk_malloc text gsym-markup $debug
walk_malloc 'no messages' gsym-markup --quiet $debug
walk_malloc colours gsym-markup --color=always --quiet $debug
walk_malloc HTML gsym-markup --format=html --quiet $debug
walk_malloc JSON gsym-markup --json --quiet $debug
walk_malloc llvm gsym-markup --compat=llvm --quiet $debug
walk_malloc Fuchsia gsym-markup --style=fuchsia --hexdict=inline --quiet $debug
walk_malloc 'dump files' gsym-markup --quiet $debug \
	--dumpfile-output=dumps.json
walk_malloc module gsym-markup --quiet \
	--module="debug/.build-id/5b/${shape_id#5b}.debug.gsym@0x400000"
{
	context '==1== '
	context ''
	elements | sed 's/^/==2== /'
	i=0
	while [ $i -lt 30 ]; do
		echo "==$i== {{{symbol:x}}}"
		i=$((i + 1))
	done
} >../stdin
walk_malloc processes gsym-markup --by-process --quiet $debug
walk_malloc expression gsym-markup --quiet $debug \
	'--by-process=regex:==([0-9]+)=='
exit 0
