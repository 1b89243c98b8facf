# SPDX-License-Identifier: MIT
"""Tests of gsym-pprof with profiles of gperftools and jemalloc."""

import os
import random
import struct
import subprocess
import time

import pytest

import gsym
from gsym import _gperftools, pprof
from gsym._wire import FormatError, fields, numbers, varint
from test_pprof import (CC, PROFILES, code_segment, put_stub, run, run_pprof,
                        stacks)

BUILD_ID = "3f9ed82698314cec4b6402fd331f70bf43195a2a"
RECORDED = ["gperftools.heap", "gperftools.cpu", "jemalloc.heap"]
HEAD = b"heap profile: 1: 100 [ 1: 100] @ heapprofile\n"


def packed(data):
    at, result = 0, []
    while at < len(data):
        number, at = varint(data, at)
        result.append(number)
    return result


def samples(data):
    """The samples of a profile, as the files *.expected have them."""
    addresses = {}
    for (_, value, _), stack in zip(
            (f for f in fields(data) if f[0] == 4), stacks(data)):
        found = numbers(value)
        addresses[found[1]] = f"{found[3]:#x}" + (
            f"={stack[-1][0]}:{stack[0][2]}" if stack else "")
    result = []
    for number, value, _ in fields(data):
        if number == 2:
            parts = {n: v for n, v, _ in fields(value) if n < 3}
            result.append(" ".join(map(str, packed(parts[2]))) + ": "
                          + " ".join(addresses[i] for i in packed(parts[1])))
    return result


def read(name):
    with open(f"{PROFILES}/{name}", "rb") as file:
        return file.read()


def put_program(tmp_path):
    """The start of the program that was profiled, below a root."""
    folder = tmp_path / "root" / "src" / "alloc"
    folder.mkdir(parents=True)
    (folder / "alloc").write_bytes(read("alloc.head"))
    return str(tmp_path / "root")


@pytest.fixture
def store(tmp_path):
    """A store with the program that was profiled."""
    folder = tmp_path / "store"
    subprocess.run(["gsym-create", "-q", f"--install={folder}",
                    f"{PROFILES}/alloc.sym"], check=True)
    put_stub(f"{folder}/.build-id/{BUILD_ID[:2]}/{BUILD_ID[2:]}.debug",
             read("alloc.head"), bytes.fromhex(BUILD_ID))
    return folder


@pytest.mark.parametrize("name", RECORDED)
def test_recorded(store, tmp_path, name):
    """The samples, and the names, are those of go tool pprof."""
    root = put_program(tmp_path)
    notes = []
    data = _gperftools.read(read(name), root, None, notes.append)
    assert not notes
    with gsym.Store([store]) as opened:
        named = samples(pprof.symbolize(data, opened))
    assert named == read(f"{name}.expected").decode().splitlines()
    # The program does the same.
    result = run("--root", root, "--return-addresses",
                 f"{PROFILES}/{name}", f"--gsym-file-directory={store}")
    assert result.returncode == 0 and samples(result.stdout) == named


@pytest.mark.parametrize("name", RECORDED)
def test_pprof_reads_it(store, tmp_path, name):
    result = run("--root", put_program(tmp_path), f"{PROFILES}/{name}",
                 f"--gsym-file-directory={store}")
    assert result.returncode == 0
    assert " work /src/alloc/alloc.c:13:0 " in run_pprof(result.stdout, tmp_path)


def unknown(store, path):
    """What is said of the profile PATH in which a program is not known."""
    result = run(path, f"--gsym-file-directory={store}", "--strict")
    assert result.returncode == 1
    assert not any(stacks(result.stdout))
    return result.stderr.decode()


def test_file_is_the_same(tmp_path):
    """A mapped file counts without --root if it still is the one that was
    mapped."""
    source, program = tmp_path / "main.c", tmp_path / "prog"
    source.write_text("int main(void) { return 0; }\n", encoding="ascii")
    subprocess.run([*CC, "-g", "-Wl,--build-id", "-o", program, source],
                   check=True)
    store, path = tmp_path / "store", tmp_path / "heap"
    subprocess.run(["gsym-create", "-q", f"--install={store}", program],
                   check=True)
    main = int(next(line.split()[0] for line in subprocess.run(
        ["nm", program], check=True, capture_output=True,
        text=True).stdout.splitlines() if line.endswith(" T main")), 16)
    # The page with the function is mapped.
    offset, _, address = code_segment(program)
    page = main & ~0xfff
    start = 0x555555554000 + page

    def write(inode):
        path.write_bytes(
            HEAD + b"1: 100 [1: 100] @ 0x%x\nMAPPED_LIBRARIES:\n"
            b"%x-%x r-xp %08x 00:00 %d   %s\n" % (
                0x555555554000 + main + 1, start, start + 0x1000,
                page - address + offset, inode, os.fsencode(program)))

    write(os.stat(program).st_ino)
    result = run(path, f"--gsym-file-directory={store}", "--strict")
    assert result.returncode == 0, result.stderr
    assert [s[0][0] for s in stacks(result.stdout)] == ["main"]
    # Without a time of the profile nothing says that the file is the same.
    result = run("-", f"--gsym-file-directory={store}",
                 stdin=path.read_bytes())
    assert not any(stacks(result.stdout))
    assert b"not known when" in result.stderr
    # The program is written again, in its place.
    later = time.time() + 1
    os.utime(program, (later, later))
    assert "was changed after the profile" in unknown(store, path)
    # Another file.
    write(os.stat(program).st_ino + 1)
    os.utime(path, (later + 10, later + 10))
    assert "there is another file now" in unknown(store, path)
    os.unlink(program)
    assert "No such file" in unknown(store, path)


