#!/bin/sh
# SPDX-License-Identifier: MIT
# The stub of gsym-create --install is no debug file: gsym-create, gsym-lookup,
# gdb and elfutils find the one with debug info although a stub with the same
# build ID comes first.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need objcopy
need strip
need nm

compile prog -g -Wl,--build-id
gsym-create -q -o whole.gsym prog || fail 'the whole program'
objcopy --only-keep-debug prog prog.debug
address=0x$(nm prog | sed -n 's/ T main$//p')
strip -o stripped prog
objcopy --add-gnu-debuglink=prog.debug stripped
gsym-create -q --install=store prog || fail '--install'
stub=$(find store -type f -name '*.debug')

# What gsym-create finds, and with which message.
found()
{
	gsym-create -v -o out.gsym "$@" 2>err || fail "$*: $(cat err)"
	cmp whole.gsym out.gsym || fail "$*: not the same: $(cat err)"
}
found --debug-file-directory=store stripped
grep -q "'$stub': it is a stub" err || fail "no word of the stub: $(cat err)"
gsym-create -q --debug-file-directory=store --replace=always \
	--install=store stripped || fail '--replace=always'
cmp whole.gsym "$stub.gsym" || fail 'a stub made the installed file worse'
gsym-create -q --debug-file="$stub" -o out.gsym stripped 2>err &&
	fail '--debug-file takes a stub'

# A file with symbols alone is taken when no other is found, with a warning.
objcopy --strip-debug prog symbols
folder=symbols-first/${stub#store/}
mkdir -p "${folder%/*}"
cp symbols "$folder"
found --debug-file-directory=symbols-first stripped
strip -o alone prog
gsym-create -v --debug-file-directory=symbols-first -o out.gsym alone 2>err ||
	fail 'symbols'
grep -q "'$folder': used" err || fail "symbols are not used: $(cat err)"
gsym-create -q --debug-file=symbols -o named.gsym alone || fail 'symbols, named'
cmp out.gsym named.gsym || fail 'symbols, named: not the same'
mv prog.debug away
gsym-create --strict -q --debug-file-directory=symbols-first -o out.gsym \
	stripped 2>err && fail '--strict takes symbols for debug info'
mv away prog.debug

# gsym-lookup converts the debug file, not the stub.
rm "$stub.gsym"
XDG_CACHE_HOME=$PWD/cache gsym-lookup --debug-file-directory=store stripped "$address" >out \
	2>err || fail "gsym-lookup: $(cat err)"
grep -q 'program\.c:' out || fail "gsym-lookup: $(cat out err)"

# --no-stub.
gsym-create -q --no-stub --install=bare prog || fail '--no-stub'
[ "$(find bare -type f | wc -l)" = 1 ] || fail "--no-stub: $(find bare)"
gsym-create -q --no-stub -o x prog 2>err && fail '--no-stub alone'

# gdb and elfutils.
if command -v gdb >/dev/null; then
	gdb -q -nx -batch -ex "set debug-file-directory $PWD/store" \
		-ex 'file stripped' -ex "info line *$address" >out 2>&1
	grep -q 'program\.c' out || fail "gdb: $(cat out)"
fi
if command -v eu-addr2line >/dev/null; then
	eu-addr2line --debuginfo-path=":.debug:$PWD/store" -e stripped "$address" \
		>out 2>&1
	grep -q 'program\.c:' out || fail "elfutils: $(cat out)"
fi
exit 0
