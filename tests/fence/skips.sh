#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests find the newest of LLVM's programs, and say how to get a program that
# they miss.
set -u
cd "${top_srcdir:-$(dirname "$0")/../..}" || exit 99
. tests/support/tools.sh
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
bad=0
complain()
{
	echo "$*"
	bad=1
}

# $1: a program's name; $2: what it says of its version.
fake()
{
	printf '#!/bin/sh\necho "%s"\n' "$2" >"$tmp/$1"
	chmod +x "$tmp/$1"
}

# $1: the program wanted; the rest: arguments of llvm_tool.
finds()
{
	wanted=$1
	shift
	found=$(PATH=$tmp:$PATH llvm_tool "$@")
	[ "${found##*/}" = "$wanted" ] ||
		complain "llvm_tool $* finds '$found', not '$wanted'"
}

fake llvm-fake-14 'Debian LLVM version 14.0.6'
fake llvm-fake-15 'no version'
finds '' llvm-fake
finds llvm-fake-14 llvm-fake 14
fake llvm-fake-16 'LLVM version 16.0.0git'
finds llvm-fake-16 llvm-fake
fake llvm-fake 'LLVM version 19.1.7'
finds llvm-fake llvm-fake
finds '' llvm-fake 22
fake llvm-fake-22 'LLVM version 22.1.8'
fake llvm-fake-9 'LLVM version 9.0.1'
finds llvm-fake-22 llvm-fake
finds llvm-fake-22 llvm-fake 22
finds '' llvm-fake 100

# $1: words of the reason; the rest: a command that skips.
skips()
{
	words=$1
	shift
	said=$("$@")
	[ $? = 77 ] || complain "'$*' does not skip"
	case $said in
	"skipped: "*"$words"*) ;;
	*) complain "'$*' says: $said" ;;
	esac
}
skips 'no-such-program is not installed (Debian: no-such-program)' \
	need no-such-program
skips '(Debian: package)' need no-such-program package
skips 'of LLVM 16 or later (Debian: llvm-19)' need_llvm llvm-nothing
skips 'llvm-22, in the security archive' need_llvm llvm-nothing 22

# A message that says that something is missing says how to get it.
grep -nE "skip.* (is missing|not installed|there is no |['\"]no [a-z0-9+-]+['\"])" \
	tests/cli/*.sh tests/fence/*.sh tests/unit/*/*.sh tests/support/*.py \
	tests/matrix/*.sh >"$tmp/all"
while IFS= read -r line; do
	file=${line%%:*} rest=${line#*:}
	number=${rest%%:*}
	# The message may end on the next line.
	sed -n "$number,$((number + 1))p" "$file" |
		grep -qE '\((Debian: |cargo install |is )|fail |\$\(' ||
		complain "$line"
done <"$tmp/all"
exit $bad
