#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-create on Breakpad files: a plain file, a pipe and compressed files give
# the same output; files that are no Breakpad files are refused.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
fixtures=$top_srcdir/testdata/breakpad
cp "$fixtures/gcc_split.sym" split.sym || exit 99

gsym-create split.sym 2>summary || fail "status $?: $(cat summary)"
grep -q '^split.sym: Breakpad, x86_64, 64-bit, ' summary || fail "no format: $(cat summary)"
gsym-lookup split.sym.gsym 0x1228 >answer || fail 'no answer'
grep -q 'shapes::mul.* at .*shapes.h:5 (inlined)' answer ||
	fail "no mul: $(cat answer)"
grep -q 'total.* at .*main.cpp:9$' answer || fail "no total: $(cat answer)"

gsym-create -q -o pipe.gsym - <split.sym || fail "pipe: $?"
cmp split.sym.gsym pipe.gsym || fail 'a pipe makes a difference'
cat split.sym | gsym-create -q -o pipe.gsym - || fail "pipe: $?"
cmp split.sym.gsym pipe.gsym || fail 'a pipe makes a difference'
# Lines of standard input that another command has read are not converted.
{ echo line; cat split.sym; } >begun
{ read -r _ && gsym-create -q -o begun.gsym -; } <begun || fail "begun: $?"
cmp split.sym.gsym begun.gsym || fail 'standard input from its start again'
gzip -c split.sym | gsym-create -q -o gzip.gsym - || fail "gzip: $?"
cmp split.sym.gsym gzip.gsym || fail 'gzip makes a difference'
if command -v zstd >/dev/null; then
	zstd -q -c split.sym >split.zst
	if gsym-create -q -o zstd.gsym split.zst 2>err; then
		cmp split.sym.gsym zstd.gsym || fail 'zstd makes a difference'
	fi
fi

gsym-create -q --base=0x400000 -o base.gsym "$fixtures/fixed_base.sym" ||
	fail "--base: $?"
at=$(sed -n '/^0x/{p;q;}' "$fixtures/fixed_base.expected")
gsym-lookup --strict base.gsym "$at" >/dev/null || fail "nothing at $at"

# gsym-create refuses the file with status 2 and one message, without output.
refuse()
{
	rm -f no.gsym
	gsym-create -o no.gsym "$@" >out 2>err
	[ $? = 2 ] || fail "$*: no error"
	[ "$(wc -l <err)" = 1 ] || fail "$*: $(cat err)"
	[ ! -e no.gsym ] || fail "$*: an output file"
}
refuse "$fixtures/cfi_only.sym"
grep -q 'Breakpad file starts with MODULE' err || fail "a hint: $(cat err)"
refuse --from=breakpad "$fixtures/cfi_only.sym"
grep -q 'it has no functions' err || fail "no functions: $(cat err)"
refuse --from=breakpad /bin/sh
grep -q 'line 1, column 1' err || fail "no place: $(cat err)"
refuse --from=go split.sym
grep -q 'no table of the Go runtime' err || fail "--from=go: $(cat err)"
refuse --base=1 split.sym.gsym
printf '\377\376M\000O\000D\000' >utf16.sym
refuse utf16.sym
grep -q 'UTF-16' err || fail "UTF-16: $(cat err)"
gzip -c split.sym | head -c 300 >cut.gz
refuse cut.gz
# A small compressed file with very much text.
{ cat split.sym; head -c 70000000 /dev/zero | tr '\0' '\n'; } | gzip -9 >bomb.gz
refuse bomb.gz
grep -q 'more than 256 times' err || fail "no limit: $(cat err)"
rm bomb.gz
# A first read of a pipe that returns a single byte.
{ gzip -c split.sym | { head -c 1; sleep 0.1; cat; }; } |
	gsym-create -q -o slow.gsym - || fail "a slow pipe: $?"
cmp split.sym.gsym slow.gsym || fail 'a slow pipe makes a difference'
(yes "$(cat split.sym)" | head -c 4000000 | gzip -c) >large.gz
(ulimit -f 1000 && gsym-create -q -o no.gsym large.gz 2>err)
grep -q "a temporary file in '.*' cannot be written" err ||
	fail "no room: $(cat err)"
[ ! -e no.gsym ] || fail 'no room: an output file'
printf 'MODULE Linux x86_64 0 a\nnothing else\n' >none.sym
refuse none.sym
grep -q 'line 2, column 1' err || fail "no place: $(cat err)"
refuse -q --strict "$fixtures/odd_records.sym"
sed 1d split.sym | gsym-create -o headless.gsym - 2>err || fail "$(cat err)"
grep -q 'warning: identity: 1, the first: no MODULE' err ||
	fail "no identity: $(cat err)"

