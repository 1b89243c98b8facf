#!/bin/sh
# SPDX-License-Identifier: MIT
# Dump files as JSON, with the memory that
# the log described, and programs that run for dump files.  Names are data,
# never paths.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
need python3
mkdir empty
none='--debug-file-directory=empty'
run()
{
	gsym-markup $none "$@" >out 2>err || { cat err; fail "$*: status $?"; }
}

printf '%b' '{{{module:7:late:elf:bb}}}\n{{{module:0:a"\\b:elf:abc}}}\n' \
	'{{{mmap:0x3000:0x10:load:7:rw:0x30}}}\n' \
	'{{{mmap:0x1000:0x1000:load:0:rx:0xfffffffffffff000}}}\n' \
	'see {{{dumpfile:sancov:x"\\y\001\t\0377../../etc/passwd}}} there\n' \
	'{{{mmap:0x1800:0x10:load:7:r:0x0}}}\n{{{dumpfile:../t:}}}\n' \
	'{{{reset}}}\n{{{dumpfile:t:n}}}\n' >log
run --dumpfile-output=dumps.json log
python3 - <<'END2' || { cat dumps.json; fail 'the JSON file'; }
import json
dumps = json.load(open("dumps.json", encoding="utf-8"))
a = {"name": "a\"\\b", "build": "0abc", "id": 0}
late = {"name": "late", "build": "bb", "id": 7}


def segment(mod, vaddr, size, flags, relative):
    return {"mod": mod, "vaddr": vaddr, "size": size, "flags": flags,
            "mod_rel_addr": relative}


assert dumps == [
    {"modules": [a, late],
     "segments": [segment(0, 0x1000, 0x1000, "rx", 2**64 - 0x1000),
                  segment(7, 0x3000, 0x10, "rw", 0x30)],
     "type": "sancov", "name": "x\"\\y\x01\t\ufffd../../etc/passwd",
     "line": 5},
    {"modules": [a, late],
     "segments": [segment(0, 0x1000, 0x800, "rx", 2**64 - 0x1000),
                  segment(7, 0x1800, 0x10, "r", 0),
                  segment(0, 0x1810, 0x7f0, "rx", 2**64 - 0x7f0),
                  segment(7, 0x3000, 0x10, "rw", 0x30)],
     "type": "../t", "name": "", "line": 7},
    {"modules": [], "segments": [], "type": "t", "name": "n", "line": 9},
], dumps
END2
# With --by-process the file names the process.
printf '==1== {{{module:0:a:elf:aa}}}\n==2== {{{dumpfile:t:n}}}\n==1== {{{dumpfile:t:m}}}\n' >processes
run --by-process --dumpfile-output=dumps.json processes
python3 - <<'END2' || { cat dumps.json; fail 'processes'; }
import json
one, two = json.load(open("dumps.json"))
assert (one["process"], one["modules"]) == ("2", []), one
assert (two["process"], len(two["modules"])) == ("1", 1), two
END2
# Without dump files the array is empty.  A file that cannot be written is an
# error.
echo text | gsym-markup --dumpfile-output=dumps.json >out || fail 'no dump'
[ "$(cat dumps.json)" = '[]' ] || fail 'no empty array'
echo text | gsym-markup --dumpfile-output=missing/dumps.json >out 2>err
[ $? = 2 ] || fail 'status without a folder'
grep -q "missing/dumps.json" err || { cat err; fail 'no message'; }
# The error comes before a log is read, which may take hours.  The check does
# not change the file.
[ ! -s out ] || fail 'the log was read first'
echo before >dumps.json
printf '{{{dumpfile:a' | gsym-markup --dumpfile-output=dumps.json >out
[ "$(cat dumps.json)" = '[]' ] || fail 'the old file is left'
[ -z "$(ls -A | grep '^\.dumps')" ] || fail "left behind: $(ls -A)"
mkfifo pipe
cat pipe >through &
echo text | gsym-markup --dumpfile-output=pipe >out || fail 'a pipe'
wait
[ "$(cat through)" = '[]' ] || fail "a pipe got $(cat through)"

# With --follow the file is written when the log pauses, not for each element;
# the whole file is written each time.
{
	for i in $(seq 200); do printf '{{{module:%d:name%d:elf:aa}}}\n' $i $i; done
	for i in $(seq 300); do echo "{{{dumpfile:t:number $i}}}"; done
} >log
gsym-markup $none -f --dumpfile-output=dumps.json log >out 2>err &
child=$!
until_true grep -q 'number 300' dumps.json
written=$(sed -n 's/^wchar: //p' /proc/$child/io)
[ "$written" -lt $((3 * $(wc -c <dumps.json))) ] ||
	fail "$written bytes were written for $(wc -c <dumps.json)"
