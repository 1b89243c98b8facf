#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-crashes of the Python package, which runs gsym-markup: each crash once,
# with a signature that does not depend on addresses, allocators and inlined
# calls.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
python=${PYTHON:-python3}
need "$python" python3
$python -c 'import sys; sys.exit(sys.version_info < (3, 9))' ||
	skip 'python3 is older than 3.9'
PYTHONPATH=$top_srcdir/python PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE
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
gsym_crashes() { $python -m gsym.crashes "$@"; }
crashes() { gsym_crashes -q --no-verify --debug-file-directory=debug "$@"; }
check() # stdin: a program over the JSON of OUT
{
	$python -c "import json, sys
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
crashes --format=json log >out || fail 'status'
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
crashes --format=json log >out || fail 'status'
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
crashes --format=json <log >out || fail 'status'
check '
kinds = [(x.get("tool"), x.get("kind"), x["function"])
         for x in all["crashes"]]
assert kinds == [("LeakSanitizer", "memory leak", "work"),
    ("LeakSanitizer", "memory leak", "main"),
    ("ThreadSanitizer", "data race", "work"),
    ("UndefinedBehaviorSanitizer", "signed integer overflow", "main"),
], kinds
' 'other sanitizers'

crashes --format=sarif log >out || fail 'status'
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
crashes --by-process --format=json log >out || fail 'status'
check '
c = all["crashes"]
assert len(c) == 1 and c[0]["count"] == 2, c
assert (c[0]["first_line"], c[0]["last_line"]) == (5, 6), c
assert [f["function"] for f in c[0]["frames"]] == ["tiny()", "work", "main"], c
' 'two processes'

# The process that crashes second goes on first.
echo '==2== {{{bt:0:0x12310:pc}}}' >>log
crashes --by-process --format=json log >out || fail 'status'
check '
c = all["crashes"]
assert (c[0]["first_line"], c[0]["last_line"]) == (5, 6), c
' 'the second process first'

# Backtraces without markup: an oops at two places in memory, and reports of
# KASAN, which have a second stack trace.  The first lines of an oops are
# repeated at its end; frames after "?" are left-overs of the stack.
logs=$top_srcdir/testdata/logs
{
	cat "$logs/kernel/oops-x86_64.log"
	echo '[ 142.3] RIP: 0010:btrfs_get_extent+0xac/0x6b0 [btrfs]'
	sed 's/^\[  142/[  900/; s/ffffb0e5409c/ffffb1e5409c/; s/ ? page.*//' \
		"$logs/kernel/oops-x86_64.log"
	for at in 1 2; do
		cat <<-END
		[ 1000.$at] BUG: KASAN: slab-use-after-free in drop+0x2$at/0x40 [m]
		[ 1000.$at] Call Trace:
		[ 1000.$at]  drop+0x2$at/0x40 [m]
		[ 1000.$at]  put_all+0x1$at/0x80 [m]
		[ 1000.$at]
		[ 1000.$at] Allocated by task 7:
		[ 1000.$at]  make+0x1$at/0x40 [m]
		[ 1000.$at] a line
		END
	done
} >log
crashes --logs --format=json log >out || fail 'status of kernel'
check '
c = all["crashes"]
assert [x["count"] for x in c] == [2, 2], c
assert c[0]["kind"] == "kernel NULL pointer dereference", c[0]
assert c[0]["tool"] == "kernel" and c[0]["first_line"] == 9, c[0]
assert [f["function"] for f in c[0]["frames"] if f.get("in_signature")] == [
    "btrfs_get_extent", "btrfs_do_readpage", "btrfs_readahead", "read_pages",
    "page_cache_ra_unbounded", "filemap_get_pages", "filemap_read",
    "vfs_read"], c[0]
assert (c[1]["tool"], c[1]["kind"]) == ("KASAN", "slab-use-after-free"), c[1]
names = [f["function"] for f in c[1]["frames"]]
assert names == ["drop", "drop", "put_all"], names
' 'kernel'
# A sanitizer without markup: frames have numbers; modules are elsewhere in the
# second report.
{
	cat "$logs/sanitizer/asan-uaf.log"
	sed 's/0x7f00c/0x7e11c/g; s/0x5642f/0x5551f/g' \
		"$logs/sanitizer/asan-uaf.log"
} >log
mkdir -p ids/.build-id
for file in "$logs"/ids/*.debug.gsym; do
	name=$(basename "$file")
	for byte in $(grep -o 'BuildId: [0-9a-f]*' log | sort -u | cut -c10-); do
		[ "${byte#??}.debug.gsym" != "$name" ] || {
			mkdir -p "ids/.build-id/${byte%"${byte#??}"}"
			cp "$file" "ids/.build-id/${byte%"${byte#??}"}/$name"
		}
	done
done
crashes --logs --format=json --debug-file-directory=ids log >out ||
	fail 'status of sanitizer'
check '
c = all["crashes"]
assert len(c) == 1 and c[0]["count"] == 2, c
assert c[0]["kind"] == "heap-use-after-free", c
names = [f.get("function") for f in c[0]["frames"]]
assert names[0] and "geo::" in names[0] and c[0]["frames"][0]["line"], c
' 'a sanitizer without markup'
# Without numbers, a line between two frames ends the stack.
printf '%s\n' './a(f+0x1) [0x1001]' './a(g+0x2) [0x1002]' 'text' \
	'./a(g+0x3) [0x1003]' >log
crashes --logs=glibc --format=json log >out || fail 'status of glibc'
check '
c = all["crashes"]
assert [[f["function"] for f in x["frames"]] for x in c] == [["f", "g"], ["g"]]
' 'glibc'

# Reports without frames, of which the filter holds none back, take no memory;
# kinds are right whatever there is room for.
$python - >log <<'END' || fail 'the log of many reports'
for i in range(400000):
    print("ERROR: AddressSanitizer: kind%d on 0x1" % i)
print("./a(f+0x1) [0x1001]")
for i in range(6):
    print("ERROR: AddressSanitizer: last%d on 0x1" % i)
    print("./a(g%d+0x1) [0x1001]" % i)
END
(
	case ${GSYM_SANITIZE:-} in
	'') ulimit -v 60000 ;;
	esac
	crashes --logs=glibc --format=json log
) >out || fail 'status of many reports'
check '
kinds = [x["kind"] for x in all["crashes"]]
assert kinds == ["kind399999"] + ["last%d" % i for i in range(6)], kinds
assert "lost" not in all, all
' 'many reports'
cp out whole
# Less room: what is shown is right, and the rest is counted.
gsym-markup -q --logs=glibc --debug-file-directory=none --json log >objects ||
	fail "status $?"
for limit in 1 2 3; do
	$python - $limit --format=json --from-json=objects >out 2>err <<'END' ||
import sys
from gsym import _crashes, crashes
limit = int(sys.argv.pop(1))
for name, least in (("PROCESSES", 1), ("MARKS", 1), ("CRASHES", 1), ("KEPT", 4),
                    ("TEXTS", 2), ("CACHED", 1)):
    setattr(_crashes, f"MOST_{name}", least * limit)
_crashes.LONGEST_TEXT = 16 * limit
sys.exit(crashes.main())
END
		fail "status of limit $limit: $(cat err)"
	check '
known = {x["signature"]: x for x in json.load(open("whole"))["crashes"]}
got = all["crashes"]
assert got and sum(x["count"] for x in got) + all["lost"] == len(known), all
for x in got:
    assert x == known[x["signature"]], x
' "limit $limit"
	grep -q 'stack traces are not counted' err || fail "no message: $limit"
done
# Crashes that differ in the name of a module alone.
$python - >log <<'END' || fail 'the log of many modules'
for i in range(3000):
    print("./m%d(+0x1) [0x1001]" % i)
    print("text")
END
crashes --logs=glibc --format=json log >out || fail 'status of many modules'
check 'assert len(all["crashes"]) == 3000, len(all["crashes"])' 'many modules'

echo nothing | crashes --format=json >out || fail 'status of no crash'
check 'assert all == {"crashes": []}' 'no crash'

# Text; signatures do not change from release to release.
module 4096 _Z3geti malloc work main _start abort
log 65536 4096 "$asan" 0=1 1=0 2=2 3=3 0=3 >log
crashes log >out || fail 'status of text'
cat >expected <<'END'
once, line 5: heap-use-after-free (AddressSanitizer) in get(int)
  signature 839a31886f5aca20
    malloc at /src/a.c:7
  * get(int) at /src/a.c:7
    tiny() at /src/a.h:7 [inlined]
  * work at /src/a.c:30
  * main at /src/a.c:7
END
cmp expected out || fail "text: $(cat out)"
printf '%s\n' './a(f+0x1) [0x1001]' 'text' './a(f+0x1) [0x1001]' >log
crashes --logs log >out || fail 'status of two'
cat >expected <<'END'
2 times, lines 1 to 3: crash in f
  signature 2f785e189cbd07f1
  * f in a
END
cmp expected out || fail "two: $(cat out)"

# What gsym-markup wrote before, as a file and as a pipe; and reasons.
gsym-markup -q --logs --debug-file-directory=none --json log >objects
for how in --from-json=objects '--from-json -'; do
	# shellcheck disable=SC2086 # two words
	gsym_crashes $how <objects >got || fail "$how: $?"
	cmp out got || fail "$how"
done
crashes --logs --explain -- log >got 2>err || fail 'status with --explain'
cmp out got || fail 'other crashes with --explain'
[ "$(grep -c '^line [13]: glibc frame, ' err)" = 2 ] || fail "$(cat err)"

# Statuses and messages: 1 says no, 2 is an error, whose message is that of
# gsym-markup; there is no output then, and never a traceback.
refused() # status, pattern, arguments
{
	status=$1 pattern=$2
	shift 2
	gsym_crashes "$@" </dev/null >got 2>err
	[ $? = "$status" ] || fail "$*: not $status: $(cat got err)"
	grep -q -e "$pattern" err || fail "$*: $(cat err)"
	! grep -q Traceback err || fail "$*: $(cat err)"
	[ "$status" = 1 ] || [ ! -s got ] || fail "$*: $(cat got)"
}
refused 1 'no symbols for module' --logs --strict log
cmp out got || fail 'no output with status 1'
refused 2 "gsym-markup: cannot open 'none'" none
refused 2 'gsym-markup: .*--nothing' --nothing
refused 2 'gsym-markup: --json does not go with' --compat=llvm
refused 2 'invalid choice' --format=html log
refused 2 'does not go with log' --from-json=objects log
refused 2 "No such file or directory: 'none'" --from-json=none
refused 2 "'log': a line is no object of JSON" --from-json=log
refused 2 'not what gsym-markup --json writes' --from-json=/dev/null
own=$($python -c 'import sys; print(sys.executable)')
PATH=/nowhere "$own" -m gsym.crashes log >got 2>err
[ $? = 2 ] || fail "without gsym-markup: $(cat err)"
grep -q "No such file or directory: 'gsym-markup'" err || fail "$(cat err)"
[ ! -e /dev/full ] || {
	crashes --logs log 2>err >/dev/full
	[ $? = 2 ] || fail 'status of a full disk'
	[ "$(wc -l <err)" = 1 ] && grep -q 'No space left' err || fail "$(cat err)"
}
exit 0
