# SPDX-License-Identifier: MIT
# For scripts that include lib.sh: debuginfod servers, and servers with faults,
# on a free port of the loopback device.

# In the C library of Debian 12 dprintf, which libdebuginfod calls, leaks its
# buffer.
echo 'leak:IO_file_doallocate' >"$scratch/leaks"
LSAN_OPTIONS=${LSAN_OPTIONS:-}:suppressions=$scratch/leaks:print_suppressions=0
export LSAN_OPTIONS

server=
odd=
trap 'stop_debuginfod; stop_odd; rm -rf "$scratch"' EXIT

fetch()
{
	python3 -c '
import sys, urllib.request
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
print(opener.open(sys.argv[1], timeout=5).read().decode())' "$1" 2>/dev/null
}

# The counters of the requests for files that the server had.
answers()
{
	fetch "http://127.0.0.1:$port/metrics" |
		grep '^http_responses_total{type=\|^http_requests_total' |
		grep -v metrics | sort
}

# Start debuginfod for the folder $1; sets port.
start_debuginfod()
{
	ready=false
	for try in 1 2 3; do
		port=$(python3 -c '
import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
		debuginfod -F -d :memory: -t 0 -g 0 -p "$port" "$1" \
			>server.log 2>&1 &
		server=$!
		looks=0
		while [ $looks -lt 100 ] && kill -0 $server 2>/dev/null; do
			fetch "http://127.0.0.1:$port/metrics" |
				grep -q '^scanned_files_total.* [1-9]' &&
				ready=true && break
			sleep 0.1
			looks=$((looks + 1))
		done
		$ready && break
		stop_debuginfod
	done
	$ready || skip "debuginfod does not start: $(tail -n 1 server.log)"
}

stop_debuginfod()
{
	[ -n "$server" ] || return 0
	kill "$server" 2>/dev/null
	wait "$server" 2>/dev/null
	server=
}

# Start odd-server.py with the fault $1 and the file $2; sets port.
start_odd()
{
	rm -f odd.port
	python3 "$top_srcdir/tests/cli/odd-server.py" "$@" >odd.port 2>odd.log &
	odd=$!
	until_true [ -s odd.port ]
	port=$(cat odd.port)
}

stop_odd()
{
	[ -n "$odd" ] || return 0
	kill "$odd" 2>/dev/null
	wait "$odd" 2>/dev/null
	odd=
}
