#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-create --temporary-directory: a file whose names take more memory than
# there may be is written, with the bytes that it has without the option.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"

# 70 MB of names: more than 64 MiB, after which memory is given back.
awk 'BEGIN {
	print "MODULE Linux x86_64 000000000000000000000000000000070 big"
	print "FILE 0 a.c"
	pad = sprintf("%990s", "")
	gsub(/ /, "x", pad)
	for (i = 0; i < 70000; i++)
		printf "FUNC %x 20 0 f%05d%s%05d\n%x 10 %d 0\n", 4096 + i * 32,
			i, pad, i * 7919 % 70000, 4096 + i * 32, i % 5000
}' >big.sym
mkdir folder

gsym-create -q -o plain.gsym big.sym || fail 'without the option'
for threads in 1 2; do
	gsym-create -q --num-threads=$threads --temporary-directory=folder \
		-o spilled.gsym big.sym || fail "$threads threads"
	cmp plain.gsym spilled.gsym || fail "other bytes, $threads threads"
done
[ -z "$(ls -A folder)" ] || fail 'a file is left'

# A sanitizer takes more memory than any program may have here.
if ! grep -q 'fsanitize' "$top_builddir/config.log"; then
	limited='gsym-create -q --num-threads=1 --max-memory=60'
	$limited -o limited.gsym big.sym 2>err && fail 'there was enough memory'
	grep -q 'out of memory$' err || fail "message: $(cat err)"
	$limited --temporary-directory=folder -o limited.gsym big.sym ||
		fail 'not enough memory'
	cmp plain.gsym limited.gsym || fail 'other bytes with little memory'
	gsym-create -q --sandbox=try --temporary-directory=folder \
		-o boxed.gsym big.sym || fail 'in the sandbox'
	cmp plain.gsym boxed.gsym || fail 'other bytes in the sandbox'
	[ -z "$(ls -A folder)" ] || fail "left in the sandbox: $(ls -A folder)"

	# In the sandbox the file is in a folder of this process, which is
	# removed, after a kill by a later process.
	mkfifo input
	gsym-create -q --sandbox=try --temporary-directory=folder -o x.gsym - \
		<input &
	child=$!
	exec 3>input
	until_true sh -c 'ls folder | grep -q "^gsym-create\."'
	kill -9 $child
	wait $child 2>/dev/null
	exec 3>&-
	[ "$(ls -A folder | wc -l)" = 1 ] || fail "not one folder: $(ls folder)"
	gsym-create -q --sandbox=try --temporary-directory=folder \
		-o boxed.gsym big.sym || fail 'after a kill'
	[ -z "$(ls -A folder)" ] || fail "left by a kill: $(ls -A folder)"

	# A disk that has no room for a page that was reserved, as disks may
	# that copy what is written.
	cat >reserve.c <<-END
		#include <sys/types.h>
		int fallocate(int f, int m, off_t a, off_t n)
		{ return (void)f, (void)m, (void)a, (void)n, 0; }
		int fallocate64(int f, int m, off64_t a, off64_t n)
		{ return (void)f, (void)m, (void)a, (void)n, 0; }
	END
	if ${CC:-cc} -D_GNU_SOURCE -shared -fPIC -o reserve.so reserve.c \
		2>err; then
		LD_PRELOAD=$PWD/reserve.so gsym-create -q -o x.gsym \
			--temporary-directory=folder big.sym 2>err
		status=$?
		[ $status = 2 ] && grep -q "^gsym-create: '.*folder.*' was cut \
short while it was read, or its disk is full$" err ||
			fail "no room for a page: status $status: $(cat err)"
		[ -z "$(ls -A | grep 'x\.gsym')" ] || fail 'half an output'
		[ -z "$(ls -A folder)" ] || fail 'a file is left'
	fi
fi

# Both builders of segments.
gsym-create -q --segment-size=30000000 -o plain big.sym || fail 'segments'
gsym-create -q --segment-size=30000000 --temporary-directory=folder \
	-o spilled big.sym || fail 'segments from a file'
for file in plain-*; do
	cmp "$file" "spilled${file#plain}" || fail "segment $file"
done

gsym-create -q --temporary-directory=missing -o x.gsym big.sym 2>err &&
	fail 'a folder that is missing'
grep -qx "gsym-create: cannot make a temporary file in 'missing': No such file or directory" err ||
	fail "a missing folder: $(cat err)"

# A file that must not grow is an error, not a signal, as a full folder is.
(
	trap '' XFSZ
	ulimit -f 20000
	gsym-create -q --temporary-directory=folder -o x.gsym big.sym 2>err
)
[ $? = 2 ] && grep -q "out of memory, or the folder 'folder' is full" err ||
	fail "a limit of files: $(cat err)"
[ ! -e x.gsym ] || fail 'half an output'
mkdir full
if mount -t tmpfs -o size=8m none full 2>/dev/null; then
	gsym-create -q --temporary-directory=full -o x.gsym big.sym 2>err
	status=$?
	umount full
	[ $status = 2 ] || fail "a full folder: status $status"
	grep -q "out of memory, or the folder 'full' is full" err ||
		fail "a full folder: $(cat err)"
	[ ! -e x.gsym ] || fail 'half an output'
else
	echo 'the full folder was left out: no tmpfs may be mounted here'
fi
exit 0
