#!/bin/sh
# SPDX-License-Identifier: MIT
# The commands of examples/fetch, with a web server and with debuginfod on the
# loopback device.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need curl
need python3
need readelf
no_proxy='*'
export no_proxy
unset DEBUGINFOD_URLS http_proxy
. "$top_srcdir/tests/cli/server-lib.sh"
compile prog -Wl,--build-id
id=$(readelf -n prog | sed -n 's/.*Build ID: *//p')
[ -n "$id" ] || skip 'the compiler does not run the linker with --build-id'
place=.build-id/$(echo "$id" | sed 's|^..|&/|').debug.gsym
gsym-create -q --install=bucket prog || fail "gsym-create: $?"
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
mkdir none
main=$(gsym-dump --functions "bucket/$place" |
	sed -n 's/.*\(0x[0-9a-f]*\).* main$/\1/p')
printf '%s %s\n%s %s\n%s 1\n' "$id" "$main" 00112233aabbccdd 1 "$id" >pairs

# $1: the command; $2: the name of the part.
ask()
{
	rm -rf cache
	gsym-lookup --stream=tsv --debug-file-directory=none --fetch="$1" \
		<pairs >out 2>err || fail "$2: $(cat err)"
	[ "$(cut -f 1,2 out | tr '\t\n' '  ')" = 'ok main nofile  none  ' ] ||
		fail "$2: $(cat out err)"
	! grep -q 'cannot fetch' err || fail "$2: $(cat err)"
	cmp "bucket/$place" "cache/gsym/$release/$place" || fail "$2: another file"
	part_passed "$2"
}

python3 -u -m http.server --bind 127.0.0.1 --directory bucket 0 \
	>http.log 2>&1 &
http=$!
trap 'kill $http; stop_debuginfod; rm -rf "$scratch"' EXIT
until_true grep -q 'port [0-9]' http.log
port=$(sed -n 's/.*port \([0-9]*\).*/\1/p' http.log | head -n 1)
http_url=http://127.0.0.1:$port
ask "$top_srcdir/examples/fetch/http $http_url" 'a web server'
# A server that is not there is a failure, not a missing file.
rm -rf cache
gsym-lookup --stream=tsv --debug-file-directory=none \
	--fetch="$top_srcdir/examples/fetch/http http://127.0.0.1:1" <pairs \
	>out 2>err || fail 'no server'
grep -q "fetch/http' ended with status 2" err || fail "no server: $(cat err)"

# A bucket of an object store, whose files need no key: a part that is left out
# without moto_server of PyPI's "moto[server]", which has the protocol of S3.
if ! command -v moto_server >/dev/null; then
	part_skipped 'an S3-compatible server' \
		'moto_server is not installed (pip install "moto[server]")'
else
	# Two servers may choose one port: then the second one ends.
	bucket_port=$((20000 + $$ % 20000))
	moto_server -H 127.0.0.1 -p $bucket_port >moto.log 2>&1 &
	moto=$!
	trap 'kill $http $moto; stop_debuginfod; rm -rf "$scratch"' EXIT
	bucket_url=http://127.0.0.1:$bucket_port/symbols
	until_true curl -sf -o moto.out -X PUT "$bucket_url"
	curl -sf -H 'x-amz-acl: public-read' -T "bucket/$place" \
		"$bucket_url/$place" || fail "no bucket: $(cat moto.log)"
	ask "$top_srcdir/examples/fetch/http $bucket_url" \
		'an S3-compatible server'
	grep -q "GET /symbols/$place" moto.log || fail 'another server answered'
	kill $moto
	trap 'kill $http; stop_debuginfod; rm -rf "$scratch"' EXIT
fi

if ! command -v debuginfod >/dev/null; then
	part_skipped 'debuginfod' 'debuginfod is not installed (Debian: debuginfod)'
	parts_finish
fi
gsym-create -q --embed prog -o whole prog || fail "gsym-create --embed: $?"
mkdir served
objcopy --only-keep-debug whole served/prog.debug || fail 'objcopy'
start_debuginfod served
DEBUGINFOD_URLS=http://127.0.0.1:$port/
export DEBUGINFOD_URLS
ask "$top_srcdir/examples/fetch/debuginfod" debuginfod
parts_finish
