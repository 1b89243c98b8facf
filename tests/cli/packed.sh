#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs that are compressed, or in an archive, and formats that are not read are
# refused as what they are, with what to do.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
compile prog
echo 'int f(void) { return 1; }' >f.c
${CC:-cc} -g -c -o f.o f.c 2>../stderr || fail "$(cat ../stderr)"

# gsym-create refuses the file $1, and its message ends with $2.
refused()
{
	gsym-create "$1" 2>err >../stdout && fail "$1 is converted"
	[ "$(wc -l <err)" = 1 ] || fail "$1: $(cat err)"
	case $(cat err) in
	"gsym-create: cannot read '$1': $2") ;;
	*) fail "$1: $(cat err)" ;;
	esac
	[ ! -e "$1.gsym" ] || fail "there is $1.gsym"
}

program='a compressed program: unpack it first'
file='a compressed file: unpack it first'
# With the name of the compressed file, as gzip stores it, and without.
gzip -k prog && refused prog.gz "$program (gunzip -k)"
gzip -c <f.o >f.gz && refused f.gz "$program (gunzip -k)"
for tool in zstd xz bzip2; do
	command -v $tool >/dev/null || continue
	$tool -c prog >prog.$tool
done
[ ! -e prog.xz ] || refused prog.xz "$file (xz -dk)"
[ ! -e prog.bzip2 ] || refused prog.bzip2 "$file (bunzip2 -k)"
if [ -e prog.zstd ]; then
	gsym-create prog.zstd 2>err
	# libgsym-convert may have been built without zstd.
	grep -q damaged err || refused prog.zstd "$program (zstd -d)"
fi
ar rc lib.a f.o &&
	refused lib.a 'an archive: unpack it first (ar x), and convert its members'
ar rcT thin.a f.o 2>../stderr && [ "$(head -c 7 thin.a)" = '!<thin>' ] &&
	refused thin.a 'a thin archive: convert the files that it lists (ar t)'

# Formats that are not read have their names.
aix='XCOFF, a format of AIX that is not read'
printf '\001\337\000\001' >x32.o && refused x32.o "$aix"
printf '\001\367\000\001' >x64.o && refused x64.o "$aix"
printf '<bigaf>\n' >big.a && refused big.a "$aix"
# That of a PDB says what to do, also for a program that has one.
to_do='which is not read: convert the .sym file that dump_syms makes of it'
printf 'Microsoft C/C++ MSF 7.00\r\n\032DS' >new.pdb &&
	refused new.pdb "a PDB, $to_do"
printf 'Microsoft C/C++ program database 2.00' >old.pdb &&
	refused old.pdb "a PDB, $to_do"
gsym-create -o pdb.gsym "$top_srcdir/testdata/pe/pdb.exe" 2>err && fail 'a PDB'
grep -qF ": it has no functions: its debug info is in a PDB, $to_do" err ||
	fail "pdb.exe: $(cat err)"

# Breakpad files are still converted.
printf 'MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 p\nPUBLIC 1000 0 f\n' |
	gzip >p.sym.gz
gsym-create -q -o p.gsym p.sym.gz 2>err || fail "p.sym.gz: $(cat err)"
