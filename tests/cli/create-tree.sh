#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-create --recursive: a folder with programs, links, pipes and other files.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need readelf
compile prog -Wl,--build-id -rdynamic
mkdir -p in/a/b in/c in/empty
cp prog in/a/prog
strip -o in/a/b/stripped prog
compile other -Wl,--build-id -DOTHER -O2
mv other in/c/other
gsym-create -q -o in/c/old.gsym prog || fail "$?"
head -c 1000 prog >in/c/cut
echo text >in/c/text
: >in/c/nothing
ln -s .. in/c/up
ln -s ../a/prog in/c/link
ln -s nowhere in/c/dangling
ln -s ../../prog in/c/outside
mkfifo in/c/pipe
printf 'int only_data = 5;\n' >data.c
${CC:-cc} -c -o in/c/data.o data.c >log 2>&1 || fail "cannot compile: $(cat log)"
find in | sort >before

gsym-create --recursive --output-dir=out -j3 in 2>err
[ $? = 2 ] || fail "status: $(cat err)"
grep -q '^in: 4 converted, 0 kept, 1 without functions, 1 failed$' err ||
	fail "summary: $(cat err)"
grep -q "^gsym-create: 'in/c/cut': cannot read 'in/c/cut': " err ||
	fail "the one that failed: $(cat err)"
[ "$(wc -l <err)" = 2 ] || fail "more than that: $(cat err)"
(cd out && find . -type f | sort) >got
printf './a/b/stripped.gsym\n./a/prog.gsym\n./c/other.gsym\n./c/outside.gsym\n' | cmp - got ||
	fail "files: $(cat got)"
find in | sort | cmp - before || fail 'the input was touched'
gsym-create -q -o alone.gsym in/a/prog && cmp alone.gsym out/a/prog.gsym ||
	fail 'a file on its own is another'

# A file instead of a folder keeps its name.
gsym-create -q -r --output-dir=single in/a/prog || fail "a file: $?"
[ "$(ls -A single)" = prog.gsym ] || fail "a file: $(ls -A single)"
cmp single/prog.gsym out/a/prog.gsym || fail 'a file is converted differently'

# A caller that ignores SIGCHLD, which its children inherit.
if env --ignore-signal=CHLD true 2>/dev/null; then
	env --ignore-signal=CHLD gsym-create -q -r --output-dir=ignored in/a ||
		fail "SIGCHLD is ignored: $?"
	cmp ignored/prog.gsym out/a/prog.gsym || fail 'SIGCHLD is ignored'
fi

# A file that is cut while it is looked at costs no other file.
# shellcheck disable=SC2086 # $CC may have options
if [ -z "${GSYM_SANITIZE:-}" ] &&
	${CC:-cc} -O1 -fPIC -shared -o odd_files.so \
		"$top_srcdir/tests/support/odd_files.c" 2>err; then
	mkdir cuts
	for name in a b c; do
		cp prog cuts/$name
	done
	ODD_CUT=$PWD/cuts/b LD_PRELOAD=$PWD/odd_files.so \
		gsym-create -r --output-dir=cut cuts 2>err
	[ $? = 2 ] || fail "a file is cut: $? $(cat err)"
	grep -q "^cuts: 2 converted, 0 kept, 1 failed$" err ||
		fail "a file is cut: $(cat err)"
	grep -q "^gsym-create: 'cuts/b': a file was cut short while it" err ||
		fail "a file is cut: $(cat err)"
	cmp cut/a.gsym out/a/prog.gsym && cmp cut/c.gsym out/a/prog.gsym ||
		fail 'a file is cut: the others'
	# So is an output of before, which is made again.
	ODD_CUT=$PWD/cut/a.gsym LD_PRELOAD=$PWD/odd_files.so \
		gsym-create -r --output-dir=cut cuts 2>err
	[ $? = 0 ] || fail "an output is cut: $? $(cat err)"
	grep -q "^cuts: 1 converted, 1 kept, 0 failed$" err ||
		fail "an output is cut: $(cat err)"
	cmp cut/a.gsym out/a/prog.gsym ||
		fail "an output is cut: the file"
fi

# Many files: several batches.
mkdir batches
i=100
while [ $i -lt 400 ]; do
	echo $i >batches/$i
	i=$((i + 1))
done
for name in 000 250 999; do
	cp prog batches/$name
done
mkdir batches/300.d
chmod 000 batches/300.d
gsym-create -r --json --output-dir=batched batches >json 2>err
grep -q '"converted":3,.*"skipped":299,' json || fail "batches: $(cat json err)"
chmod 755 batches/300.d
[ "$(sed 's/"input"/\n&/g' json | grep -c 'batches/\(000\|250\|999\)')" = 3 ] ||
	fail "batches: $(cat json)"

# Once more: existing outputs are kept, unless they are damaged or belong to
# another program.
echo damage >out/a/prog.gsym
cp out/c/other.gsym out/a/b/stripped.gsym
gsym-create -r --output-dir out in 2>err
grep -q '^in: 2 converted, 2 kept, 1 without functions, 1 failed$' err ||
	fail "again: $(cat err)"
cmp alone.gsym out/a/prog.gsym || fail 'what was damaged'
rm in/c/cut
gsym-create --recursive --output-dir=out --json in >json 2>err ||
	fail "JSON: $(cat err)"
