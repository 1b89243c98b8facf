#!/bin/sh
# SPDX-License-Identifier: MIT
# examples/upload: a store goes to a web server, a bucket, and by rsync to a folder
# and to debuginfod; what is there is not sent again, a run that broke off is
# resumed, no half file has the name of a whole one, and --fetch finds all.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need curl
need python3
need readelf
curl --help all | grep -q aws-sigv4 || skip 'curl is older than 7.84'
no_proxy='*'
export no_proxy
unset DEBUGINFOD_URLS http_proxy
. "$top_srcdir/tests/cli/server-lib.sh"
upload=$top_srcdir/examples/upload/upload
compile prog -Wl,--build-id
id=$(readelf -n prog | sed -n 's/.*Build ID: *//p')
[ -n "$id" ] || skip 'the compiler does not run the linker with --build-id'
place=.build-id/$(echo "$id" | sed 's|^..|&/|').debug.gsym
gsym-create -q --install=store --release=1+a prog || fail "gsym-create: $?"
files=$(find -L store -type f | wc -l)
main=$(gsym-dump --functions "store/$place" |
	sed -n 's/.*\(0x[0-9a-f]*\).* main$/\1/p')

http=
stop_http()
{
	[ -z "$http" ] || kill $http 2>/dev/null
	http=
}
trap 'stop_http; stop_debuginfod; rm -rf "$scratch"' EXIT

# A server of the folder $1; $2: see upload-server.py.  Sets url.
start_http()
{
	stop_http
	mkdir -p "$1"
	: >requests
	: >port
	python3 "$top_srcdir/tests/cli/upload-server.py" "$1" requests \
		"${2:-0}" >port 2>server.err &
	http=$!
	until_true test -s port
	url=http://127.0.0.1:$(cat port)
}

# The answers of the server at $1 are those of the store.  $2: the name.
closed()
{
	rm -rf cache
	XDG_CACHE_HOME=$PWD/cache gsym-lookup --debug-file-directory=none \
		--fetch="$top_srcdir/examples/fetch/http $1" --build-id="$id" \
		"$main" >out 2>err || fail "$2: $(cat err)"
	grep -q ': main at' out || fail "$2: $(cat out)"
}

# $1: the destination before the URL; $2: the name.
try()
{
	# The connection breaks after 100 bytes of the first file.
	start_http "$2" 100
	if UPLOAD_JOBS=1 "$upload" store "$1$url" >sent 2>err; then
		fail "$2: a broken connection is no error"
	fi
	[ -s err ] && [ ! -s sent ] || fail "$2: $(cat sent err)"
	if [ "$2" = web ]; then
		[ -n "$(find web -name '*.part-*')" ] || fail 'nothing was sent'
		[ -z "$(find web -type f ! -name '*.part-*')" ] ||
			fail "a half file: $(find web -type f)"
		find web -name '*.part-*' -exec rm {} +
	fi

	start_http "$2"
	"$upload" store "$1$url" >sent 2>err || fail "$2: $(cat err)"
	[ "$(wc -l <sent)" = "$files" ] || fail "$2: $(cat sent)"
	find -L store -type f | while read -r file; do
		cmp "$file" "$2/${file#store/}" || exit 1
	done || fail "$2: a file differs"
	! find "$2" -name '*.part-*' | grep . || fail "$2: parts are left"
	closed "$url" "$2"

	# The second time nothing is sent, and what is lost alone is.
	: >requests
	"$upload" store "$1$url" >sent 2>err || fail "$2: $(cat err)"
	! grep -q '^PUT' requests && [ ! -s sent ] || fail "$2: $(cat sent)"
	rm "$2/$place"
	"$upload" store "$1$url/" >sent 2>err || fail "$2: $(cat err)"
	[ "$(cat sent)" = "$place" ] || fail "$2, resumed: $(cat sent)"
	closed "$url" "$2"
}
try '' web
part_passed 'a web server'

AWS_ACCESS_KEY_ID=key AWS_SECRET_ACCESS_KEY=secret
export AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
try s3+ bucket
grep -q '^PUT 201 .* AWS4-HMAC-SHA256$' requests || fail "$(cat requests)"
grep -q 'MOVE\|MKCOL' requests && fail "$(cat requests)"
part_passed 'a bucket'

if command -v rsync >/dev/null; then
	"$upload" store "rsync:$PWD/copy/" >sent || fail rsync
	diff -r store copy || fail 'rsync: not the store'
	"$upload" store "rsync:$PWD/copy/" >sent || fail rsync
	! grep -q gsym sent || fail "rsync again: $(cat sent)"
	gsym-lookup --gsym-file-directory=copy --build-id="$id" "$main" |
		grep -q ': main at' || fail 'rsync: no symbols'
	part_passed rsync
else
	part_skipped rsync 'rsync is not installed (Debian: rsync)'
fi

if command -v rsync >/dev/null && command -v debuginfod >/dev/null; then
	mkdir programs none
	cp prog programs
	gsym-create -q --embed=programs/prog || fail '--embed'
	strip programs/prog
	"$upload" programs "rsync:$PWD/served/" >sent || fail 'debuginfod: rsync'
	start_debuginfod served
	rm -rf cache
	DEBUGINFOD_URLS=http://127.0.0.1:$port/ \
		DEBUGINFOD_CACHE_PATH=$PWD/debuginfod-cache \
		XDG_CACHE_HOME=$PWD/cache gsym-lookup --debuginfod \
		--debug-file-directory=none --build-id="$id" "$main" >out 2>err
	if grep -q 'is not installed' err; then
		part_skipped debuginfod 'libdebuginfod is not installed (Debian: debuginfod)'
	else
		grep -q ': main at' out || fail "debuginfod: $(cat out err)"
		part_passed debuginfod
	fi
else
	part_skipped debuginfod 'debuginfod is not installed (Debian: debuginfod, rsync)'
fi

for bad in '' 'store' 'missing http://127.0.0.1:1' 'store ftp://127.0.0.1' \
	'store http://127.0.0.1:1'; do
	# shellcheck disable=SC2086
	"$upload" $bad >sent 2>err && fail "$bad: no error"
	[ -s err ] || fail "$bad: no message"
done
parts_finish
