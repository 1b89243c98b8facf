#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-markup with symbols: frames and data in our own style, and modules named
# by option.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
make_shape
split_cases
hex() { printf '0x%x' $((65536 + $1)); }
file=debug/.build-id/5b/${shape_id#5b}.debug
cat >log <<EOL
{{{module:0:libgeo.so:elf:$shape_id}}}
{{{mmap:0x10000:0x3000:load:0:rx:0x0}}}
{{{mmap:0x13000:0x2000:load:0:rw:0x3000}}}
[1.5][7][8] INFO:   {{{bt:1:$(hex $((area + 28)))}}} tail
at {{{pc:$(hex $((area + 28))):ra}}}, {{{data:$(hex $((bias + 8)))}}}
EOL
expect()
{
	grep -qF -e "$1" out || { cat out err; fail "$2: no '$1'"; }
}
run()
{
	gsym-markup "$@" log >out 2>err || fail "$*: status $?"
}

# 4, 5. Frames, in our own style.
run --debug-file-directory=debug
[ -s err ] && { cat err; fail 'messages'; }
expect '[1.5][7][8] INFO:       #1.1  0x' 'the header comes first'
[ "$(grep -c '^\[1.5\]\[7\]\[8\] INFO:   ' out)" = 3 ] || { cat out; fail 'headers'; }
expect 'geo::middle /src/demo/shape.cpp:11 (libgeo.so+0x' 'no column'
expect '(libgeo.so+'"$(printf '0x%x' $((area + 27)))"') tail' 'the text after it'
expect 'at geo::leaf[/src/demo/shape.cpp:7], bias+0x8' 'pc and data'
run --debug-file-directory=debug --indent
[ "$(grep -c '^\[1.5\]' out)" = 1 ] || { cat out; fail 'indent'; }
run --debug-file-directory=debug --pc-inlines --basenames
expect 'geo::leaf[shape.cpp:7] <- geo::middle[shape.cpp:11] <- geo::Shape' \
	'inlines of pc'
run --debug-file-directory=debug --no-demangle
expect '_ZN3geo5Shape4area' 'no demangling'
run --debug-file-directory=debug --unsuffixed=pc
expect "0x$(printf '%016x' $((65536 + area + 28)))" 'unsuffixed'
run --style=fuchsia --debug-file-directory=debug
expect '   #1.2  0x' 'the innermost has the highest level'
expect ' <libgeo.so>+0x' 'module'
[ "$(grep -c '^\[1.5\].* tail$' out)" = 3 ] || { cat out; fail 'suffix'; }

# A module that an option names.
first=$(gsym-dump $file.gsym 2>/dev/null |
	sed -n 's/.*[Bb]ase.*\(0x[0-9a-f]*\).*/\1/p' | head -n 1)
echo "{{{bt:0:$(printf '0x%x' $((0x40000000 + area + 28 - ${first:-0})))}}}" >log2
gsym-markup --module=$file.gsym@0x40000000 log2 >out 2>err
[ -z "$first" ] || expect 'geo::leaf' '--module'

exit 0
