# SPDX-License-Identifier: MIT
"""Tests of gsym-pprof, with the store of test_gsym.py and the program
GSYM_TEST_PROGRAM, whose build ID is GSYM_TEST_ID."""

import gzip
import json
import os
import random
import re
import shutil
import subprocess
import sys

import pytest

import gsym
from gsym import pprof
from gsym.pprof import _fields, _numbers, _put, _put_varint

STORE = os.environ["GSYM_TEST_STORE"]
ID = os.environ["GSYM_TEST_ID"]
PROFILES = os.environ["GSYM_TEST_PROFILES"]
with open(os.environ["GSYM_TEST_PAIRS"], encoding="utf-8") as pairs:
    PAIRS = [(int(line.split("\t")[0]), json.loads(line.split("\t")[1]))
             for line in pairs]
UNKNOWN = _put(99, b"unknown") + _put(98, 7) + _put_varint(97 << 3 | 5) + b"abcd"


def code_segment():
    """The segment of the program that holds its code."""
    with open(os.environ["GSYM_TEST_PROGRAM"], "rb") as file:
        segments = pprof._segments(file.read())
    covered = next(a for a, answer in PAIRS if answer["frames"])
    return next(s for s in segments if s[2] <= covered < s[2] + s[1])


def profile(start=0x555555554000, build_id=ID, named=0):
    """A profile without names, and the addresses of its locations."""
    offset, length, address = code_segment()
    strings = [b"", b"samples", b"count", b"/bin/prog", build_id.encode()]
    page = offset & ~0xfff
    data = _put(1, _put(1, 1) + _put(2, 2)) + UNKNOWN
    addresses = [a for a, _ in PAIRS]
    for i, linked in enumerate(addresses):
        data += _put(2, _put(1, _put_varint(i + 1)) + _put(2, b"\x01"))
    data += _put(3, _put(1, 1) + _put(2, start) + _put(3, start + length + 4096)
                 + _put(4, page) + _put(5, 3) + _put(6, 4) + _put(7, named)
                 + UNKNOWN)
    for i, linked in enumerate(addresses):
        runtime = linked - address + offset - page + start
        data += _put(4, _put(1, i + 1) + _put(2, 1) + _put(3, runtime)
                     + UNKNOWN)
    for text in strings:
        data += _put(6, text)
    return data + _put(12, 1000)


def tables(data):
    strings = [v for n, v, _ in _fields(data) if n == 6]
    functions = {}
    for number, value, _ in _fields(data):
        if number == 5:
            f = _numbers(value)
            functions[f[1]] = tuple(strings[f.get(n, 0)].decode()
                                    for n in (3, 4, 2))
    return strings, functions


def stacks(data):
    _, functions = tables(data)
    result = []
    for number, value, _ in _fields(data):
        if number == 4:
            result.append([
                (*functions[_numbers(line)[1]][:2], _numbers(line).get(2, 0))
                for field, line, _ in _fields(value) if field == 4])
    return result


@pytest.fixture
def store():
    with gsym.Store([STORE]) as opened:
        yield opened


def test_names(store):
    data = profile()
    notes = []
    result = pprof.symbolize(data, store, report=notes.append)
    assert not notes
    assert stacks(result) == [
        [(f["function"], f["file"], f["line"]) for f in answer["frames"]]
        for _, answer in PAIRS]
    # Each function is there once.
    _, functions = tables(result)
    assert len(functions) == len(set(functions.values()))
    mapping = next(v for n, v, _ in _fields(result) if n == 3)
    assert [_numbers(mapping)[n] for n in range(7, 11)] == [1] * 4
    # A second time changes nothing.
    assert pprof.symbolize(result, store) == result


def test_all_else_is_copied(store):
    data = profile()
    result = pprof.symbolize(data, store)
    old = [raw for number, _, raw in _fields(data) if number not in (3, 4)]
    new = [raw for number, _, raw in _fields(result) if number not in (3, 4, 5)]
    assert new[:len(old)] == old
    assert all(pprof._varint(raw, 0)[0] >> 3 == 6 for raw in new[len(old):])
    for number in (3, 4):
        before = [v for n, v, _ in _fields(data) if n == number]
        after = [v for n, v, _ in _fields(result) if n == number]
        assert len(before) == len(after)
        for one, two in zip(before, after):
            fields = [raw for n, _, raw in _fields(two)
                      if n not in (4, 7, 8, 9, 10) or number == 4 and n != 4]
            kept = [raw for n, _, raw in _fields(one)
                    if n not in (4, 7, 8, 9, 10) or number == 4 and n != 4]
            assert fields == kept
            assert UNKNOWN in two


@pytest.mark.parametrize("change", [
    {"build_id": "00112233"}, {"build_id": "go/abc"}, {"build_id": ""}])
def test_left_alone(store, change):
    data = profile(**change)
    assert pprof.symbolize(data, store) == data


def without_lines(data):
    """The profile DATA without functions, and its locations without lines."""
    result = b""
    for number, value, raw in _fields(data):
        if number == 4:
            value = b"".join(r for n, _, r in _fields(value) if n != 4)
            raw = _put(4, value)
        result += raw if number != 5 else b""
    return result


