#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-markup --follow: a log that is replaced again and again without a pause.
# Files that still have a name are read, each line once and in order; a message
# counts the others.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
need python3
cat >run.py <<'END'
import atexit
import os
import re
import signal
import subprocess
import sys
import time

FILES, LINES = 12, 40


def expect(condition, *what):
    if not condition:
        sys.exit(repr(what))


def wait_for(condition):
    """CONDITION comes true within a minute."""
    for _ in range(600):
        if condition():
            return True
        time.sleep(0.1)
    return False


def text(name):
    with open(name) as file:
        return file.read()


def start(program, log, **environment):
    with open("out", "w") as out, open("err", "w") as err:
        child = subprocess.Popen(
            [program, "--debug-file-directory=.", "-f", log], stdout=out,
            stderr=err, env={**os.environ, **environment})
    atexit.register(child.kill)
    expect(wait_for(lambda: "line 0\n" in text("out")), "the first line",
           text("err"))
    return child


def write(folder, number, replace):
    """NUMBER files of LINES lines, and REPLACE between them."""
    for i in range(number):
        with open(folder + "/log", "a") as log:
            for k in range(LINES):
                log.write("line %d\n" % (i * LINES + k))
        if i < number - 1:
            replace(i)


def shift(i):
    """log becomes log.1, log.1 becomes log.2 and so on."""
    for k in range(i, 0, -1):
        os.rename("d/log.%d" % k, "d/log.%d" % (k + 1))
    os.rename("d/log", "d/log.1")


def numbers():
    """The numbers of the lines in the output."""
    return [int(n) for n in re.findall(r"^line (\d+)$", text("out"), re.M)]


def lost():
    """The files that messages count."""
    return sum(int(n) for n in re.findall(
        r"gone before they could be opened: (\d+)", text("err")))


def run(program, replace, **environment):
    os.system("rm -rf d; mkdir d; echo line 0 >d/log")
    child = start(program, "d/log", **environment)
    os.kill(child.pid, signal.SIGSTOP)
    # The first line is there already.
    os.truncate("d/log", 7)
    write("d", FILES, replace)
    os.kill(child.pid, signal.SIGCONT)
    last = FILES * LINES - 1
    expect(wait_for(lambda: numbers()[-1] == last and
                    len(numbers()) + LINES * lost() >= FILES * LINES),
           replace.__name__, "missing", numbers()[-5:], text("err"))
    child.terminate()
    expect(child.wait() == 0, "status")
    # The first line of each run was written twice.
    got = numbers()[1:]
    expect(got == sorted(set(got)), "order", got)
    return got


def remove(i):
    os.unlink("d/log")


def elsewhere(i):
    os.makedirs("old", exist_ok=True)
    os.rename("d/log", "old/log")


def date(i):
    """log.2 is the newest file but one, and nothing is renamed later."""
    os.rename("d/log", "d/log.%02d" % i)


whole = list(range(FILES * LINES))
for replace in (shift, date):
    expect(run("gsym-markup", replace) == whole, replace.__name__)
    expect(lost() == 0, "lost", text("err"))
for replace in (remove, elsewhere):
    got = run("gsym-markup", replace)
    expect(len(got) + LINES * lost() == FILES * LINES, len(got), lost())
    expect(got[:LINES] == whole[:LINES], "the open file", got)
# Two files that wait are all that the list has room for.
for limit in (1, 2, 3):
    got = run("gsym-markup-tiny", date, GSYM_TINY_LIMITS=str(limit))
    expect(len(got) + LINES * lost() == FILES * LINES, limit, len(got), lost())

# A writer that goes on with the old file until it takes the new one.
os.system("rm -rf d; mkdir d; echo line 0 >d/log")
child = start("gsym-markup", "d/log")
with open("d/log", "a") as log:
    os.rename("d/log", "d/log.1")
    open("d/log", "w").close()
    time.sleep(0.6)
    log.write("line 1\n")
    log.flush()
    expect(wait_for(lambda: numbers() == [0, 1]), "a line of the old file")
with open("d/log", "a") as log:
    log.write("line 2\n")
expect(wait_for(lambda: numbers() == [0, 1, 2]), "a line of the new file")
# A file that cannot be opened is no missing file: it is tried again.
os.rename("d/log", "d/log.1")
if os.getuid() != 0:
    with open("d/log", "w") as log:
        os.chmod("d/log", 0)
        log.write("line 3\n")
    expect(wait_for(lambda: "cannot open 'd/log': Permission denied: trying "
                            "again" in text("err")), "no message", text("err"))
    os.chmod("d/log", 0o600)
    expect(wait_for(lambda: numbers() == [0, 1, 2, 3]), "tried again")
child.terminate()
expect(child.wait() == 0, "status")
END
python3 run.py || fail 'rotations'
exit 0
