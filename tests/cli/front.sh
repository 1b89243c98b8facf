#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym: it runs the tools, shows the guide, and says which symbols there are.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
bytes work work.gsym
unset DEBUGINFOD_URLS

# said TEXT...: standard output has each TEXT.
said()
{
	for text in "$@"; do
		grep -qF -- "$text" out || fail "no '$text' in: $(cat out err)"
	done
}

# ---- the tools -----------------------------------------------------------------

gsym lookup work.gsym 0x40100e >out 2>err || fail 'gsym lookup'
gsym-lookup work.gsym 0x40100e >wanted && cmp out wanted || fail 'other answers'
gsym gsym-lookup work.gsym 0x40100e >out && cmp out wanted || fail 'long names'
gsym lookup missing.gsym 1 >out 2>err
[ $? = 2 ] || fail 'the status of a tool'
grep -q "^gsym-lookup: cannot open 'missing.gsym'" err || fail 'its message'
gsym dump --verify work.gsym >out || fail 'gsym dump'
gsym >out 2>err && fail 'no command is fine'
grep -q 'no COMMAND' err || fail 'no word about the command'
gsym lokup x 2>err && fail 'lokup is a command'
grep -q "no command 'lokup': did you mean 'lookup'?" err || fail 'no hint'
# Each tool of this build has a line, and each line a tool.
gsym --help >help || fail 'help'
for tool in "$top_builddir"/gsym-*; do
	[ -x "$tool" ] || continue
	name=${tool##*/gsym-}
	case $name in
	*-tiny | *.*) continue ;;
	esac
	grep -q "^      *$name " help || fail "--help lacks $name"
done
# Completion: commands, topics, and the options of the tools.
if command -v bash >/dev/null; then
	cat >complete <<'END'
compopt() { :; }
. "$top_srcdir/completions/gsym"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_gsym gsym
printf '%s\n' "${COMPREPLY[@]}"
END
	export top_srcdir
	bash ./complete gsym loo >out && said lookup
	bash ./complete gsym help co >out && said core
	bash ./complete gsym lookup --buil >out && said --build-id=
	bash ./complete gsym doctor --gsym >out && said --gsym-file-directory=
fi

# ---- help ----------------------------------------------------------------------

gsym help >list || fail 'gsym help'
for topic in build crash-log perf core fleet library; do
	grep -q "gsym help $topic " list || fail "the list lacks $topic"
	gsym help $topic >out || fail "gsym help $topic"
	cmp out "$top_srcdir/doc/guide/$topic.md" || fail "$topic is another text"
done
gsym help lookup >out || fail 'help of a tool'
gsym-lookup --help=all | cmp - out || fail 'another help'
gsym help pref 2>err && fail 'pref is a topic'
grep -q "did you mean 'perf'" err || fail 'no hint at perf'
gsym help lokup 2>err && fail 'lokup is a topic'
grep -q "did you mean 'lookup'" err || fail 'no hint at lookup'
gsym help perf >/dev/full 2>err && fail 'a full disk is fine'
[ "$(grep -c 'standard output' err)" = 1 ] || fail "said: $(cat err)"

# ---- doctor --------------------------------------------------------------------

gsym doctor >out || fail 'the machine'
said "$XDG_CACHE_HOME/gsym/$release" /usr/lib/debug 'DEBUGINFOD_URLS: not set'
compile plain -Wl,--build-id=0x1122334455667788
gsym-create -q --no-lines --no-inlines -o plain.gsym plain || fail 'plain'
gsym doctor plain >out || fail 'names alone'
said 'no lines: names of functions'
rm plain.gsym plain
gsym doctor missing 2>err
[ $? = 2 ] && grep -q "cannot open 'missing'" err || fail 'a missing file'
gsym doctor . 2>err
[ $? = 2 ] || fail 'a folder'
echo 'a text that is longer than a header of GSYM, and no program' >text
gsym doctor text 2>err
[ $? = 2 ] || fail 'a text'
gsym doctor a b 2>err
[ $? = 2 ] || fail 'two programs'
gsym doctor 2000000000 2>err
[ $? = 2 ] && grep -q 'cannot read process' err || fail 'no such process'
gsym doctor --sandbox 2>err
[ $? = 2 ] && grep -q "unknown option '--sandbox'" err || fail '--sandbox'
gsym doctor --help >out && ! grep -q sandbox out || fail 'help has --sandbox'
gsym doctor work.gsym >out || fail 'a GSYM file'
said 'symbols: work.gsym'

