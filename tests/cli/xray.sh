#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-xray on the traces and maps of testdata/xray: the output is that of
# llvm-xray, and of the reference files beside it.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
data=$top_srcdir/testdata/xray

# Print the path of the trace $1.
trace()
{
	for folder in traces synthetic; do
		[ -e "$data/$folder/$1.xray" ] || continue
		echo "$data/$folder/$1.xray"
		return
	done
	fail "no trace $1"
}

compared=0
for expect in "$data"/expect/*.fdr-dump.txt; do
	name=$(basename "$expect" .fdr-dump.txt)
	case $name in
	# gsym-xray refuses these, or llvm-xray misreads their typed events.
	bad-type2 | bad-version6 | syn-fdr-v[34]-typed-le) continue ;;
	esac
	gsym-xray -q dump --compat=llvm "$(trace "$name")" >dump ||
		fail "dump of $name: status $?"
	cmp "$expect" dump || fail "dump of $name"
	compared=$((compared + 1))
done
[ $compared -ge 20 ] || fail "only $compared dumps"

for expect in "$data"/expect/*.folded-ref.txt; do
	name=$(basename "$expect" .folded-ref.txt)
	gsym-xray -q convert --to=folded "$(trace "$name")" >folded ||
		fail "folded stacks of $name: status $?"
	cmp "$expect" folded || fail "folded stacks of $name"
done

# The YAML of traces without custom and typed events is compared. llvm-xray
# writes stale numbers into events, writes processes for version 2, and misreads
# the flags of big-endian logs.
compared=0
for expect in "$data"/expect/*.yaml; do
	name=$(basename "$expect" .yaml)
	grep -q 'kind: [a-z]*-event' "$expect" && continue
	case $name in
	syn-basic-*-be) continue ;;
	esac
	gsym-xray -q convert --to=yaml "$(trace "$name")" >yaml ||
		fail "YAML of $name: status $?"
	cmp "$expect" yaml || fail "YAML of $name"
	compared=$((compared + 1))
done
[ $compared -ge 10 ] || fail "only $compared YAML files"

# Sleds of all versions and machines, compared without names.
unnamed()
{
	sed "s/function-name: .*, version/version/; s/, function-name: .* }/ }/" "$1"
}
for expect in "$data"/maps/*.yaml; do
	name=$(basename "$expect")
	program=${name%.llvm-extract.yaml}
	program=${program%.decoded.yaml}
	gsym-xray -q extract --compat=llvm "$data/bin/$program" >extract 2>&1 ||
		fail "sleds of $program: status $?"
	unnamed "$expect" >wanted
	unnamed extract >got
	cmp wanted got || fail "sleds of $program"
done

# Numbers of llvm-xray's accounts; its seconds are rounded.
for name in calls-fdr calls-basic shapes-threads shapes-wrap; do
	program=$(echo "$name" | sed 's/-.*//')
	gsym-xray -q account --all-levels -f csv --sort=id \
		-m "$data/bin/$program" --gsym "$data/maps/$program.gsym" \
		"$(trace "$name")" >ours || fail "account of $name"
	awk -F, 'NR == FNR {
			if (FNR > 1) { n++; calls[$1] = $2; min[$1] = $3
				median[$1] = $4; max[$1] = $7; sum[$1] = $8 }
			next
		}
		function near(seconds, ns) {
			d = seconds * 1e9 - ns
			return d < 1.01 + ns * 1e-6 && d > -1.01 - ns * 1e-6
		}
		FNR > 1 {
			m++
			if (calls[$1] != $2 || !near(sum[$1], $3) ||
			    !near(min[$1], $5) || !near(median[$1], $6) ||
			    !near(max[$1], $9)) {
				print "differs: " $0
				bad = 1
			}
		}
		END { exit bad || n != m || !n }' \
		"$data/expect/$name.account-d.csv" ours ||
		fail "account of $name"
