#!/bin/sh
# SPDX-License-Identifier: MIT
# Members of archives, lib.a(member.o), for gsym-symbolizer and both addr2lines.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
. "$top_srcdir/tests/cli/personality-lib.sh"
need ar
long=a_name_that_needs_the_table.o
for name in one two; do
	printf 'int %s(int x)\n{\n\treturn x * 3;\n}\n' $name >$name.c
	${CC:-cc} -g -c -o $name.o $name.c || fail 'cannot compile'
done
cp two.o $long
ar rc lib.a one.o $long || fail 'ar'
# Two members with one build ID: no answer may come of the other one.
for name in one two; do
	ld -r --build-id=0x1122334455667788 -o $name.id.o $name.o || fail 'ld'
	ar rc $name.id.a $name.id.o || fail 'ar'
done

# What gsym-symbolizer says of address 0 of a program, in one line.
ask()
{
	"$sym" "$@" 0 2>err | tr '\n' ' '
}
same 'a member' "$(ask -e 'lib.a(one.o)')" "one $PWD/one.c:2:0  "
same 'a long name' "$(ask -e "lib.a($long)")" "two $PWD/two.c:2:0  "
same 'addr2line' "$("$a2l" -fe 'lib.a(one.o)' 0 | tr '\n' ' ')" \
	"one $PWD/one.c:2 "
same 'llvm-addr2line' "$("$lla2l" -fe 'lib.a(one.o)' 0 | tr '\n' ' ')" \
	"one $PWD/one.c:2 "
same 'symbols alone' \
	"$(ask --fallback=symbols -e 'lib.a(one.o)' | sed 's/ .*//')" one
printf '%s\n' 'lib.a(one.o) 0' "\"lib.a($long)\" 0" 'lib.a(one.o) 0' |
	"$sym" >out
same 'in lines' "$(grep -v : out | tr '\n' ' ')" 'one  two  one  '
same 'copies that stay' "$(find "$TMPDIR" -type f | wc -l)" 0
same 'the first with the build ID' "$(ask -e 'one.id.a(one.id.o)')" \
	"one $PWD/one.c:2:0  "
[ -z "$(find "$XDG_CACHE_HOME" -name '*.gsym' 2>/dev/null)" ] ||
	fail 'a member is in the cache'
same 'the second with the build ID' "$(ask -e 'two.id.a(two.id.o)')" \
	"two $PWD/two.c:2:0  "

# The architecture, which need not be named, has to fit.
case $(uname -m) in
x86_64 | aarch64 | riscv64 | s390x)
	machine=$(uname -m)
	same 'architecture' "$(ask -e "lib.a(one.o):$machine")" \
		"one $PWD/one.c:2:0  "
	same '--default-arch' \
		"$(ask --default-arch="$machine" -e 'lib.a(one.o)')" \
		"one $PWD/one.c:2:0  "
	;;
esac
# What cannot be answered.
bad()
{
	"$sym" -e "$1" 0 >out 2>err && fail "$1: status 0"
	[ ! -s out ] || fail "$1: $(cat out)"
	same "$1" "$(sed 's/.*error: //' err)" "'$1': $2"
}
bad 'lib.a(one.o):mips' \
	"no matching member 'one.o' with arch 'mips' in 'lib.a'"
bad 'lib.a(three.o)' "no matching member 'three.o' with arch '' in 'lib.a'"
bad 'lib.a()' "no matching member '' with arch '' in 'lib.a'"
bad 'one.o(one.o)' "'one.o' is not a valid archive"
bad 'no.a(one.o)' 'No such file or directory'
head -c 200 lib.a >cut.a
bad 'cut.a(one.o)' "no matching member 'one.o' with arch '' in 'cut.a'"
# Two members have the name.
cp lib.a twice.a
ar q twice.a one.o
bad 'twice.a(one.o)' "more than one member 'one.o' with arch '' in 'twice.a'"
# A file of that name is no member.
cp two.o 'lib.a(one.o)'
same 'a file' "$(ask -e 'lib.a(one.o)')" "two $PWD/two.c:2:0  "
same 'folders that stay' "$(find "$TMPDIR" -name 'gsym.member*' | wc -l)" 0
