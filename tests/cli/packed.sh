#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs that are compressed, or in an archive, are refused as what they are,
# with the command that unpacks them.
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

# Breakpad files are still converted.
printf 'MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 p\nPUBLIC 1000 0 f\n' |
	gzip >p.sym.gz
gsym-create -q -o p.gsym p.sym.gz 2>err || fail "p.sym.gz: $(cat err)"
