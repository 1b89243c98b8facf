#!/bin/sh
# SPDX-License-Identifier: MIT
# A GSYM file that is cut short while gsym-lookup or gsym-markup has it open: an
# error, or with --copy nothing at all.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
bytes work work.gsym
mkfifo to from

# $1: a line, $2: its answer, $3: the line that comes when the file is cut short.
ask_for()
{
	first=$1 first_answer=$2 second=$3
}

# $1: what is cut short; the rest: a tool, options and operands.  Leaves the
# status in $status and the second answer in $answer.
run()
{
	cut=$1
	shift
	# The time limit only ends a test that would wait for ever.
	timeout 60 "$@" <to >from 2>err &
	exec 3>to 4<from
	echo "$first" >&3
	read -r answer <&4 || fail "$*: no answer: $(cat err)"
	[ "$answer" = "$first_answer" ] || fail "$*: $answer"
	: >"$cut"
	echo "$second" >&3
	read -r answer <&4 || answer=
	exec 3>&- 4<&-
	wait $!
	status=$?
}

ask_for 0x401000 '0x401000: work at /src/ex.c:6' 0x401028
cp work.gsym cut.gsym
run cut.gsym gsym-lookup cut.gsym
[ $status = 2 ] && grep -q "cut.gsym' was cut short while it was read, .*; --copy" err ||
	fail "status $status: $(cat err)"
cp work.gsym cut.gsym
run cut.gsym gsym-lookup --copy cut.gsym
[ "$answer" = '0x401028: _start at /src/ex.c:10' ] && [ $status = 0 ] ||
	fail "--copy: $status: $answer: $(cat err)"

ask_for '{{{pc:0x1000}}}' 'work[/src/ex.c:6]' '{{{pc:0x1028}}}'
cp work.gsym cut.gsym
run cut.gsym gsym-markup --module=cut.gsym@0
[ $status = 2 ] && grep -q 'cut short while it was read, .*; --copy' err ||
	fail "gsym-markup: status $status: $(cat err)"
cp work.gsym cut.gsym
run cut.gsym gsym-markup --copy --module=cut.gsym@0
[ "$answer" = '_start[/src/ex.c:10]' ] && [ $status = 0 ] ||
	fail "gsym-markup --copy: $status: $answer: $(cat err)"

# A file of a store.
mkdir store
stored=store/11223344556677.debug.gsym
first='{{{reset}}}{{{module:0:work:elf:0011223344556677}}}'
first="$first{{{mmap:0x1000:0x1000:load:0:rx:0x401000}}}{{{pc:0x1000}}}"
ask_for "$first" 'work[/src/ex.c:6]' '{{{pc:0x1028}}}'
for copy in '' --copy; do
	cp work.gsym $stored
	# shellcheck disable=SC2086 # an empty $copy is no argument
	run $stored gsym-markup $copy --gsym-file-directory=store \
		--module-lines=none
	case $copy:$status:$answer in
	:2: | --copy:0:'_start[/src/ex.c:10]') ;;
	*) fail "a store, '$copy': $status: $answer: $(cat err)" ;;
	esac
done

# A file of a store, by --stream.
mkdir -p tree/.build-id/00
stored=tree/.build-id/00/112233.debug.gsym
ask_for '00112233 0x401000' work '00112233 0x401028'
for copy in '' --copy; do
	cp work.gsym $stored
	# shellcheck disable=SC2086 # an empty $copy is no argument
	run $stored gsym-lookup $copy --no-verify --gsym-file-directory=tree \
		--stream=folded
	case $copy:$status:$answer in
	:2: | --copy:0:_start) ;;
	*) fail "--stream '$copy': $status: $answer: $(cat err)" ;;
	esac
	[ -n "$copy" ] || grep -q 'was read, .*; --copy avoids this' err ||
		fail "$(cat err)"
done
rm -r tree

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
