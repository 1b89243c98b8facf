#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-create --debuginfod: a folder as the server, servers that do not answer,
# and client libraries that are too old or misbehave.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need objcopy
need strip
none="--debug-file-directory=$PWD/none"
no_proxy='*'
DEBUGINFOD_CACHE_PATH=$PWD/cache
export no_proxy DEBUGINFOD_CACHE_PATH
unset DEBUGINFOD_URLS DEBUGINFOD_PROGRESS DEBUGINFOD_VERBOSE DEBUGINFOD_TIMEOUT

compile prog -rdynamic -Wl,--build-id
gsym-create -q -o whole.gsym prog || fail 'the whole program'
id=$(readelf -n prog | sed -n 's/.*Build ID: *//p')
[ -n "$id" ] || skip 'the compiler does not run the linker with --build-id'
mkdir -p "server/buildid/$id"
objcopy --only-keep-debug prog "server/buildid/$id/debuginfo" || fail 'objcopy'
strip --strip-all prog || fail 'strip'
gsym-create -q $none -o plain.gsym prog || fail 'without debug info'

# A conversion that must not get debug info.  $1: the case; $2: the warning.
without()
{
	gsym-create --debuginfod $none -o out.gsym prog 2>err ||
		fail "$1: $(cat err)"
	[ "$(grep -c "warning: missing-file: 1, the first: .*$2" err)" = 1 ] ||
		fail "$1: it does not say '$2': $(cat err)"
	cmp plain.gsym out.gsym || fail "$1: it is not as without debug info"
	rm -rf cache
}

without 'no servers' 'DEBUGINFOD_URLS names no server to ask'
grep -q 'is not installed' err &&
	skip 'libdebuginfod is not installed (Debian: debuginfod)'

# Without --debuginfod no server is asked.
DEBUGINFOD_URLS=file://$PWD/server
export DEBUGINFOD_URLS
gsym-create -q $none -o out.gsym prog || fail 'without the option'
cmp plain.gsym out.gsym || fail 'it asked without being told to'
[ ! -e cache ] || fail 'there is a cache without the option'

gsym-create --verify --debuginfod $none -o out.gsym prog 2>err ||
	fail "a folder: $(cat err)"
cmp whole.gsym out.gsym || fail "a folder: not the same: $(cat err)"
grep -q "debug info of $PWD/cache/$id/debuginfo" err || fail "$(cat err)"
grep -q ' 0 differences' err || fail "$(cat err)"
rm -rf cache

# The supplementary file of dwz is fetched, too.
if command -v dwz >/dev/null; then
	compile shared -rdynamic -Wl,--build-id
	cp shared whole-shared
	cp shared twin
	dwz -m common -M /nowhere/common shared twin 2>err || fail "$(cat err)"
	common=$(readelf -n common 2>/dev/null | sed -n 's/.*Build ID: *//p')
fi
if [ -n "${common:-}" ]; then
	mkdir -p "server/buildid/$common"
	mv common "server/buildid/$common/debuginfo"
	gsym-create -q $none -o wanted.gsym whole-shared || fail 'before dwz'
	gsym-create --strict --debuginfod -v $none -o out.gsym shared 2>err ||
		fail "a supplementary file: $(cat err)"
	cmp wanted.gsym out.gsym || fail "a supplementary file: $(cat err)"
	grep -q "supplementary file '$PWD/cache/$common/debuginfo': used" err ||
		fail "$(cat err)"
	rm -rf cache
else
	echo 'dwz did not run, or moved nothing'
fi

# A debug file that exists locally is not fetched.
head=$(printf %.2s "$id")
mkdir -p "tree/.build-id/$head"
cp "server/buildid/$id/debuginfo" "tree/.build-id/$head/${id#??}.debug"
gsym-create -q --debuginfod --debug-file-directory=tree -o out.gsym prog ||
	fail 'a file that is here'
cmp whole.gsym out.gsym || fail 'a file that is here'
[ ! -e cache ] || fail 'it asked for a file that is here'

# A wrong file from the server is refused.
compile another -Wl,--build-id=0x0123456789abcdef
cp another "server/buildid/$id/debuginfo"
without 'the wrong file' 'the fetched file is wrong: its build ID is 0123456789'
echo text >"server/buildid/$id/debuginfo"
without 'no ELF file' 'the fetched file is wrong: not an ELF file'
rm "server/buildid/$id/debuginfo"
without 'no file' 'it cannot be fetched either'
gsym-create -q --strict --debuginfod $none -o strict.gsym prog 2>err &&
	fail '--strict'
[ ! -e strict.gsym ] || fail '--strict leaves a file'

rm -rf cache

# Port 1 has no listener.
DEBUGINFOD_URLS=http://127.0.0.1:1/
without 'a dead server' 'no debuginfod server can be reached'

# A server that accepts the request and never answers.
if command -v python3 >/dev/null; then
	mkfifo ../hold || fail 'mkfifo'
	exec 3<>../hold
	python3 -c '
import socket, sys
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(8)
print(s.getsockname()[1], flush=True)
sys.stdin.read()' <../hold 3<&- >port &
	until_true [ -s port ]
	DEBUGINFOD_URLS=http://127.0.0.1:$(cat port)/
	DEBUGINFOD_TIMEOUT=1
	export DEBUGINFOD_TIMEOUT
	without 'a silent server' 'no debuginfod server answered in time'
	exec 3>&-
	wait
fi

# A client library compiled from standard input; "$@" goes to the compiler.
library()
{
	mkdir -p lib
	# shellcheck disable=SC2086
	${CC:-cc} -shared -fPIC -o lib/libdebuginfod.so.1 "$@" -x c - ||
		fail 'cannot compile a library'
}
LD_LIBRARY_PATH=$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
echo 'void *debuginfod_begin(void) { return 0; }' | library
without 'an old library' 'libdebuginfod.so.1 is too old'
cat >fake.c <<'END'
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
static int (*show)(void *, long, long);
void *debuginfod_begin(void) { return BEGIN; }
void debuginfod_end(void *client) { (void)client; }
void debuginfod_set_progressfn(void *client, int (*f)(void *, long, long))
{
	(void)client;
	show = f;
}
int debuginfod_find_debuginfo(void *client, const unsigned char *id, int size,
			      char **path)
{
	(void)id;
	if (size != 20 || show(client, 1, 0) || show(client, -1, 9))
		return -EINVAL;
	FIND;
}
END
library '-DBEGIN=0' '-DFIND=return 0' <fake.c
without 'no client' 'libdebuginfod has no memory to start'
library '-DBEGIN=""' '-DFIND=return -EIO' <fake.c
without 'another error' 'debuginfod: '
library '-DBEGIN=""' '-DFIND=show(client, 400, 1000); return -ENOENT' <fake.c
without 'a part of a file' 'a debuginfod server broke off after 400 of 1000 bytes'
library '-DBEGIN=""' '-DFIND=*path = 0; return open("/dev/null", O_RDONLY)' <fake.c
without 'a file without a name' 'does not say where its file is'
library '-DBEGIN=""' \
	'-DFIND=*path = strdup("/nowhere"); return open("/dev/null", O_RDONLY)' <fake.c
without 'a file that is gone' 'the fetched file is wrong: not there'
exit 0
