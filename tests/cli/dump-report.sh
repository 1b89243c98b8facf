#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-dump --report: what takes the bytes of a GSYM file, by use, folder and
# template, and what has grown since another one.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need python3

# A Breakpad file, of functions 16 bytes long: "file:name".
write()
{
	echo 'MODULE Linux x86_64 000000000000000000000000000000000 prog'
	printf 'FILE 0 /src/app/a.cc\nFILE 1 /src/lib/b.h\nFILE 2 c.c\n'
	printf 'INLINE_ORIGIN 0 lib::list<char>::add(char)\n'
	at=4096
	for function in "$@"; do
		printf 'FUNC %x 10 0 %s\n' $at "${function#*:}"
		case $function in
		inlined:*) printf 'INLINE 0 5 0 0 %x 8\n%x 8 9 1\n%x 8 6 0\n' \
			$at $at $((at + 8)) ;;
		-:*) ;;
		*) printf '%x 10 7 %s\n' $at "${function%%:*}" ;;
		esac
		at=$((at + 16))
	done
}
write 0:main '1:lib::list<int>::add(int)' '1:void lib::sort<int>(int*, int*)' \
	inlined:run 2:plain -:none >old.sym
write 0:main '1:lib::list<int>::add(int)' '1:lib::list<long>::add(long)' \
	'1:void lib::sort<int>(int*, int*)' inlined:run 2:plain -:none \
	'0:lib::map<lib::list<int> >::operator<(int) const' >new.sym
for name in old new; do
	gsym-create -q "$name.sym" -o "$name.gsym" || fail "$name"
done

# Each table counts every byte once, and a template has its instances.
cat >check.py <<'END'
import json, os, sys

def read(arguments, path):
    text = os.popen(f"gsym-dump --json --report {arguments} {path}").read()
    return [json.loads(line) for line in text.splitlines()]

def rows(lines, key):
    return {r[key]: r for r in lines if key in r}

tables = {}
for path in "old.gsym", "new.gsym":
    lines = read("", path)
    size = os.path.getsize(path)
    assert lines[0]["bytes"]["all"] == size
    for key in "folder", "template":
        table = tables[path, key] = rows(lines, key)
        assert sum(r["bytes"] for r in table.values()) == size, (path, key)
        order = [r["bytes"] for r in lines if key in r]
        assert order == sorted(order, reverse=True)
folders, templates = (tables["new.gsym", k] for k in ("folder", "template"))
functions = {name: r["functions"] for name, r in folders.items()}
# The first instruction of "run" is inlined: it belongs to its caller's folder.
assert functions == {"/src/app": 3, "/src/lib": 3, ".": 1, "(shared tables)": 0,
                     "(no source file)": 1}, functions
functions = {name: r["functions"] for name, r in templates.items()}
assert functions == {"lib::list<>::add": 2, "lib::sort<>": 1,
                     "lib::map<>::operator<": 1, "(no template)": 4,
                     "(shared tables)": 0}, functions

changes = read("--since=old.gsym", "new.gsym")
for key in "folder", "template":
    table = rows(changes, key)
    new, old = tables["new.gsym", key], tables["old.gsym", key]
    for name in {*new, *old}:
        change = (new.get(name, {"bytes": 0})["bytes"] -
                  old.get(name, {"bytes": 0})["bytes"])
        assert change == table.get(name, {"bytes_change": 0})["bytes_change"], name
all = changes[0]["bytes"]["all"]
assert all["change"] == all["bytes"] - os.path.getsize("old.gsym")
back = rows(read("--since=new.gsym", "old.gsym"), "template")
gone = back["lib::map<>::operator<"]
assert gone["bytes"] == 0 and gone["bytes_change"] < 0
assert gone["functions_change"] == -1
END
python3 check.py || fail 'the numbers'

gsym-dump --report --since=old.gsym new.gsym >text || fail 'text'
grep -q ' +[0-9]*  lib::map<>::operator<$' text || fail "$(cat text)"
grep -q '^Bytes by folder$' text || fail "$(cat text)"
gsym-dump --report --since=new.gsym new.gsym >text || fail 'no change'
sed '1,/^Bytes by folder/d' text | grep -q '[0-9]' && fail "$(cat text)"

# Only the first 20 rows are shown as text.
i=0
while [ $i -lt 50 ]; do
	set -- "$@" "0:t$i<int>::f()"
	i=$((i + 1))
done
write "$@" >many.sym
gsym-create -q many.sym -o many.gsym || fail 'many'
gsym-dump --report many.gsym >text || fail 'many'
grep -q '(31 more)' text || fail "$(cat text)"

for bad in --since=old.gsym '--report --since=missing.gsym'; do
	# shellcheck disable=SC2086
	gsym-dump $bad new.gsym >out 2>err
	[ $? = 2 ] && [ -s err ] || fail "$bad"
done

# 3000 names are ends of one string, which would be read three thousand times.
python3 - <<'END' >shared.gsym || fail 'no shared.gsym'
import struct, sys
COUNT, LENGTH = 3000, 4000
strings = b"\0" + b"f<" + b"f" * LENGTH + b"\0"
at = 48 + 8 * COUNT + 12 + len(strings)
pad = -at % 4
start = at + pad
sys.stdout.buffer.write(
    struct.pack("<IHBBQIII20x", 0x4753594d, 1, 4, 0, 0x1000, COUNT,
                48 + 8 * COUNT + 12, len(strings)) +
    struct.pack(f"<{COUNT}I", *(16 * i for i in range(COUNT))) +
    struct.pack(f"<{COUNT}I", *(start + 16 * i for i in range(COUNT))) +
    struct.pack("<III", 1, 0, 0) + strings + bytes(pad) +
    b"".join(struct.pack("<IIQ", 16, 1 + i, 0) for i in range(COUNT)))
END
gsym-dump --report shared.gsym >text 2>err
[ $? = 2 ] && grep -q 'some names and paths are left out' err ||
	fail "shared: $(cat err)"
exit 0
