#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-markup --compat=llvm writes the same output and messages as
# llvm-symbolizer --filter-markup, with and without colour, for the logs of
# cases.txt and for random logs.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
# Older ones read no GSYM files.
need_llvm llvm-symbolizer 22
theirs=$llvm
make_shape
split_cases

count=0
bad=0
if command -v python3 >/dev/null; then
	for seed in 1 2 3 4 5 6; do
		python3 "$top_srcdir/tests/cli/markup-random.py" $seed $shape_id \
			0x10000 0x4100 400 >cases/random-$seed || fail 'no log'
	done
fi
for case in cases/*; do
	for colour in never always; do
		$theirs --filter-markup --color=$colour \
			--debug-file-directory=debug <"$case" \
			>theirs.out 2>theirs.err
		gsym-markup --compat=llvm --color=$colour \
			--debug-file-directory=debug <"$case" \
			>ours.out 2>ours.err || fail "$case: status $?"
		diff -u -a theirs.out ours.out >diff || {
			echo "$case, output, colour $colour:"
			cat diff
			bad=1
		}
		diff -u -a theirs.err ours.err >diff || {
			echo "$case, messages, colour $colour:"
			cat diff
			bad=1
		}
		count=$((count + 1))
	done
done
# Messages on a terminal have colours.
if command -v python3 >/dev/null; then
	cat >terminal.py <<'END'
import os
import pty
import subprocess
import sys


def messages(*command):
    ours, theirs = pty.openpty()
    with open(sys.argv[2], "rb") as log:
        child = subprocess.Popen(
            command, stdin=log, stdout=subprocess.DEVNULL, stderr=theirs,
            env=dict(os.environ, TERM="xterm-256color"))
    os.close(theirs)
    said = b""
    while True:
        try:
            said += os.read(ours, 65536)
        except OSError:
            break
    child.wait()
    return said


where = "--debug-file-directory=debug"
one = messages(sys.argv[1], "--filter-markup", where)
two = messages("gsym-markup", "--compat=llvm", where)
assert b"\x1b[0;32m^" in one, one
for a, b in zip(one.split(b"\n"), two.split(b"\n")):
    assert a == b, (a, b)
assert one == two
END
	for case in cases/field-counts cases/types cases/frames; do
		env -u NO_COLOR python3 terminal.py $theirs $case ||
			fail "$case on a terminal"
	done
fi
echo "$count comparisons"
[ $count -gt 40 ] || fail 'too few cases'
exit $bad
