#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-xray flame: the page of every trace in testdata is well formed and has
# the sums of the other outputs, for all names of functions.  Large traces give
# small pages.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/xray-flame-lib.sh"
need python3

# Write the page and the folded stacks of the trace $1 to files whose names
# start with $2; further arguments are options.
make()
{
	trace=$1 name=$2
	shift 2
	gsym-xray -q flame "$@" "$trace" >"$name.html" &&
		gsym-xray -q convert --to=folded "$trace" >"$name.folded" &&
		gsym-xray -q convert --to=folded --calls "$trace" \
			>"$name.calls" &&
		gsym-xray -q convert --to=folded --threads "$trace" \
			>"$name.threads" || fail "flame of $trace"
}

# Check the pages $2 and following. $1: the most calls in a time line, or 0.
check()
{
	python3 "$top_srcdir/tests/cli/xray-flame-page.py" "$@" || fail 'a page'
}

checked=0
mkdir all
for trace in "$data"/traces/*.xray "$data"/synthetic/*.xray; do
	name=all/$(basename "$trace" .xray)
	case $name in
	*/bad-header-short | */bad-type2 | */bad-version6)
		gsym-xray -q flame -o page.html "$trace" 2>err
		[ $? = 2 ] && [ -s err ] && [ ! -e page.html ] ||
			fail "$trace accepted"
		continue
		;;
	esac
	make "$trace" "$name"
	gsym-xray -q flame --to=svg "$trace" >"$name.svg" ||
		fail "SVG of $trace"
	checked=$((checked + 1))
done
[ $checked -ge 60 ] || fail "only $checked traces"
# shellcheck disable=SC2046
check 0 $(find all -name '*.html' | sed 's/\.html$//')

gsym-xray -q flame -m "$data/bin/calls" -g "$data/maps/calls.gsym" \
	-o page.html "$data/traces/calls-fdr.xray" || fail 'with names'
gsym-xray -q flame -m "$data/bin/calls" -g "$data/maps/calls.gsym" \
	"$data/traces/calls-fdr.xray" | cmp - page.html || fail 'not the same'
grep -q 'calls.c:16' page.html || fail 'no line in the image'
grep -q '<title>main' page.html && fail 'main is not traced'

# Two traces of one process.
gsym-xray -q flame "$data/traces/shapes-threads.xray" \
	"$data/traces/shapes-cpus.xray" >page.html || fail 'two traces'
python3 - <<'END' || fail 'two traces'
import json, re
data = json.loads(re.search('id="data">\n(.*)\n', open("page.html").read())[1])
assert all("of process" in t["name"] for t in data["threads"]), data["threads"]
assert len(data["threads"]) == len(data["trees"]) - 1 == 5
END

# Hostile names of functions and files.
hostile_names
gsym-xray -q flame -m "$data/bin/calls" -g hostile.gsym \
	"$data/traces/calls-fdr.xray" >hostile.html || fail 'names of all sorts'
grep -c '<script' hostile.html >count
[ "$(cat count)" = 2 ] || fail "a name is markup"
python3 - <<'END' || fail 'names of all sorts'
import json, re
text = open("hostile.html", encoding="utf-8").read()
data = json.loads(re.search('id="data">\n(.*)\n', text)[1])
names = [f[0] for f in data["functions"]]
assert any(n.startswith("</script>") for n in names), names
assert any("\ufffd" in n for n in names), names
assert any("<!--" in n for n in names), names
assert all("<b>&\"" in f for f in data["files"]), data["files"]
assert not re.search("[\0-\x08\x0e-\x1f\x7f-\x9f]", text)
END
gsym-xray -q flame --to=svg -m "$data/bin/calls" -g hostile.gsym \
	"$data/traces/calls-fdr.xray" >image.svg
python3 -c 'import xml.etree.ElementTree as t; t.parse("image.svg")' ||
	fail 'SVG: names of all sorts'

# A large trace: the page is small, the sums are exact.
python3 "$top_srcdir/bench/xray.py" 600000 large.xray || fail 'bench/xray.py'
make large.xray large
check 100000 large
[ "$(wc -c <large.html)" -lt 6000000 ] ||
	fail "a page of $(wc -c <large.html) bytes"
grep -q 'drawn as one' large.html || fail 'not said that calls are merged'
make large.xray small --detail=1000
check 1000 small
[ "$(wc -c <small.html)" -lt 2500000 ] ||
	fail "with --detail, a page of $(wc -c <small.html) bytes"
gsym-xray flame --detail=10 large.xray 2>err && fail '--detail=10'
grep -q 'detail' err || fail 'no word about --detail'

# More threads and deeper stacks than the page shows.
python3 - <<'END' || fail 'cannot make a trace'
import struct
def metadata(kind, form, *values):
    return struct.pack("<B" + form, kind << 1 | 1, *values).ljust(16, b"\0")
def block(tid, records):
    body = b"".join(struct.pack("<II", f << 4 | a << 1, 10)
                    for f, a in records)
    body = (metadata(0, "i", tid) + metadata(4, "qi", 5, tid) +
            metadata(9, "i", 7) + metadata(2, "HQ", 0, 1000 * tid) + body)
    return metadata(7, "Q", len(body)) + body
with open("many.xray", "wb") as out:
    out.write(struct.pack("<HHIQQ", 5, 1, 3, 10**9, 0) + bytes(8))
    for tid in range(1, 301):
        calls = 1 if tid % 3 else 2
        out.write(block(tid, [(5, 0), (5, 1)] * calls))
    out.write(block(400, [(1 + i, 0) for i in range(300)] +
                    [(300 - i, 1) for i in range(300)]))
END
gsym-xray -q flame many.xray >many.html || fail 'many threads'
grep -q '>The 45 threads with the fewest' many.html || fail 'threads not counted'
python3 - <<'END' || fail 'many threads'
import json, re
data = json.loads(re.search('id="data">\n(.*)\n', open("many.html").read())[1])
threads = data["threads"]
assert len(threads) == 257 and len(data["trees"]) == 258
assert threads[256]["name"] == "45 other threads"
assert threads[256]["calls"] == 45 and not threads[256]["lanes"]
assert threads[255]["name"] == "thread 400" and threads[255]["deeper"] == 44
assert len(threads[255]["lanes"]) == 256
assert data["trees"][257] == [32, 0, 45, 450]
assert sum(t["calls"] for t in threads) == 300 + 100 + 300
END

# The output is written as a whole, or not at all.
gsym-xray -q flame -o out.html large.xray || fail '-o'
cmp out.html large.html || fail '-o'
gsym-xray -q flame large.xray | head -c 100 >part
[ "$(wc -c <part)" = 100 ] || fail 'pipe'
if [ -e /dev/full ]; then
	gsym-xray -q flame large.xray >/dev/full 2>err
	[ $? = 2 ] && grep -q 'cannot write' err || fail 'a full disk'
fi
gsym-xray -q flame -o nowhere/out.html large.xray 2>err
[ $? = 2 ] || fail 'no folder'
gsym-xray flame --to=png large.xray 2>err
[ $? = 2 ] && grep -q 'html or svg' err || fail '--to=png'
exit 0
