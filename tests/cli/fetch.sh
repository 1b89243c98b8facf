#!/bin/sh
# SPDX-License-Identifier: MIT
# --fetch: the command of the user brings missing GSYM files into the cache,
# whatever it does.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need readelf
compile prog -Wl,--build-id
id=$(readelf -n prog | sed -n 's/.*Build ID: *//p')
[ -n "$id" ] || skip 'the compiler does not run the linker with --build-id'
gsym-create -q --install=served prog || fail "gsym-create: $?"
place=.build-id/$(echo "$id" | sed 's|^..|&/|').debug.gsym
main=$(gsym-dump --functions "served/$place" |
	sed -n 's/.*\(0x[0-9a-f]*\).* main$/\1/p')
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
kept=cache/gsym/$release/$place

# Write the script command, which runs the shell text $1 with the build ID as $1
# and the path as $2.  Each run adds a line to the file runs.
command_is()
{
	rm -rf cache runs
	: >runs
	printf '#!/bin/sh\necho "$1" >>"%s/runs"\n%s\n' "$PWD" "$1" >command
	chmod +x command
}
copy="cp '$PWD/served/$place' \"\$2\""

# Answer a line with options; sets answer.
ask()
{
	answer=$(printf '%s %s\n' "$id" "$main" |
		timeout 60 gsym-lookup --stream=tsv --debug-file-directory=none \
			--fetch="$PWD/command" "$@" 2>err) ||
		fail "status $?: $(cat err)"
}

runs()
{
	[ "$(wc -l <runs)" -eq "$1" ] || fail "$2: $(wc -l <runs) runs, not $1"
}

# Nothing but files that are whole may stay in the cache.
clean()
{
	left=$(find cache -type f ! -path "$kept" ! -name command 2>/dev/null
		find cache -name '.new.*' 2>/dev/null)
	[ -z "$left" ] || fail "$1: the cache holds $left"
}

# $1: the name of the test; $2: what the messages have to say.
refused()
{
	case $answer in
	nofile*) ;;
	*) fail "$1: '$answer'" ;;
	esac
	grep -q "$2" err || fail "$1: $(cat err)"
	[ ! -e "$kept" ] || fail "$1: the cache has the file"
	clean "$1"
}

mkdir none

# A file comes, once, and stays.
command_is "$copy; echo to standard output"
ask
case $answer in
"ok	main	"*) ;;
*) fail "no answer: '$answer' $(cat err)" ;;
esac
grep -q 'to standard output' err || fail 'the output of the command is lost'
cmp "served/$place" "$kept" || fail 'the cache has another file'
clean 'a file comes'
ask
runs 1 'a file in the cache'
got=$(gsym-lookup --build-id="$id" --debug-file-directory=none main) ||
	fail 'from the cache'
command_is "$copy"
[ "$(gsym-lookup --build-id="$id" --debug-file-directory=none \
	--fetch="$PWD/command" main)" = "$got" ] || fail '--build-id'
runs 1 '--build-id'

# A child that the command leaves behind writes to the file after it was
# checked: the file in the cache is another one.
command_is "$copy
setsid sh -c 'exec 3<>\"\$0\"
	: >opened
	until [ -e kept ]; do sleep 0.1; done
	echo damage >&3
	: >damaged' \"\$2\" >/dev/null 2>&1 &
until [ -e opened ]; do sleep 0.1; done"
rm -f opened kept damaged
if command -v setsid >/dev/null; then
	ask
	: >kept
	until_true [ -e damaged ]
	cmp "served/$place" "$kept" || fail 'a child changed the file'
	clean 'a child changes the file'
fi

# Locks that everyone may read, and none at all.
[ -z "$(find cache -name '*.lock')" ] || fail 'a lock is left'
command_is "ls -l '$PWD/cache/gsym/$release/.build-id/'*/*.lock >'$PWD/locks'; $copy"
ask
grep -q '^-rw------- ' locks || fail "the lock: $(cat locks)"
# shellcheck disable=SC2086 # $CC may have options
if [ -z "${GSYM_SANITIZE:-}" ] &&
	${CC:-cc} -O1 -fPIC -shared -o odd_files.so \
		"$top_srcdir/tests/support/odd_files.c" 2>err; then
	command_is "$copy"
	export ODD_FILES=enolck LD_PRELOAD="$PWD/odd_files.so"
	ask --fetch-timeout=20
	unset ODD_FILES LD_PRELOAD
	case $answer in
	ok*) ;;
	*) fail "no locks: '$answer' $(cat err)" ;;
	esac
	clean 'no locks'
