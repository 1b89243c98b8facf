#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-lookup on a program without GSYM data: it is converted by gsym-create, a
# child in a sandbox, and the cache keeps the result.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
[ -x "$top_builddir/gsym-create" ] || skip 'gsym-create is not built'
for tool in nm objcopy strip readelf; do
	need $tool
done
compile prog -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567
start=$(nm prog | sed -n 's/^0*\([0-9a-f]*\) T work$/0x\1/p')
[ -n "$start" ] || fail 'no symbol work'
gsym-create -q -o ../wanted.gsym prog || fail "gsym-create: $?"
gsym-lookup ../wanted.gsym "$start" >wanted || fail "gsym-lookup: $?"
kept=$XDG_CACHE_HOME/gsym/$release/.build-id/01/23456789abcdef0123456789abcdef01234567.debug.gsym
TMPDIR=$scratch/temporary
export TMPDIR
mkdir "$TMPDIR"

# Nothing is left but whole files: $1 is the case.
clean()
{
	[ -z "$(ls -A "$TMPDIR")" ] || fail "$1: left $(find "$TMPDIR")"
	[ -z "$(find "$XDG_CACHE_HOME" -name '.new.*' -o -name '*.lock' \
		2>/dev/null)" ] || fail "$1: left $(find "$XDG_CACHE_HOME")"
}
# $1: the case; the rest: the command.  It answers as with the GSYM file.
answers()
{
	case=$1
	shift
	"$@" "$start" >out 2>err || fail "$case: status $?: $(cat err)"
	cmp wanted out || fail "$case: $(cat out err)"
	clean "$case"
}
# The same, for a command that does not answer; $2 is in its messages.
refused()
{
	case=$1
	what=$2
	shift 2
	"$@" "$start" >out 2>err
	[ $? = 2 ] && [ ! -s out ] || fail "$case: $(cat out err)"
	grep -q "$what" err || fail "$case: $(cat err)"
	clean "$case"
}
quiet() { [ ! -s err ] || fail "$case: $(cat err)"; }
unkept() { [ ! -e "$kept" ] || fail "$case: the cache has the file"; }

# The first run converts, and says how to make that permanent.
answers 'the first run' gsym-lookup prog
[ "$(wc -l <err)" = 1 ] && grep -q \
	"note: 'prog' was converted, and the result is in the cache; 'gsym-create prog' makes 'prog.gsym'" err ||
	fail "the note: $(cat err)"
[ -f "$kept" ] || fail 'the cache has no file'
[ ! -e prog.gsym ] || fail 'a file beside the program'

# The second run takes the file in the cache: gsym-create does not run.
mkdir bin
cp "$(command -v gsym-lookup)" bin
answers 'the second run' bin/gsym-lookup prog
quiet
answers 'the cache without conversion' gsym-lookup --no-convert prog
quiet
cp prog moved
answers 'a copy of the program' gsym-lookup --no-convert moved
answers 'by build ID' gsym-lookup \
	--build-id 0123456789abcdef0123456789abcdef01234567
# A file beside the program comes first.
cp ../wanted.gsym prog.gsym
rm "$kept"
answers 'a file beside it' bin/gsym-lookup prog
unkept
rm prog.gsym

# Conversions can be switched off, and on again.
none="no section .gsym; 'gsym-create prog' makes 'prog.gsym'"
refused '--no-convert' "$none" gsym-lookup --no-convert prog
refused 'GSYM_CONVERT' "$none" env GSYM_CONVERT=no gsym-lookup prog
refused '--sandbox' "$none" gsym-lookup --sandbox=try prog
refused '--sandbox and the variable' "$none" env GSYM_CONVERT=yes gsym-lookup \
	--sandbox=try prog
unkept
refused '--sandbox --convert' 'sandbox runs no command' \
	gsym-lookup --sandbox --convert prog
answers 'the last option' gsym-lookup --no-convert --convert prog
rm "$kept"
answers 'an option and the variable' env GSYM_CONVERT=no gsym-lookup \
	--convert prog
rm "$kept"