[ ! -s err ] || fail "words: $(cat err)"
grep -q '^{"input":"in","output":"out","converted":0,"different":0,"kept":4,' \
	json || fail "JSON: $(cat json)"
grep -q '{"input":"in/c/data.o","outcome":"empty"}' json || fail 'JSON files'

# Damage in a file that is converted all the same is said, and counted.
mkdir damaged
cp prog damaged/good
cp prog damaged/bad
at=$(readelf -SW prog | sed -n \
	's/.* \.debug_line  *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
[ -n "$at" ] || fail 'no section .debug_line'
printf '\377\377\377\000' |
	dd of=damaged/bad bs=1 seek=$((0x$at)) conv=notrunc 2>log
gsym-create -r --output-dir=mended damaged 2>err || fail "damage: $(cat err)"
grep -q '^damaged: 2 converted, 0 kept, 1 damaged, 0 failed$' err ||
	fail "damage: $(cat err)"
grep -q "^gsym-create: warning: 'damaged/bad': it is damaged: line table" err ||
	fail "damage: $(cat err)"
[ "$(wc -l <err)" = 2 ] || fail "damage: $(cat err)"
gsym-create -r --output-dir=mended damaged 2>err || fail "damage: $(cat err)"
grep -q '^damaged: 0 converted, 2 kept, 0 failed$' err ||
	fail "damage, once more: $(cat err)"
rm -r mended
gsym-create -r -q --json --output-dir=mended damaged >json 2>err || fail '-q'
[ ! -s err ] || fail "-q: $(cat err)"
grep -q '"input":"damaged/bad","outcome":"converted","warning":"it is damaged: ' \
	json || fail "JSON: $(cat json)"
grep -q '"input":"damaged/good","outcome":"converted"}' json ||
	fail "JSON: $(cat json)"
# A compressed section that cannot be inflated; objcopy leaves sections as they
# are that do not become smaller.
need objcopy
objcopy --compress-debug-sections=zlib prog damaged/bad || fail 'objcopy'
at=$(readelf -SW damaged/bad | sed -n \
	's/.* \.debug_info  *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .* C .*/\1/p')
if [ -n "$at" ]; then
	printf '\377\377\377\377' |
		dd of=damaged/bad bs=1 seek=$((0x$at + 28)) conv=notrunc 2>log
	gsym-create -r --output-dir=inflated damaged 2>err ||
		fail "damage: $(cat err)"
	grep -q "^gsym-create: warning: 'damaged/bad': it is damaged: .*debug_info" \
		err || fail "a compressed section: $(cat err)"
fi
gsym-create -r --strict --output-dir=strict damaged 2>err && fail '--strict'
grep -q ': 1 converted, 0 kept, 1 failed$' err || fail "--strict: $(cat err)"

# Symbolic links in the output folder are replaced, or refused, but not
# followed.
echo precious >victim
mkdir -p planted/c outside
ln -s "$PWD/victim" planted/c/other.gsym
ln -s "$PWD/outside" planted/a
gsym-create -r --output-dir=planted in 2>err
[ $? = 2 ] || fail "a planted folder: $(cat err)"
grep -q ': 2 converted, 0 kept, 1 without functions, 2 failed' err &&
	[ "$(grep -c "'a' is a symbolic link$" err)" = 2 ] ||
	fail "a planted folder: $(cat err)"
[ "$(cat victim)" = precious ] || fail 'a planted link was followed'
cmp planted/c/other.gsym out/c/other.gsym || fail 'a planted link'
[ -z "$(ls -A outside)" ] || fail 'a planted folder was followed'

# The output folder may lie in the input folder.  File names may have line
# feeds.
cp prog 'in/a name
of two lines'
gsym-create -q -r --output-dir=in/out --verify in >out1 2>err ||
	fail "within: $(cat err)"
[ ! -s err ] && [ ! -s out1 ] || fail "--quiet: $(cat err)"
gsym-create --recursive --output-dir=in/out in/ 2>err || fail 'once more'
grep -q ' 0 converted, 5 kept' err || fail "its own output: $(cat err)"
[ ! -e in/out/out ] || fail 'the output of the output'

# --install: of several files of one program the file with debug info is used.
gsym-create -r --install tree in 2>err || fail "--install: $(cat err)"
grep -q ': 2 converted, 0 kept, 3 the same as others, 1 without' err ||
	fail "--install: $(cat err)"
[ "$(find tree -type f -name '*.debug.gsym' | wc -l)" = 2 ] || fail 'installed'
id=$(readelf -n prog | sed -n 's/.*Build ID: *//p' | sed 's|^..|&/|')
cmp "tree/.build-id/$id.debug.gsym" alone.gsym || fail 'without debug info'
gsym-create -r --install tree in 2>err || fail 'installed again'
grep -q ': 0 converted, 2 kept' err || fail "installed again: $(cat err)"

# A missing folder; options that contradict each other.
gsym-create -q -r --output-dir=none missing 2>err
[ $? = 2 ] && grep -q "cannot open 'missing'" err || fail 'missing'
for wrong in "-r in" "-r --output-dir=x -o y in" "--output-dir=x in" \
	"-r --output-dir=x --install=y in" "-r --install x --embed y in"; do
	# shellcheck disable=SC2086
	gsym-create $wrong 2>err
	[ $? = 2 ] && grep -q -- '--help' err || fail "$wrong: $(cat err)"
done
exit 0
