#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-xray suggest: the functions whose instrumentation costs more than it
# tells.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need python3
XDG_CACHE_HOME=$scratch/cache
export XDG_CACHE_HOME
data=$top_srcdir/testdata/xray
# In 1000 rounds, main (4) calls leaf (1), which takes 20 ns, spin (2), which
# takes 900 ns, and scaled (3), which takes 2030 ns, 2000 of them in a leaf.
# The fifth function is called once.
python3 - made.xray <<'END' || fail 'the trace'
import struct, sys
def metadata(kind, form, *values):
    fields = struct.pack("<" + form, *values)
    return bytes([kind << 1 | 1]) + fields + bytes(15 - len(fields))
body = (metadata(0, "i", 7) + metadata(4, "QI", 5, 0) +
        metadata(9, "i", 7) + metadata(2, "HQ", 0, 1000))
def enter(function, delta):
    return struct.pack("<II", function << 4, delta)
def leave(function, delta):
    return struct.pack("<II", function << 4 | 2, delta)
body += enter(4, 5)
for i in range(1000):
    body += enter(1, 10) + leave(1, 20) + enter(2, 10) + leave(2, 900)
    body += enter(3, 10) + enter(2, 10) + leave(2, 2000) + leave(3, 20)
body += enter(5, 10) + leave(5, 20) + leave(4, 10)
with open(sys.argv[1], "wb") as out:
    out.write(struct.pack("<HHIQQ", 5, 1, 3, 10**9, 4096) + bytes(8))
    out.write(metadata(7, "Q", len(body)) + body)
END
gsym-xray suggest -m "$data/bin/calls" made.xray >got 2>err || fail 'status'
grep -vE '^#' got >list
printf '[never]\nfun:leaf\nfun:scaled\n' | cmp - list ||
	fail "the list: $(cat got)"
grep -qx '# 1000 calls, 25.0 % of all, 20 ns each: leaf' got ||
	fail "the reason: $(cat got)"
grep -q 'the shortest call of the trace, 20 ns; they are 50.0 % of all' got ||
	fail "the share: $(cat got)"
gsym-xray suggest -t 1 -m "$data/bin/calls" made.xray >got
[ "$(grep -c '^fun:' got)" = 1 ] || fail '--top'
# Clang knows linkage names; the comment has the readable one.
gsym-xray suggest -m "$data/bin/shapes" "$data/traces/shapes-threads.xray" \
	>got || fail 'status for shapes'
grep -A 1 ' each: demo::operator"" _km(unsigned long long)$' got |
	grep -qx 'fun:_ZN4demoli3_kmEy' || fail "no linkage name: $(cat got)"
# Without a map there is nothing to list.
gsym-xray -q suggest made.xray >got || fail 'status without map'
grep -q '^fun:' got && fail 'a number in the list'
# Clang takes the list.
for clang in clang clang-22 clang-19 clang-14; do
	command -v $clang >/dev/null || continue
	gsym-xray suggest -m "$data/bin/calls" -o attr.txt made.xray
	printf '__attribute__((noinline)) int leaf(int x) { return x * x; }\n' \
		>leaf.c
	printf 'int work(int x) { int s = 0; while (x--) s += leaf(x); %s' \
		'return s; }' >>leaf.c
	$clang -c -O1 -fxray-instrument -fxray-instruction-threshold=1 \
		-fxray-attr-list=attr.txt -S -o leaf.s leaf.c 2>../err ||
		continue
	grep -q 'Lxray_sleds' leaf.s || continue
	sed -n '/^leaf:/,/^\.Lfunc_end/p' leaf.s | grep -q xray_sled &&
		fail "$clang does not take the list"
	break
done
exit 0