echo '{{{dumpfile:t:number 301}}}' >>log
until_true grep -q 'number 301' dumps.json
kill -TERM $child
wait $child || fail "status $? of --follow"
# Of two output files one is complete before the other one is opened.
mkdir both
gsym-markup $none -f --output-dir=both --dumpfile-output=dumps.json log &
child=$!
sleep 2
kill -TERM $child
wait $child || fail "status $? of two outputs"
[ "$(grep -c 'number [0-9]' both/1.html)" = 301 ] || fail 'the page is not whole'
tail -n 1 both/1.html | grep -q '</html>' || fail 'the end of the page'
[ "$(grep -c '"number 301"' dumps.json)" = 1 ] || fail 'the dump files'

# Programs: arguments, environment, input; the first line of the output of each
# is shown.
program()
{
	cat >"$1"
	chmod +x "$1"
}
program one <<'END2'
#!/bin/sh
printf '%s|%s|%s|%s\nmore\n' "$1" "$2" "$GSYM_DUMP_TYPE" "$GSYM_DUMP_NAME"
cat >got.json
END2
program two <<'END2'
#!/bin/sh
# Reads nothing, and writes much.
printf '\033[2Jtwo'
head -c 300000 /dev/zero | tr '\0' x
END2
program three <<'END2'
#!/bin/sh
exit 3
END2
program four <<'END2'
#!/bin/sh
kill -KILL $$
END2
printf '{{{dumpfile:t:a b;$(touch bad)}}} {{{dumpfile:u:n}}}\n' >log
run --on-dumpfile=t=./one --on-dumpfile=t=./three log
[ "$(cat out)" = '[[[dumpfile:t:a b;$(touch bad)]]] -> t|a b;$(touch bad)|t|a b;$(touch bad) [[[dumpfile:u:n]]]' ] ||
	{ cat out; fail 'one'; }
[ -e bad ] && fail 'a name was run'
grep -q "note: './three', run for a dump file, failed" err || { cat err; fail three; }
python3 -c 'import json; assert json.load(open("got.json"))["name"] == "a b;$(touch bad)"' ||
	fail 'the input of a program'
run --on-dumpfile=u=./two --on-dumpfile=u=./one log
grep -q -- '-> \\x1b\[2Jtwoxxx' out || { cut -c1-300 out; fail two; }
[ "$(wc -c <out)" -lt 2000 ] || fail 'more than the start of its output'
run --on-dumpfile=u=./four --on-dumpfile=t=./missing log
grep -q "note: './four', run for a dump file, was ended by a signal" err || { cat err; fail four; }
grep -q "note: './missing', run for a dump file, cannot be run" err || { cat err; fail missing; }
run -q --on-dumpfile=u=./four --on-dumpfile=t=./missing log
[ -s err ] && { cat err; fail '--quiet'; }
# What a program leaves running is ended with it.
program six <<'END2'
#!/bin/sh
sleep 300 >/dev/null &
echo $! >left
echo six
END2
run --on-dumpfile=u=./six log
grep -q -- '-> six' out || fail six
until_true sh -c '! kill -0 "$(cat left)" 2>/dev/null || grep -q "^State:.Z" "/proc/$(cat left)/status"'
# SIGTERM ends a program that is running; no further one is started.
program five <<'END2'
#!/bin/sh
echo started >>started
exec sleep 29
END2
printf '{{{dumpfile:t:a}}}\n{{{dumpfile:t:b}}}\n' >log
gsym-markup $none --on-dumpfile=t=./five log >out 2>err &
child=$!
until_true [ -s started ]
kill -TERM $child
wait $child
status=$?
[ $status = 143 ] || fail "status $status of a signal"
grep -q "note: './five', run for a dump file, was ended by a signal to gsym-markup" err ||
	{ cat err; fail five; }
[ "$(cat started)" = started ] || fail 'another one was started'
printf '[[[dumpfile:t:a]]]\n[[[dumpfile:t:b]]]\n' | cmp - out || fail 'five: text'
# The caller ignores the ends of its children.
printf '{{{dumpfile:t:a}}}\n' >log
(trap '' CHLD; exec gsym-markup $none --on-dumpfile=t=./one log) >out 2>err ||
	fail 'SIGCHLD is ignored'
[ -s err ] && { cat err; fail 'SIGCHLD is ignored: a message'; }
grep -q -- '-> t|a' out || fail 'SIGCHLD is ignored: no answer'
# No argument can hold NUL.
printf '{{{dumpfile:t:a\0b}}}\n' >log
run --on-dumpfile=t=./one log
grep -q 'holds NUL' err || { cat err; fail NUL; }
exit 0
