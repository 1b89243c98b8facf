#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-markup --debuginfod with a debuginfod server, in a network namespace if
# that is allowed, otherwise on the loopback device.  The server has a program
# with a section .gsym, and a program without.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
need debuginfod
need python3
no_proxy='*'
export no_proxy
unset DEBUGINFOD_URLS DEBUGINFOD_PROGRESS DEBUGINFOD_VERBOSE \
	DEBUGINFOD_TIMEOUT DEBUGINFOD_MAXSIZE DEBUGINFOD_MAXTIME

# Start again in a network namespace.
if [ -z "${GSYM_TEST_OWN_NETWORK:-}" ] && command -v ip >/dev/null &&
	unshare -rn ip link set lo up 2>/dev/null; then
	GSYM_TEST_OWN_NETWORK=1
	export GSYM_TEST_OWN_NETWORK
	cd "$top_builddir" || exit 99
	unshare -rn sh -c 'ip link set lo up && exec sh "$1"' sh \
		"$top_srcdir/tests/cli/markup-servers.sh"
	exit $?
fi

. "$top_srcdir/tests/cli/server-lib.sh"
compile one -rdynamic -Wl,--build-id=0x1111111111111111111111111111111111111111
compile two -rdynamic -Wl,--build-id=0x2222222222222222222222222222222222222222
one=1111111111111111111111111111111111111111
two=2222222222222222222222222222222222222222
mkdir served
gsym-create --quiet --embed=one -o served/one.debug one || fail '--embed'
gsym-create --quiet -o one.gsym one || fail 'one.gsym'
cp two served/two.debug

# $1: build ID; $2: the program.  A frame at the start of main, and a datum.
log_for()
{
	main=$(nm "$2" | sed -n 's/^0*\([0-9a-f]*\) T main$/\1/p')
	echo "{{{module:0:prog:elf:$1}}}"
	echo '{{{mmap:0x10000000:0x100000:load:0:rx:0x0}}}'
	echo "{{{bt:0:0x$(printf %x $((0x10000000 + 0x$main))):pc}}}"
}
log_for $one one >one.log
log_for $two two >two.log

DEBUGINFOD_CACHE_PATH=$PWD/client
export DEBUGINFOD_CACHE_PATH
none=--debug-file-directory=$PWD/none
# $1: a log; the rest: options.  Output in "out", messages in "err".
run()
{
	log=$1
	shift
	gsym-markup $none "$@" "$log" >out 2>err || fail "$*: status $?: $(cat err)"
}
resolved() { grep -q ' main ' out || fail "$1: $(cat out err)"; }
unresolved() { grep -q ' main ' out && fail "$1: $(cat out err)"; }
kept() { find .cache/gsym/$release -type f 2>/dev/null | sort | tr '\n' ' '; }
fresh() { rm -rf .cache client client.*; }

start_debuginfod served
DEBUGINFOD_URLS=http://127.0.0.1:$port/
export DEBUGINFOD_URLS

# Without the option no server is asked.
asked=$(answers)
run one.log
unresolved 'without the option'
run one.log --convert
unresolved 'with --convert alone'
[ "$(answers)" = "$asked" ] || fail 'it asked without being told to'
[ ! -e client ] || fail 'there is a client cache without the option'

# Only the section is fetched, and it is kept as it is.
run one.log --debuginfod
grep -q 'not installed' err &&
	skip 'libdebuginfod is not installed (Debian: debuginfod)'
