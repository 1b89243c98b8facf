#!/bin/sh
# SPDX-License-Identifier: MIT
# The pages of gsym-xray flame in a real browser.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/xray-flame-lib.sh"
need python3
hostile_names
# The trace of a ring buffer: a block that was never overwritten, and, seconds
# later, the last calls.
python3 - ring.xray <<'END' || fail 'the trace of a ring buffer'
import struct, sys
def metadata(kind, form, *values):
    fields = struct.pack("<" + form, *values)
    return bytes([kind << 1 | 1]) + fields + bytes(15 - len(fields))
def block(tid, seconds, calls):
    body = (metadata(0, "i", tid) + metadata(4, "QI", seconds, 0) +
            metadata(9, "i", 7) + metadata(2, "HQ", 0, seconds * 10**9))
    for i in range(calls):
        body += struct.pack("<IIII", 16, 500, 16 | 2, 1000 + i)
    return metadata(7, "Q", len(body)) + body
with open(sys.argv[1], "wb") as out:
    out.write(struct.pack("<HHIQQ", 5, 1, 3, 10**9, 4096) + bytes(8))
    out.write(block(1, 1, 2) + block(2, 9, 50))
END
gsym-xray -q flame -m "$data/bin/calls" -g hostile.gsym -o hostile.html \
	"$data/traces/calls-fdr.xray" &&
	gsym-xray -q flame -m "$data/bin/shapes" -g "$data/maps/shapes.gsym" \
		-o threads.html "$data/traces/shapes-threads.xray" &&
	gsym-xray -q flame --event-type=0=alpha -m "$data/bin/events" \
		-o events.html "$data/traces/events-long.xray" &&
	gsym-xray -q flame -o ring.html ring.xray ||
	fail 'pages for the browser'
mkdir shots
python3 "$top_srcdir/tests/cli/xray-flame-browser.py" threads.html \
	events.html hostile.html ring.html shots
