#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-markup --crashes: each crash once, with a signature that does not depend
# on addresses, allocators and inlined calls.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
need python3
id=00112233445566778899aabbccddeeff01234567
# A module with functions at 0x1000, 0x1100 and so on, $1 names them all; the
# others in the module have lines.
module()
{
	{
		echo 'MODULE Linux x86_64 000000000000000000000000000000000 m'
		echo 'FILE 0 /src/a.c'
		echo 'FILE 1 /src/a.h'
		echo 'INLINE_ORIGIN 0 tiny()'
		at=$1
		shift
		for name in "$@"; do
			printf 'FUNC %x 100 0 %s\n' "$at" "$name"
			[ "$name" != work ] ||
				printf 'INLINE 0 30 0 0 %x 20\n' "$at"
			printf '%x 20 %d %d\n%x e0 21 0\n' "$at" 7 \
				"$([ "$name" = work ] && echo 1 || echo 0)" \
				$((at + 32))
			at=$((at + 256))
		done
	} >module.sym
	mkdir -p "debug/.build-id/00"
	gsym-create -q -o "debug/.build-id/00/${id#00}.debug.gsym" module.sym \
		>/dev/null || fail 'gsym-create'
}
# The log of a run whose module is loaded at $1 and whose functions begin at $2.
log()
{
	echo "{{{reset}}}"
	echo "{{{module:0:/opt/lib/m.so:elf:$id}}}"
	printf '{{{mmap:0x%x:0x10000:load:0:rx:0x0}}}\n' "$1"
	f=$(($1 + $2))
	shift 2
	for frame in "$@"; do
		case $frame in
		[0-9]=[0-9]) printf '{{{bt:%d:0x%x:pc}}}\n' "${frame%=*}" \
			$((f + 256 * ${frame#*=} + 16)) ;;
		*) echo "$frame" ;;
		esac
	done
}
crashes() { gsym-markup -q --no-verify --debug-file-directory=debug "$@"; }
check() # stdin: a program over the JSON of OUT
{
	python3 -c "import json, sys
all = json.load(open('out'))
$1" || fail "$2: $(cat out)"
}

#        0      1          2      3    4    5
module 4096 malloc __asan_report work main _start abort
asan='==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x1 at pc 0x2'
{
	log 65536 4096 'text' "$asan" 0=1 1=2 2=3 3=4 freed: 0=0 1=3 \
		'SUMMARY: AddressSanitizer: heap-use-after-free a.c:7 in work'
	# The same crash at another address; and one without a report.
	log 131072 4096 "$asan" 0=2 1=3 2=4 'SUMMARY: AddressSanitizer: x'
	log 65536 4096 0=5 1=3
	# Recursion of any depth, and a module that nobody knows.
	log 65536 4096 0=3 1=3 2=3 3=4
	echo '{{{bt:0:0x9}}}'
} >log
crashes --crashes=json log >out || fail 'status'
check '
c = all["crashes"]
assert [x["count"] for x in c] == [2, 2, 1], c
a, b, u = c
assert a["kind"] == "heap-use-after-free" and a["tool"] == "AddressSanitizer"
assert a["function"] == "work" and "kind" not in b
assert (a["first_line"], a["last_line"]) == (6, 18), a
names = [(f["function"], f.get("line"), f.get("inlined", False))
         for f in a["frames"]]
assert names == [("__asan_report", 7, False), ("tiny()", 7, True),
                 ("work", 30, False), ("main", 7, False),
                 ("_start", 7, False)], names
assert [f["function"] for f in a["frames"] if f.get("in_signature")] == [
    "work", "main"]
assert a["frames"][0]["module"] == "m.so"
assert a["frames"][2]["file"] == "/src/a.c"
assert b["function"] == "main" and b["first_line"] == 25, b
assert u["function"] == "?" and u["first_line"] == 34, u
' 'crashes'
cp out first

# Another build: functions lie elsewhere, and lines are the same or not.
module 8192 free malloc __asan_report work main _start abort
log 65536 8192 'a' "$asan" 0=2 1=3 2=4 3=5 >log
crashes --crashes=json log >out || fail 'status'
check '
first = json.load(open("first"))["crashes"][0]
c = all["crashes"]
assert len(c) == 1 and c[0]["signature"] == first["signature"], c
assert len(c[0]["signature"]) == 16
' 'another build'

# Leaks and reports of other sanitizers.
log 65536 8192 '==2==ERROR: LeakSanitizer: detected memory leaks' \
	'Direct leak of 8 byte(s) in 1 object(s) allocated from:' 0=1 1=3 \
	'Indirect leak of 8 byte(s) in 1 object(s) allocated from:' 0=1 1=4 \
	'SUMMARY: AddressSanitizer: 16 byte(s) leaked in 2 allocation(s).' \
	'WARNING: ThreadSanitizer: data race (pid=7)' 0=3 'Previous write' 0=4 \
	'SUMMARY: ThreadSanitizer: data race a.c:7 in work' \
	'a.c:7:3: runtime error: signed integer overflow: 1 + 2' 0=4 >log
crashes --crashes=json <log >out || fail 'status'
check '
kinds = [(x.get("tool"), x.get("kind"), x["function"])
         for x in all["crashes"]]
assert kinds == [("LeakSanitizer", "memory leak", "work"),
    ("LeakSanitizer", "memory leak", "main"),
    ("ThreadSanitizer", "data race", "work"),
    ("UndefinedBehaviorSanitizer", "signed integer overflow", "main"),
], kinds
' 'other sanitizers'

crashes --crashes=sarif log >out || fail 'status'
check '
assert all["version"] == "2.1.0" and len(all["runs"]) == 1
run = all["runs"][0]
rules = [r["id"] for r in run["tool"]["driver"]["rules"]]
assert rules == ["memory leak", "data race", "signed integer overflow"], rules
assert len(run["results"]) == 4
r = run["results"][2]
assert r["ruleId"] == "data race" and r["message"]["text"] == "data race in work"
place = r["locations"][0]["physicalLocation"]
assert place["artifactLocation"]["uri"] == "/src/a.c"
assert place["region"]["startLine"] == 30
assert len(r["partialFingerprints"]["gsymCrash/v1"]) == 16
assert r["occurrenceCount"] == 1
assert r["stacks"][0]["frames"][0]["location"]["logicalLocations"]
' 'SARIF'

# Two processes that crash at the same time.
{
	echo "==1== {{{module:0:m.so:elf:$id}}}"
	echo "==1== {{{mmap:0x10000:0x10000:load:0:rx:0x0}}}"
	echo "==2== {{{module:0:m.so:elf:$id}}}"
	echo "==2== {{{mmap:0x10000:0x10000:load:0:rx:0x0}}}"
	for frame in 0:0x12310:pc 1:0x12410:pc; do
		echo "==1== {{{bt:$frame}}}"
		echo "==2== {{{bt:$frame}}}"
	done
} >log
crashes --by-process --crashes=json log >out || fail 'status'
check '
c = all["crashes"]
assert len(c) == 1 and c[0]["count"] == 2, c
assert [f["function"] for f in c[0]["frames"]] == ["tiny()", "work", "main"], c
' 'two processes'

echo nothing | crashes --crashes=json >out || fail 'status of no crash'
check 'assert all == {"crashes": []}' 'no crash'
gsym-markup --crashes=json --format=html log 2>err && fail 'a page of crashes'
gsym-markup --crashes=xml log 2>err && fail 'crashes in XML'
exit 0
