#!/bin/sh
# SPDX-License-Identifier: MIT
# llvm-symbolizer finds and reads the files that gsym-create --install writes.
# For bt, pc and data elements with addresses all over a few programs,
# gsym-markup --compat=llvm writes the same bytes as llvm-symbolizer.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
# Older ones read no GSYM files.
need_llvm llvm-symbolizer 22
theirs=$llvm
need g++
need python3

# Writes a log with addresses all over the sections of an ELF file.
cat >sweep.py <<'END'
import re, subprocess, sys
path, build_id, code_step, data_step = sys.argv[1], sys.argv[2], \
    int(sys.argv[3]), int(sys.argv[4])
base = 0x560000000000
print("{{{module:0:%s:elf:%s}}}" % (path, build_id))
sections = []
for line in subprocess.run(["readelf", "-SW", path], check=True, text=True,
                           stdout=subprocess.PIPE).stdout.splitlines():
    found = re.match(r" *\[ *\d+\] (\S+) +(PROGBITS|NOBITS) +([0-9a-f]+) "
                     r"[0-9a-f]+ ([0-9a-f]+) [0-9a-f]+ +([A-Z]*) ", line)
    if found and "A" in found.group(5) and "T" not in found.group(5):
        sections.append((int(found.group(3), 16), int(found.group(4), 16),
                         "X" in found.group(5)))
last = max(start + size for start, size, _ in sections)
print("{{{mmap:0x%x:0x%x:load:0:rwx:0x0}}}" % (base, last + 0x1000))
for start, size, code in sections:
    for at in range(start, start + size + 8, code_step if code else data_step):
        print("{{{data:0x%x}}}" % (base + at))
        if code:
            print("{{{pc:0x%x}}}" % (base + at))
            print("{{{bt:%d:0x%x:%s}}}" % (at & 7, base + at,
                                           ("pc", "ra")[at >> 3 & 1]))
END

# Compare both filters on log.  $1: the name of the case; the rest: options.
same()
{
	what=$1
	shift
	$theirs --filter-markup "$@" <log >theirs.out 2>theirs.err
	gsym-markup --compat=llvm "$@" <log >ours.out 2>ours.err ||
		fail "$what: status $?"
	cmp -s theirs.out ours.out || {
		diff -a theirs.out ours.out | head -n 20
		fail "$what: $(diff -a theirs.out ours.out | grep -c '^>') lines differ"
	}
	diff -a theirs.err ours.err || fail "$what: messages"
}

# Try the ELF file $1 with an address every $2 bytes of code, $3 bytes of data.
try()
{
	program=$1
	id=$(readelf -n "$program" | sed -n 's/.*Build ID: *//p' | head -n 1)
	[ -n "$id" ] || { echo "$program: no build ID"; return; }
	rm -rf tree g
	gsym-create --quiet --install=tree "$program" || fail "$program: --install"
	python3 sweep.py "$program" "$id" "$2" "$3" >log || fail sweep
	same "$program" --debug-file-directory=tree
	# Elements of all three kinds have answers.
	for kind in '^ *#[0-7]' '^[^[ ].*\[.*:[1-9][0-9]*]$' '^[A-Za-z_][^[]*$'; do
		[ "$(grep -c -a "$kind" ours.out)" -gt 3 ] ||
			fail "$program: nothing like $kind"
	done
	# The GSYM files in another folder, with the name that LLVM wants there.
	mkdir g
	find tree -name '*.debug.gsym' -exec mv {} g/ \;
	same "$program, another folder" --debug-file-directory=tree \
		--gsym-file-directory=g
	echo "$program: $(grep -c '{{{' log) elements"
}

g++ -O2 -g -shared -fPIC -Wl,--build-id -o libshape.so \
	"$markup_data/shape.cpp" 2>../stderr || skip "no library: $(cat ../stderr)"
try libshape.so 1 1
g++ -O2 -g -Wl,--build-id -o shop "$top_srcdir/examples/quickstart.cpp" &&
	try shop 1 1
compile prog -Wl,--build-id
try prog 1 1
# Aliases, labels without size, thread-local data, gaps between data.
cat >odd.c <<'END'
int first[4] = { 1 }, gap[3];
extern int second[4] __attribute__((alias("first")));
extern int third[4] __attribute__((weak, alias("first")));
static int local[5] __attribute__((used)) = { 2 };
__thread int thread_local_one = 3;
int one(int x) { return x + first[0]; }
int two(int x) __attribute__((alias("one")));
__asm__(".data\nlabel: .long 1, 2, 3\ninner: .long 4\n.text\nstub: nop\nnop\n");
END
# shellcheck disable=SC2086
${CC:-cc} -g -O1 -shared -fPIC -Wl,--build-id -o odd.so odd.c ||
	fail 'cannot compile odd.c'
try odd.so 1 1
for file in "$top_builddir"/.libs/libgsym.so.?.*; do
	[ -f "$file" ] && try "$file" 97 13
done
exit 0