fi

# A caller that ignores SIGCHLD, which its children inherit.
if env --ignore-signal=CHLD true 2>/dev/null; then
	command_is "$copy"
	env --ignore-signal=CHLD gsym-lookup --build-id="$id" \
		--debug-file-directory=none --fetch="$PWD/command" main \
		>out 2>err || fail "SIGCHLD is ignored: $(cat err)"
	[ ! -s err ] || fail "SIGCHLD is ignored: $(cat err)"
fi

# The arguments: words of the command, the build ID in lower case, a path.
command_is "echo \"\$# \$1 \$2 \$3\" >'$PWD/arguments'; cp '$PWD/served/$place' \"\$4\""
printf '%s 1\n' "$(echo "$id" | tr a-f A-F)" | gsym-lookup --stream \
	--debug-file-directory=none --fetch="$PWD/command  a	b" >out 2>err
[ "$(cat arguments)" = "4 a b $id" ] || fail "arguments: $(cat arguments)"

# A damaged file in the cache is replaced.
command_is "$copy"
mkdir -p "$(dirname "$kept")"
head -c 30 "served/$place" >"$kept"
ask
cmp "served/$place" "$kept" || fail 'a damaged file stays in the cache'

# Status 1: no message of ours but the summary, remembered; --retry forgets.
command_is 'exit 1'
ask
refused 'status 1' 'without a GSYM file: 1'
! grep -q fetch err || fail "status 1: $(cat err)"
{ echo "$id 1"; sleep 0.3; echo "$id 2"; sleep 0.3; echo "$id 3"; } |
	gsym-lookup --stream --debug-file-directory=none \
		--fetch="$PWD/command" >out 2>err
runs 2 'a missing file is remembered'
has_run() { [ "$(wc -l <runs)" -ge "$1" ]; }
# The second line comes after the command has run for the first one.
{
	echo "$id 1"
	until_true has_run 3
	sleep 1.5
	echo "$id 2"
} |
	gsym-lookup --stream --debug-file-directory=none --retry=1 \
		--fetch="$PWD/command" >out 2>err
runs 4 '--retry'

# A command that fails.
command_is 'echo oh >&2; exit 3'
ask
refused 'a failure' 'ended with status 3'
grep -q '^oh$' err || fail "the command's message is lost: $(cat err)"
command_is 'kill -9 $$'
ask
refused 'a killed command' 'ended by a signal: Killed'
rm command
ask
refused 'no command' 'cannot be run'

# A command that hangs, with a child that hangs.
command_is "sleep 300 & echo \$! >'$PWD/child'; cp '$PWD/served/$place' \"\$2\"; wait"
start=$(date +%s)
ask --fetch-timeout=5
[ -s child ] || fail 'the command did not start its child'
[ $(($(date +%s) - start)) -lt 30 ] || fail 'a hanging command is not ended'
refused 'a hanging command' 'takes too long'
child_ends 'a child of the command lives on'
command_is "trap '' TERM HUP INT; while :; do sleep 1; done"
ask --fetch-timeout=1
refused 'a command that ignores signals' 'takes too long'

# A command that writes too much, or half a file, or no file, or other things.
command_is 'head -c 3000000 /dev/zero >"$2"'
ask --fetch-size=1
refused 'too much' 'ended\|writes more than 1 MiB'
command_is "head -c $(($(wc -c <"served/$place") - 30)) '$PWD/served/$place' >\"\$2\""
ask
refused 'half a file' 'it is damaged'
command_is ':'
ask
refused 'no file' 'made no file'
command_is 'mkfifo "$2"'
ask
refused 'a pipe' 'made no file'
command_is "ln -s '$PWD/served/$place' \"\$2\""
ask
refused 'a link' 'made no file'
command_is 'mkdir "$2"'
ask
refused 'a folder' 'made no file'
command_is 'echo text >"$2"'
ask
refused 'a text' 'note: cannot fetch'
# The file of another program.
compile other -Wl,--build-id=0x00112233
gsym-create -q -o other.gsym other || fail 'other'
command_is "cp '$PWD/other.gsym' \"\$2\""
ask
refused 'another build ID' 'another build ID'

