#!/bin/sh
# SPDX-License-Identifier: MIT
# Mini debug info, as in Fedora's packages: .gnu_debugdata has the symbols of
# functions that are not in .dynsym.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need objcopy
need xz
grep -q '^#define HAVE_LZMA 1' "$top_builddir/config.h" ||
	skip 'built without liblzma (Debian: liblzma-dev)'
none="--debug-file-directory=$PWD/none"

compile prog -Wl,--export-dynamic-symbol=work
start=$(nm prog | sed -n 's/^0*\([0-9a-f]*\) T work$/0x\1/p')
hidden=$(nm prog | sed -n 's/^0*\([0-9a-f]*\) T main$/0x\1/p')
nm -D --defined-only prog | grep -q ' main$' && fail 'main is not hidden'
strip --strip-all -o plain prog || fail 'strip'

# The recipe of the GDB manual.
objcopy --only-keep-debug prog debug
nm prog --format=posix --defined-only |
	awk '$2 == "T" || $2 == "t" { print $1 }' | sort >names
objcopy -S --remove-section .gdb_index --remove-section .comment \
	--keep-symbols=names debug mini || fail 'objcopy'
xz -k mini || fail 'xz'
objcopy --add-section .gnu_debugdata=mini.xz plain both || fail 'objcopy'

gsym-create $none -o out.gsym both 2>err || fail "$(cat err)"
[ "$(grep -c warning: err)" = 1 ] || fail "not one note: $(cat err)"
gsym-lookup out.gsym "$hidden" | grep -qx "$hidden: main" || fail 'no main'
gsym-create -q $none -o plain.gsym plain || fail 'without it'
gsym-lookup plain.gsym "$hidden" | grep -q main && fail 'main is known before'
gsym-lookup out.gsym "$start" | grep -qx "$start: work" || fail 'no work'

# If there is a .symtab, .gnu_debugdata is not read.
echo damaged >bytes
objcopy --strip-debug --add-section .gnu_debugdata=bytes prog bad
gsym-create $none -o out.gsym bad 2>err || fail "$(cat err)"
grep -q bad-section err && fail "it was read beside .symtab: $(cat err)"

# Hostile contents of .gnu_debugdata give a warning, and no symbols.
# $1: the case; $2: the file with the contents; $3: the warning.
try()
{
	objcopy --add-section .gnu_debugdata="$2" plain bad || fail "$1: objcopy"
	gsym-create $none -o out.gsym bad 2>err || fail "$1: $(cat err)"
	grep -q "bad-section: .*gnu_debugdata at 0x.*: $3" err ||
		fail "$1: it does not say '$3': $(cat err)"
	cmp plain.gsym out.gsym || fail "$1: it was used"
}

try 'no xz' bytes 'its compressed bytes are damaged'
head -c 200 mini.xz >cut
try 'cut' cut 'its compressed bytes are damaged'
xz <bytes >text.xz
try 'no ELF file' text.xz 'not an ELF file'
head -c 100 mini | xz >part.xz
try 'a part of an ELF file' part.xz '.'
# Byte 18 is e_machine: a machine that does not exist.
{ head -c 18 mini; printf '\377\177'; tail -c +21 mini; } | xz >alien.xz
try 'of another architecture' alien.xz 'the file in it is of another architecture'
: | xz >empty.xz
try 'of nothing' empty.xz '.'
head -c 300000000 /dev/zero | xz -0 >zeros.xz
try 'a bomb' zeros.xz 'it becomes more than 16 times as large'
bytes greedy greedy.xz
try 'a greedy one' greedy.xz 'it takes more than 80 MiB'

# Padding may follow, four zeros at a time, and another stream; other bytes are
# ignored with a warning.
# $1: the case; $2: the bytes; $3: what is behind them, by printf; $4: whether
# there is a warning.
behind()
{
	# shellcheck disable=SC2059 # escapes
	{ cat "$2"; printf "$3"; } >long.xz
	objcopy --add-section .gnu_debugdata=long.xz plain bad ||
		fail "$1: objcopy"
	gsym-create $none -o out.gsym bad 2>err || fail "$1: $(cat err)"
	gsym-lookup out.gsym "$hidden" | grep -qx "$hidden: main" ||
		fail "$1: no main: $(cat err)"
	[ "$(grep -c 'bad-section: .*gnu_debugdata at 0x.*: the bytes behind the end of its compressed data are ignored' err)" = "$4" ] ||
		fail "$1: $(cat err)"
}
behind 'padding' mini.xz '\0\0\0\0' 0
behind 'more padding' mini.xz '\0\0\0\0\0\0\0\0' 0
behind 'odd padding' mini.xz '\0\0\0' 1
behind 'odd padding' mini.xz '\0\0\0\0\0' 1
behind 'text' mini.xz 'abc' 1
behind 'text after padding' mini.xz '\0\0\0\0a' 1
{ head -c 1000 mini | xz; printf '\0\0\0\0'; tail -c +1001 mini | xz; } >two.xz
behind 'two streams' two.xz '' 0

# If there are no other functions, the error names the damage.
printf '.data\n.long 1\n' >none.s
${CC:-cc} -shared -nostdlib -o none none.s 2>../stderr && strip none ||
	fail "$(cat ../stderr)"
objcopy --add-section .gnu_debugdata=cut none bad || fail 'objcopy'
gsym-create $none -o out.gsym bad 2>err && fail 'no functions: it succeeds'
grep -q "it has no functions: .gnu_debugdata at 0x[0-9a-f]*: its compressed \
bytes are damaged" err || fail "no functions: $(cat err)"

# A .gnu_debugdata within .gnu_debugdata is not read.
objcopy --add-section .gnu_debugdata=text.xz mini nested || fail 'objcopy'
xz -k nested
objcopy --add-section .gnu_debugdata=nested.xz plain bad
gsym-create $none -o nested.gsym bad 2>err || fail "$(cat err)"
grep -q bad-section err && fail "opened within: $(cat err)"
exit 0