# A cache that cannot be written: the answer is the same.
for place in /proc/none '' relative; do
	answers "the cache '$place'" env -u HOME XDG_CACHE_HOME="$place" \
		gsym-lookup prog
	grep -q "was converted for this run alone; 'gsym-create prog'" err ||
		fail "the cache '$place': $(cat err)"
done
if [ "$(id -u)" != 0 ]; then
	chmod 555 "$XDG_CACHE_HOME/gsym/$release/.build-id/01"
	answers 'a read-only cache' gsym-lookup prog
	grep -q 'cannot be written: Permission' err || fail "$(cat err)"
	chmod 755 "$XDG_CACHE_HOME/gsym/$release/.build-id/01"
fi
answers 'no temporary folder' env TMPDIR=/proc/none gsym-lookup prog
rm "$kept"
refused 'no folder at all' "no folder can be made in '/proc/none'" \
	env XDG_CACHE_HOME=/proc/none TMPDIR=/proc/none gsym-lookup prog

# No gsym-create is at hand.
nowhere()
{
	PATH=/nowhere "$PWD/bin/gsym-lookup" "$@"
}
refused 'no gsym-create' "$none" nowhere prog
grep -q "note: cannot convert 'prog': gsym-create cannot be run" err ||
	fail "no gsym-create: $(cat err)"
unkept

# What hostile programs may make of gsym-create.
create()
{
	{ echo '#!/bin/sh'; cat; } >bin/gsym-create
	chmod +x bin/gsym-create
}
echo 'kill -SEGV $$' | create
refused 'it dies' "$none" bin/gsym-lookup prog
grep -q "note: cannot convert 'prog': Segmentation fault" err ||
	fail "it dies: $(cat err)"
printf 'sleep 300 &\necho $! >child\nwait\n' | create
refused 'it hangs' "$none" bin/gsym-lookup --convert-time=1 prog
grep -q "note: cannot convert 'prog': it takes too long" err ||
	fail "it hangs: $(cat err)"
child_ends 'a child of gsym-create lives on'
printf 'mkdir -p "$4/.build-id/01"\nhead -c 60 "%s" >"$4/%s"\n' \
	"$scratch/wanted.gsym" "${kept#*/gsym/}" | create
refused 'half a file' "$none" bin/gsym-lookup prog
printf 'mkdir -p "$4/.build-id/02"\ncp "%s" "$4/.build-id/02/03.debug.gsym"\n' \
	"$scratch/wanted.gsym" | create
refused 'another build ID' "$none" bin/gsym-lookup prog
grep -q "'prog' is not used: it has another build ID" err || fail "$(cat err)"
unkept
printf 'ulimit -d >"%s"\nulimit -t >"%s"\nexit 1\n' "$PWD/kilobytes" \
	"$PWD/seconds" | create
refused 'limits' "$none" bin/gsym-lookup --convert-memory=77 --convert-time=3 \
	prog
[ -n "${GSYM_SANITIZE:-}" ] || [ "$(cat kilobytes)" = $((77 * 1024)) ] ||
	fail "--convert-memory: $(cat kilobytes)"
[ "$(cat seconds)" = $((3 * $(getconf _NPROCESSORS_ONLN))) ] ||
	fail "--convert-time: $(cat seconds)"
[ "$(wc -l <err)" = 1 ] || fail "a plain failure: $(cat err)"
unkept
rm bin/gsym-create
# Damage of all kinds is no reason to hang or to crash.
size=$(wc -c <prog)
for at in 20 40 64 100 1000 $((size / 2)) $((size - 300)); do
	cp prog broken
	printf '\377\377\377\377' | dd of=broken bs=1 seek=$at conv=notrunc \
		2>/dev/null
	gsym-lookup broken "$start" >out 2>err
	[ $? -le 2 ] || fail "damage at $at: $(cat out err)"
	head -c $at prog >broken
	gsym-lookup broken "$start" >out 2>err
	[ $? -le 2 ] || fail "cut at $at: $(cat out err)"
