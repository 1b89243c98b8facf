#!/bin/sh
# SPDX-License-Identifier: MIT
# Dump files as JSON, with the memory that the log described.  Names are data,
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
exit 0