done
gsym-xray -q account -m "$data/bin/calls" --gsym "$data/maps/calls.gsym" \
	"$(trace calls-fdr)" | grep -q 'scaled at .*calls\.c:16$' ||
	fail 'no line'
gsym-xray -q account -m "$data/bin/calls" "$(trace calls-fdr)" |
	grep -q 'scaled at .*calls\.c:16$' || fail 'no line from debug info'
gsym-xray -q account -m "$data/bin/dso_main" --object="1=$data/bin/libdso.so" \
	"$(trace dso)" >dso || fail 'account of dso'
grep -q '16777217 .*lib_inner' dso || fail 'no name in object 1'
gsym-xray account -m "$data/bin/dso_main" "$(trace calls-fdr)" 2>&1 >/dev/null |
	grep -q 'does not match' || fail 'the wrong program passes'

# The edges of the graph with their times, and the number of nodes of the
# stacks.
gsym-xray -q graph -m "$data/bin/calls" --gsym "$data/maps/calls.gsym" \
	"$(trace calls-fdr)" >graph || fail 'graph'
grep -q '^F3 -> F1 \[label="65[01] ns" tooltip="65[01] ns"\];$' graph ||
	fail 'no edge'
grep -q '^F2 \[label="{spin|39}" tooltip="spin"\];$' graph ||
	fail 'no vertex'
# Names of templates and arguments are in the tooltips alone, and times have the
# unit that fits.
gsym-xray -q graph -m "$data/bin/shapes" "$(trace shapes-threads)" >shapes.dot
grep -q '^F18 \[label="{demo::Shape::area(...) const|72}" tooltip="demo::Shape::' \
	shapes.dot || fail "a short name: $(grep '^F18 ' shapes.dot)"
grep -q '{demo::accumulate\\<...\\>(...)|[0-9]*}" tooltip="int demo::accum' \
	shapes.dot || fail "a template: $(grep accum shapes.dot)"
grep -q '\[label="88\.95 us" tooltip="88952 ns"\];$' shapes.dot ||
	fail "a unit: $(grep label shapes.dot)"
gsym-xray -q account --short-names -m "$data/bin/shapes" \
	"$(trace shapes-threads)" >account || fail '--short-names'
grep -q ' demo::round_trip(\.\.\.) at ' account || fail "$(cat account)"
[ "$(grep -c -e '->' graph)" = 13 ] || fail 'number of edges'
gsym-xray -q stack "$(trace calls-fdr)" >tree || fail 'stack'
[ "$(wc -l <tree)" = 20 ] || fail 'number of nodes'
gsym-xray -q stack "$(trace shapes-cut)" | grep -q ' ! ' ||
	fail 'no unfinished call'
gsym-xray -q stack "$(trace shapes-throw)" | grep -q ' ~  ' ||
	fail 'no inferred exit'

# Damage: a warning and status 0, or status 2 with --strict.
gsym-xray account "$(trace bad-action5)" >out 2>err || fail 'damage refused'
grep -q 'action 5 at offset 196' err || fail 'damage not reported'
gsym-xray account --strict "$(trace bad-action5)" >out 2>err
[ $? = 2 ] || fail 'damage accepted by --strict'
for name in bad-header-short bad-type2 bad-version6; do
	gsym-xray info "$(trace $name)" >out 2>err
	[ $? = 2 ] && [ -s err ] || fail "$name accepted"
done
gsym-xray info - <"$(trace calls-fdr)" >out || fail 'standard input'
# shellcheck disable=SC2002
cat "$(trace calls-fdr)" | gsym-xray info - >out2 || fail 'pipe'
cmp out out2 || fail 'pipe and file differ'

command -v python3 >/dev/null || exit 0
for name in calls-fdr shapes-throw shapes-cut syn-fdr-v5-be events-short; do
	gsym-xray -q convert --to=chrome "$(trace "$name")" >chrome ||
		fail "chrome of $name"
	python3 - chrome <<'END' || fail "chrome of $name is not valid"
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
assert any(e["ph"] == "M" for e in events)
assert any(e["ph"] == "X" for e in events)
for e in events:
    assert isinstance(e["pid"], int)
    if e["ph"] == "X":
        assert e["ts"] >= 0 and e["dur"] >= 0