done
clean damage
rm -rf "$XDG_CACHE_HOME"

# Files of another user may say anything of a program with a known build ID: what
# is made of them is not kept.  gsym-create is told not to read them for a result
# that is kept.
if [ "$(id -u)" = 0 ] && chown 1 broken 2>/dev/null; then
	cp prog foreign
	chown 1 foreign
	answers 'a program of another user' gsym-lookup foreign
	unkept
	gsym-create -q --own-files -o x.gsym foreign 2>err &&
		fail '--own-files: a program of another user'
	grep -q 'it is a file of another user' err || fail "$(cat err)"
	objcopy --only-keep-debug prog foreign.debug
	strip -o stripped prog
	objcopy --add-gnu-debuglink=foreign.debug stripped
	answers 'a debug file' gsym-lookup stripped
	[ -e "$kept" ] || fail 'a debug file is not kept'
	rm "$kept"
	chown 1 foreign.debug
	answers 'a debug file of another user' gsym-lookup stripped
	unkept
	gsym-create --own-files -o x.gsym stripped >/dev/null 2>err &&
		fail '--own-files: a debug file of another user'
	grep -q 'foreign.debug.* was not found' err ||
		fail "--own-files: $(cat err)"
	rm stripped foreign foreign.debug
	compile split -gsplit-dwarf
	chown 1 ./*.dwo
	gsym-create --own-files -o x.gsym split >/dev/null 2>err ||
		fail "--own-files, .dwo: $(cat err)"
	grep -q 'dwo' err || fail "--own-files, .dwo: $(cat err)"
	rm -f ./*.dwo split x.gsym
fi

# Results of symbols alone are not kept: debug info may be installed later.
strip --strip-debug -o symbols prog
gsym-lookup symbols "$start" >out 2>err || fail "symbols: $(cat err)"
grep -q ': work' out && grep -q 'for this run alone' err ||
	fail "symbols: $(cat out err)"
unkept
clean symbols
# The debug file of a stripped program.
objcopy --only-keep-debug prog prog.debug
strip -o stripped prog
# A stripped program for i386 exports a variable of the startup code.
readelf -W --dyn-syms stripped | grep -q 'OBJECT .* _IO_stdin_used' ||
	refused 'stripped' "'gsym-create stripped'" gsym-lookup stripped
mkdir -p debug/.build-id/01
cp prog.debug debug/.build-id/01/23456789abcdef0123456789abcdef01234567.debug
answers 'a debug file' gsym-lookup --debug-file-directory=debug stripped
rm "$kept"
refused 'without --convert' 'no GSYM file for the build ID' gsym-lookup \
	--debug-file-directory=debug \
	--build-id=0123456789abcdef0123456789abcdef01234567
answers '--build-id' gsym-lookup --convert --debug-file-directory=debug \
	--build-id=0123456789abcdef0123456789abcdef01234567
rm "$kept"
echo "0123456789abcdef0123456789abcdef01234567 $start" |
	gsym-lookup --stream=tsv --convert --debug-file-directory=debug >out ||
	fail '--stream'
grep -q '^ok	work	' out || fail "--stream: $(cat out)"
rm "$kept"
# A program without build ID is converted each time.
compile noid -Wl,--build-id=none
for run in 1 2; do
	gsym-lookup noid work >out 2>err || fail "no build ID: $(cat err)"
	grep -q ': work at' out && grep -q 'for this run alone' err ||
		fail "no build ID: $(cat out err)"
	clean 'no build ID'
done
# What is no program: the message is that of a file that is no GSYM file.
echo text >text
gsym-lookup text 1 >out 2>err && fail text
grep -q create err && fail "text: $(cat err)"
part_passed 'programs'

# A file of the process of --maps.
bias=$(printf '%d' 0x10000000)
readelf -lW prog | sed -n 's/^ *LOAD *0x\([0-9a-f]*\) 0x\([0-9a-f]*\) .* R E .*/\1 \2/p' |
	while read -r offset address; do
		printf '%x-%x r-xp %s 00:00 0 /prog\n' \
			$((bias + 0x$address)) $((bias + 0x$address + 0x1000)) \
			"$offset"
	done >maps
