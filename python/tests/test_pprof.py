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
            functions[f[1]] = (strings[f[3]].decode(), strings[f[4]].decode(),
                               strings[f[2]].decode())
    return strings, functions


def stacks(data):
    _, functions = tables(data)
    result = []
    for number, value, _ in _fields(data):
        if number == 4:
            result.append([
                (*functions[_numbers(line)[1]][:2], _numbers(line)[2])
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
    {"build_id": "00112233"}, {"build_id": "go/abc"}, {"build_id": ""},
    {"named": 1}])
def test_left_alone(store, change):
    data = profile(**change)
    assert pprof.symbolize(data, store) == data


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
    result = run(directory, "-", stdin=b"text")
    assert result.returncode == 2 and b"cannot convert '-'" in result.stderr
    result = run(directory, str(tmp_path / "missing"))
    assert result.returncode == 2 and not result.stdout


def test_pprof_reads_it(store, tmp_path):
    if not shutil.which("go"):
        pytest.skip("go is not installed")
    target = tmp_path / "out.pb"
    target.write_bytes(pprof.symbolize(profile(), store))
    try:
        # Go builds its tools when they are first used.
        result = subprocess.run(["go", "tool", "pprof", "-raw", str(target)],
                                capture_output=True, text=True, check=False,
                                timeout=100)
    except subprocess.TimeoutExpired:
        pytest.skip("go takes too long to build pprof")
    if "no such tool" in result.stderr:
        pytest.skip("go has no pprof")
    assert result.returncode == 0, result.stderr
    assert "[FN][FL][LN][IN]" in result.stdout
    names = {f["function"] for _, answer in PAIRS for f in answer["frames"]}
    for name in names:
        assert f" {name} " in result.stdout


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
    """The manual and the completion have the options of --help."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    text = pprof._arguments().format_help()
    options = set(re.findall(r"(?m)^ +(?:-\w.*, )?--([a-z-]+)", text))
    assert "return-addresses" in options
    with open(f"{here}/share/man/man1/gsym-pprof.1", encoding="utf-8") as file:
        manual = file.read()
    with open(f"{here}/share/bash-completion/completions/gsym-pprof",
              encoding="utf-8") as file:
        completion = file.read()
    for option in options:
        assert f"Fl -{option}" in manual, option
        assert f"--{option}" in completion, option