# Messages about odd records: the first of each kind, with --strict all.
gsym-create -o odd.gsym "$fixtures/odd_records.sym" 2>err || fail 'odd'
grep -q '^  records: 8 FUNC, 13 line, 7 INLINE, 1 INLINE_ORIGIN, 3 FILE, 2 PUBLIC, 0 STACK, 5 other$' err ||
	fail "records: $(cat err)"
[ "$(grep -c '^    line ' err)" = 6 ] || fail "the first ones: $(cat err)"
gsym-create --strict -o no.gsym "$fixtures/odd_records.sym" 2>err
[ "$(grep -c ': warning: orphan: line ' err)" = 4 ] &&
	[ "$(grep -c ': warning: conflict: line ' err)" = 4 ] ||
	fail "--strict: $(cat err)"
gsym-create --json -o odd.gsym "$fixtures/odd_records.sym" >json || fail odd
grep -q '"records":{"FUNC":8,"line":13,' json || fail "JSON: $(cat json)"
grep -q '"kind":"bad-record","count":4,"first":"[^"]*","next":\["line' json ||
	fail "JSON: $(cat json)"
gsym-create -v -o deep.gsym "$fixtures/deep_inline.sym" 2>err || fail 'deep'
grep -q 'its first 16 bytes' err || fail "half an identity: $(cat err)"

# --program gives the base address, the identity and the extent of the code.
compile prog -no-pie -Wl,--build-id=sha1
id=$(readelf -n prog | sed -n 's/.*Build ID: *//p' | tr a-f A-F)
set -- $(readelf -lW prog | sed -n 's/^ *LOAD *\([^ ]*\) *\([^ ]*\) .*/\2/p')
base=$(($1))
set -- $(nm -S prog | sed -n 's/ T main$//p')
main=$((0x$1))
# Breakpad's name of the architecture.
case $(readelf -h prog | sed -n 's/^ *Machine: *//p') in
*80386) cpu=x86 ;;
AArch64) cpu=arm64 ;;
ARM) cpu=arm ;;
*) cpu=x86_64 ;;
esac
{
	echo "MODULE Linux $cpu $(echo "$id" |
		sed 's/^\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(.\{16\}\).*/\4\3\2\1\6\5\8\7\9/')0 prog"
	echo "INFO CODE_ID $id"
	printf 'FUNC %x %x 0 main\nFUNC c 4 0 gone\n' $((main - base)) $((0x$2))
} >prog.sym
gsym-create -o prog.gsym --program=prog prog.sym 2>err || fail "$(cat err)"
grep -q 'dead-code: 1, ' err || fail "dead code: $(cat err)"
gsym-lookup --strict prog.gsym $main >answer || fail "--program: $(cat answer)"
strip -o stripped prog
objcopy --only-keep-debug prog prog.debug
for other in stripped prog.debug; do
	gsym-create -q -o other.gsym --program=$other prog.sym ||
		fail "--program=$other"
	cmp prog.gsym other.gsym || fail "--program=$other is different"
done
# llvm-symbolizer needs an ELF file with the build ID beside the GSYM file.  The
# ELF file has symbols if the program is given, in this run or a later one.
installed=tree/.build-id/$(echo "$id" | tr A-F a-f | sed 's|^..|&/|').debug
gsym-create -q --install=tree --base=$base prog.sym || fail "--install: $?"
readelf -n "$installed" | grep -qi "$id" || fail 'no build ID is installed'
if symbolizer=$(llvm_tool llvm-symbolizer 22); then
	$symbolizer --build-id="$id" \
		--debug-file-directory="$PWD/tree" $main >answer
	grep -q '^main$' answer || fail "LLVM: $(cat answer)"
fi
cp "$installed" bare
gsym-create -q --install=tree --program=prog prog.sym || fail "--install: $?"
nm "$installed" | grep -q ' T main$' || fail 'no symbols are installed'
cp "$installed" symbols
gsym-create -q --install=tree --base=$base prog.sym || fail "--install: $?"
cmp symbols "$installed" || fail 'the symbols are gone'
cp bare "$installed"
gsym-create -q --install=tree prog || fail "--install: $?"
cmp symbols "$installed" || fail 'symbols that come later'
# PE programs and unknown processors have no such ELF file.
sed '1s/^\(MODULE [^ ]*\) [^ ]*/\1 sparc/' prog.sym >sparc.sym
for file in "$fixtures/pe_program.sym" sparc.sym; do
	rm -rf tree
	gsym-create -q --install=tree "$file" || fail "--install: $?"
	[ "$(find tree -type f | wc -l)" = 1 ] || fail "$file: $(find tree)"
done

compile other -no-pie -O2 -Wl,--build-id=sha1
refuse --program=other prog.sym
grep -q 'the program is another one' err || fail "another: $(cat err)"
# A PE program is identified by its PDB.
gsym-create -o pe.gsym --program="$fixtures/pe_program.exe" \
	"$fixtures/pe_program.sym" 2>err || fail "PE: $(cat err)"
