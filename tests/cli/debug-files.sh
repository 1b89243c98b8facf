#!/bin/sh
# SPDX-License-Identifier: MIT
# A stripped program with its debug file gives the output of the unstripped
# program, byte for byte, wherever the debug file is.  A debug file of another
# build is not used.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need objcopy
need strip

# A conversion that must find the debug file.  $1: the case; the rest: options.
same()
{
	what=$1
	shift
	gsym-create -v -o out.gsym "$@" 2>err || fail "$what: $(cat err)"
	cmp -s whole.gsym out.gsym || fail "$what: not the same: $(cat err)"
	rm out.gsym
}

# A conversion that must not find a debug file.  $1: the case; the rest:
# options.  Leaves the messages in err.
without()
{
	what=$1
	shift
	gsym-create -v -o out.gsym "$@" 2>err || fail "$what: $(cat err)"
	grep -q 'functions: 0 from debug info' err || fail "$what: $(cat err)"
	rm out.gsym
}

said()
{
	grep -q -e "$1" err || fail "it does not say '$1': $(cat err)"
}

compile prog -rdynamic -Wl,--build-id
gsym-create -q -o whole.gsym prog || fail 'the whole program'
id=$(readelf -n prog | sed -n 's/.*Build ID: *//p')
[ -n "$id" ] || skip 'the compiler does not run the linker with --build-id'
head=$(printf %.2s "$id")
objcopy --only-keep-debug prog prog.debug || fail 'objcopy'
cp prog one
strip --strip-all -o prog one || fail 'strip'
cp prog plain
objcopy --add-gnu-debuglink=prog.debug prog || fail 'debuglink'
# With this option debug files of this machine are not found.
none="--debug-file-directory=$PWD/none"

# ---- the build ID ----------------------------------------------------------
mkdir -p "tree/.build-id/$head" other bin
cp prog.debug "tree/.build-id/$head/${id#??}.debug"
for file in plain prog; do
	same 'build ID' --debug-file-directory=tree $file
	said "debug file 'tree/.build-id/$head/${id#??}.debug': used"
done
same 'second tree' --debug-file-directory=other --debug-file-directory tree plain
said "debug file 'other/.build-id/.*': not there"
same 'a link in the tree' --debug-file-directory=tree plain
without 'no tree' --debug-file-directory= plain
said 'warning: no-debug-info'
grep -q missing-file err && fail 'a file is missing that nobody named'
gsym-create --json --debug-file-directory=tree -o out.gsym plain |
	grep -q '"debug_file":"tree/.build-id/' || fail 'not in the JSON summary'
rm out.gsym

# ---- the name --------------------------------------------------------------
same 'beside it' $none prog
said "debug file '.*none/.build-id/.*': not there"
same 'by its whole path' $none "$PWD/prog"
mkdir .debug
mv prog.debug .debug
same 'in .debug' $none prog
rm -r .debug
mkdir -p "tree2$PWD/"
cp "tree/.build-id/$head/${id#??}.debug" "tree2$PWD/prog.debug"
same 'below a tree' --debug-file-directory=tree2 "$PWD/prog"
same 'below a tree, by a short name' --debug-file-directory=tree2 prog
ln -s ../prog bin/prog
same 'below a tree, through a link' --debug-file-directory=tree2 bin/prog
without 'nowhere' $none prog
said 'warning: missing-file: debug file prog.debug, build ID'
gsym-create -q --strict $none -o out.gsym prog 2>err && fail '--strict'
[ ! -e out.gsym ] || fail '--strict leaves a file'
cp "tree/.build-id/$head/${id#??}.debug" bin/prog.debug
same 'beside a link to it' $none bin/prog
rm -r bin

# Symbols that the program has itself are used, too.
strip --strip-debug -o kept one
objcopy --add-gnu-debuglink="tree2$PWD/prog.debug" kept
same 'with symbols in both' --debug-file-directory=tree kept

# ---- files that are not the debug file -------------------------------------
good=$PWD/tree2$PWD/prog.debug
compile another -DANOTHER -Wl,--build-id=0x0123456789abcdef
cp another prog.debug
same 'after one with another build ID' --debug-file-directory=tree2 prog
said "debug file './prog.debug': its build ID is 0123456789abcdef, not $id"
echo text >prog.debug
same 'after one that is no ELF file' --debug-file-directory=tree2 prog
said "debug file './prog.debug': not an ELF file"
rm prog.debug
mkdir prog.debug
same 'after a folder' --debug-file-directory=tree2 prog
said "debug file './prog.debug': a folder, device or pipe, not a file"
rmdir prog.debug
cp plain prog.debug
same 'after one without debug info' --debug-file-directory=tree2 prog
said "debug file './prog.debug': it has neither debug info nor symbols"
rm prog.debug
ln -s prog prog.debug
same 'after a link to itself' --debug-file-directory=tree2 prog
said "debug file './prog.debug': it is the program itself"
rm prog.debug
head -c 1000 "$good" >prog.debug
same 'after one that is cut' --debug-file-directory=tree2 prog
rm prog.debug

# ---- --debug-file ----------------------------------------------------------
cp "$good" by-hand
same 'by hand' $none --debug-file=by-hand plain
said "debug file 'by-hand': used"
for file in another plain missing; do
	gsym-create -o out.gsym --debug-file $file plain 2>err && fail "$file"
	[ $? = 2 ] && [ "$(wc -l <err)" = 1 ] || fail "$file: $(cat err)"
done
gsym-create -o out.gsym --debug-file by-hand one 2>err && fail 'not needed'
said 'it has debug info of its own'
[ ! -e out.gsym ] || fail 'a file was left'

# ---- the checksum, without a build ID --------------------------------------
compile prog -rdynamic -Wl,--build-id=none
gsym-create -q -o whole.gsym prog || fail 'without a build ID'
objcopy --only-keep-debug prog prog.debug
cp prog one
strip --strip-all prog
cp prog plain
objcopy --add-gnu-debuglink=prog.debug prog
same 'by checksum' $none prog
same 'by checksum, by hand' --debug-file=prog.debug prog
same 'with nothing to compare, by hand' --debug-file=prog.debug plain
without 'with nothing to search for' $none plain
echo >>prog.debug
without 'with a wrong checksum' $none prog
said "debug file './prog.debug': its checksum is [0-9a-f]\{8\}, not [0-9a-f]\{8\}"
gsym-create -q --debug-file=prog.debug -o out.gsym prog 2>err &&
	fail 'a wrong checksum, by hand'

# ---- a relocatable object, as a kernel module ------------------------------
compile module.o -c -ffunction-sections
objcopy --only-keep-debug module.o module.debug || fail 'objcopy'
objcopy --strip-debug --add-gnu-debuglink=module.debug module.o module ||
	fail 'objcopy'
base=--section-base=.text.work=0x40000
gsym-create -q $base -o whole.gsym module.o || fail 'an object'
same 'an object' $none $base module
exit 0
