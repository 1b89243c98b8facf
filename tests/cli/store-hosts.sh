#!/bin/sh
# SPDX-License-Identifier: MIT
# Several hosts and users write to one store: none takes another's temporary
# file away, none waits for a reader, and the best file stays.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need readelf
[ -z "${GSYM_SANITIZE:-}" ] || skip 'sanitizers replace the same functions'
# shellcheck disable=SC2086
${CC:-cc} -O1 -fPIC -shared -o ../odd_files.so \
	"$top_srcdir/tests/support/odd_files.c" 2>../stderr ||
	skip "no library for LD_PRELOAD: $(head -n 1 ../stderr)"
odd="env LD_PRELOAD=$PWD/../odd_files.so"

compile prog -Wl,--build-id
cp prog plain && strip --strip-debug plain
id=$(readelf -n prog | sed -n 's/.*Build ID: *//p')
[ -n "$id" ] || skip 'the compiler does not run the linker with --build-id'
folder=.build-id/$(echo "$id" | cut -c1-2)
place=$folder/$(echo "$id" | cut -c3-).debug.gsym
none=--debug-file-directory=
gsym-create -q $none --install=best prog || fail "best: $?"
gsym-create -q $none --install=worse plain || fail "worse: $?"
cmp -s best/$place worse/$place && fail 'the two programs convert alike'

# No temporary file, and the best GSYM file.
settled()
{
	[ -z "$(find "$1" -name '.*')" ] || [ "$(find "$1" -name '.*')" = \
		"$1/.build-id" ] || fail "$2: left: $(find "$1" -name '.*')"
	cmp "best/$place" "$1/$place" || fail "$2: the worse file stayed"
}

# A writer stops before it renames its file; another one writes the same file
# meanwhile, and the first one goes on.  $1: how the file system behaves; $2 and
# $3: the programs; $4: a command in front of the second one.
meet()
{
	rm -rf store go ready
	ODD_FILES=$1 ODD_PAUSE=$PWD/go ODD_READY=$PWD/ready $odd gsym-create \
		-q $none --install=store "$2" 2>err &
	until_true [ -e ready ]
	[ -n "$(find store -name '.*.gsym-new.*')" ] ||
		fail "$1: the first writer has no temporary file"
	ODD_FILES=$1 $4 $odd gsym-create -q $none --install=store "$3" 2>err2 ||
		fail "$1, $2, $3: the second writer: $(cat err2)"
	: >go
	wait $! || fail "$1, $2, $3: the first writer: $(cat err)"
	settled store "$1, $2, $3"
}

for how in locks nolock enolck nolock,plain enolck,plain; do
	meet $how prog plain ''
	meet $how plain prog ''
	meet $how prog prog ''
done

# Other hosts have other process numbers: so do other name spaces.
if unshare -Urpf true 2>/dev/null; then
	meet nolock prog plain 'unshare -Urpf'
	meet nolock plain prog 'unshare -Urpf'
	meet nolock,plain plain prog 'unshare -Urpf'
	part_passed 'name spaces'
else
	part_skipped 'name spaces' 'unshare is not allowed here'
fi

# Many writers at once, in any order.
for how in nolock nolock,plain; do
	rm -rf store
	writers=
	for i in 1 2 3 4 5 6; do
		for program in plain prog plain; do
			ODD_FILES=$how $odd gsym-create -q -j1 $none \
				--install=store $program 2>err.$i.$program &
			writers="$writers $!"
		done
	done
	for writer in $writers; do
		wait "$writer" || fail "$how: $(cat err.*)"
	done
	[ $how = nolock ] || gsym-create -q $none --install=store prog
	settled store "$how: many writers"
done
part_passed 'writers at once'

# What was killed is removed on the host, at once.
rm -rf store go ready
ODD_PAUSE=$PWD/go ODD_READY=$PWD/ready $odd gsym-create -q $none \
	--install=store prog 2>err &
until_true [ -e ready ]
kill -9 $!
wait $! 2>/dev/null
gsym-create -q $none --install=store prog || fail "after SIGKILL: $?"
settled store 'after SIGKILL'
part_passed 'a killed writer'

# Who may only read the store cannot hold up a writer.
if command -v flock >/dev/null; then
	rm -rf store
	mkdir -p store/$folder
	flock store/$folder sh -c 'touch held; exec sleep 60' &
	holder=$!
	trap 'kill $holder 2>/dev/null; rm -rf "$scratch"' EXIT
	until_true [ -e held ]
	timeout 30 gsym-create -q $none --install=store prog ||
		fail "a reader holds the writer up: $?"
	kill $holder
	settled store 'a reader with a lock'
	part_passed 'a reader with a lock'
else
	part_skipped 'a reader with a lock' 'there is no flock'
fi

# Full disks and interrupted calls.
rm -rf store
ODD_FILES=full $odd gsym-create -q $none --install=store prog 2>err &&
	fail 'fsync fails: status 0'
grep -q "^gsym-create: cannot write 'store/.*': No space left" err ||
	fail "fsync fails: $(cat err)"
[ -z "$(find store -type f)" ] || fail "fsync fails: $(find store -type f)"
ODD_FILES=eintr $odd gsym-create -q $none --install=store prog ||
	fail 'interrupted calls'
settled store 'interrupted calls'
part_passed 'a full disk, interrupted calls'

# Links in the store are not followed.
rm -rf store
mkdir -p store/by-release away/6.1
ln -s ../../away/6.1 store/by-release/6.1
echo mine >away/6.1/prog.gsym
gsym-create -q $none --install=store --release=6.1 prog 2>err &&
	fail 'a link of by-release is followed'
grep -q 'is a symbolic link' err || fail "by-release: $(cat err)"
[ "$(cat away/6.1/prog.gsym)" = mine ] || fail 'a file outside was replaced'
[ "$(ls -A away/6.1)" = prog.gsym ] || fail "outside: $(ls -A away/6.1)"
rm store/by-release/6.1
gsym-create -q $none --install=store --release=6.1 prog || fail '--release'
gsym-create -q $none --install=store --release=6.1 prog || fail 'once more'
cmp store/by-release/6.1/prog.gsym "best/$place" || fail 'the link'
# A pipe or a link in the place of a file does not hold the tool up either.
for name in "$place" "${place%.gsym}"; do
	rm -rf store
	mkdir -p store/$folder
	mkfifo "store/$name"
	timeout 30 gsym-create -q $none --install=store prog 2>err
	[ $? != 124 ] || fail "a pipe at $name holds the tool up"
	rm "store/$name"
	echo mine >mine
	ln -s ../../../mine "store/$name"
	gsym-create -q $none --install=store prog || fail "a link at $name"
	[ "$(cat mine)" = mine ] || fail "the link at $name was followed"
done
part_passed 'links and pipes'
parts_finish
