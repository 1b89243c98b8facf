#!/bin/sh
# SPDX-License-Identifier: MIT
# The converter of gsym-markup --convert, with scripts in place of gsym-create:
# its limits, signals while it runs, and what is left when gsym-markup is
# killed.  Each step may take a minute.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
id=00112233445566778899aabbccddeeff01234567
mkdir -p full/.build-id/00 bin temporary
head -c 5000000 /dev/zero >full/.build-id/00/${id#00}.debug
TMPDIR=$PWD/temporary
export TMPDIR
cat >log <<EOL
a line before
{{{module:0:lib:elf:$id}}}
{{{mmap:0x10000:0x10000:load:0:rx:0x0}}}
{{{pc:0x10010}}} on this line
a line after
EOL

# gsym-markup runs the gsym-create in its own folder.
markup=$(command -v gsym-markup)
cp "$markup" bin/gsym-markup || fail 'no copy of gsym-markup'
converter()
{
	{ echo '#!/bin/sh'; cat; } >bin/gsym-create
	chmod +x bin/gsym-create
}
# Run in the background; sets child.
start()
{
	rm -f pid
	bin/gsym-markup --debug-file-directory=full --convert "$@" <$log \
		>out 2>err &
	child=$!
}
gone() { ! kill -0 "$(cat pid)" 2>/dev/null; }
left() { find .cache temporary -name '.new.*' -o -name 'gsym.*'; }
trap 'kill -KILL $child $other $(cat pid 2>/dev/null) 2>/dev/null; rm -rf "$scratch"' EXIT
child='' other='' log=log

# Limits: the arguments, and what the converter may use.
converter <<'END'
ulimit -t >seconds
ulimit -d >kilobytes
ulimit -c >core
echo "$*" >arguments
exit 1
END
start
wait $child || fail "status $?: $(cat err)"
grep -q "note: cannot convert 'full/.*debug': gsym-create failed" err ||
	fail "$(cat err)"
[ "$(tail -n 2 out)" = "$(printf 'lib+0x10 on this line\na line after')" ] ||
	fail "$(cat out)"
[ "$(cat core)" = 0 ] || fail "core: $(cat core)"
grep -q '^--quiet --sandbox=try --install .*/\.cache/gsym/'"$release"'/\.new\.[^ ]* --data-symbols --own-files --debug-file-directory full -- full/' arguments ||
	fail "$(cat arguments)"
threads=$(getconf _NPROCESSORS_ONLN)
[ "$(cat seconds)" = $((600 * threads)) ] || fail "seconds: $(cat seconds)"
if [ -z "${GSYM_SANITIZE:-}" ]; then
	[ "$(cat kilobytes)" = $((1048576 + 32 * 5000000 / 1024 + \
		16384 * threads)) ] || fail "kilobytes: $(cat kilobytes)"
	start --convert-memory=77
	wait $child
	[ "$(cat kilobytes)" = $((77 * 1024)) ] ||
		fail "--convert-memory: $(cat kilobytes)"
fi
start --convert-time=3
wait $child
[ "$(cat seconds)" = $((3 * threads)) ] || fail "--convert-time: $(cat seconds)"
[ -z "$(left)" ] || fail "left: $(left)"

# Descriptors that the caller has left open do not reach the converter.
converter <<'END'
{ echo leak >&7; } 2>no
exit 1
END
: >leaked
exec 7>>leaked
start
wait $child || fail "a descriptor: status $?: $(cat err)"
exec 7>&-
[ -s no ] && [ ! -s leaked ] || fail 'the converter inherits a descriptor'

for wrong in 0 x 10000000000 -1; do
	bin/gsym-markup --convert-time=$wrong </dev/null 2>err
	[ $? = 2 ] || fail "--convert-time=$wrong"
	bin/gsym-markup --convert-memory=$wrong </dev/null 2>err
	[ $? = 2 ] || fail "--convert-memory=$wrong"
done

# A converter that takes too long.
converter <<'END'
echo $$ >pid
exec sleep 1000
END
start --convert-time=1
wait $child || fail "too long: status $?"
gone || fail 'too long: it goes on'
grep -q "note: cannot convert 'full/.*': it takes too long" err ||
	fail "too long: $(cat err)"
[ -z "$(left)" ] || fail "too long: left $(left)"
# A converter that is killed.
converter <<'END'
kill -KILL $$
END
start
wait $child || fail "killed: status $?"
grep -q "note: cannot convert 'full/.*': Killed" err || fail "$(cat err)"

# Lines before the address are written while the converter runs, and SIGTERM
# ends both at once.
converter <<'END'
echo $$ >pid
exec sleep 1000
END
for signal in TERM INT; do
	start
	until_true [ -s pid ]
	grep -q '^a line before$' out || fail "held back: $(cat out)"
	grep -q 'ELF module #0x0 "lib"' out || fail "held back: $(cat out)"
	kill -$signal $child
	# A shell may start background processes with SIGINT ignored.
	[ $signal = TERM ] || { sleep 0.2; kill -TERM $child 2>/dev/null; }
	wait $child
	status=$?
	[ $status = 143 ] || [ $status = 130 ] || fail "$signal: status $status"
	gone || fail "$signal: the converter goes on"
	[ -z "$(left)" ] || fail "$signal: left $(left)"
	grep -q 'cannot convert' err && fail "$signal: $(cat err)"
done

# The converter ends with its parent, even if that is killed.  The folder that
# it leaves is removed by the next run; the folder of a run that goes on is not.
start
until_true [ -s pid ]
kill -KILL $child
wait $child 2>/dev/null
until_true gone
old=$(left)
[ -n "$old" ] || fail 'killed: no folder is left'
# The first folder may be that of another host, but is too old.  The second one
# has no name of a temporary folder.
foreign=.cache/gsym/$release/.new.0.0.7.0123456789abcdef
mkdir $foreign .cache/gsym/$release/.new.longer .cache/gsym/$release/new
touch -d '8 days ago' $foreign .cache/gsym/$release/.new.longer
start
other=$child
until_true [ -s pid ]
[ ! -e "$old" ] || fail "not cleaned: $(left)"
[ ! -e $foreign ] || fail "not cleaned: $(left)"
[ -d .cache/gsym/$release/.new.longer ] || fail 'a folder of others is gone'
for mine in $(left | grep -v longer); do
	break
done
[ -d "$mine" ] || fail 'the folder of the run that goes on'
cp pid other.pid
# Of another program: a run waits for the lock of the same one.
mkdir full/.build-id/01
cp full/.build-id/00/${id#00}.debug full/.build-id/01/
sed "s/elf:00/elf:01/" log >other.log
log=other.log
start
log=log
until_true [ -s pid ]
[ -d "$mine" ] || fail 'the folder of another run was removed'
[ "$(left | grep -vc longer)" = 2 ] || fail "two runs: $(left)"
kill -TERM $child $other
wait $child
wait $other
[ ! -d "$mine" ] || fail "left: $(left)"
[ -d .cache/gsym/$release/new ] || fail 'a folder with another name was removed'
rm -r .cache

# The same for the temporary folder where the cache cannot be.
: >.cache
start
until_true [ -s pid ]
kill -KILL $child
wait $child 2>/dev/null
until_true gone
old=$(left)
[ "$(echo "$old" | wc -l)" = 1 ] || fail "no cache: $old"
converter <<'END'
exit 1
END
start
wait $child
[ -z "$(left)" ] || fail "no cache: left $(left)"
exit 0
