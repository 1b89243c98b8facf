# SPDX-License-Identifier: MIT
# Included by the scripts of this folder.  A script runs tools with "show",
# which writes the command, its output and its status.  At the end "finish"
# compares this text with the .out file of the script's name.
#
#	tests/cli/lookup-text.sh             run a script, from the build folder
#	UPDATE=1 tests/cli/lookup-text.sh    make its text the new .out file
#
# A script that cannot run on this machine ends with 77.
set -u

top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=${top_builddir:-$(pwd)}
script=$(basename "$0" .sh)
expected=$top_srcdir/tests/cli/$script.out
LC_ALL=C TERM=dumb
PATH=$top_builddir:$PATH
export LC_ALL TERM PATH
unset NO_COLOR POSIXLY_CORRECT
# A tool in which a sanitizer finds an error ends with status 99.
ASAN_OPTIONS=${ASAN_OPTIONS:-}:exitcode=99
UBSAN_OPTIONS=${UBSAN_OPTIONS:-}:exitcode=99
export ASAN_OPTIONS UBSAN_OPTIONS

[ -x "$top_builddir/gsym-lookup" ] || {
	echo "no gsym-lookup in $top_builddir: run this from the build folder"
	exit 99
}
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 99' HUP INT TERM
# Go keeps what it compiles, its tools too, where it does so for this user.
: "${GOCACHE:=${XDG_CACHE_HOME:-${HOME:-$scratch}/.cache}/go-build}"
export GOCACHE
# What tools convert or fetch by themselves goes to a cache of the script.
XDG_CACHE_HOME=$scratch/cache
export XDG_CACHE_HOME
unset GSYM_CONVERT
# The folder of this release within the cache.
# shellcheck disable=SC2034
release=$(gsym-lookup --version | sed -n '1s/.* //p')
mkdir "$scratch/work" && cd "$scratch/work" || exit 99
: >../actual

# shellcheck source=tests/support/tools.sh
. "$top_srcdir/tests/support/tools.sh"

# A script of several parts reports each one that it ran or left out, for
# "make check-summary" to count, and ends with the number of the parts.
parts=0
part_passed()
{
	parts=$((parts + 1))
	echo "ok - $*"
}

# $1: the part; the rest: why it was left out.
part_skipped()
{
	parts=$((parts + 1))
	part=$1
	shift
	echo "ok - $part # SKIP $*"
}

parts_finish()
{
	echo "1..$parts"
	exit 0
}

# Without gsym-create (configure --disable-convert) and gsym-xray (--disable-xray)
# a script is skipped if it, or a file that it reads, names one of them.
for tool in gsym-create gsym-xray; do
	[ ! -x "$top_builddir/$tool" ] || continue
	for file in "$0" $(sed -n "s|^\. .*/\([a-z]*-lib\.sh\)\"\$|$top_srcdir/tests/cli/\1|p" "$0"); do
		! grep -q "^[^#]*$tool" "$file" ||
			skip "$tool is not built (see configure --help)"
	done
done

# Without libdwarf a script is skipped if it has the second reader read.
need_second()
{
	grep -q '^#define HAVE_LIBDWARF 1' "$top_builddir/config.h" ||
		skip 'gsym-create was built without libdwarf (Debian: libdwarf-dev)'
}
! grep -qE '^[^#]*(gsym-create.* --verify|--verify; do|--reader=libdwarf)' "$0" ||
	need_second

# Succeeds if script(1) can make a terminal, which it cannot without /dev/pts.
pty()
{
	script -qec true /dev/null </dev/null >/dev/null 2>&1
}

# Write the bytes of the file $1.hex of this folder to the file $2.
bytes()
{
	# printf(1) knows octal escapes alone.
	escapes=$(sed 's/#.*//' "$top_srcdir/tests/cli/$1.hex" | tr -s ' \t' '\n\n' |
		sed -n '/./{s/^/0x/;p;}' | while read -r byte; do
			printf '\\%03o' "$byte"
		done)
	# shellcheck disable=SC2059
	printf "$escapes" >"$2"
}

# Wait until the command "$@" succeeds, for a minute at most.
until_true()
{
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || {
			tail -n 20 out err ./*.log 2>/dev/null
			fail "never: $*"
		}
		sleep 0.1
	done
}

# Wait for the end of the process whose number is in the file child; fail with
# the message $1 if it lives on.
child_ends()
{
	looks=0
	while kill -0 "$(cat child)" 2>/dev/null &&
		! grep -q '^State:.*Z' "/proc/$(cat child)/status" 2>/dev/null; do
		[ $looks -lt 50 ] || fail "$1"
		looks=$((looks + 1))
		sleep 0.1
	done
}

# Write a line to the output that is compared.
say()
{
	printf '%s\n' "$*" >>../actual
}

# Run a command; write the command line, its output, its messages and its status
# to the output that is compared.
show()
{
	say "\$ $*"
	"$@" >../stdout 2>../stderr </dev/null
	note_end $?
}

# Like show, with the text $1 as standard input.
show_with()
{
	input=$1
	shift
	say "\$ printf '$input' | $*"
	# shellcheck disable=SC2059
	printf "$input" >../stdin
	"$@" >../stdout 2>../stderr <../stdin
	note_end $?
}

note_end()
{
	cat ../stdout >>../actual
	sed 's/^/! /' ../stderr >>../actual
	[ "$1" = 0 ] || say "status $1"
}

# End the script with status 1 and a message.
fail()
{
	echo "$script: $*"
	exit 1
}

# Compare the output with the .out file.
finish()
{
	if [ -n "${UPDATE:-}" ]; then
		cp ../actual "$expected" || exit 99
		exit 0
	fi
	diff -u "$expected" ../actual || exit 1
	exit 0
}

# Compile program.c of this folder as $1; more arguments go to the compiler.
compile()
{
	output=$1
	shift
	cp "$top_srcdir/tests/cli/program.c" . || exit 99
	# shellcheck disable=SC2086
	${CC:-cc} -g -O1 "$@" -o "$output" program.c >../stderr 2>&1 || {
		cat ../stderr
		fail 'cannot compile'
	}
}

# Fail unless the folder holds the files named, and nothing else.
only()
{
	got=$(ls -A | sort | tr '\n' ' ')
	wanted=$(printf '%s\n' "$@" | sort | tr '\n' ' ')
	[ "$got" = "$wanted" ] || fail "here are '$got', not '$wanted'"
}
