#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-markup with symbols: places where files are looked for, frames and data
# in our own style, modules named by option, conversion on the fly.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
make_shape
split_cases
hex() { printf '0x%x' $((65536 + $1)); }
rest=${shape_id#5b}
file=debug/.build-id/5b/$rest.debug
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
expect '(libgeo.so+'"$(printf '0x%x' $((area + 27)))"') tail' 'the text behind'
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

# 17. Each place alone.
resolves() { run "$@"; expect 'geo::leaf' "$*"; [ -s err ] && { cat err; fail "$*"; }; }
misses()
{
	run "$@"
	grep -q 'geo::leaf' out && fail "$*: resolved"
	[ "$(grep -c 'no symbols for module #0x0 "libgeo.so"; BuildID=5ba9e' err)" = 1 ] ||
		{ cat err; fail "$*: not one message"; }
	expect '(libgeo.so+0x' 'module and offset'
}
misses --debug-file-directory=nowhere
mkdir -p g1/.build-id/5b g2 e/.build-id/5b
cp $file.gsym g1/.build-id/5b/
cp $file.gsym g2/$rest.debug.gsym
resolves --gsym-file-directory=g1
resolves --gsym-file-directory=nowhere --gsym-file-directory=g2
objcopy --add-section .gsym=$file.gsym $file e/.build-id/5b/$rest.debug
resolves --debug-file-directory=e
mkdir -p cache/gsym/.build-id/5b .cache/gsym/.build-id/5b
cp $file.gsym cache/gsym/.build-id/5b/
XDG_CACHE_HOME=$PWD/cache resolves --debug-file-directory=nowhere
cp $file.gsym .cache/gsym/.build-id/5b/
resolves --debug-file-directory=nowhere
rm -r .cache
# A link; a folder in place of a file; another build ID; damage.
mkdir -p l/.build-id/5b d/$rest.debug.gsym
ln -s "$PWD/$file.gsym" l/.build-id/5b/
resolves --gsym-file-directory=l
misses --gsym-file-directory=d --debug-file-directory=nowhere
mkdir -p w bad
g++ -O2 -g -shared -fPIC -Wl,--build-id=0x0102030405060708 -o other.so \
	shape.cpp
gsym-create --quiet -o w/$rest.debug.gsym other.so
misses --gsym-file-directory=w --debug-file-directory=nowhere
grep -q 'it has another build id' err || fail 'no word on the build ID'
run --gsym-file-directory=w --no-verify
expect 'geo::leaf' 'not verified'
resolves --gsym-file-directory=g1 --gsym-file-directory=w
head -c 60 $file.gsym >bad/$rest.debug.gsym
misses --gsym-file-directory=bad --debug-file-directory=nowhere

# A module that an option names.
first=$(gsym-dump $file.gsym 2>/dev/null |
	sed -n 's/.*[Bb]ase.*\(0x[0-9a-f]*\).*/\1/p' | head -n 1)
echo "{{{bt:0:$(printf '0x%x' $((0x40000000 + area + 28 - ${first:-0})))}}}" >log2
gsym-markup --module=$file.gsym@0x40000000 log2 >out 2>err
[ -z "$first" ] || expect 'geo::leaf' '--module'

# gsym-lookup asks the same store.
gsym-lookup --build-id=$shape_id --gsym-file-directory=g2 $((area + 27)) >out ||
	fail 'gsym-lookup --build-id'
expect 'geo::leaf' 'gsym-lookup --build-id'
gsym-lookup --build-id=0102 --gsym-file-directory=g2 1 >out 2>err && fail found
grep -q 'no GSYM file for the build ID 0102' err || fail 'gsym-lookup message'

# --convert: a debug file becomes a GSYM file in the cache.
mkdir -p full/.build-id/5b
cp libshape.so full/.build-id/5b/$rest.debug
misses --debug-file-directory=full
run --debug-file-directory=full --convert
expect 'geo::leaf' '--convert'
cmp .cache/gsym/.build-id/5b/$rest.debug.gsym $file.gsym || fail 'the cache'
[ "$(ls -A .cache/gsym/.build-id/5b)" = $rest.debug.gsym ] || fail 'left over'
resolves --debug-file-directory=nowhere
rm -r .cache
# Several at once.
for i in 1 2 3; do
	gsym-markup --debug-file-directory=full --convert log >out$i 2>&1 &
done
wait
for i in 1 2 3; do
	grep -q geo::leaf out$i || { cat out$i; fail "$i at once"; }
done
rm -r .cache

# --debuginfod: a server in a folder, and then what it has.
if gsym-markup --debuginfod log 2>&1 | grep -q 'not installed'; then
	echo 'not tried: libdebuginfod is not installed'
	exit 0
fi
DEBUGINFOD_CACHE_PATH=$PWD/client
export DEBUGINFOD_CACHE_PATH
mkdir -p server/buildid/$shape_id/section
cp $file.gsym server/buildid/$shape_id/section/.gsym
misses --debug-file-directory=nowhere
DEBUGINFOD_URLS=file://$PWD/server
export DEBUGINFOD_URLS
misses --debug-file-directory=nowhere
run --debug-file-directory=nowhere --debuginfod
expect 'geo::leaf' 'the section of a server'
cmp .cache/gsym/.build-id/5b/$rest.debug.gsym $file.gsym || fail 'kept section'
rm -r .cache client server
mkdir -p server/buildid/$shape_id
cp libshape.so server/buildid/$shape_id/debuginfo
run --debug-file-directory=nowhere --debuginfod
expect 'geo::leaf' 'the debug file of a server'
cmp .cache/gsym/.build-id/5b/$rest.debug.gsym $file.gsym || fail 'kept file'
rm -r .cache client server
# Another program under that build ID; a dead server.
mkdir -p server/buildid/$shape_id/section
cp w/$rest.debug.gsym server/buildid/$shape_id/section/.gsym
misses --debug-file-directory=nowhere --debuginfod
grep -q 'another build id' err || { cat err; fail 'wrong build ID of a server'; }
rm -rf .cache client
DEBUGINFOD_URLS=http://127.0.0.1:9 DEBUGINFOD_TIMEOUT=2 DEBUGINFOD_RETRY_LIMIT=1 \
	misses --debug-file-directory=nowhere --debuginfod
grep -q 'note: ' err || { cat err; fail 'dead server'; }
exit 0
