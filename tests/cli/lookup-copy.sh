#!/bin/sh
# SPDX-License-Identifier: MIT
# A GSYM file that is cut short while it is open: an error, or with --copy
# nothing at all.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
bytes work work.gsym
mkfifo to from

# $1: what is cut short; the rest: options and operands.  Leaves the status in
# $status and the second answer in $answer.
run()
{
	cut=$1
	shift
	# The time limit only ends a test that would wait for ever.
	timeout 60 gsym-lookup "$@" <to >from 2>err &
	exec 3>to 4<from
	echo 0x401000 >&3
	read -r answer <&4 || fail "$*: no answer: $(cat err)"
	[ "$answer" = '0x401000: work at /src/ex.c:6' ] || fail "$*: $answer"
	: >"$cut"
	echo 0x401028 >&3
	read -r answer <&4 || answer=
	exec 3>&- 4<&-
	wait $!
	status=$?
}

cp work.gsym cut.gsym
run cut.gsym cut.gsym
[ $status = 2 ] && grep -q 'cut short while it was open; --copy' err ||
	fail "status $status: $(cat err)"
cp work.gsym cut.gsym
run cut.gsym --copy cut.gsym
[ "$answer" = '0x401028: _start at /src/ex.c:10' ] && [ $status = 0 ] ||
	fail "--copy: $status: $answer: $(cat err)"

# The file beside a program, and a pipe.
gsym-lookup --copy missing 1 2>err
[ $? = 2 ] && grep -q "cannot open 'missing': No such file" err ||
	fail "$(cat err)"
gsym-lookup --copy . 1 2>err
[ $? = 2 ] && grep -q "cannot open '.': Is a directory" err ||
	fail "$(cat err)"
cat work.gsym | gsym-lookup --copy /dev/stdin 0x401000 >answer ||
	fail 'a pipe'
[ "$(cat answer)" = '0x401000: work at /src/ex.c:6' ] || fail "$(cat answer)"
[ -x "$top_builddir/gsym-create" ] || exit 0
compile prog -Wl,--build-id
gsym-create -q prog || fail "status $?"
gsym-lookup prog.gsym work >wanted || fail 'prog.gsym'
gsym-lookup --copy prog work | cmp - wanted || fail 'a program'

# By build ID.
id=$(readelf -n prog | sed -n 's/.*Build ID: *//p')
[ -n "$id" ] || skip 'the compiler does not run the linker with --build-id'
gsym-create -q --install tree prog || fail "--install: $?"
gsym-lookup --copy --gsym-file-directory=tree --build-id="$id" work |
	cmp - wanted || fail '--build-id'
exit 0
