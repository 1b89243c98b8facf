#!/bin/sh
# SPDX-License-Identifier: MIT
# The system calls that work in the sandbox are those that SECURITY.md lists:
# a program tries all calls of this machine.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
[ -z "${GSYM_SANITIZE:-}" ] || skip 'sanitizers need more than a sandbox allows'

printf '#include <asm/unistd.h>\n' >calls.c
# shellcheck disable=SC2086
${CC:-cc} -E -dM calls.c | sed -n 's/^#define __NR_\([a-z0-9_]*\) .*/\1/p' |
	while read -r name; do
		echo "number(__NR_$name) $name"
	done >names
{
	cat calls.c
	cat names
} >names.c
# Numbers may be sums of other macros.
${CC:-cc} -E -P names.c | sed -n 's/^number(\(.*\)) \([a-z0-9_]*\)$/\1 \2/p' |
	while read -r sum name; do
		echo "$((sum)) $name"
	done >numbers
[ "$(wc -l <numbers)" -gt 250 ] || fail "this machine has few calls"

# Write the calls that processes with the needs $2 can make to the file $1.
calls()
{
	"$top_builddir/list_calls" "$2" <numbers >unsorted
	status=$?
	[ $status != 77 ] || skip 'this kernel has no Landlock, or no seccomp'
	[ $status = 0 ] || fail "list_calls: status $status"
	LC_ALL=C sort unsorted >"$1"
}

# Print the calls of the list $1 that are not in the list "reading", as a line
# of SECURITY.md with the head $2.
added()
{
	echo "$2:" $(comm -13 reading "$1" | sed 's/^[a-z]* //' | sort)
}

calls reading 0
calls processes 1
calls roots 2
calls follow 4
calls writing 8
calls memory 16
grep -q '?' reading processes roots follow writing memory &&
	fail 'a call without a name is allowed'
{
	echo 'any arguments:' $(sed -n 's/^any //p' reading)
	echo 'some arguments:' $(sed -n 's/^some //p' reading)
	added writing 'to write files'
	added processes 'gsym-create -r'
	added memory 'a temporary file in memory'
	added roots 'with --root'
	added follow 'gsym-markup --follow'
} >got

# The list of SECURITY.md, a line for each head.
sed -n '/^    any arguments:/,/^$/s/^    //p' "$top_srcdir/SECURITY.md" |
	awk '/:/ && line { print line; line = "" }
		{ sub(/^ +/, ""); line = line (line ? " " : "") $0 }
		END { print line }' >listed
# openat2 needs version 3 of Landlock.
if [ "$("$top_builddir/list_calls")" -lt 3 ]; then
	sed -i '/^with --root:/d' listed got
fi
if [ "$(uname -m)" = x86_64 ] && grep -q '__x86_64__ 1' <<X; then
$(${CC:-cc} -E -dM -x c /dev/null)
X
	diff listed got >../diff || {
		cat ../diff
		fail 'other calls work than SECURITY.md lists'
	}
else
	# Other machines have other forms of some calls: with 32 or 64 bits.
	for call in $(sed 's/^[^:]*://' got); do
		plain=$(echo "$call" | sed 's/^_//; s/_time64$//; s/64$//
			s/32$//; s/^ugetrlimit$/prlimit/; s/^sigreturn$/rt_&/
			s/^llseek$/lseek/; s/2$//; s/^newfstatat$/fstat/')
		grep -Eqw "_?(new)?$plain(64|2|at)?" listed ||
			fail "SECURITY.md does not list $call"
	done
fi
exit 0