resolved 'the section'
place=.cache/gsym/$release/.build-id/11/${one#11}.debug.gsym
[ "$(kept)" = "$place " ] || fail "the section: kept $(kept)"
cmp one.gsym "$place" || fail 'the section is another'
[ -n "$(find client -name '*gsym*' -type f)" ] || fail "$(find client)"
[ -z "$(find client -name debuginfo -size +0)" ] ||
	fail 'the whole file was fetched, too'
# After that both tools find it in the cache, and no server is asked.
rm -rf client
asked=$(answers)
run one.log --debuginfod
resolved 'from the cache'
[ "$(answers)" = "$asked" ] || fail 'asked in spite of the cache'
gsym-lookup --build-id=$one $none "0x$main" >out || fail 'gsym-lookup'
grep -q main out || fail 'gsym-lookup'

# No section: the whole file, converted.
run two.log --debuginfod
resolved 'the debug file'
case $(kept) in
*.cache/gsym/$release/.build-id/22/${two#22}.debug.gsym*) ;;
*) fail "the debug file: kept $(kept)" ;;
esac
gsym-create --quiet --data-symbols -o two.gsym two
cmp two.gsym ".cache/gsym/$release/.build-id/22/${two#22}.debug.gsym" ||
	fail 'the debug file was converted to something else'
[ -z "$(find .cache -name '.new*')" ] || fail "left over: $(find .cache)"

# There is one message for all addresses of a module that the server lacks.
sed "s/$one/3333333333333333333333333333333333333333/" one.log >missing.log
sed -n '3p' missing.log >>missing.log
run missing.log --debuginfod
[ "$(wc -l <err)" = 1 ] || fail "missing: $(cat err)"
grep -q 'no symbols for module' err || fail "missing: $(cat err)"
unresolved missing

# Four at once.  Each has a cache of libdebuginfod of its own: where processes
# share one, elfutils 0.188 now and then answers that a file is missing without
# asking the server.
fresh
for i in 1 2 3 4; do
	DEBUGINFOD_CACHE_PATH=$PWD/client.$i \
		gsym-markup --debuginfod $none two.log >out.$i 2>err.$i &
	pids="${pids:-} $!"
done
for pid in $pids; do
	wait "$pid" || fail "at once: status $?: $(cat err.*)"
done
for i in 1 2 3 4; do
	grep -q ' main ' out.$i || fail "at once, $i: $(cat out.$i err.$i)"
done
[ "$(ls -A .cache/gsym/$release)" = .build-id ] || fail "left over: $(ls -A .cache/gsym/$release)"

# A server that has ended.
stop_debuginfod
fresh
run one.log --debuginfod
unresolved 'a dead server'
grep -q 'note: no debuginfod server can be reached' err ||
	fail "a dead server: $(cat err)"
# It is asked for the first of two modules only.
{
	cat two.log
	sed "s/module:0/module:1/; s/:load:0/:load:1/
		s/0x1000/0x2000/; s/$two/$one/" two.log
} >both.log
run both.log --debuginfod
[ "$(grep -c 'can be reached' err)" = 1 ] || fail "two modules: $(cat err)"

# Servers with faults.
one_bytes=$PWD/one.gsym
other_bytes=$PWD/two.gsym
odd()
{
	fresh
	start_odd "$@"
	DEBUGINFOD_URLS=http://127.0.0.1:$port/
	log=${odd_log:-one.log}
	DEBUGINFOD_TIMEOUT=1 DEBUGINFOD_RETRY_LIMIT=1 DEBUGINFOD_MAXSIZE=1000000 \
		timeout 30 gsym-markup $none --debuginfod "$log" >out 2>err
	status=$?
	stop_odd
	[ $status = 0 ] || fail "$1: status $status: $(cat err)"
}
odd file "$one_bytes"
resolved 'a server of ours'
odd silent
unresolved 'a silent server'
grep -q 'note: no debuginfod server answered in time' err ||
	fail "a silent server: $(cat err)"
odd file "$other_bytes"
unresolved 'the wrong section'
grep -q 'note: the GSYM file of the server is not used: it has another build ID' err ||
	fail "the wrong section: $(cat err)"
[ -z "$(kept)" ] || fail "the wrong section: kept $(kept)"
odd debuginfo "$PWD/two"
unresolved 'the wrong debug file'
grep -q "note: '.*' is not used: it has another build ID" err ||
	fail "the wrong debug file: $(cat err)"
[ -z "$(kept)" ] || fail "the wrong debug file: kept $(kept)"
odd debuginfo "$PWD/one"
resolved 'the right debug file'
head -c 3000 /dev/urandom >garbage
odd file "$PWD/garbage"
unresolved garbage
grep -q 'note: the GSYM file of the server is not used' err || fail "$(cat err)"
grep -q 'note: cannot convert' err || fail "$(cat err)"
[ -z "$(kept)" ] || fail "garbage: kept $(kept)"
head -c 2000 "$one_bytes" >part
odd file "$PWD/part"
[ -z "$(kept)" ] || grep -q ' main ' out || fail "a part: $(cat out err)"
odd truncated "$one_bytes"
unresolved 'a transfer that breaks off'
grep -q 'no symbols for module' err || fail "breaking off: $(cat err)"
[ -z "$(kept)" ] || fail "a transfer that breaks off: kept $(kept)"
odd endless
unresolved 'an endless body'
grep -q 'note: a debuginfod server sends more than 1000000 bytes' err ||
	fail "an endless body: $(cat err)"
[ -z "$(kept)" ] || fail "an endless body: kept $(kept)"
exit 0