END
done
# With --begin-end, the exit of a call has the name and the arguments of the
# entry: Speedscope matches them so, and dies without.
for name in calls-fdr shapes-throw shapes-cut dso; do
	gsym-xray -q convert --begin-end "$(trace "$name")" >chrome ||
		fail "begin and end of $name"
	python3 - chrome <<'END' || fail "begin and end of $name do not match"
import collections, json, sys
stacks = collections.defaultdict(list)
ends = 0
for e in json.load(open(sys.argv[1]))["traceEvents"]:
    key = (e.get("name"), e.get("cat"), e.get("args"))
    if e["ph"] == "B":
        stacks[e["tid"]].append(key)
    elif e["ph"] == "E":
        assert key == stacks[e["tid"]].pop(), key
        ends += 1
assert ends and not any(stacks.values())
END
done
# An unfinished call ends at the last event of its thread, of any kind.
gsym-xray -q convert --to=chrome "$(trace bad-truncated-fn)" |
	grep -q '"name":"#4",.*"dur":0\.007,.*"end":"unfinished"' ||
	fail 'chrome: an event does not end an unfinished call'

# Of calls that begin at one time the caller comes first: viewers take the first
# one for the caller.  The number of a thread may be negative.
python3 - equal <<'END' || exit 99
import struct, sys
def meta(kind, data=b""):
    return bytes([kind << 1 | 1]) + data.ljust(15, b"\0")
# Enter (0) or leave (1) a function, so many ticks after the event before.
events = [(0, 1, 0), (0, 2, 0), (0, 3, 0), (1, 3, 0), (0, 4, 0), (1, 4, 0),
          (1, 2, 5), (0, 5, 0), (0, 6, 0), (1, 6, 3), (1, 5, 0), (1, 1, 0)]
body = meta(0, struct.pack("<i", -5)) + meta(4, struct.pack("<qi", 10, 0)) + \
    meta(9, struct.pack("<i", 100)) + meta(2, struct.pack("<HQ", 0, 1000)) + \
    b"".join(struct.pack("<II", f << 4 | a << 1, d) for a, f, d in events)
open(sys.argv[1], "wb").write(
    struct.pack("<HHIQQQ", 5, 1, 3, 1000000000, 4096, 0) +
    meta(7, struct.pack("<Q", len(body))) + body)
END
gsym-xray convert equal >chrome || fail 'chrome of equal times'
order=$(sed -n 's/.*"ph":"X","name":"#\([0-9]*\)".*/\1/p' chrome | tr '\n' ' ')
[ "$order" = '5 6 1 2 3 4 ' ] || fail "callers are not first: $order"
grep -q '"tid":-5,"args":{"name":"thread -5"}' chrome &&
	[ "$(grep -c '"tid":-5,' chrome)" = 7 ] ||
	fail "chrome: the thread: $(cat chrome)"
for command in 'dump' 'dump --format=json' 'info' 'info --format=json' \
	'stack --threads' 'stack --threads --format=json' 'flame' \
	'fdr-dump --compat=llvm' 'convert --to=json' \
	'convert --to=folded --threads'; do
	# shellcheck disable=SC2086
	gsym-xray $command equal >out 2>err || fail "$command: $(cat err)"
	tr -d '\0' <out | grep -aq -e '"tid":-5' -e 'thread -5' -e 'ID: -5' ||
		fail "$command: no thread -5"
	! tr -d '\0' <out | grep -aq 4294967291 || fail "$command: the thread"
done
# llvm-xray has no signs there.
gsym-xray convert --to=yaml equal | grep -q 'thread: 4294967291,' ||
	fail 'yaml: the thread'
exit 0