[ -x "$top_builddir/gsym-create" ] || exit 0
compile prog -Wl,--build-id -no-pie
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
gsym doctor --gsym-file-directory=no prog >out 2>err
[ $? = 1 ] || fail "nothing is missing: $(cat out err)"
said "prog: build ID $id" 'prog.gsym: cannot open the file: No such file' \
	'symbols: none; gsym lookup converts the program when it is asked' \
	"no/${id#??}.debug.gsym: there is no such file" \
	'debug info: in the file itself' '  get them: gsym-create prog'
# The command is the one that helps.
eval "$(sed -n 's/.*get them: //p' out) >/dev/null 2>&1" || fail 'the command'
gsym doctor prog >out || fail 'there are symbols now'
said 'symbols: prog.gsym'
# Files of another program do not count.
compile other -DOTHER -Wl,--build-id=0x1234567890 -no-pie
cp prog.gsym other.gsym
gsym doctor other >out 2>err
[ $? = 1 ] || fail 'symbols of another program'
said 'other.gsym: it has another build ID'
# A stripped program, and its debug file.
mkdir -p debug/.build-id/"${id%"${id#??}"}"
objcopy --only-keep-debug prog "debug/.build-id/${id%"${id#??}"}/${id#??}.debug"
strip -o stripped prog
gsym doctor --debug-file-directory=debug stripped >out 2>err
[ $? = 1 ] || fail 'stripped'
said "debug info: debug/.build-id/" 'get them: gsym-create stripped'
gsym doctor --debug-file-directory=none stripped >out 2>err
[ $? = 1 ] || fail 'stripped, without debug file'
said 'debug info: none on this machine' 'gsym-create --debuginfod stripped' \
	'DEBUGINFOD_URLS=https'
DEBUGINFOD_URLS=http://localhost:1 gsym doctor stripped >out 2>err
said '  get them: gsym-create --debuginfod stripped'
# Names that a shell would read otherwise.
mv stripped "it's a \$(touch bad) name"
gsym doctor "it's a \$(touch bad) name" >out 2>err
eval "set -- $(sed -n 's/.*gsym-create --debuginfod//p' out)"
[ "$1" = "it's a \$(touch bad) name" ] && [ ! -e bad ] || fail "quoted: $1"
# The command has no byte that a terminal must not get, and names the file.
odd=$(printf 'a\033[2Jb\n%%s\\c')
mv "$1" "./$odd"
gsym doctor "$odd" >out 2>err
! grep -q "$(printf '\033')" out || fail 'control characters'
eval "set -- $(sed -n 's/.*gsym-create --debuginfod//p' out)"
[ "$1" = "$odd" ] || fail "escaped: $1"

# ---- doctor of a process -------------------------------------------------------

cat >sleeper.c <<'END'
#include <unistd.h>
int main(void)
{
	return (int)sleep(60);
}
END
${CC:-cc} -g -Wl,--build-id sleeper.c -o sleeper 2>err || fail 'cannot compile'
./sleeper &
child=$!
trap 'kill $child; rm -rf "$scratch"' EXIT
# Its libraries come after the program itself.
until_true grep -q libc /proc/$child/maps
gsym doctor $child >out 2>err
[ $? = 1 ] || fail "nothing is missing: $(cat out err)"
said "/sleeper: build ID" libc 'searched by build ID:' \
	"--install=$XDG_CACHE_HOME/gsym/$release"
command=$(sed -n '/sleeper: /,/get them/s/.*gsym-create //p' out)
eval "gsym-create -q $command" || fail "this failed: $command"
gsym doctor $child >out 2>err
sed -n '/sleeper/,/symbols/p' out | grep -q "symbols: $XDG_CACHE_HOME/gsym/$release" ||
	fail "no symbols for the sleeper: $(cat out err)"
exit 0
