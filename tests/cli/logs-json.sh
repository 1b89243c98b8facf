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
"""usage: wrap.py LOG: write LOG to HOW.in for each way to wrap lines in JSON.
wrap.py WANTED: tell in which HOW.out WANTED is not what has been wrapped."""
import json
import sys


def list_of_frames(text):
    """A stack of one line stays one in JSON."""
    return text.replace("\n  0", " 0").replace("\n  /", " /")


def docker(lines):
    return "".join(json.dumps({"log": line + "\n", "stream": "stderr"}) + "\n"
                   for line in lines)


def plain(lines):
    return "".join(json.dumps({"time": 1, "message": line, "host": "a\"b"},
                              separators=(",", ":"), ensure_ascii=False) + "\n"
                   for line in lines)


def lead(lines):
    return "".join("2026-11-20T10:12:13Z stderr F " +
                   json.dumps({"message": line + "\r\n"}) + "\n"
                   for line in lines)


def each(text):
    for line in text.split("\n")[:-1]:
        got = json.loads(line[line.index("{"):])
        yield got.get("log", got.get("message")).rstrip("\r\n")


def whole(lines):
    """All lines in one string."""
    return json.dumps({"stack": "\n".join(lines)}) + "\n"


def pretty(lines):
    """All lines in strings of their own."""
    return json.dumps({"stack": lines}, indent=2) + "\n"


def stack(text):
    got = json.loads(text)["stack"]
    return got.split("\n") if isinstance(got, str) else got


def rsyslog(lines):
    return "Nov 20 10:41:07 host app[12]: " + "#012".join(lines) + "\n"


def parted(text):
    return text[30:-1].replace("#012", "\n").split("\n")


WAYS = {docker: each, plain: each, lead: each, whole: stack, pretty: stack,
        rsyslog: parted}


def read(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        return file.read()


def compare(wanted):
    for wrap, unwrap in WAYS.items():
        try:
            got = "\n".join(unwrap(read(wrap.__name__ + ".out")))
        except (ValueError, AttributeError) as error:
            sys.exit(f"{wrap.__name__}: {error}")
        if got != wanted:
            sys.exit(f"{wrap.__name__}:\n{got}\nis not\n{wanted}")


text = read(sys.argv[1])[:-1]
if sys.argv[1] != "wanted":
    for wrap in WAYS:
        with open(wrap.__name__ + ".in", "w", encoding="utf-8") as file:
            file.write(wrap(text.split("\n")))
else:
    compare(list_of_frames(text) if sys.argv[2:] == ["list"] else text)
END

for name in $(all_logs); do
	# Tabs, as in reports of Apple's systems, divide the strings of JSON.
	case $name in mixed/* | foreign/* | apple/* | stackwalk/* | mongodb/*) continue ;; esac
	logs "$data/$name.log" "$name" --log-inlines=short >wanted 2>../stderr
	list=
	case $name in backtrace/*) list=list ;; esac
	python3 wrap.py "$data/$name.log" || fail "$name: cannot be wrapped"
	for how in docker plain lead whole pretty rsyslog; do
		logs $how.in "$name" >$how.out 2>../stderr
		case $how in whole | pretty) continue ;; esac
		logs $how.out "$name" >again 2>../stderr
		cmp -s $how.out again || fail "$name, $how: changed again"
	done
	python3 wrap.py wanted $list || fail "$name: see above"
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
