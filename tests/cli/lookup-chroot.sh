#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-lookup --pid of a process that called chroot: the GSYM data in the mapped
# file, and those beside it, are found below the root of the process.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need readelf
cat >wait.c <<'END'
#include <stdio.h>
__attribute__((noinline)) int work(int n)
{
	return n * n;
}
int main(int argc, char **argv)
{
	printf("%p\n", (void *)work);
	fflush(stdout);
	getchar();
	return work(argc) == 2;
}
END
mkdir -p jail/bin
${CC:-cc} -g -O1 -static -Wl,--build-id -o jail/bin/wait wait.c 2>err ||
	skip "static programs cannot be linked: $(cat err)"
unshare=
[ "$(id -u)" = 0 ] || unshare='unshare -r'
# shellcheck disable=SC2086 # no command, or one with an option
$unshare chroot jail /bin/wait </dev/null >out 2>err ||
	skip "chroot is not allowed: $(cat err)"
mkfifo to from

# $1: what the file has.  The name of the function at the address that the
# process prints.  Its first instruction is of line 3 or of line 4, as the machine
# passes arguments.
ask()
{
	# shellcheck disable=SC2086
	timeout 60 $unshare chroot jail /bin/wait <to >from &
	child=$!
	exec 3>to 4<from
	read -r address <&4 || fail 'no address'
	# timeout(1), unshare and chroot start the next program in their place,
	# but for the first one.
	read -r pid <"/proc/$child/task/$child/children"
	gsym-lookup --pid="$pid" "$address" >answer 2>err ||
		fail "$1: $(cat answer err)"
	gsym-lookup --pid="$pid" "$address" | grep -q ': work at .*wait.c:[34]$' ||
		fail "$1: $(cat answer err)"
	exec 3>&- 4<&-
	wait $child
}

gsym-create -q jail/bin/wait || fail "gsym-create: $?"
ask 'a GSYM file beside the program'
rm jail/bin/wait.gsym
gsym-create -q --embed=jail/bin/wait -o full jail/bin/wait ||
	fail "--embed: $?"
mv full jail/bin/wait
chmod +x jail/bin/wait
ask 'a section of the program'
exit 0
