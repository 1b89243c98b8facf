#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-create on Mach-O files: lookups give the answers of llvm-gsymutil.
# Universal files, dSYM folders, and --arch.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
data=$top_srcdir/testdata/macho
cp -R "$data"/*.macho "$data/shapes.dylib" "$data/shapes.dSYM" . || exit 99
chmod -R u+w .

# $1: a GSYM file; $2: the .expected file of its answers.
same_answers()
{
	sed -n 's/^\(0x[0-9a-f]*\): .*/\1/p' "$data/$2" >addresses
	[ "$(wc -l <addresses)" -gt 30 ] || fail "$2: nothing to ask"
	"$top_builddir/as_llvm" "$1" <addresses >answers || fail "$1: status $?"
	diff -u "$data/$2" answers || fail "$1 answers something else"
	gsym-dump --verify "$1" >/dev/null || fail "$1 does not verify"
	rm addresses answers
}

# Objects: 64 and 32 bits.
for file in arm64 i386 armv7; do
	gsym-create --verify $file.macho 2>err || fail "$(cat err)"
	grep -q "^$file.macho: Mach-O, $file, .*, no build ID" err ||
		fail "summary: $(cat err)"
	grep -q 'verified: 3 functions, 0 differences' err || fail "$(cat err)"
	same_answers $file.macho.gsym $file.macho.expected
	rm $file.macho.gsym
done

# A library whose debug info was in objects that are missing.
gsym-create shapes.dylib 2>err || fail "$(cat err)"
grep -q "missing-file: 1, the first: 'shapes.o', an object" err ||
	fail "$(cat err)"
same_answers shapes.dylib.gsym shapes.dylib.expected
gsym-dump shapes.dylib.gsym | grep -q '4c4c44' || fail 'no UUID'
gsym-dump --functions shapes.dylib.gsym | grep -q 'symbol stub for: elsewhere' ||
	fail 'no stub'
rm shapes.dylib.gsym

# The dSYM folder of a universal debug file: a GSYM file for each architecture
# is written beside the folder.
gsym-create --verify shapes.dSYM/ 2>err || fail "$(cat err)"
grep -c 'verified: 6 functions, 0 differences' err | grep -qx 2 ||
	fail "$(cat err)"
rm err
only arm64.macho armv7.macho i386.macho shapes.dSYM shapes.dylib \
	shapes.dSYM.gsym.arm64 shapes.dSYM.gsym.x86_64
same_answers shapes.dSYM.gsym.arm64 shapes.arm64.expected
same_answers shapes.dSYM.gsym.x86_64 shapes.x86_64.expected

# The output of one architecture, by name or number, has no suffix; outputs of
# several architectures have.
gsym-create -q --arch arm64 -o one shapes.dSYM || fail '--arch arm64'
cmp one shapes.dSYM.gsym.arm64 || fail '--arch arm64 differs'
gsym-create -q --arch=0x01000007 -o one shapes.dSYM || fail '--arch by number'
cmp one shapes.dSYM.gsym.x86_64 || fail '--arch by number differs'
gsym-create --json --arch x86_64 --arch arm64 --depfile=two.d -o two \
	shapes.dSYM >json || fail 'two --arch'
grep -c '^two\.[ax].*:' two.d | grep -qx 2 || fail "$(cat two.d)"
grep -c '"input_format":"Mach-O",.*"architecture":"[ax]' json | grep -qx 2 ||
	fail "$(cat json)"
cmp two.arm64 shapes.dSYM.gsym.arm64 || fail 'two --arch: arm64 differs'
cmp two.x86_64 shapes.dSYM.gsym.x86_64 || fail 'two --arch: x86_64 differs'
gsym-create -q --arch x86_64 -o - shapes.dSYM | cmp - one ||
	fail 'one to standard output'
rm one two.* json shapes.dSYM.gsym.*

# Failures leave no file.
show gsym-create --arch ppc shapes.dSYM
show gsym-create --arch arm64 shapes.dylib
show gsym-create -o - shapes.dSYM
head -c 1000 shapes.dylib >cut
show gsym-create cut
rm cut
cp shapes.dSYM/Contents/Resources/DWARF/shapes \
	shapes.dSYM/Contents/Resources/DWARF/second
show gsym-create shapes.dSYM
rm shapes.dSYM/Contents/Resources/DWARF/*
show gsym-create shapes.dSYM
rm -r shapes.dSYM/Contents
show gsym-create shapes.dSYM
only arm64.macho armv7.macho i386.macho shapes.dSYM shapes.dylib
finish
