#!/bin/sh
# SPDX-License-Identifier: MIT
# Elements of markup in the lines of containers: a line of JSON stays one line of
# JSON, and the header of Kubernetes is that of all lines of a frame.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need "${CC:-gcc}" gcc
need python3
cat >pump.c <<'END'
static inline __attribute__((always_inline)) int pour(int x)
{
	return x * x;
}
int pump(int x)
{
	return pour(x) + x;
}
END
${CC:-gcc} -g -O1 -shared -fPIC -nostdlib -Wl,--build-id=0x0123456789abcdef \
	pump.c -o libpump.so || fail 'cannot compile'
gsym-create -q --install=ids libpump.so || fail 'gsym-create'
start=$(nm libpump.so | sed -n 's/ T pump$//p')
cat >elements <<END
{{{reset}}}
{{{module:0:libpump.so:elf:0123456789abcdef}}}
{{{mmap:0x10000:0x4000:load:0:rx:0x0}}}
{{{bt:1:$(printf '0x%x' "$((0x10000 + 0x$start))"):pc}}}
{{{pc:0x99999}}}
END
markup()
{
	gsym-markup -q --no-convert --gsym-file-directory=ids "$@"
}

# JSON: each line is an object, and but for what the elements become no byte
# changes.
sed 's/.*/{"log":"x &\\n","stream":"stderr"}/' elements >json.log
markup json.log >json.out || fail 'status of JSON'
python3 - json.out <<'END' || fail 'the output is no JSON'
import json, sys
lines = [json.loads(line)["log"] for line in open(sys.argv[1])]
assert lines[0] == "x {{{reset}}}\n", lines[0]
assert lines[2].startswith("x {{{mmap:"), lines[2]
frames = lines[3].split("\n")
assert "pour" in frames[0] and "pump.c:3" in frames[0], frames
assert "pump" in frames[1] and "pump.c:7" in frames[1], frames
assert len(lines) == 5, lines
END
markup json.out >again.out || fail 'status of the second run'
cmp -s json.out again.out || fail 'the output changes when it is filtered again'

# Kubernetes: each line has the header.
sed 's/^/2026-01-01T00:00:00.000000000Z stderr F /' elements >cri.log
markup cri.log >cri.out || fail 'status of Kubernetes'
[ "$(grep -vc '^2026-01-01T00:00:00.000000000Z stderr F .' cri.out)" = 0 ] ||
	fail "lines without header: $(cat cri.out)"
grep -q 'F \[\[\[ELF module #0x0 "libpump.so"; BuildID=0123456789abcdef \[' \
	cri.out || fail 'no module line'
[ "$(grep -c 'pump.c:[37]' cri.out)" = 2 ] || fail 'frames of Kubernetes'