! grep -q 'identity' err || fail "PE: $(cat err)"
gsym-lookup pe.gsym 0x1400010b4 >answer
grep -q '^0x1400010b4: low(int) at /src/program.c:4 (inlined)$' answer ||
	fail "PE: $(cat answer)"
sed '1s/1 program.pdb/2 program.pdb/' "$fixtures/pe_program.sym" >pe.sym
refuse --program="$fixtures/pe_program.exe" pe.sym
want='another one: its PDB is c809.*00000001, .*00000002; .*base, 0x140000000,'
grep -q "$want" err ||
	fail "another PE: $(cat err)"
refuse --program=missing prog.sym
grep -q "program 'missing': cannot open" err || fail "missing: $(cat err)"
refuse --program=prog prog
for wrong in '--program=prog --base=1 prog.sym' '-r --output-dir=x --base=1 .' \
	'-r --output-dir=x --program=prog .'; do
	# shellcheck disable=SC2086
	gsym-create $wrong 2>err
	[ $? = 2 ] && grep -q -- '--help' err || fail "$wrong: $(cat err)"
done

gsym-create - <split.sym 2>/dev/null && fail 'no output is named'

# TMPDIR is the folder of temporary files.  A plain file needs none.
(TMPDIR=missing && export TMPDIR && gsym-create -q -o tmp.gsym split.sym) ||
	fail 'a temporary file for a plain file'
(TMPDIR= && export TMPDIR && gsym-create -q -o tmp.gsym - <begun 2>err)
grep -q 'neither a program' err || fail "TMPDIR is empty: $(cat err)"
for way in gzip.sym.gz -; do
	gzip -c split.sym >gzip.sym.gz
	rm -f no.gsym
	cat split.sym | (TMPDIR=missing && export TMPDIR &&
		gsym-create -o no.gsym $way) 2>err
	grep -q "temporary file in 'missing' cannot be written: No such" err ||
		fail "TMPDIR, $way: $(cat err)"
	[ ! -e no.gsym ] || fail "TMPDIR, $way: an output file"
done

# A signal while a pipe or a compressed file is read: no files are left.
mkdir signal temporary && cd signal || exit 99
mkfifo pipe
for i in 1 2; do
	env --default-signal=INT TMPDIR="$PWD/../temporary" \
		gsym-create -o out.gsym - <pipe 2>/dev/null &
	child=$!
	exec 3>pipe
	yes "$(cat ../split.sym)" | head -c 200000 >&3
	until ls -A | grep -q '^\.out\.gsym\.' || ! kill -0 $child; do :; done
	tries=0
	until ls -l /proc/$child/fd | grep -q '/temporary/[#g]'; do
		kill -0 $child && [ $((tries += 1)) -lt 2000 ] ||
			fail 'no temporary file in TMPDIR'
	done
	kill -s INT $child
	wait $child
	[ $? -gt 128 ] || fail 'no signal'
	exec 3>&-
	only pipe
	[ -z "$(ls ../temporary)" ] || fail "left behind: $(ls ../temporary)"
done
cd .. || exit 99

# Progress is shown on a terminal only, and does not change the output.
if pty; then
	script -qec 'gsym-create -o shown.gsym split.sym' /dev/null </dev/null \
		>shown 2>&1 || fail 'on a terminal'
	cmp shown.gsym split.sym.gsym || fail 'a terminal makes a difference'
else
	echo 'not tried on a terminal: no pseudo-terminal can be made here'
fi

# llvm-gsymutil gives the same answers for the fixtures.
gsymutil=$(llvm_tool llvm-gsymutil) && [ -x "$top_builddir/as_llvm" ] || exit 0
asked=0
for expected in "$fixtures"/*.expected; do
	name=$(basename "$expected" .expected)
	base=$(sed -n 's/^base //p' "$expected")
	gsym-create -q --base="${base:-0}" -o llvm.gsym \
		"$fixtures/$name.sym" || fail "$name"
	sed -n 's/^\(0x[0-9a-f]*\)$/\1/p' "$expected" >addresses
	sed 's|$| llvm.gsym|' addresses |
		"$gsymutil" --addresses-from-stdin >theirs || fail "$name: LLVM"
	"$top_builddir/as_llvm" llvm.gsym <addresses >ours || fail "$name"
	sed 's/ is not in GSYM.*//' theirs >theirs.plain
	sed 's/ is not in GSYM$//' ours | diff - theirs.plain >diff ||
		fail "$name: $(cat diff)"
	asked=$((asked + $(wc -l <addresses)))
done
[ $asked -gt 100 ] || fail "$asked addresses were asked of $gsymutil"
exit 0