@pytest.mark.parametrize("lines", [True, False])
def test_says_that_it_has_functions(store, lines):
    """A mapping with functions stays as it is if a location has lines."""
    data = profile(named=1)
    if lines:
        named = pprof.symbolize(data, store)
        raw = next(raw for number, value, raw in _fields(named)
                   if number == 4 and any(n == 4 for n, _, _ in _fields(value)))
        data += raw
        assert pprof.symbolize(data, store) == data
        # One that does not say so, as Go's with code in C.
        data = profile() + raw
        assert stacks(pprof.symbolize(data, store))[:-1] == stacks(named)
    else:
        assert any(stacks(pprof.symbolize(data, store)))


# ---- profiles of other programs


def read_recorded(name):
    with gzip.open(f"{PROFILES}/{name}.pb.gz") as file:
        return file.read()


@pytest.fixture
def recorded_store(tmp_path):
    """A store with the programs of the recorded profiles."""
    for name in ("parca", "perf", "go"):
        subprocess.run(["gsym-create", "-q", f"--install={tmp_path}",
                        f"{PROFILES}/{name}.sym"], check=True)
        with open(f"{PROFILES}/{name}.sym", encoding="ascii") as file:
            build_id = file.read().split("CODE_ID ")[1].split()[0].lower()
        shutil.copyfile(f"{PROFILES}/{name}.head",
                        f"{tmp_path}/.build-id/{build_id[:2]}/"
                        f"{build_id[2:]}.debug")
    with gsym.Store([tmp_path]) as opened:
        yield opened


def locations(data):
    """The address of each location of mapping 1, and its stack."""
    return [(_numbers(value)[3], stack)
            for (_, value, _), stack in zip(
                (field for field in _fields(data) if field[0] == 4),
                stacks(data))
            if _numbers(value).get(2) == 1]


def run_pprof(data, tmp_path):
    """What pprof itself writes of the profile DATA."""
    if not shutil.which("go"):
        pytest.skip("go is not installed")
    path = tmp_path / "profile.pb"
    path.write_bytes(data)
    try:
        # Go builds its tools when they are first used.
        result = subprocess.run(
            ["go", "tool", "pprof", "-symbolize=none", "-raw", str(path)],
            capture_output=True, text=True, check=False, timeout=100)
    except subprocess.TimeoutExpired:
        pytest.skip("go takes too long to build pprof")
    if "no such tool" in result.stderr:
        pytest.skip("go has no pprof")
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("name", ["parca", "perf"])
def test_recorded(recorded_store, name):
    """The profiles of an eBPF profiler and of perf, and what other programs say
    of their addresses."""
    data, notes = read_recorded(name), []
    result = pprof.symbolize(data, recorded_store, report=notes.append)
    assert not notes
    with open(f"{PROFILES}/{name}.expected", encoding="ascii") as file:
        expected = [line.split() for line in file]
    got = locations(result)
    assert len(got) == len(expected) > 2
    for (address, stack), (wanted, function, line) in zip(got, expected):
        assert (address, stack[-1][0], stack[0][2]) == (
            int(wanted, 16), function, int(line))
    # Nothing else changes.
    old, new = (dict(enumerate(v for n, v, _ in _fields(d) if n == 4))
                for d in (data, result))
    for at, value in old.items():
        assert new[at] == value or _numbers(value).get(2) == 1


def test_recorded_by_go(recorded_store):
    """The names are those that Go wrote, after they were removed."""
    data = read_recorded("go")
    bare = without_lines(data)
    assert not any(stacks(bare))
    result = pprof.symbolize(bare, recorded_store)
    # Go leaves out which calling convention a function has.
    def names(profile):
        return [(address, [(function.replace(".abi0", ""), line)
                           for function, _, line in stack])
                for address, stack in locations(profile)]
    assert names(result) == names(data)
    assert any(len(stack) > 2 for _, stack in names(result))
    # Names that are there stay.
    assert pprof.symbolize(data, recorded_store) == data


@pytest.mark.parametrize("name", ["parca", "perf", "go"])
def test_pprof_reads_recorded(recorded_store, tmp_path, name):
    result = pprof.symbolize(without_lines(read_recorded(name)),
                             recorded_store)
    text = run_pprof(result, tmp_path)
    assert "[FN][FL][LN][IN]" in text
    # A location a line, and a line for each caller of an inlined function.
    shown = {function: name for function, _, name in tables(result)[1].values()}
    for address, stack in locations(result):
        assert f" {address:#x} M=1 " in text
        for function, _, line in stack:
            assert re.search(rf" {re.escape(shown[function])} \S*:{line}:0 ",
                             text), function


