#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: coprocess.py STORE ID ADDRESS

Give gsym-lookup --stream a line and wait for its answer, 1,000 times.  Half of
the answers have to come within a millisecond, and the tool may not use more
than a millisecond of CPU time for one.  Other work on the machine may hold
single answers up, and all of a run: three runs are tried."""
import os
import statistics
import subprocess
import sys
import time

LINES = 1000
STORE, ID, ADDRESS = sys.argv[1:]
COMMAND = ["gsym-lookup", "--stream=tsv", "--keys", "--no-verify",
           "--gsym-file-directory=" + STORE]


def run():
    """The seconds of each answer, and the CPU seconds of all."""
    times = []
    before = os.times()
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, bufsize=0) as tool:
        for number in range(LINES):
            line = f"{ID} {ADDRESS} {number}\n".encode()
            start = time.monotonic()
            tool.stdin.write(line)
            answer = tool.stdout.readline()
            times.append(time.monotonic() - start)
            assert answer.startswith(b"%d\tok\t" % number), answer
        tool.stdin.close()
        assert tool.stdout.read() == b"" and tool.wait() == 0
    after = os.times()
    return times, (after.children_user + after.children_system
                   - before.children_user - before.children_system)


for _ in range(3):
    waits, cpu = run()
    median = statistics.median(waits)
    # Programs with sanitizers are slow.
    if os.environ.get("GSYM_SANITIZE") or median < 1e-3 > cpu / LINES:
        sys.exit()
sys.exit(f"the median is {median * 1e6:.0f} us, {cpu / LINES * 1e6:.0f} us of "
         "CPU time")
