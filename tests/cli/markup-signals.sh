#!/bin/sh
# SPDX-License-Identifier: MIT
# Signals end the output of gsym-markup behind a whole line, also if its reader
# is slow; a second signal, or a reader that takes nothing, ends the process.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
need python3
python3 - <<'END' || fail 'signals'
import array
import fcntl
import os
import signal
import subprocess
import sys
import termios
import time

LINE = b"%06d a line of the log {{{symbol:_Z1fv}}} " + b"x" * 70 + b"\n"
with open("log", "wb") as log:
    for i in range(20000):
        log.write(LINE % i)


def start(*args, stdin=None):
    return subprocess.Popen(
        ["gsym-markup", "--debug-file-directory=.", *args], stdin=stdin,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)


def expect(condition, *what):
    if not condition:
        sys.exit(repr(what))


def slowly(child, read):
    """READ and what else comes from the child, in small pieces."""
    while True:
        piece = os.read(child.stdout.fileno(), 4096)
        if not piece:
            return read
        read += piece
        time.sleep(0.001)


def waiting(child):
    """Wait until the child waits for its reader; read one byte."""
    os.read(child.stdout.fileno(), 1)
    before, now = -1, array.array("i", [0])
    while before != now[0]:
        before = now[0]
        time.sleep(0.5)
        fcntl.ioctl(child.stdout.fileno(), termios.FIONREAD, now)
    return child


for number in (signal.SIGINT, signal.SIGTERM):
    for first in (1, 5000, 70000):
        child = start("log")
        read = b""
        while len(read) < first:
            read += os.read(child.stdout.fileno(), first - len(read))
        child.send_signal(number)
        read = slowly(child, read)
        status = child.wait()
        expect(status == 128 + number, "status", status)
        lines = read.split(b"\n")
        expect(lines.pop() == b"", "no line end", read[-50:])
        expect(len(lines) < 20000, "the whole log")
        for i, line in enumerate(lines):
            expect(line + b"\n" == (LINE % i).replace(
                b"{{{symbol:_Z1fv}}}", b"f()"), "line", i, line)

# A line that gets its end after the signal; nothing of the next one.
child = start(stdin=subprocess.PIPE)
child.stdin.write(b"one\nhalf")
read = b""
while not read.endswith(b"half"):
    read += os.read(child.stdout.fileno(), 4096)
child.send_signal(signal.SIGTERM)
child.stdin.write(b" a line\nthe next line\n")
read = slowly(child, read)
expect(child.wait() == 128 + signal.SIGTERM, "status of half a line")
expect(read == b"one\nhalf a line\n", "half a line", read)

# A line that gets no end.
child = start("-f", "-", stdin=subprocess.PIPE)
child.stdin.write(b"half")
os.read(child.stdout.fileno(), 4096)
child.send_signal(signal.SIGTERM)
status = child.wait()
expect(status == 0, "status of --follow", status, child.stderr.read())

# A second signal ends the process although nobody reads; the temporary file of
# a page is removed.
for args in ([], ["--output-dir=pages"]):
    os.makedirs("pages", exist_ok=True)
    if args:
        os.mkfifo("fifo")
        child = start(*args, "log", "fifo")
        while not os.listdir("pages"):
            time.sleep(0.01)
        other = os.open("fifo", os.O_RDWR)
        os.write(other, b"half")
        time.sleep(0.3)
    else:
        child = waiting(start("log"))
    child.send_signal(signal.SIGTERM)
    time.sleep(0.1)
    child.send_signal(signal.SIGTERM)
    status = child.wait(timeout=60)
    expect(status == -signal.SIGTERM, "second signal", args, status)
    expect(not os.listdir("pages"), os.listdir("pages"))

# So does a reader that takes nothing, after some seconds.
child = waiting(start("log"))
child.send_signal(signal.SIGTERM)
expect(child.wait(timeout=300) == -signal.SIGTERM, "no reader")

# What was read before an error is written.
child = start("log", "missing")
out, err = child.communicate()
expect(child.returncode == 2 and out.count(b"\n") == 20000, "before an error")
END
exit 0
