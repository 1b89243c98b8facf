#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-addr2line and gsym-symbolizer with --debuginfod: GSYM data and debug files
# of a server on the loopback device, and servers that do not answer.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
. "$top_srcdir/tests/cli/personality-lib.sh"
[ -x "$top_builddir/gsym-create" ] || skip 'gsym-create is not built'
need python3
for tool in nm objcopy strip; do
	need $tool
done
unset DEBUGINFOD_PROGRESS DEBUGINFOD_VERBOSE DEBUGINFOD_MAXSIZE \
	DEBUGINFOD_MAXTIME
DEBUGINFOD_CACHE_PATH=$PWD/client DEBUGINFOD_TIMEOUT=1 DEBUGINFOD_RETRY_LIMIT=1
no_proxy='*'
export DEBUGINFOD_CACHE_PATH DEBUGINFOD_TIMEOUT DEBUGINFOD_RETRY_LIMIT no_proxy
. "$top_srcdir/tests/cli/server-lib.sh"

compile prog -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567
compile other -DOTHER -Wl,--build-id=0x1111111111111111111111111111111111111111
start=$(nm prog | sed -n 's/^0*\([0-9a-f]*\) T work$/\1/p')
gsym-create -q -o data prog || fail 'gsym-create'
objcopy --only-keep-debug prog debug || fail 'objcopy'
line=$("$a2l" -e prog "$start")
strip -o stripped prog
strip -o stripped.other other
good="work $line "
unknown='?? ??:0 '
nowhere=--debug-file-directory=$PWD/none

# The answer about the program $1, with the options that follow.  The caches are
# empty before.
where()
{
	rm -rf "$XDG_CACHE_HOME" client
	"$a2l" $nowhere -fe "$@" "$start" 2>err | tr '\n' ' '
}

# No server is asked without the option, and none is known.
same 'no option' "$(where stripped)$(cat err)" "$unknown"
same 'no URL' "$(where stripped --debuginfod)" "$unknown"
grep -q 'is not installed' err &&
	skip 'libdebuginfod is not installed (Debian: debuginfod)'
same 'the note' "$(cat err)" \
	'addr2line: note: DEBUGINFOD_URLS names no server to ask'

# $1, $2: the server's fault and file.
serve()
{
	stop_odd
	start_odd "$@"
	DEBUGINFOD_URLS=http://127.0.0.1:$port/
	export DEBUGINFOD_URLS
}

# The section .gsym is enough: nothing is converted.
serve file "$PWD/data"
same 'without the option' "$(where stripped)" "$unknown"
[ ! -e client ] || fail 'a server was asked without the option'
same 'the section' "$(where stripped --debuginfod --fallback=none)" "$good"
same 'messages' "$(cat err)" ''
same 'by the environment' "$(GSYM_LOOKUP_OPTS='--debuginfod --fallback=none' \
	where stripped)" "$good"
same 'by a build ID' "$(rm -rf client; "$sym" --debuginfod --fallback=none \
	--build-id=0123456789abcdef0123456789abcdef01234567 "0x$start" |
	head -1)" work
# --disable-gsym: the section of the server is GSYM data that exist.
same '--disable-gsym' "$(where stripped --debuginfod --disable-gsym \
	--fallback=none)" "$unknown"
[ -z "$(find client -name '*gsym*')" ] || fail "$(find client)"

# The data of another program are refused, as a section and as the debug file.
same 'other data' "$(where stripped.other --debuginfod)" "$unknown"
same 'the notes' "$(grep -c 'has another build ID' err)" 2

# gsym-lookup asks the same servers: $1 is the case, the rest are options.
asked_by_lookup()
{
	case=$1
	shift
	rm -rf "$XDG_CACHE_HOME" client
	gsym-lookup $nowhere --debuginfod "$@" >out 2>err ||
		fail "gsym-lookup, $case: $(cat err)"
	grep -q 'work at ' out || fail "gsym-lookup, $case: $(cat out err)"
	[ -n "$(find "$XDG_CACHE_HOME" -name '*.debug.gsym')" ] ||
		fail "gsym-lookup, $case: nothing is kept"
}
asked_by_lookup 'the section' --no-convert stripped "0x$start"
asked_by_lookup 'the section by build ID' --build-id \
	0123456789abcdef0123456789abcdef01234567 "0x$start"

# A debug file is converted, with the program.
serve debuginfo "$PWD/debug"
asked_by_lookup 'the debug file' stripped "0x$start"
asked_by_lookup 'the debug file by build ID' --build-id \
	0123456789abcdef0123456789abcdef01234567 "0x$start"
rm -rf "$XDG_CACHE_HOME"
gsym-lookup $nowhere --debuginfod --no-convert stripped "0x$start" >out 2>err &&
	fail 'gsym-lookup --debuginfod --no-convert converts'
same 'the debug file' "$(where stripped --debuginfod)" "$good"
[ -n "$(find "$XDG_CACHE_HOME" -name '*.debug.gsym')" ] || fail 'nothing is kept'
same '--disable-gsym' "$(where stripped --debuginfod --disable-gsym)" "$good"
# A program with debug info needs none.
same 'debug info' "$(where prog --debuginfod)" "$good"
[ -z "$(find client -name debuginfo -size +0)" ] ||
	fail 'a debug file was fetched that is not needed'

# The debug file of another program is refused, and nothing is kept of it.
objcopy --only-keep-debug other debug.other || fail 'objcopy'
serve debuginfo "$PWD/debug.other"
rm -rf "$XDG_CACHE_HOME" client
same 'another debug file' "$("$sym" --debuginfod $nowhere 2>err \
	--build-id=0123456789abcdef0123456789abcdef01234567 "0x$start" |
	head -1)" '??'
same 'another debug file, a note' \
	"$(grep -c 'is not used: it has another build ID' err)" 1
same 'another debug file, and the program' "$(where stripped --debuginfod)" \
	"$unknown"
[ -z "$(find "$XDG_CACHE_HOME" -name '*.gsym' 2>/dev/null)" ] ||
	fail 'another debug file: something is kept'

# A server that does not answer is asked for one module, not for each.
serve silent
rm -rf "$XDG_CACHE_HOME" client
printf 'stripped 0x%s\nstripped.other 0x%s\nstripped 0x%s\n' \
	"$start" "$start" "$start" |
	"$sym" --debuginfod $nowhere >out 2>err || fail "status $?"
same 'silent' "$(grep -c '^??$' out)" 3
same 'silent, notes' "$(cat err)" \
	'llvm-symbolizer: note: no debuginfod server answered in time'

# A server that breaks off.
serve truncated "$PWD/data"
same 'a part' "$(where stripped --debuginfod --fallback=none)" "$unknown"
exit 0