gsym-lookup --maps=maps --root="$PWD" --convert \
	"$(printf '0x%x' $((bias + start)))" >out 2>err || fail "--maps: $(cat err)"
grep -q ': work at' out || fail "--maps: $(cat out err maps)"
[ -f "$kept" ] || fail '--maps: the cache has no file'
rm "$kept"
part_passed --maps

# Debug info of an object whose relocations are not known is not used, which all
# tools say, also those that convert it themselves.
compile prog.o -c
printf '\22\22' | dd of=prog.o bs=1 seek=18 conv=notrunc 2>/dev/null
unknown="'prog.o': .debug_[a-z]* at 0x[0-9a-f]*: [0-9]* relocations of types that are not known for machine 4626, .*; no debug info is used"
gsym-create -q -o out.gsym prog.o 2>err || fail "unknown: $(cat err)"
grep -qx "gsym-create: warning: $unknown" err || fail "unknown: $(cat err)"
for tool in gsym-lookup gsym-addr2line gsym-symbolizer; do
	case $tool in
	gsym-lookup) gsym-lookup prog.o 0 >out 2>err ;;
	*) $tool -f -e prog.o 0 >out 2>err ;;
	esac || fail "unknown, $tool: $(cat err)"
	grep -qx "$tool: note: $unknown" err || fail "unknown, $tool: $(cat err)"
	! grep -q 'program\.c:[1-9]' out || fail "unknown, $tool: $(cat out)"
done
gsym-lookup -q prog.o 0 >out 2>err || fail "unknown, -q: $(cat err)"
[ ! -s err ] || fail "unknown, -q: $(cat err)"
rm prog.o out.gsym
part_passed 'unknown relocations'

# Eight at once: one conversion, the same answers, and nothing half done.
rm -rf "$XDG_CACHE_HOME"
pids=
for i in 1 2 3 4 5 6 7 8; do
	gsym-lookup prog "$start" >out.$i 2>err.$i &
	pids="$pids $!"
done
for pid in $pids; do
	wait "$pid" || fail "at once: status $?: $(cat err.*)"
done
for i in 1 2 3 4 5 6 7 8; do
	cmp wanted out.$i || fail "at once: $(cat out.$i err.$i)"
done
[ "$(cat err.* | grep -c 'was converted')" = 1 ] ||
	fail "at once: $(cat err.*)"
clean 'at once'
part_passed 'eight at once'

# A process that is ended by SIGTERM takes gsym-create with it.
rm -rf "$XDG_CACHE_HOME"
printf 'sleep 300 &\necho $! >child.new\nmv child.new child\nwait\n' | create
rm -f child
bin/gsym-lookup prog "$start" >out 2>err &
until_true [ -s child ]
kill -TERM $!
wait $! 2>/dev/null
[ $? -eq 143 ] || fail 'SIGTERM does not end the process'
child_ends 'SIGTERM: gsym-create lives on'
# The next run removes what that one has left.
rm bin/gsym-create
answers 'after SIGTERM' gsym-lookup prog
part_passed SIGTERM

# gsym-dump takes the file beside a program.
cp ../wanted.gsym prog.gsym
gsym-dump prog.gsym >wanted
gsym-dump prog >out 2>err || fail "gsym-dump: $(cat err)"
cmp wanted out || fail "gsym-dump: $(cat out err)"
gsym-dump --sandbox=try prog >out 2>err || fail "gsym-dump: $(cat err)"
cmp wanted out || fail "gsym-dump --sandbox: $(cat out err)"
mv prog.gsym noid.gsym
gsym-dump noid >out 2>err && fail 'gsym-dump with data of another program'
grep -q "'noid.gsym' is not used: it has another build ID" err ||
	fail "gsym-dump: $(cat err)"
gsym-dump prog >out 2>err && fail 'gsym-dump without data'
grep -q "$none" err || fail "gsym-dump: $(cat err)"
part_passed gsym-dump
parts_finish