# Failures of many build IDs: few runs, few messages.
command_is 'exit 5'
i=100
while [ $i -lt 400 ]; do
	echo "aabbcc0$i 1"
	i=$((i + 1))
done >many
gsym-lookup --stream --debug-file-directory=none --fetch="$PWD/command" \
	<many >out 2>err || fail 'many failures'
[ "$(wc -l <out)" -eq 300 ] || fail 'an answer is missing'
runs 3 'many failures'
[ "$(wc -l <err)" -le 6 ] || fail "many messages: $(cat err)"

# Twenty at once: one run, whether the file is there or not.
for what in "sleep 1; $copy" 'sleep 1; exit 1'; do
	command_is "$what"
	i=0
	while [ $i -lt 20 ]; do
		printf '%s %s\n' "$id" "$main" | gsym-lookup --stream=tsv \
			--debug-file-directory=none --fetch="$PWD/command" \
			>out.$i 2>err.$i &
		i=$((i + 1))
	done
	wait
	# Processes that started late find a file, or ask again.
	case $what in
	*exit*) [ "$(wc -l <runs)" -lt 20 ] || fail "$(wc -l <runs) runs" ;;
	*) runs 1 'twenty at once' ;;
	esac
	for file in out.*; do
		cmp -s out.0 "$file" || fail "twenty at once: $(cat "$file")"
	done
	clean 'twenty at once'
done
printf '%s 1\n' "$id" >line
# Threads of one process.
command_is "sleep 1; $copy"
awk -v id="$id" -v at="$((main))" 'BEGIN {
	for (i = 0; i < 20000; i++) print id, at
}' >lines
gsym-lookup --stream=tsv --num-threads=4 --debug-file-directory=none \
	--fetch="$PWD/command" <lines >out 2>err || fail "threads: $(cat err)"
[ "$(grep -c '^ok' out)" -eq 20000 ] || fail 'threads: an answer is missing'
runs 1 'threads'

# A process that is ended by SIGTERM ends the command and its children.
command_is "sleep 300 & echo \$! >'$PWD/child.new'
mv '$PWD/child.new' '$PWD/child'; wait"
rm -f child
gsym-lookup --stream --debug-file-directory=none --fetch="$PWD/command" \
	>out 2>err <line &
until_true [ -s child ]
kill -TERM $!
wait $! 2>/dev/null
[ $? -eq 143 ] || fail 'SIGTERM does not end the process'
child_ends 'SIGTERM: a child of the command lives on'

# A process that is killed amid a command leaves the lock to others.
command_is "exec sleep 30"
gsym-lookup --stream --debug-file-directory=none --fetch="$PWD/command" \
	>out 2>err <line &
until_true [ -s runs ]
kill -9 $! && wait $! 2>/dev/null
printf '#!/bin/sh\n%s\n' "$copy" >command
ask
case $answer in
ok*) ;;
*) fail "after a killed process: $answer $(cat err)" ;;
esac
clean 'after a killed process'

# Another process brings the file while this one waits for the lock, and leaves
# no result: the command does not run.
if command -v flock >/dev/null; then
	command_is 'exit 1'
	mkdir -p "$(dirname "$kept")"
	flock "${kept%.debug.gsym}.lock" \
		sh -c "touch held; sleep 1; $(echo "$copy" | sed "s|\"\$2\"|'$kept'|")" &
	until_true [ -e held ]
	ask
	wait $!
	case $answer in
	ok*) ;;
	*) fail "the file of another process: $answer $(cat err)" ;;
	esac
	runs 0 'the file of another process'
	clean 'the file of another process'
