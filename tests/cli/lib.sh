# SPDX-License-Identifier: MIT
# What the scripts of this folder share.  Each script runs tools through
# "show", which prints the command, what it wrote and how it ended, and
# compares all of that with the .out file of its own name at the end.
#
#	tests/cli/lookup-text.sh             run one, from the build folder
#	UPDATE=1 tests/cli/lookup-text.sh    accept what it prints now
#
# A script that cannot run here ends with 77.
set -u

top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=${top_builddir:-$(pwd)}
script=$(basename "$0" .sh)
expected=$top_srcdir/tests/cli/$script.out
LC_ALL=C TERM=dumb
PATH=$top_builddir:$PATH
export LC_ALL TERM PATH
unset NO_COLOR POSIXLY_CORRECT
# A tool of a sanitizer's build that finds something has a status of its own.
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
mkdir "$scratch/work" && cd "$scratch/work" || exit 99
: >../actual

skip()
{
	echo "skipped: $*"
	exit 77
}

# Built with --disable-convert there are only the tools that convert nothing.
# A script that uses others, itself or by a file that it reads, is skipped.
for tool in gsym-create gsym-xray; do
	[ ! -x "$top_builddir/$tool" ] || continue
	for file in "$0" $(sed -n "s|^\. .*/\([a-z]*-lib\.sh\)\"\$|$top_srcdir/tests/cli/\1|p" "$0"); do
		! grep -q "^[^#]*$tool" "$file" ||
			skip "$tool is not built (configure --disable-convert)"
	done
done

# Can script(1) have a terminal made?  Not where /dev/pts is missing.
pty()
{
	script -qec true /dev/null </dev/null >/dev/null 2>&1
}

# The bytes that a .hex file of this folder writes down, as FILE.
# $1: its name without .hex; $2: FILE.
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

# Words for the output.
say()
{
	printf '%s\n' "$*" >>../actual
}

# Run a command and note down everything.
show()
{
	say "\$ $*"
	"$@" >../stdout 2>../stderr </dev/null
	note_end $?
}

# The same with the text $1 as standard input.
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

# Fail at once, with words.
fail()
{
	echo "$script: $*"
	exit 1
}

# Compare, at the end.
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
