# SPDX-License-Identifier: MIT
"""Tests of gsym-crashes, by objects as gsym-markup --json writes them.
tests/cli/crashes.sh has logs."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import tracemalloc

import pytest

from gsym import _crashes, crashes

HEAD = {"program": "gsym-markup", "version": "1", "logs": ["kernel", "glibc"]}
REPORT = "==1==ERROR: AddressSanitizer: bad%d on address 0x1"


def line(number, text):
    return {"line": number, "text": text}


def frame(number, at, name, **more):
    return {"line": number, "frame": at, "module": "/lib/m.so", "found": True,
            "functions": [{"function": name, "file": "/src/a.c", "line": 7,
                           "offset": 0}], **more}


def packed(objects):
    """OBJECTS as gsym-markup writes them."""
    return b"".join(json.dumps(one, separators=(",", ":")).encode() + b"\n"
                    for one in objects)


def collected(objects):
    """The crashes of OBJECTS, which have no first one, and how many stack traces
    were lost."""
    found = _crashes.Crashes(True)
    for raw in packed(objects).splitlines(True):
        found.take(raw)
    return found.end(), found.lost


def run(data, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "gsym.crashes", "--from-json=-", *arguments],
        input=data, capture_output=True, check=False)


@pytest.mark.parametrize("how", ["2>&-", "2>/dev/full"])
def test_standard_error_is_lost(how):
    """The crashes are written, whatever becomes of notes."""
    data = packed([HEAD, {"line": 1, "explain": "x"}, frame(1, 0, "f")])
    command = f"'{sys.executable}' -m gsym.crashes --from-json=- --format=json"
    result = subprocess.run(["sh", "-c", f"{command} {how}"], input=data,
                            capture_output=True, check=False)
    assert result.returncode == 0
    assert b'"f"' in result.stdout


def test_explained_line_is_a_number():
    data = packed([HEAD, {"line": {"a": 1}, "explain": "x"}])
    result = run(data)
    assert result.returncode == 2
    assert b"'line' is no number" in result.stderr


def many(pick):
    """A log with many crashes, of several processes, and their reports."""
    result = []
    for number in range(1, 400):
        if pick.random() < 0.2:
            result.append(line(number, REPORT % pick.randrange(9)))
            continue
        depth = pick.randrange(4)
        more = {"process": str(pick.randrange(5))}
        if pick.random() < 0.3:
            more.update(found=False,
                        functions=[{"function": f"g{pick.randrange(9)}"}])
        result.append(frame(number, depth, f"f{pick.randrange(5)}", **more))
    return result


@pytest.mark.parametrize("limit", [
    "MOST_MARKS", "MOST_CRASHES", "MOST_KEPT", "MOST_TEXTS", "LONGEST_TEXT",
    "MOST_BYTES", "MOST_CACHED", "LONGEST_CACHED"])
@pytest.mark.parametrize("value", [1, 2, 3])
def test_limits(monkeypatch, limit, value):
    """With limits of 1, 2 and 3 what is kept is right, and the rest counted."""
    for seed in range(5):
        objects = many(random.Random(seed))
        whole, nothing = collected(objects)
        assert not nothing and len(whole) > 30
        known = {crash.signature: crash for crash in whole}
        with monkeypatch.context() as patch:
            patch.setattr(_crashes, limit, value)
            some, lost = collected(objects)
        if limit == "MOST_CACHED" or limit == "LONGEST_CACHED":
            assert not lost and len(some) == len(whole)
        elif limit != "MOST_MARKS":
            assert lost
        for crash in some:
            same = known[crash.signature]
            assert (crash.kind, crash.frames) == (same.kind, same.frames)
            assert crash.count <= same.count
        if limit != "MOST_MARKS":
            assert (sum(crash.count for crash in some) + lost ==
                    sum(crash.count for crash in whole))
        if limit in ("MOST_MARKS", "MOST_CRASHES", "MOST_KEPT"):
            assert some


@pytest.mark.parametrize("value", [1, 2, 3])
def test_processes(monkeypatch, value):
    """Further processes, and those with a long name, are lost."""
    monkeypatch.setattr(_crashes, "MOST_PROCESSES", value)
    objects = [frame(number, number // 10 % 2, "f", process=f"p{number % 10}")
               for number in range(1, 1001)]
    some, lost = collected([frame(1, 0, "f", process="x" * 5000), *objects])
    # A process has a stack trace of two frames in twenty lines.
    assert [crash.count for crash in some] == [50 * value]
    assert lost == 50 * (10 - value) + 1


def test_cached():
    """So many objects of frames are kept read."""
    found = _crashes.Crashes(True)
    for number in range(1, _crashes.MOST_CACHED + 9):
        found.take(packed([frame(number, 0, f"f{number}")]))
    assert len(found._frames) < 9
    found.take(packed([frame(number + 1, 0, "x" * _crashes.LONGEST_CACHED)]))
    assert len(found._frames) < 9


def test_frames():
    """Which frames the signature depends on, and how many frames there are."""
    def counts(*names):
        found, _ = collected([frame(at + 1, at, name)
                              for at, name in enumerate(names)])
        assert len(found) == 1
        return found[0].counts

    assert counts("malloc", "f", "f", "g", "f", "_start") == b"\0\1\0\1\1\0"
    # If all functions say nothing, they count all the same.
    assert counts("malloc", "abort") == b"\1\1"
    assert counts(*(f"f{at}" for at in range(10))) == b"\1" * 8 + b"\0\0"
    assert len(counts(*(f"f{at}" for at in range(300)))) == 256
    one = frame(1, 0, "f")
    one["functions"] = [{"function": "small"}, {"function": "f"}]
    found, _ = collected([one])
    assert found[0].counts == b"\0\1" and found[0].frames[0].inlined
    assert found[0].frames[0].module == "m.so"
    # A module stands for functions that are not known.
    nameless = {"line": 1, "frame": 0, "module": "/lib/m.so", "found": False,
                "functions": []}
    found, _ = collected([nameless, {**nameless, "line": 2, "module": "/x/y"}])
    assert [one.frames[0].name for one in found] == ["m.so", "y"]


def test_reports():
    """Of a report the first trace counts, and each leak; the first and the last
    line are those of all traces, in whichever order they end."""
    found, lost = collected([
        line(1, REPORT % 1), frame(2, 0, "f"), frame(3, 0, "g"),
        line(4, "SUMMARY: AddressSanitizer: x"), frame(5, 0, "h"),
        line(6, "Direct leak of 8"), frame(7, 0, "i"),
        line(8, "Indirect leak of 8"), frame(9, 0, "i")])
    assert not lost
    assert [(one.kind, one.frames[0].linkage, one.count) for one in found] == [
        (b"memory leak", "i", 2), (b"bad1", "f", 1), (b"", "h", 1)]
    found, _ = collected([frame(1, 0, "f", process="1"),
                          frame(2, 0, "f", process="2"),
                          frame(3, 0, "g", process="2")])
    assert (found[0].count, found[0].first_line, found[0].last_line) == (2, 1, 2)


def test_long_texts():
    """Names of defects are cut, and so are messages of SARIF; there are so many
    rules.  NULs end names."""
    found, _ = collected([
        line(1, "ERROR: %s: %s" % ("T" * 80 + "Sanitizer", "k" * 80)),
        frame(2, 0, "f" * 1000), line(3, "ERROR: XSanitizer: a\0b"),
        frame(4, 0, "f\0g")])
    assert [(one.kind, one.tool) for one in found] == [
        (b"k" * 63, b"T" * 63), (b"a", b"XSanitizer")]
    assert found[1].frames[0].linkage == "f"
    text = crashes._sarif_result(found[0])["message"]["text"]
    assert len(text) == 511 and text.startswith("k" * 63 + " in f")
    found, _ = collected([one for at in range(1, 400) for one in (
        line(2 * at, REPORT % at), frame(2 * at + 1, 0, "f"))])
    pieces = []
    crashes._write_sarif(pieces.append, found, 0, "1")
    run_of_all = json.loads("".join(pieces))["runs"][0]
    assert len(run_of_all["results"]) == 399
    assert len(run_of_all["tool"]["driver"]["rules"]) == 256


def test_held_back():
    """Frames of lines that were held back get the report of their lines, unless
    too many reports came meanwhile: then they are lost."""
    reports = [line(number, REPORT % number) for number in range(2, 5000)]
    found, lost = collected([line(1, REPORT % 0), *reports[:4000],
                             frame(1, 0, "f"), frame(4001, 0, "f")])
    assert not lost
    assert [one.kind for one in found] == [b"bad0", b"bad4001"]
    found, lost = collected([line(1, REPORT % 0), *reports, frame(1, 0, "f"),
                             frame(4999, 0, "g")])
    assert lost == 1 and [one.kind for one in found] == [b"bad4999"]


def test_memory():
    """Memory does not grow with a log in which everything is new, once the
    limits are reached; nor with one that repeats itself."""
    def objects(count):
        for number in range(1, count):
            yield line(number, REPORT % number)
            yield frame(number, 0, "f%d" % number + "x" * 2000,
                        process=f"p{number % 5000}")

    def peak(count):
        found = _crashes.Crashes(True)
        tracemalloc.start()
        for one in objects(count):
            found.take(packed([one]))
        result = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_crashes, "MOST_BYTES", 1 << 20)
        patch.setattr(_crashes, "MOST_CACHED", 64)
        patch.setattr(_crashes, "MOST_CRASHES", 64)
        patch.setattr(_crashes, "MOST_PROCESSES", 64)
        _crashes._sign.cache_clear()
        peak(3000)
        assert peak(9000) < 1.5 * peak(3000)


@pytest.mark.parametrize("text, mark", [
    (b"==1==ERROR: AddressSanitizer: stack-overflow on address 0x1",
     (0, b"stack-overflow", b"AddressSanitizer")),
    (b"x SUMMARY: AddressSanitizer: ERROR: y", (2, b"", b"")),
    (b"AddressSanitizer: nothing", None),
    (b"a.c:1: runtime error: shift exponent 40 is too large: y",
     (0, b"shift exponent 40 is too large", b"UndefinedBehaviorSanitizer")),
    (b"Indirect leak of 8 byte(s)", (1, b"memory leak", b"LeakSanitizer")),
    (b"[1] BUG: unable to handle page fault for address: 1",
     (0, b"unable to handle page fault", b"kernel")),
    (b"[1] BUG: KFENCE: out-of-bounds read in f+0x1",
     (0, b"out-of-bounds read", b"KFENCE")),
    (b"BUG: KASANKASAN: x", (0, b"KASANKASAN", b"kernel")),
    (b"BUG: K: x", (0, b"K", b"kernel")),
    (b"kernel BUG at mm/slub.c:4!", (0, b"kernel BUG", b"kernel")),
    (b"WARNING: CPU: 0 PID: 1 at f.c:1", (0, b"WARNING", b"kernel")),
    (b"general protection fault, maybe", (0, b"general protection fault",
                                          b"kernel")),
    (b"Unable to handle kernel paging request at x",
     (0, b"Unable to handle kernel paging request", b"kernel")),
    (b"INFO: task x:1 blocked", (0, b"hung task", b"kernel")),
    (b"---[ end trace 0 ]---", (2, b"", b"")),
    (b"a line of a program", None),
])
def test_marks(text, mark):
    assert _crashes._mark_of(text, True) == mark
    assert not mark or _crashes._may_tell(text)
    kernel = mark and (mark[2] in (b"kernel", b"KFENCE") or b"---" in text)
    assert _crashes._mark_of(text, False) == (None if kernel else mark)


@pytest.mark.parametrize("name, stable", [
    ("f.cold", "f"), ("f.isra.0", "f"), (".L1", ".L1"), (".f.cold", ".f"),
    ("f", "f"), ("", ""), (".", ".")])
def test_stable(name, stable):
    assert _crashes._stable(name) == stable


def test_signature():
    """The signature, of which results in a code host depend, is FNV-1a of the
    defect and of the names."""
    found, _ = collected([frame(1, 0, "malloc"), frame(2, 1, "f.cold"),
                          frame(3, 2, "f.cold"), frame(4, 3, "main")])
    value = 0xcbf29ce484222325
    for byte in b"\nf\nmain\n":
        value = (value ^ byte) * 0x100000001b3 % (1 << 64)
    assert [one.signature for one in found] == [value]
    assert found[0].counts == b"\0\1\0\1"


def test_texts():
    """Texts that a terminal must not get, and what is no character."""
    bad = "\x1b\x9b\u202e\u2028\"\\\ud800\ufffd\u00e9"
    data = packed([HEAD, line(1, "ERROR: XSanitizer: " + bad), frame(1, 0, bad)])
    escaped = ("\\u001b\\u009b\\u202e\\u2028\\\"\\\\" "%s\\ufffd\u00e9")
    got = run(data, "--format=json")
    assert got.returncode == 0 and not got.stderr
    assert f'"function":"{escaped % chr(92)}ufffd' not in got.stdout.decode()
    assert f'"function":"{escaped % (chr(92) + "ufffd")}"' in got.stdout.decode()
    assert json.loads(got.stdout)["crashes"][0]["frames"][0]["line"] == 7
    got = run(data)
    assert b"\\x1b\\xc2\\x9b\\xe2\\x80\\xae" in got.stdout
    assert b"\x1b" not in got.stdout
    assert json.loads(run(data, "--format=sarif").stdout)["version"] == "2.1.0"


GOOD = frame(1, 0, "f")
NO_FORM = b"not what gsym-markup --json writes"


@pytest.mark.parametrize("data, message", [
    (b"", NO_FORM), (b"{}\n", NO_FORM), (packed([GOOD]), NO_FORM),
    (packed([{**HEAD, "logs": 1}]), NO_FORM), (b"a log\n", b"no object"),
    (packed([HEAD])[:-1], b"breaks off"), (packed([HEAD, 1]), b"no object"),
    (packed([HEAD]) + b"[" * 100000 + b"\n", b"no object"),
    (packed([HEAD]) + b'{"line":1,"text":"BUG: \xff"}\n', b"no object"),
    (packed([HEAD]) + b'{"line":' + b"9" * 1000000 + b',"frame":0}\n',
     b"too many digits"),
    (packed([HEAD]) + b'{"line":1e999,"frame":0}\n', b"'line' is no number"),
    (packed([HEAD]) + b'{"line":1,"frame":0,"module":\n', b"no object"),
    *((packed([HEAD, {**GOOD, key: value}]), message) for key, value, message in [
        ("line", -1, b"is no number"), ("line", True, b"is no number"),
        ("frame", "0", b"is no number"), ("frame", 1 << 64, b"is no number"),
        ("module", 1, b"is no text"), ("process", [], b"is no text"),
        ("functions", {"a": 1}, b"no array"), ("functions", [1], b"else"),
        ("functions", [{"function": 1}], b"is no text"),
        ("functions", [{"line": 1.5}], b"is no number")]),
])
def test_hostile(data, message):
    """What gsym-markup does not write is an error of one line."""
    got = run(data)
    assert got.returncode == 2 and not got.stdout
    assert got.stderr.startswith(b"gsym-crashes: cannot read '-': ")
    assert message in got.stderr and got.stderr.count(b"\n") == 1


def test_long_line(monkeypatch):
    monkeypatch.setattr(crashes, "MOST_LINE", 300)
    log = crashes._Log()
    with open(os.devnull, "rb") as nothing:
        log.read(nothing)
    reader, writer = os.pipe()
    os.write(writer, packed([HEAD, line(1, "x" * 300)]))
    os.close(writer)
    with open(reader, "rb") as file, pytest.raises(crashes.FormatError):
        log.read(file)


def test_random():
    """Objects that are changed at random end with an answer or an error."""
    pick = random.Random(1)
    data = packed([HEAD, *many(pick)])
    for _ in range(300):
        changed = bytearray(data)
        for _ in range(pick.randrange(1, 9)):
            at = pick.randrange(len(changed))
            changed[at:at + pick.randrange(3)] = pick.choice(
                [b'"', b"{", b"}", b"\n", b"1", b",", b"[", b"\\", b"\xff"])
        log = crashes._Log()
        reader, writer = os.pipe()
        with open(reader, "rb") as file, open(writer, "wb") as out:
            os.set_blocking(writer, False)
            if len(changed) > 65536:
                changed = changed[:65536]
            out.write(changed)
            out.close()
            try:
                log.read(file)
            except crashes.FormatError:
                continue
        for form in crashes._FORMATS.values():
            pieces = []
            form(pieces.append, log.crashes.end(), log.crashes.lost, "1")


# ---- signals and pipes

MARKUP = shutil.which("gsym-markup")


def start(*arguments, **more):
    return subprocess.Popen([sys.executable, "-m", "gsym.crashes", *arguments],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            **more)


def has_read(pid, path):
    """Whether the process PID has read the whole file PATH."""
    folder = f"/proc/{pid}"
    try:
        for descriptor in os.listdir(f"{folder}/fd"):
            if os.readlink(f"{folder}/fd/{descriptor}") != str(path):
                continue
            with open(f"{folder}/fdinfo/{descriptor}", encoding="ascii") as file:
                return int(file.readline().split()[1]) == path.stat().st_size
    except OSError:
        pass
    return False


def wait_for_child(child, path):
    """Wait until gsym-markup, which CHILD runs, has read the file PATH."""
    limit = time.monotonic() + 60
    while time.monotonic() < limit:
        time.sleep(0.05)
        with open(f"/proc/{child.pid}/task/{child.pid}/children",
                  encoding="ascii") as file:
            if any(has_read(pid, path) for pid in file.read().split()):
                time.sleep(0.5)
                return True
    return False


@pytest.mark.skipif(not MARKUP or not os.path.exists("/proc/self/fdinfo"),
                    reason="no gsym-markup, or no /proc")
@pytest.mark.parametrize("number, everyone", [
    (signal.SIGINT, False), (signal.SIGINT, True), (signal.SIGTERM, False)])
def test_follow(tmp_path, number, everyone):
    """A signal ends a log that grows; its crashes are written.  EVERYONE: the
    signal reaches gsym-markup, too, as Ctrl-C does."""
    log = tmp_path.resolve() / "log"
    log.write_text("./a(f+0x1) [0x1001]\ntext\n" * 20)
    child = start("-q", "--logs", "--format=json", "-f", log,
                  start_new_session=True)
    assert wait_for_child(child, log)
    if everyone:
        os.killpg(child.pid, number)
    else:
        child.send_signal(number)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 0 and not err
    assert [one["count"] for one in json.loads(out)["crashes"]] == [20]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal(number):
    """A signal ends a pipe that goes on; what came before is counted.  A second
    signal ends it without an answer."""
    for twice in False, True:
        child = start("--format=json", "--from-json=-", stdin=subprocess.PIPE)
        child.stdin.write(packed([HEAD, GOOD, *[line(2, "x")] * 5000]))
        child.stdin.flush()
        time.sleep(0.5)
        child.send_signal(number)
        if twice:
            time.sleep(0.2)
            child.send_signal(number)
        assert child.wait(timeout=60) == 128 + number
        out, err = child.stdout.read(), child.stderr.read()
        child.stdin.close()
        child.stdout.close()
        child.stderr.close()
        assert not err
        assert (not out if twice else
                len(json.loads(out)["crashes"]) == 1)


def test_closed_pipe():
    """A reader that has gone ends the program without a message."""
    data = packed([HEAD, *(frame(number, 0, f"f{number}" + "x" * 3000)
                           for number in range(1, 300))])
    child = start("--from-json=-", stdin=subprocess.PIPE)
    child.stdout.close()
    child.stdin.write(data)
    child.stdin.close()
    assert child.stderr.read() == b""
    child.stderr.close()
    assert child.wait(timeout=60) == -signal.SIGPIPE


def fake(folder, script):
    """An environment in which gsym-markup is the shell SCRIPT."""
    (folder / "gsym-markup").write_text("#!/bin/sh\n" + script)
    (folder / "gsym-markup").chmod(0o755)
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}


@pytest.mark.parametrize("script, status, message", [
    ("echo bad >&2; exit 2", 2, b"bad\n"),
    ("exit 3", 2, b"gsym-crashes: gsym-markup has status 3\n"),
    ("exit 0", 2, b"gsym-crashes: cannot read gsym-markup: it is not"),
    ("kill -9 $$", 2, b"gsym-crashes: gsym-markup was ended by signal 9\n"),
    ("cat objects; exit 2", 2, b""),
    ("cat objects; exit 1", 1, b""),
    ("cat objects; echo x; exec sleep 100", 2,
     b"gsym-crashes: cannot read gsym-markup: a line is no object"),
])
def test_child(tmp_path, script, status, message):
    """How gsym-markup ends."""
    (tmp_path / "objects").write_bytes(packed([HEAD, GOOD]))
    got = subprocess.run([sys.executable, "-m", "gsym.crashes"], cwd=tmp_path,
                         env=fake(tmp_path, script), capture_output=True,
                         timeout=60, check=False)
    assert got.returncode == status
    assert got.stderr.startswith(message) and b"Traceback" not in got.stderr
    assert bool(got.stdout) == (status == 1)


def test_manual():
    """The manual and the completions have the options of --help."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    text = crashes._arguments().format_help()
    options = set(re.findall(r"(?m)^ +(?:-\w.*, )?--([a-z-]+)", text))
    assert options == {"format", "from-json", "help", "quiet", "version"}
    with open(f"{here}/share/man/man1/gsym-crashes.1", encoding="utf-8") as file:
        manual = file.read()
    for option in options:
        assert f"Fl -{option}" in manual, option
    for path, form in (
            ("bash-completion/completions/gsym-crashes", "--{}"),
            ("fish/vendor_completions.d/gsym-crashes.fish", "-l {} ")):
        with open(f"{here}/share/{path}", encoding="utf-8") as file:
            completion = file.read()
        for option in options:
            assert form.format(option) in completion, (path, option)
