#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-lookup on a program: it uses the GSYM file beside it, or says how to make
# one.  A stripped program: gsym-create says where its debug info may be.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need nm
compile prog -Wl,--build-id
start=$(nm prog | sed -n 's/^0*\([0-9a-f]*\) T work$/0x\1/p')
[ -n "$start" ] || fail 'no symbol work'

# lookup-convert.sh tests the conversion of programs.
GSYM_CONVERT=no
export GSYM_CONVERT

# $1: the case; $2: a part of the note before the message; "": there is none.
refused()
{
	gsym-lookup prog "$start" >out 2>err
	[ $? = 2 ] && [ ! -s out ] && [ "$(wc -l <err)" = $((${#2} ? 2 : 1)) ] &&
		grep -q "$2" err && grep -q "cannot open 'prog': .*no section .gsym; 'gsym-create prog' makes 'prog.gsym'" err ||
		fail "$1: $(cat out err)"
}

refused 'no GSYM file' ''
gsym-create -q prog || fail "status $?"
gsym-lookup prog.gsym "$start" >wanted || fail "status $?"
gsym-lookup prog "$start" 2>err | cmp - wanted || fail "beside it: $(cat err)"
[ ! -s err ] || fail "beside it: $(cat err)"
(cd / && gsym-lookup "$OLDPWD/prog" "$start") | cmp - wanted || fail 'its path'
ln -s prog.gsym link.gsym
ln -s prog link
gsym-lookup link "$start" | cmp - wanted || fail 'by links'

# The program's own data are preferred.
gsym-create -q --embed prog -o inside prog || fail "--embed: $?"
echo damage >inside.gsym
gsym-lookup inside "$start" | cmp - wanted || fail 'its own data'

# GSYM files of other programs, and damaged ones.
compile other -Wl,--build-id -DOTHER -O2
gsym-create -q -o prog.gsym other || fail "status $?"
refused 'another program' "note: 'prog.gsym' is not used: it has another build ID"
head -c 30 prog.gsym >cut && mv cut prog.gsym
refused 'damage' "note: 'prog.gsym' is not used: "
compile noid -Wl,--build-id=none
gsym-create -q -o prog.gsym noid || fail "status $?"
refused 'no build ID there' "'prog.gsym' is not used: it has another build ID"
gsym-create -q noid || fail "status $?"
gsym-lookup noid work >/dev/null || fail 'neither has a build ID'
gsym-create -q -o noid.gsym prog || fail "status $?"
gsym-lookup noid work 2>err && fail 'no build ID here'
grep -q 'another build ID' err || fail "no build ID here: $(cat err)"

# Text is no program.
cp wanted text
cp prog.gsym text.gsym
gsym-lookup text 1 2>err && fail 'text'
grep -q gsym-create err && fail "text: $(cat err)"

# A stripped program.
none="--debug-file-directory=$PWD/none"
printf 'void _start(void) {}\n' >bare.c
${CC:-cc} -nostdlib -static -Wl,--build-id -o bare bare.c 2>err ||
	skip "cannot link: $(cat err)"
strip bare || fail 'strip'
gsym-create $none bare 2>err && fail 'a stripped program'
grep -q "'bare': it has no functions.*; if it is stripped, try --debuginfod, or the debug package" err ||
	fail "a stripped program: $(cat err)"
DEBUGINFOD_URLS= gsym-create --debuginfod $none bare 2>err && fail '--debuginfod'
grep -q 'try the debug package' err || fail "--debuginfod: $(cat err)"
cp prog stripped
strip --strip-debug stripped
gsym-create $none stripped 2>err || fail "symbols alone: $(cat err)"
grep -q '^  for debug info try --debuginfod, or the debug package' err ||
	fail "symbols alone: $(cat err)"
gsym-create prog 2>err || fail "status $?"
grep -q 'debuginfod' err && fail "with debug info: $(cat err)"

# The debug file is found where gsym-create finds it: in the folder that a
# symbolic link leads to, also.
mkdir real by-link
objcopy --only-keep-debug prog real/prog.debug || fail 'objcopy'
cp prog real/prog
strip real/prog || fail 'strip'
(cd real && objcopy --add-gnu-debuglink=prog.debug prog) || fail 'debuglink'
gsym-create -q -o real/prog.debug.gsym prog || fail "status $?"
ln -s ../real/prog by-link/prog
gsym-lookup $none by-link/prog "$start" 2>err | cmp - wanted ||
	fail "the debug file behind a link: $(cat err)"
exit 0