fi

# gsym-markup.
command_is "$copy"
cat >log <<EOF
{{{reset}}}
{{{module:0:prog:elf:$id}}}
{{{mmap:0x10000000:0x10000:load:0:rx:0x0}}}
{{{bt:0:$(printf '0x%x' $((0x10000000 + main))):pc}}}
EOF
gsym-markup --debug-file-directory=none --fetch="$PWD/command" log >out 2>err ||
	fail "gsym-markup: $(cat err)"
grep -q 'main' out || fail "gsym-markup: $(cat out err)"
runs 1 'gsym-markup'
command_is 'sleep 300'
gsym-markup --debug-file-directory=none --fetch="$PWD/command" \
	--fetch-timeout=1 log >out 2>err || fail "gsym-markup: $(cat err)"
grep -q 'takes too long' err || fail "gsym-markup hangs: $(cat err)"
clean 'gsym-markup'

# A log that goes on: the command is run again for a file that comes later.  It
# would take more than a minute, so the clock goes faster.
# shellcheck disable=SC2086 # $CC may have options
if [ -z "${GSYM_SANITIZE:-}" ] &&
	${CC:-cc} -O1 -fPIC -shared -o fast_clock.so \
		"$top_srcdir/tests/support/fast_clock.c" 2>err; then
	command_is "[ -e '$PWD/there' ] || exit 1; $copy"
	cp log grows
	LD_PRELOAD=$PWD/fast_clock.so gsym-markup -f \
		--debug-file-directory=none --fetch="$PWD/command" \
		--fetch-timeout=10000 grows >out 2>err &
	follower=$!
	trap 'kill $follower 2>/dev/null; rm -rf "$scratch"' EXIT
	until_true [ -s runs ]
	: >there
	tries=0
	until grep -q 'main' out; do
		[ $tries -lt 200 ] || fail "not fetched later: $(cat out err)"
		tail -n 1 log >>grows
		sleep 0.1
		tries=$((tries + 1))
	done
	kill $follower
	wait $follower || fail "following: $(cat err)"
	clean 'a log that goes on'
fi

# A cache that cannot be made, and none at all.
command_is "$copy"
XDG_CACHE_HOME=/proc/none
TMPDIR=$PWD/temporary
export TMPDIR
mkdir temporary
ask
case $answer in
ok*) ;;
*) fail "no cache: $answer $(cat err)" ;;
esac
grep -q "the cache '/proc/none/gsym/.*' cannot be written: .* deleted at the end" err ||
	fail "no cache: $(cat err)"
env -u XDG_CACHE_HOME -u HOME gsym-lookup --build-id="$id" \
	--debug-file-directory=none --fetch="$PWD/command" main >out 2>err ||
	fail "neither variable: $(cat err)"
grep -q 'neither XDG_CACHE_HOME nor HOME is set' err ||
	fail "neither variable: $(cat err)"
[ -z "$(ls -A temporary)" ] || fail "no cache: left $(find temporary)"
for tool in 'gsym-lookup --stream' gsym-markup; do
	$tool --fetch=' ' </dev/null >out 2>err && fail "$tool: an empty command"
	$tool --fetch-size=1 </dev/null >out 2>err &&
		fail "$tool: --fetch-size alone"
	$tool --fetch=command --sandbox </dev/null >out 2>err &&
		fail "$tool: --sandbox with --fetch"
done
gsym-lookup --fetch=command "served/$place" main >out 2>err ||
	fail "--fetch with a GSYM file: $(cat err)"

# For a program without GSYM data, and not if they are beside it.
XDG_CACHE_HOME=$PWD/cache
command_is "$copy"
gsym-lookup --no-convert --debug-file-directory=none --fetch="$PWD/command" \
	prog main >out 2>err || fail "a program: $(cat err)"
runs 1 'a program'
clean 'a program'
rm -r cache
gsym-create -q prog || fail "gsym-create: $?"
gsym-lookup --debug-file-directory=none --fetch="$PWD/command" prog main \
	>out 2>err || fail "beside it: $(cat err)"
runs 1 'beside it'
exit 0
