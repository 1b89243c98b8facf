#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-xray on a trace that is larger than the memory it may use, in small and
# in large blocks; and interrupted while it reads.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need python3

# Interrupted while it copies a pipe: no output and no temporary file is left.
mkdir empty && mkfifo pipe || exit 99
(
	cd empty &&
	exec timeout -s INT 1 gsym-xray account -o out - <../pipe
) 2>err &
reader=$!
exec 3>pipe
head -c 100000 /dev/zero >&3
wait $reader
[ $? = 124 ] || fail "status $? after an interruption"
exec 3>&-
[ -z "$(ls -A empty)" ] || fail "left behind: $(ls -A empty)"

grep -q __asan_init "$top_builddir/gsym-xray" &&
	skip 'a sanitizer takes more memory than what is measured'
# gsym-xray with these arguments may use 24 MiB of memory at the peak.  The
# trace has 100 MB.
within()
{
	python3 - "$@" <<'END' || fail "$*: see above"
import resource, subprocess, sys
done = subprocess.run(["gsym-xray", *sys.argv[1:]], check=False,
                      stdout=subprocess.DEVNULL)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
if done.returncode != 0 or peak > 24:
    sys.exit("status %d, %.0f MiB" % (done.returncode, peak))
END
}
for blocks in '' 4; do
	# shellcheck disable=SC2086
	python3 "$top_srcdir/bench/xray.py" 12500000 trace $blocks ||
		fail 'no trace'
	within info -q trace
	within account -q --budget=1 trace
	within stack -q trace
	within graph -q trace
	within convert -q --to=folded trace
done
# A recursion 3000 levels deep gives lines of 40 MB in total, which do not fit
# into the memory.
deep()
{
	python3 - "$1" <<'END' || fail 'no deep trace'
import struct, sys
def calls(action):
    return b"".join(struct.pack("<II", 1234567 << 4 | action << 1, 1000)
                    for i in range(int(sys.argv[1])))
block = (struct.pack("<Bi11x", 1, 9) + struct.pack("<Bqi3x", 9, 1, 0) +
         struct.pack("<Bi11x", 19, 7) + struct.pack("<BHQ5x", 5, 0, 1000) +
         calls(0) + calls(1))
sys.stdout.buffer.write(struct.pack("<HHIQQQ", 5, 1, 3, 10**9, 4096, 0) +
                        struct.pack("<BQ7x", 15, len(block)) + block)
END
}
deep 3000 >deep
within convert -q --to=folded deep
gsym-xray convert -q --to=folded deep >out
[ "$(wc -l <out)" = 3000 ] || fail "$(wc -l <out) lines"
LC_ALL=C sort -c out || fail 'lines are not sorted'
# With 100,000 levels the lines would have 50 GB.
deep 100000 >deep
gsym-xray convert -q --to=folded deep >out 2>err
[ $? = 2 ] && [ ! -s out ] && grep -q 'too deep for folded lines' err ||
	fail "a very deep trace: $(cat err)"
exit 0