def test_debug_file_beside(store, tmp_path):
    """objcopy --only-keep-debug loses the file offsets."""
    if not shutil.which("objcopy"):
        pytest.skip("objcopy is not installed (Debian: binutils)")
    debug = tmp_path / "debug"
    subprocess.run(["objcopy", "--only-keep-debug",
                    os.environ["GSYM_TEST_PROGRAM"], debug], check=True)
    assert pprof._segments(debug.read_bytes()) == []
    subprocess.run(["gsym-create", "-q", f"--install={tmp_path}", debug],
                   check=True)
    notes = []
    with gsym.Store([tmp_path]) as other:
        pprof.symbolize(profile(), other, report=notes.append)
    assert "program headers" in notes[0]


def test_return_addresses(store):
    data = profile()
    shifted = pprof.symbolize(data, store, return_addresses=True)
    by_address = dict(PAIRS)
    for (address, _), stack in zip(PAIRS, stacks(shifted)):
        frames = store.lookup(ID, address - 1)
        assert stack == [(f.function, f.file, f.line) for f in frames]
    assert by_address


def test_hostile(store):
    good = profile()
    generator = random.Random(11)
    for _ in range(400):
        bad = bytearray(good)
        for _ in range(generator.randrange(1, 6)):
            bad[generator.randrange(len(bad))] = generator.randrange(256)
        del bad[generator.randrange(len(bad)):]
        try:
            pprof.symbolize(bytes(bad), store)
        except pprof.FormatError:
            pass
    for bad in (b"", b"\x00", b"\x0a", b"text of no format", b"\xff" * 40):
        with pytest.raises(pprof.FormatError):
            pprof.symbolize(bad, store)


def run(*arguments, stdin=b""):
    return subprocess.run([sys.executable, "-m", "gsym.pprof", *arguments],
                          input=stdin, capture_output=True, check=False)


def test_program(store, tmp_path):
    data = profile()
    want = pprof.symbolize(data, store)
    directory = f"--gsym-file-directory={STORE}"
    result = run(directory, "-", stdin=data)
    assert (result.returncode, result.stdout, result.stderr) == (0, want, b"")
    source, target = tmp_path / "in.pb.gz", tmp_path / "out.pb.gz"
    source.write_bytes(gzip.compress(data))
    assert run(directory, str(source), "-o", str(target)).returncode == 0
    assert gzip.decompress(target.read_bytes()) == want
    # Nothing to name: the same bytes, compressed as they were.
    assert run(directory, str(target)).stdout == target.read_bytes()
    # Little that would become much is refused.
    result = run(directory, "-", stdin=gzip.compress(bytes(100 << 20)))
    assert result.returncode == 2
    assert b"more than 32 times as large" in result.stderr
    result = run(directory, "-", stdin=b"text")
    assert result.returncode == 2 and b"cannot convert '-'" in result.stderr
    result = run(directory, "-", stdin=gzip.compress(data)[:10] + b"\xff")
    assert result.returncode == 2 and b"cannot convert '-'" in result.stderr
    result = run(directory, str(tmp_path / "missing"))
    assert result.returncode == 2 and not result.stdout


def test_pprof_reads_it(store, tmp_path):
    text = run_pprof(pprof.symbolize(profile(), store), tmp_path)
    assert "[FN][FL][LN][IN]" in text
    for name in {f["function"] for _, answer in PAIRS
                 for f in answer["frames"]}:
        assert f" {name} " in text


def test_llvm_symbolizer_agrees(store):
    """Functions and lines of every location are those of llvm-symbolizer, which
    reads the DWARF."""
    tool = os.environ.get("GSYM_TEST_LLVM")
    if not tool:
        pytest.skip("llvm-symbolizer is not installed (Debian: llvm-19)")
    done = subprocess.run(
        [tool, "--no-demangle", "--output-style=JSON",
         "--obj=" + os.environ["GSYM_TEST_PROGRAM"]],
        input="".join(f"{address:#x}\n" for address, _ in PAIRS),
        capture_output=True, check=True, text=True)
    theirs = [[(s["FunctionName"], s["Line"])
               for s in json.loads(line)["Symbol"]]
              for line in done.stdout.splitlines()]
    assert len(theirs) == len(PAIRS)
    compared = 0
    for (address, _), lines, other in zip(
            PAIRS, stacks(pprof.symbolize(profile(), store)), theirs):
        ours = [(function, line) for function, _, line in lines]
        # Code without debug information, such as that of crt1.o, has symbols
        # alone.
        if not ours or not all(line for _, line in ours):
            assert not any(line for _, line in other), hex(address)
            continue
        assert ours == other, hex(address)
        compared += 1
    assert compared > 5


def test_manual():
    """The manual and the completions have the options of --help."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    text = pprof._arguments().format_help()
    options = set(re.findall(r"(?m)^ +(?:-\w.*, )?--([a-z-]+)", text))
    assert "return-addresses" in options
    with open(f"{here}/share/man/man1/gsym-pprof.1", encoding="utf-8") as file:
        manual = file.read()
    for option in options:
        assert f"Fl -{option}" in manual, option
    for path, form in (("bash-completion/completions/gsym-pprof", "--{}"),
                       ("fish/vendor_completions.d/gsym-pprof.fish", "-l {} ")):
        with open(f"{here}/share/{path}", encoding="utf-8") as file:
            completion = file.read()
        for option in options:
            assert form.format(option) in completion, (path, option)
