#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-create --debuginfod with a real debuginfod server, in a network namespace
# if that is allowed, else on the loopback device.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need debuginfod
need python3
need objcopy
no_proxy='*'
export no_proxy
unset DEBUGINFOD_URLS DEBUGINFOD_PROGRESS DEBUGINFOD_VERBOSE DEBUGINFOD_TIMEOUT

# Run this script again in a network namespace.
if [ -z "${GSYM_TEST_OWN_NETWORK:-}" ] && command -v ip >/dev/null &&
	unshare -rn ip link set lo up 2>/dev/null; then
	GSYM_TEST_OWN_NETWORK=1
	export GSYM_TEST_OWN_NETWORK
	cd "$top_builddir" || exit 99
	unshare -rn sh -c 'ip link set lo up && exec sh "$1"' sh \
		"$top_srcdir/tests/cli/debuginfod-server.sh"
	exit $?
fi

. "$top_srcdir/tests/cli/server-lib.sh"
compile prog -rdynamic -Wl,--build-id
gsym-create -q -o whole.gsym prog || fail 'the whole program'
id=$(readelf -n prog | sed -n 's/.*Build ID: *//p')
[ -n "$id" ] || skip 'the compiler does not run the linker with --build-id'
mkdir store
objcopy --only-keep-debug prog store/prog.debug || fail 'objcopy'
strip --strip-all prog || fail 'strip'

start_debuginfod store
DEBUGINFOD_URLS=http://127.0.0.1:$port/
DEBUGINFOD_CACHE_PATH=$PWD/cache
export DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH
none="--debug-file-directory=$PWD/none"
gsym-create --debuginfod $none -o out.gsym prog 2>err || fail "$(cat err)"
if grep -q 'is not installed' err; then
	skip 'libdebuginfod is not installed (Debian: debuginfod)'
fi
cmp whole.gsym out.gsym || fail "not the same: $(cat err; tail server.log)"
grep -q "debug info of .*cache/$id/debuginfo" err || fail "$(cat err)"

# From the cache, with the server gone.
stop_debuginfod
gsym-create -q --debuginfod $none -o out.gsym prog || fail 'from the cache'
cmp whole.gsym out.gsym || fail 'from the cache: not the same'

# Neither server nor cache.
rm -rf cache
gsym-create --debuginfod $none -o out.gsym prog 2>err || fail "$(cat err)"
grep -q 'missing-file: 1, .*no debuginfod server can be reached' err ||
	fail "$(cat err)"
exit 0
