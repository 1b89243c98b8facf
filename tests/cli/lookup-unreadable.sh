#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-lookup --stream has no file descriptor left for a file of the store: the
# line gets a status of its own, and later lines an answer.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/stream-lib.sh"
need prlimit util-linux
put 00112233 work.gsym
mkfifo to from

# $1: options.  Ask three times: without a descriptor, again, and with one.
ask()
{
	# shellcheck disable=SC2086 # several options
	timeout 60 gsym-lookup --no-verify --gsym-file-directory=store $1 \
		<to >from 2>err &
	child=$!
	exec 3>to 4<from
	# Nothing is opened for a line that is not read.
	echo bad >&3
	read -r first <&4 || fail "no answer: $(cat err)"
	read -r pid <"/proc/$child/task/$child/children"
	for limit in 3 3 64; do
		prlimit --pid "$pid" --nofile=$limit: || fail 'prlimit'
		echo '00112233 0x401000' >&3
		read -r answer <&4 || answer=
		echo "$answer"
	done >answers
	exec 3>&- 4<&-
	wait $child
	status=$?
}

ask --stream=json
[ $status = 0 ] || fail "status $status: $(cat err)"
[ "$(grep -c '^{"status":"unreadable","frames":\[\],"error":".store/.*cannot open the file: Too many open files"}$' \
	answers)" -eq 2 ] || fail "$(cat answers)"
tail -n 1 answers | grep -q '^{"status":"ok",.*"function":"work"' ||
	fail "$(cat answers)"
grep -q 'lines of files that cannot be opened: 2$' err || fail "$(cat err)"
grep -q "note: 'store/.*' is not used: cannot open the file: Too many" err ||
	fail "$(cat err)"

ask '--stream=tsv --strict'
[ $status = 2 ] || fail "--strict: status $status"
# The shell drops the tabs at the end of a line.
printf 'unreadable\nunreadable\nok\twork\t/src/ex.c\t6\t0\n' |
	cmp - answers || fail "$(cat answers)"
ask --stream=folded
printf '\n\nwork\n' | cmp - answers || fail "$(cat answers)"
exit 0
