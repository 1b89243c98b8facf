#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-markup --logs on logs that a service wraps in JSON: lines stay lines, and
# JSON stays JSON.  The strings have the answers of plain lines, with inlined
# calls in the same line.  And logs that are large or odd.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/logs-lib.sh"
need python3
make_symbols
mkdir libc

cat >wrap.py <<'END'
"""usage: wrap.py HOW LOG: each line of LOG as JSON.  unwrap: back to lines."""
import json
import sys
how, log = sys.argv[1:]
lines = open(log, encoding="utf-8", newline="\n").read().split("\n")[:-1]
for line in lines:
    if how == "docker":
        print(json.dumps({"log": line + "\n", "stream": "stderr"}))
    elif how == "plain":
        print(json.dumps({"time": 1, "message": line, "host": "a\"b"},
                         separators=(",", ":"), ensure_ascii=False))
    elif how == "lead":
        print("2026-11-20T10:12:13Z stderr F " +
              json.dumps({"message": line + "\r\n"}))
    elif how == "unwrap":
        got = json.loads(line[line.index("{"):])
        sys.stdout.write(got.get("log", got.get("message")).rstrip("\r\n") +
                         "\n")
if how == "list":
    print("\n".join(lines).replace("\n  0", " 0").replace("\n  /", " /"))
elif how == "whole":
    print(json.dumps({"stack": "\n".join(lines)}))
elif how == "pretty":
    print(json.dumps({"stack": lines}, indent=2))
elif how == "rsyslog":
    print("Nov 20 10:41:07 host app[12]: " + "#012".join(lines))
elif how == "parted":
    print("\n".join(lines)[30:].replace("#012", "\n"))
elif how == "open":
    got = json.loads("\n".join(lines))["stack"]
    print(got if isinstance(got, str) else "\n".join(got))
END

for name in $(all_logs); do
	# Tabs, as in reports of Apple's systems, divide the strings of JSON.
	case $name in mixed/* | foreign/* | apple/* | stackwalk/* | mongodb/*) continue ;; esac
	logs "$data/$name.log" "$name" --log-inlines=short >wanted 2>../stderr
	# A stack of one line stays one in JSON.
	case $name in backtrace/*) python3 wrap.py list wanted >joined &&
		mv joined wanted ;; esac
	for how in docker plain lead; do
		python3 wrap.py $how "$data/$name.log" >in.log ||
			fail "$name: cannot be wrapped"
		logs in.log "$name" >out 2>../stderr
		python3 wrap.py unwrap out >got || fail "$name, $how: not JSON"
		cmp -s wanted got || { diff wanted got; fail "$name, $how"; }
		logs out "$name" >again 2>../stderr
		cmp -s out again || fail "$name, $how: changed again"
	done
	# All lines in one string, or in strings of their own.  64 frames of a
	# line get an answer.
	for how in whole pretty; do
		python3 wrap.py $how "$data/$name.log" >in.log
		logs in.log "$name" >out 2>../stderr
		python3 wrap.py open out >got || fail "$name, $how: not JSON"
		cmp -s wanted got || { diff wanted got; fail "$name, $how"; }
	done
	# The same in a message that rsyslog has written.
	python3 wrap.py rsyslog "$data/$name.log" >in.log
	logs in.log "$name" >out 2>../stderr
	python3 wrap.py parted out >got
	cmp -s wanted got || { diff wanted got; fail "$name, rsyslog"; }
	logs out "$name" >again 2>../stderr
	cmp -s out again || fail "$name, rsyslog: changed again"
done

# ---- large and odd logs ------------------------------------------------------
# The log in.log stays as it is, within 600 MB of address space.
stays()
{
	(ulimit -v 600000 2>/dev/null
	logs in.log sanitizer/x "--symbols=$data/gcc" >out 2>/dev/null) ||
		fail "$1: status $?"
	cmp -s in.log out || fail "$1: changed"
}
python3 - >in.log <<'END'
print("x" * 100000000 + " #0 0x1 (shapes+0x1559)")
END
stays 'a line of 100 MB'
python3 - >in.log <<'END'
print("+0x1/0x2 " * 1000000)
print("#0 0x1 (" * 100000 + "+0x1)")
print("(" * 1000000 + "+0x1) [0x1]")
print(" [0x1]" * 1000000)
print("#1 pc " * 200000)
print("{\"" + "\\n" * 500000 + "\"}")
print("{\"" + "\"+0x1/0x2,\"" * 100000 + "\"}")
END
stays 'lines with a million marks'
python3 - >in.log <<'END'
for i in range(200000):
    print("#0 0x1 (/m%d+0x1559)" % i)
END
stays 'many modules'
python3 - >in.log <<'END'
import sys
sys.stdout.buffer.write(b"\0#0 0x1 (sha\0pes+0x1559)\n\xff\xfe (+0x1)\0[0x1]\n"
                        b"C  [\0+0x1]\n \0x+0x1/0x2\n#00 pc 00001559 \0\n")
END
stays 'NUL bytes'
# A file with 300,000 functions of one name at one address: each frame looks at
# some of them.
python3 - >same.gsym <<'END'
import struct
import sys
count, at = 300000, 48 + 300000
strings = b"\0f\0"
end = at + 4 * count + 12
out = sys.stdout.buffer
out.write(struct.pack("<IHBBQIII20x", 0x4753594d, 1, 1, 0, 0x1000, count, end,
                      len(strings)))
out.write(bytes(count))
out.write(struct.pack("<I", end + 4) * count)
out.write(struct.pack("<III", 1, 0, 0) + strings.ljust(4, b"\0"))
out.write(struct.pack("<IIII", 16, 1, 0, 0))
END
yes ' f+0x1/0x2' | head -n 400 >in.log
(ulimit -t 20 && gsym-markup --logs --stats --debug-file-directory=none \
	--kernel=same.gsym in.log >out 2>err) || fail "one address: status $?"
cmp -s in.log out || fail 'one address: changed'
grep -q '400 without function' err || { cat err; fail 'one address: counts'; }
exit 0
