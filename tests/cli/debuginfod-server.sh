#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-create --debuginfod with a debuginfod server: in a network of its own
# where that is allowed, else on the loopback device.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
command -v debuginfod >/dev/null || skip 'no debuginfod (Debian: debuginfod)'
command -v python3 >/dev/null || skip 'no python3'
command -v objcopy >/dev/null || skip 'no objcopy'
no_proxy='*'
export no_proxy
unset DEBUGINFOD_URLS DEBUGINFOD_PROGRESS DEBUGINFOD_VERBOSE DEBUGINFOD_TIMEOUT

# Once more from the start, in a network that nobody else can reach.
if [ -z "${GSYM_TEST_OWN_NETWORK:-}" ] && command -v ip >/dev/null &&
	unshare -rn ip link set lo up 2>/dev/null; then
	GSYM_TEST_OWN_NETWORK=1
	export GSYM_TEST_OWN_NETWORK
	cd "$top_builddir" || exit 99
	unshare -rn sh -c 'ip link set lo up && exec sh "$1"' sh \
		"$top_srcdir/tests/cli/debuginfod-server.sh"
	exit $?
fi

compile prog -rdynamic -Wl,--build-id
gsym-create -q -o whole.gsym prog || fail 'the whole program'
id=$(readelf -n prog | sed -n 's/.*Build ID: *//p')
[ -n "$id" ] || skip 'the linker makes no build ID'
mkdir store
objcopy --only-keep-debug prog store/prog.debug || fail 'objcopy'
strip --strip-all prog || fail 'strip'

# Ask the server's metrics: $1 is a pattern.  Fails if there is no answer.
metrics()
{
	python3 -c '
import sys, urllib.request
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
print(opener.open(sys.argv[1], timeout=5).read().decode())' \
		"http://127.0.0.1:$port/metrics" 2>/dev/null | grep -q "$1"
}

# A server on some port that is free, within a bounded number of looks.
server=
trap '[ -z "$server" ] || kill $server 2>/dev/null; rm -rf "$scratch"' EXIT
ready=false
for try in 1 2 3; do
	port=$(python3 -c '
import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
	debuginfod -F -d :memory: -t 0 -g 0 -p "$port" store >server.log 2>&1 &
	server=$!
	looks=0
	while [ $looks -lt 100 ] && kill -0 $server 2>/dev/null; do
		metrics '^scanned_files_total.* [1-9]' && ready=true && break
		sleep 0.1
		looks=$((looks + 1))
	done
	$ready && break
	kill $server 2>/dev/null
	wait $server
	server=
done
$ready || skip "debuginfod does not start: $(tail -n 1 server.log)"

DEBUGINFOD_URLS=http://127.0.0.1:$port/
DEBUGINFOD_CACHE_PATH=$PWD/cache
export DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH
none="--debug-file-directory=$PWD/none"
gsym-create --debuginfod $none -o out.gsym prog 2>err || fail "$(cat err)"
if grep -q 'is not installed' err; then
	skip 'no libdebuginfod'
fi
cmp whole.gsym out.gsym || fail "not the same: $(cat err; tail server.log)"
grep -q "debug info of .*cache/$id/debuginfo" err || fail "$(cat err)"

# From the cache, with the server gone.
kill $server
wait $server
server=
gsym-create -q --debuginfod $none -o out.gsym prog || fail 'from the cache'
cmp whole.gsym out.gsym || fail 'from the cache: not the same'

# Nothing to be had.
rm -rf cache
gsym-create --debuginfod $none -o out.gsym prog 2>err || fail "$(cat err)"
grep -q 'missing-file: 1, .*no debuginfod server can be reached' err ||
	fail "$(cat err)"
exit 0