def convert(data):
    return _gperftools.read(data, "/nonexistent", None, lambda note: None)


def test_estimates():
    """One sample in so many bytes stands for more; what pprof says."""
    data = b"heap profile: 1: 2 [1: 2] @ heap_v2/524288\n"
    assert samples(convert(data + b"1: 1024 [2: 2048] @ 0x2")) == [
        "512 524800: 0x1"]
    # Objects that are much smaller than the rate.
    data = b"heap_v2/100000000000000000\n t*: 1: 2 [0: 0]\n@ 0x5\n"
    assert samples(convert(data + b" t*: 1: 1 [0: 0]")) == [
        "100000000000000000 100000000000000000: 0x4"]
    # All samples are there.
    data = b"heap profile: 1: 2 [1: 2] @ heapprofile\n"
    assert samples(convert(data + b"1: 1024 [2: 2048] @ 0x2 0x0")) == [
        "1 1024: 0x1 0xffffffffffffffff"]


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("word", "QI")
def test_words(order, word):
    """CPU profiles of machines with other words."""
    def words(*values):
        return struct.pack(f"{order}{len(values)}{word}", *values)
    data = words(0, 3, 0, 10000, 0, 3, 2, 4096, 8192, 1, 3, 16, 16, 32,
                 0, 1, 0)
    maps = b"1000-2000 r-xp 00000000 00:00 7  /a b\n"
    result = convert(data + maps)
    # The innermost address is there twice.
    assert samples(result) == ["3 30000000: 0x1000 0x1fff",
                               "1 10000000: 0x10 0x1f"]
    found = [numbers(v) for n, v, _ in fields(result) if n == 4]
    assert [f.get(2) for f in found] == [1, 1, None, None]
    strings = [v for n, v, _ in fields(result) if n == 6]
    assert b"/a b" in strings


def test_odd_maps():
    """Lines of maps that the kernel does not write harm no other line."""
    good = b"1000-2000 r-xp 00000000 08:01 7  /a\n"
    for odd in (b"3000-4000 r-xp 0 123456789:1 7 /b\n",
                b"3000-4000 r-xp 0 08:01 99999999999999999999 /b\n",
                b"3000-4000 r-xp 0 08:01 7 /b\x1b \t \r\n",
                b"\t3000-4000 r-xp 0 08:01 7 /b\n", b"4000-3000 r-xp 0 08:01 7\n",
                b"3000-4000 r-xp 0 08:01 7" + b" " * 1000000 + b"\n"):
        for maps in (good + odd, odd + good):
            result = convert(HEAD + b"1: 100 [1: 100] @ 0x1801\n"
                             b"MAPPED_LIBRARIES:\n" + maps)
            assert samples(result) == ["1 100: 0x1800"]
            mappings = {numbers(v)[1]: numbers(v)[2]
                        for n, v, _ in fields(result) if n == 3}
            found, = (numbers(v) for n, v, _ in fields(result) if n == 4)
            assert mappings[found[2]] == 0x1000


@pytest.mark.parametrize("data", [
    b"heap profile:", b"heap profile: 1: 2 [3: 4] @ other\n",
    HEAD + b"1: 2 [3: 4] 0x1", HEAD + b"0: 2 [0: 4] @ 0x1",
    HEAD + b"1: 2 [3: 4] @ 0x" + b"1" * 17, HEAD + b"\xff",
    HEAD + b"9999999999999999999: 1 [1: 1] @ 0x1",
    b"heap_v2/1", b"heap_v2/x\n t*: 1: 2 [0: 0]", b"heap_v2/1\n@ 0x1",
    b"heap_v2/1\n t*: 1: 2 [0: 0]\n@ 0x1\n t*: 1", struct.pack("<3Q", 0, 3, 0),
    struct.pack("<5Q", 0, 3, 0, 0, 0), struct.pack("<5Q", 0, 3, 0, 10, 0),
    struct.pack("<7Q", 0, 3, 0, 10, 0, 1, 1 << 63),
    struct.pack("<8Q", 0, 3, 0, 10, 0, 1 << 63, 1, 1)])
def test_damaged(data):
    with pytest.raises(FormatError):
        convert(data)


def test_hostile():
    """Damage ends in an error, or a profile that can be read."""
    rng = random.Random(46)
    for name in RECORDED:
        data = read(name)
        for _ in range(150):
            damaged = bytearray(data[:rng.randrange(30, len(data))])
            for _ in range(rng.randrange(4)):
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
            try:
                result = convert(bytes(damaged))
            except FormatError:
                continue
            assert result is None or samples(result) is not None


def test_many_addresses():
    """Different addresses take memory, so that there is a limit."""
    most = _gperftools._MOST_ADDRESSES
    try:
        _gperftools._MOST_ADDRESSES = 1000
        stack = b"".join(b" 0x%x" % i for i in range(1, 1002))
        with pytest.raises(FormatError, match="more than 1000 addresses"):
            convert(HEAD + b"1: 2 [3: 4] @" + stack)
        assert samples(convert(HEAD + b"1: 2 [3: 4] @" + stack[:4000]))
        # So many addresses are not made of one stack, however long.
        with pytest.raises(FormatError, match="more than 1000 addresses"):
            convert(HEAD + b"1: 2 [3: 4] @" + b" 0x1" * 1001)
    finally:
        _gperftools._MOST_ADDRESSES = most
