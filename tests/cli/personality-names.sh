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
exit 0
