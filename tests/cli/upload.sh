#!/bin/sh
# SPDX-License-Identifier: MIT
# examples/upload: a store goes to a web server, a bucket, and by rsync to a folder
# and to debuginfod; what is there is not sent again, a run that broke off is
# resumed, no half file has the name of a whole one, and --fetch finds all.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need curl
need python3
need readelf
need sha256sum coreutils
curl --version | python3 -c '
import re, sys
found = re.match(r"curl (\d+)\.(\d+)", sys.stdin.read())
sys.exit(tuple(map(int, found.groups())) < (7, 87))' ||
	skip 'curl is older than 7.87'
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
# Folders of the destination itself are made.
"$upload" store "$url/a/b" >sent 2>err || fail "folders: $(cat err)"
[ "$(wc -l <sent)" = "$files" ] || fail "folders: $(cat sent)"
closed "$url/a/b" folders
part_passed 'a web server'

AWS_ACCESS_KEY_ID=key AWS_SECRET_ACCESS_KEY=secret
export AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
try s3+ bucket
grep -q '^PUT 201 .* AWS4-HMAC-SHA256$' requests || fail "$(cat requests)"
grep -q 'MOVE\|MKCOL' requests && fail "$(cat requests)"
AWS_SECRET_ACCESS_KEY=other "$upload" store "s3+$url/new" >sent 2>err &&
	fail 'a bucket takes a wrong secret'
[ ! -s sent ] || fail "$(cat sent)"
part_passed 'a bucket'

# A port on which nobody listens.
free_port()
{
	python3 -c '
import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}
# Send the store to the server at $2 from which the folder of URL $3 is read,
# twice; $1: the name.
send_twice()
{
	"$upload" store "$2" >sent 2>err || fail "$1: $(cat err)"
	[ "$(wc -l <sent)" = "$files" ] || fail "$1: $(cat sent)"
	"$upload" store "$2" >sent 2>err || fail "$1 again: $(cat err)"
	[ ! -s sent ] || fail "$1 again: $(cat sent)"
	closed "$3" "$1"
}

# nginx and Apache as users run them.  Their processes, of another user, have to
# get through the folder of this test.
PATH=$PATH:/usr/sbin
chmod a+x "$scratch" .
if command -v nginx >/dev/null && nginx -V 2>&1 | grep -q http_dav_module; then
	stop_http
	mkdir -m 777 nginx nginx/root
	port=$(free_port)
	cat >nginx/conf <<EOF
daemon off;
pid $PWD/nginx/pid;
error_log $PWD/nginx/log;
events { }
http {
	access_log off;
	client_body_temp_path $PWD/nginx/body;
	proxy_temp_path $PWD/nginx/proxy;
	fastcgi_temp_path $PWD/nginx/fastcgi;
	uwsgi_temp_path $PWD/nginx/uwsgi;
	scgi_temp_path $PWD/nginx/scgi;
	server {
		listen 127.0.0.1:$port;
		root $PWD/nginx/root;
		client_max_body_size 1g;
		dav_methods PUT MKCOL MOVE;
		dav_access all:r;
	}
}
EOF
	nginx -e nginx/log -c "$PWD/nginx/conf" 2>nginx/err &
	http=$!
	url=http://127.0.0.1:$port
	until_true curl -s -o /dev/null "$url"
	send_twice nginx "$url/sym/v1/" "$url/sym/v1"
	part_passed nginx
else
	part_skipped nginx 'nginx is not installed (Debian: nginx-light)'
fi

modules=/usr/lib/apache2/modules
if command -v apache2 >/dev/null && [ -e $modules/mod_dav_fs.so ]; then
	stop_http
	mkdir -m 777 apache apache/root
	port=$(free_port)
	{
		for name in mpm_event authz_core dav dav_fs; do
			echo "LoadModule ${name}_module $modules/mod_$name.so"
		done
		cat <<EOF
ServerRoot $PWD/apache
ServerName 127.0.0.1
Listen 127.0.0.1:$port
PidFile $PWD/apache/pid
ErrorLog $PWD/apache/log
DavLockDB $PWD/apache/lock
DocumentRoot $PWD/apache/root
<Directory $PWD/apache/root>
	Dav On
</Directory>
EOF
		[ "$(id -u)" != 0 ] || printf 'User nobody\nGroup nogroup\n'
	} >apache/conf
	apache2 -D FOREGROUND -f "$PWD/apache/conf" 2>apache/err &
	http=$!
	url=http://127.0.0.1:$port
	until_true curl -s -o /dev/null "$url"
	send_twice Apache "$url/sym/v1" "$url/sym/v1"
	part_passed Apache
else
	part_skipped Apache 'apache2 is not installed (Debian: apache2)'
fi

# An object store that others have written.  The first requests (one of curl, four
# that make the user and the bucket) need no signature, the others do; it cannot
# check those of names with "+".
if python3 -c 'import moto.server, boto3' 2>/dev/null; then
	stop_http
	port=$(free_port)
	url=http://127.0.0.1:$port
	INITIAL_NO_AUTH_ACTION_COUNT=5 python3 -c '
import sys
from moto.server import main
main(["--host", "127.0.0.1", "--port", sys.argv[1]])' "$port" >log 2>&1 &
	http=$!
	until_true curl -s -o /dev/null "$url"
	python3 - "$url" >keys 2>err <<'EOF' || fail "moto: $(cat err)"
import json
import sys
import boto3
options = {"endpoint_url": sys.argv[1], "region_name": "us-east-1",
           "aws_access_key_id": "first", "aws_secret_access_key": "first"}
iam = boto3.client("iam", **options)
iam.create_user(UserName="user")
key = iam.create_access_key(UserName="user")["AccessKey"]
rights = {"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
iam.put_user_policy(UserName="user", PolicyName="all",
                    PolicyDocument=json.dumps(rights))
boto3.client("s3", **options).create_bucket(Bucket="bucket")
print(key["AccessKeyId"], key["SecretAccessKey"])
EOF
	read -r key secret <keys
	cp -r store plain
	rm -r plain/by-release
	AWS_SECRET_ACCESS_KEY=$secret AWS_ACCESS_KEY_ID=$key
	"$upload" plain "s3+$url/bucket/sym" >sent 2>err ||
		fail "moto: $(cat err log)"
	[ "$(wc -l <sent)" = "$(find -L plain -type f | wc -l)" ] ||
		fail "moto: $(cat sent)"
	"$upload" plain "s3+$url/bucket/sym" >sent 2>err && [ ! -s sent ] ||
		fail "moto, again: $(cat sent err)"
	AWS_SECRET_ACCESS_KEY=other "$upload" plain "s3+$url/bucket/new" \
		>sent 2>err && fail 'moto takes a wrong secret'
	part_passed moto
else
	part_skipped moto \
		'moto is not installed (pip install "moto[s3,iam,server]")'
fi

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
