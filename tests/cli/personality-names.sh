#!/bin/sh
# SPDX-License-Identifier: MIT
# The function that is not inlined has the name of the symbol that covers the
# address, and an offset behind the end of a section is no place.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
. "$top_srcdir/tests/cli/personality-lib.sh"
need "${CXX:-g++}" g++
need nm
cat >api.cc <<'END'
namespace n {
int cell;
static inline __attribute__((always_inline)) int step(int x)
{
	return cell += x;
}
extern "C" __attribute__((section(".text.api"))) int api(int x)
{
	return step(x);
}
__attribute__((section(".text.next"))) int next(int x)
{
	return cell -= x;
}
}
END
${CXX:-g++} -g -O1 -fPIC -c api.cc || fail 'cannot compile'
${CXX:-g++} -shared -nostdlib -Wl,--build-id -o libapi.so api.o ||
	fail 'cannot link'
gsym-create -q api.o && gsym-create -q libapi.so || fail 'gsym-create'
api=$(nm libapi.so | sed -n 's/^\([0-9a-f]*\) T api$/\1/p')
[ "$api" ] || fail 'no symbol'

# The outermost name of the answer of $1 with the options $2 to the address $3.
outermost()
{
	# shellcheck disable=SC2086
	"$links/$1" $2 "$3" >out || fail "$1 $2 $3"
	sed '/^$/d' out | tail -n 2 | head -n 1
}

# gsym-lookup itself shows the name of debug info.
[ "$(gsym-lookup libapi.so.gsym "0x$api" | grep -c 'n::api')" = 1 ] ||
	fail 'the GSYM data do not have n::api'
for options in -fi -fiC -fiCa; do
	same "addr2line $options" \
		"$(outermost addr2line "$options -e libapi.so" "$api")" api
	same "llvm-addr2line $options" \
		"$(outermost llvm-addr2line "$options -e libapi.so" "$api")" api
done
for options in '' --no-demangle --functions=short; do
	same "llvm-symbolizer $options" "$(outermost llvm-symbolizer \
		"$options -e libapi.so" "0x$api")" api
done
# A linkage name stays as it is.
next=$(nm libapi.so | sed -n 's/^\([0-9a-f]*\) T _ZN1n4nextEi$/\1/p')
same 'addr2line -f' "$(outermost addr2line '-f -e libapi.so' "$next")" \
	_ZN1n4nextEi

# In an object a section lies behind another.
same 'the start of .text.api' \
	"$(outermost addr2line '-fi -j .text.api -e api.o' 0)" api
same 'behind the end of .text.api' "$(outermost addr2line \
	'-fi -j .text.api -e api.o' 40)" '??'

# A local function without debug info is of the file that the symbol table
# names; so is a global one for addr2line, if all files are named first.
printf '%s\n' '.file "one.c"' .text '.type inner, %function' \
	'inner: .space 16' '.size inner, 16' '.globl outer' \
	'.type outer, %function' 'outer: .space 16' '.size outer, 16' >one.s
sed 's/one\.c/two.c/; s/inner/within/; s/outer/without/' one.s >two.s
for name in one two; do
	${CC:-cc} -c $name.s || fail 'cannot assemble'
done
${CC:-cc} -shared -nostdlib -o libone.so one.o two.o 2>/dev/null ||
	fail 'cannot link'
# The place of symbol $2 of $1, as $3 with the options $4 shows it.
place()
{
	address=$(nm "$1" | sed -n "s/^\([0-9a-f]*\) [tT] $2\$/\1/p")
	# shellcheck disable=SC2086
	"$links/$3" $4 -e "$1" "0x$address" | sed '/^$/d' | tail -n 1
}
for options in -f '' '-f --fallback=symbols'; do
	for pair in inner:one.c within:two.c outer:?? without:??; do
		same "addr2line $options $pair" "$(place libone.so \
			${pair%:*} addr2line "$options")" "${pair#*:}:?"
	done
	same "addr2line $options outer, object" \
		"$(place one.o outer addr2line "$options")" 'one.c:?'
done
for options in '' --fallback=symbols --no-inlines; do
	for pair in inner:one.c within:two.c outer:??; do
		same "llvm-symbolizer $options $pair" "$(place libone.so \
			${pair%:*} llvm-symbolizer "$options")" "${pair#*:}:0:0"
	done
	same "llvm-symbolizer $options outer, object" \
		"$(place one.o outer llvm-symbolizer "$options")" '??:0:0'
done
# LLVM reads the symbol table for the names alone.
same 'llvm-addr2line' "$(place libone.so inner llvm-addr2line '')" '??:0'
same 'llvm-addr2line -f' "$(place libone.so inner llvm-addr2line -f)" 'one.c:0'
exit 0
