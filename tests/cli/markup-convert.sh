#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-markup --convert makes a GSYM file of a debug file, and keeps it in the
# cache, laid out as by gsym-create --install.  Several processes may do so at
# once.  Without a cache there is a temporary folder.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
make_shape
area=$(address_of _ZN3geo5Shape4areaEiPFvPKcPvS3_E)
bias=$(address_of '.*bias.*')
rest=${shape_id#5b}
hex() { printf '0x%x' $((65536 + $1)); }
cat >log <<EOL
{{{module:0:libgeo.so:elf:$shape_id}}}
{{{mmap:0x10000:0x10000:load:0:rx:0x0}}}
{{{bt:1:$(hex $((area + 28)))}}}
{{{data:$(hex $((bias + 8)))}}}
EOL
mkdir -p full/.build-id/5b
cp libshape.so full/.build-id/5b/$rest.debug
gsym-create --quiet --data-symbols --install=wanted libshape.so || fail '--install'
# The cache has no links by the IDs of files.
find wanted -type l -exec rm {} +
find wanted -type d -empty -delete
TMPDIR=$PWD/temporary
export TMPDIR
mkdir temporary

run()
{
	gsym-markup --debug-file-directory=full "$@" log >out 2>err ||
		fail "$*: status $?: $(cat err)"
	[ -z "$(ls -A temporary)" ] || fail "$*: left $(find temporary)"
}
resolved()
{
	grep -q 'geo::leaf' out || fail "$1: $(cat out err)"
	grep -q '^bias+0x8$' out || fail "$1: no data: $(cat out err)"
}
# There is one note, $2, and the answers are right.
noted()
{
	resolved "$1"
	[ "$(wc -l <err)" = 1 ] && grep -q "note: $2" err ||
		fail "$1: $(cat err)"
}

run
grep -q geo::leaf out && fail 'without the option'
[ ! -e .cache ] || fail 'a cache without the option'
run --convert
resolved --convert
[ -s err ] && fail "--convert: $(cat err)"
diff -r wanted .cache/gsym/$release || fail 'not as by --install'
# From the cache alone, data included.
gsym-markup --debug-file-directory=none log >out 2>err
resolved 'the cache'
# It is not made twice.
touch -d '2001-01-01' .cache/gsym/$release/.build-id/5b/*
run --convert
[ -z "$(find .cache -type f -newermt 2002-01-01)" ] || fail 'made twice'
rm -r .cache
XDG_CACHE_HOME=$PWD/xdg/deep
export XDG_CACHE_HOME
run --convert
resolved XDG_CACHE_HOME
diff -r wanted xdg/deep/gsym/$release || fail 'XDG_CACHE_HOME'
[ ! -e .cache ] || fail 'both caches'
unset XDG_CACHE_HOME
rm -r xdg

# Eight at once: all have answers, and no other file is left.
pids=
for i in 1 2 3 4 5 6 7 8; do
	gsym-markup --debug-file-directory=full --convert log >out.$i 2>err.$i &
	pids="$pids $!"
done
for pid in $pids; do
	wait "$pid" || fail "at once: status $?: $(cat err.*)"
done
for i in 1 2 3 4 5 6 7 8; do
	cp out.$i out
	cp err.$i err
	resolved "$i at once"
	[ -s err ] && fail "$i at once: $(cat err)"
done
diff -r wanted .cache/gsym/$release || fail 'at once: the cache'
rm -r .cache

# No cache: a file in its place, no HOME, a read-only folder.
: >.cache
run --convert
noted 'a file in the way' "the cache '.*' cannot be written: Not a directory: GSYM"
# The temporary folder is removed if the output cannot be written, too.
gsym-markup --debug-file-directory=full --convert log >/dev/full 2>err
[ $? = 2 ] || fail "no room for the output: $(cat err)"
[ -z "$(ls -A temporary)" ] || fail "no room: left $(find temporary)"
{ cat log; yes 'text {{{symbol:_Z1fv}}}' | head -n 200000; } >long
gsym-markup --debug-file-directory=full --convert long 2>err | head -n 1 >out
[ -z "$(ls -A temporary)" ] || fail "no reader: left $(find temporary)"
rm long
run --convert --quiet
resolved 'a file in the way, --quiet'
[ -s err ] && fail "--quiet: $(cat err)"
rm .cache
mkdir -p .cache/gsym/$release/.build-id
: >.cache/gsym/$release/.build-id/5b
run --convert
noted 'a file in the way, deeper' "the cache '.*' cannot be written: Not a dir"
rm -r .cache
env -u HOME gsym-markup --debug-file-directory=full --convert log >out 2>err
noted 'no home' 'neither XDG_CACHE_HOME nor HOME is set'
if [ "$(id -u)" != 0 ]; then
	mkdir -p .cache/gsym/$release
	chmod 555 .cache/gsym/$release
	run --convert
	noted 'a read-only cache' "the cache '.*' cannot be written: Perm"
	chmod 755 .cache/gsym/$release
	rm -r .cache
fi
TMPDIR=$PWD/nowhere
env -u HOME gsym-markup --debug-file-directory=full --convert log >out 2>err ||
	fail 'no place at all'
grep -q "and no folder can be made in" err && grep -q 'no symbols for module' err ||
	fail "no place at all: $(cat err)"
[ "$(wc -l <err)" = 2 ] || fail "no place at all: $(cat err)"
TMPDIR=$PWD/temporary

# A cache on a disk that is full.
mkdir disk
if unshare -rm mount -t tmpfs -o size=8k none disk 2>/dev/null; then
	cat >full.sh <<'EOF'
mount -t tmpfs -o size=8k none disk && head -c 8192 /dev/zero >disk/zeros
mkdir -p disk/gsym/$release
XDG_CACHE_HOME=$PWD/disk gsym-markup --debug-file-directory=full --convert log
echo "status $?"
rm disk/zeros
head -c 4096 /dev/zero >disk/zeros
XDG_CACHE_HOME=$PWD/disk gsym-markup --debug-file-directory=full --convert log
echo "status $?"
find disk -type f
EOF
	release=$release unshare -rm sh full.sh >out 2>err
	[ "$(grep -c geo::leaf out)" = 2 ] || fail "a full disk: $(cat out err)"
	[ "$(grep -c 'status 0' out)" = 2 ] || fail "a full disk: $(cat out err)"
	[ "$(grep -c "note: the cache .* cannot be written: No space" err)" = 2 ] ||
		fail "a full disk: $(cat err)"
	[ "$(grep -c '^disk' out)" = 1 ] || fail "left on a full disk: $(cat out)"
	[ -z "$(ls -A temporary)" ] || fail "full: left $(find temporary)"
else
	echo 'not tried: a full disk'
fi

# A debug file that is text, or of another program: there is one note, and the
# reset in the log is no reason for a second try.
cat log >twice
echo '{{{reset}}}' >>twice
cat log >>twice
refused()
{
	rm -rf .cache
	gsym-markup --debug-file-directory=full --convert twice >out 2>err ||
		fail "$1: status $?"
	[ "$(grep -c "$2" err)" = 1 ] || fail "$1: $(cat err)"
	[ "$(grep -c 'no symbols for module' err)" = 2 ] || fail "$1: $(cat err)"
	[ -z "$(find .cache -type f 2>/dev/null)" ] || fail "$1: $(find .cache)"
	[ -z "$(ls -A temporary)" ] || fail "$1: left $(find temporary)"
}
echo text >full/.build-id/5b/$rest.debug
refused text "note: cannot convert 'full/.build-id/5b/$rest.debug'"
g++ -g -shared -fPIC -Wl,--build-id=0x0102030405060708 -o \
	full/.build-id/5b/$rest.debug shape.cpp
refused 'another program' "note: 'full/.*' is not used: it has another build ID"
rm full/.build-id/5b/$rest.debug
mkdir full/.build-id/5b/$rest.debug
rm -rf .cache
gsym-markup --debug-file-directory=full --convert log >out 2>err
[ "$(wc -l <err)" = 1 ] || fail "a folder: $(cat err)"
rmdir full/.build-id/5b/$rest.debug

# A debug file that is created later is found after a reset.
rm -rf .cache
mkdir -p later/.build-id/5b
mkfifo pipe
gsym-markup --debug-file-directory=later --convert >out 2>err <pipe &
pid=$!
exec 3>pipe
cat log >&3
until_true grep -q '#1 ' out
cp libshape.so later/.build-id/5b/$rest.debug
echo '{{{reset}}}' >&3
cat log >&3
exec 3>&-
wait $pid || fail 'a file that comes later'
resolved 'a file that comes later'

# --debuginfod with a folder as server; markup-servers.sh has real servers.
rm -rf .cache
if gsym-markup --debuginfod log 2>&1 | grep -q 'not installed'; then
	echo 'not tried: libdebuginfod is not installed'
	exit 0
fi
DEBUGINFOD_CACHE_PATH=$PWD/client
DEBUGINFOD_URLS=
export DEBUGINFOD_CACHE_PATH DEBUGINFOD_URLS
run --debuginfod
grep -q 'note: DEBUGINFOD_URLS names no server to ask' err ||
	fail "no server: $(cat err)"
DEBUGINFOD_URLS=file://$PWD/server
mkdir -p server/buildid/$shape_id/section
cp wanted/.build-id/5b/$rest.debug.gsym server/buildid/$shape_id/section/.gsym
run --debuginfod
grep -q geo::leaf out || fail "a section of a folder: $(cat out err)"
rm -rf client .cache
rm -r server/buildid/$shape_id/section
cp libshape.so server/buildid/$shape_id/debuginfo
run --debuginfod
resolved 'a debug file of a folder'
diff -r wanted .cache/gsym/$release || fail 'a debug file of a folder: the cache'
# Without a cache a fetched file goes to the temporary folder.
rm -rf .cache
: >.cache
run --debuginfod
noted 'a file in the way of what was fetched' "the cache '.*' cannot be"
exit 0
