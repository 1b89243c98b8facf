# SPDX-License-Identifier: MIT
"""Tests of gsym-pprof, with the store of test_gsym.py and the program
GSYM_TEST_PROGRAM, whose build ID is GSYM_TEST_ID."""

import glob
import gzip
import importlib.util
import json
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import time
import tracemalloc

import pytest

import gsym
from gsym import _profile, pprof
from gsym._wire import fields as _fields, numbers as _numbers, put as _put
from gsym._wire import put_varint as _put_varint, varint as _varint

STORE = os.environ["GSYM_TEST_STORE"]
ID = os.environ["GSYM_TEST_ID"]
PROFILES = os.environ["GSYM_TEST_PROFILES"]
with open(os.environ["GSYM_TEST_PAIRS"], encoding="utf-8") as pairs:
    PAIRS = [(int(line.split("\t")[0]), json.loads(line.split("\t")[1]))
             for line in pairs]
CC = os.environ.get("CC", "cc").split()
UNKNOWN = _put(99, b"unknown") + _put(98, 7) + _put_varint(97 << 3 | 5) + b"abcd"


def read_segments(path):
    """Offset, bytes, address and flags of each loaded segment of the 64-bit ELF
    file PATH."""
    with open(path, "rb") as file:
        elf = file.read()
    assert elf[:6] == b"\x7fELF\x02\x01"
    table, = struct.unpack_from("<Q", elf, 32)
    size, count = struct.unpack_from("<HH", elf, 54)
    headers = [struct.unpack_from("<IIQQQQ", elf, table + size * i)
               for i in range(count)]
    return [(offset, length, address, flags)
            for kind, flags, offset, address, _, length in headers if kind == 1]


def code_segment(path=os.environ["GSYM_TEST_PROGRAM"]):
    """The segment of the program that holds its code."""
    return next(s[:3] for s in read_segments(path) if s[3] & 1)


def put_stub(path, head, build_id):
    """Write the stub that "gsym-create --install" would make of the program of
    which the first bytes, with the program headers, are HEAD."""
    table, = struct.unpack_from("<Q", head, 32)
    size, count = struct.unpack_from("<HH", head, 54)
    headers = head[table:table + size * count]
    note = struct.pack("<III4s", 4, len(build_id), 3, b"GNU") + build_id
    at = 64 + size * (count + 2)
    headers += struct.pack("<IIQQQQQQ", 4, 4, at, 0, 0, len(note), len(note), 4)
    headers += struct.pack("<I", 0x6773796d) + bytes(size - 4)
    with open(path, "wb") as file:
        file.write(head[:32] + struct.pack("<QQ", 64, 0) + head[48:56]
                   + struct.pack("<HHHH", count + 2, 64, 0, 0) + headers + note)


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
    bare = sum(not answer["frames"] for _, answer in PAIRS)
    assert len(notes) == 1
    assert notes[0].startswith(f"locations without a name: {bare}; ")
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
    assert all(_varint(raw, 0)[0] >> 3 == 6 for raw in new[len(old):])
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
        notes = []
        assert pprof.symbolize(data, store, report=notes.append) == data
        assert notes == [f"locations without a name: {len(PAIRS)}; in mappings "
                         f"that have functions: {len(PAIRS)}"]
        assert stacks(pprof.symbolize(data, store, force=True))[:-1] == (
            stacks(named))
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
        with open(f"{PROFILES}/{name}.head", "rb") as file:
            put_stub(f"{tmp_path}/.build-id/{build_id[:2]}/"
                     f"{build_id[2:]}.debug", file.read(),
                     bytes.fromhex(build_id))
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
    # Of mapping 1 each location has a name.
    assert all("program headers" not in note for note in notes)
    assert "no function covers" not in notes[-1] if notes else True
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


def note_of(data, store):
    notes = []
    assert pprof.symbolize(data, store, report=notes.append) == data
    return notes


def test_says_why(store, tmp_path):
    """Each location without a name has a reason."""
    count = len(PAIRS)
    start = f"locations without a name: {count}; "
    assert note_of(profile(build_id=""), store) == [
        f"{start}in mappings without a build ID: {count}"]
    missing = ["there is no GSYM file for the build ID 00112233",
               f"{start}of build IDs without a GSYM file: {count}"]
    assert note_of(profile(build_id="00112233"), store) == missing
    with gsym.Store([]) as empty:
        assert ID in note_of(profile(), empty)[0]
    # No mapping at all, or another one.
    bare = b"".join(raw for number, _, raw in _fields(profile())
                    if number != 3)
    assert note_of(bare, store) == [f"{start}without a mapping: {count}"]
    # Addresses that the mapping does not hold.
    moved = b"".join(
        _put(3, raw_value + _put(2, 1 << 40) + _put(3, (1 << 40) + 4096))
        if number == 3 else raw for number, raw_value, raw in
        _fields(profile()))
    assert note_of(moved, store) == [f"{start}outside of their mapping: {count}"]
    # Many build IDs: eight of them are named.
    many = b"".join(
        _put(6, b"%08x" % (number + 1)) + _put(3, _put(1, number + 2)
                                          + _put(6, number + 1))
        + _put(4, _put(1, number + 1) + _put(2, number + 2) + _put(3, 5))
        for number in range(20))
    notes = note_of(_put(6, b"") + many, store)
    assert len(notes) == 10 and notes[8] == "the same for 12 others"


KERNEL_ID = "0011223344556677"


# Kernels of 32 bits lie in the lower half.
@pytest.fixture(name="kernel", scope="module",
                params=[0xffffffff81000000, 0xc1000000])
def make_kernel(request, tmp_path_factory):
    """A folder with the store of a kernel, and with the store without its symbols;
    where the kernel begins, and its symbols."""
    folder = tmp_path_factory.mktemp("kernel")
    source = folder / "kernel.c"
    source.write_text(
        "__asm__(\".globl _stext\\n_stext: nop\");\n"
        "void start_kernel(void) { for (;;) ; }", encoding="ascii")
    done = subprocess.run(
        [*CC, "-nostdlib", "-static", "-no-pie", "-fno-pie", "-mcmodel=kernel",
         "-fno-toplevel-reorder", "-Wl,-Ttext-segment="
         f"{request.param:#x},-z,noseparate-code,-e,start_kernel",
         f"-Wl,--build-id=0x{KERNEL_ID}", "-o", folder / "kernel", source],
        check=False, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no kernel can be linked: {done.stderr[-300:]}")
    install(folder, "store", "kernel")
    # The GSYM file alone, as others write it.
    shutil.copytree(folder / "store", folder / "bare")
    os.unlink(folder / "bare" / ".build-id" / "00" / "11223344556677.debug")
    symbols = subprocess.run(["nm", folder / "kernel"], check=True,
                             capture_output=True, text=True).stdout
    places = {name: int(address, 16) for address, _, name in
              re.findall("(?m)^([0-9a-f]+) (.) (.*)$", symbols)}
    return folder, request.param, places


def kernel_names(store, start, address, name, offset, limit=None):
    """The names of the kernel's ADDRESS in a mapping from START on, and notes."""
    limit = start + 4096 if limit is None else limit
    data = (_put(6, b"") + _put(6, KERNEL_ID.encode()) + _put(6, name)
            + _put(3, _put(1, 1) + _put(2, start) + _put(3, limit)
                   + _put(4, offset) + _put(5, 2) + _put(6, 1))
            + _put(4, _put(1, 1) + _put(2, 1) + _put(3, address)))
    notes = []
    with gsym.Store([store]) as opened:
        result = pprof.symbolize(data, opened, report=notes.append)
    return [frame[0] for stack in stacks(result) for frame in stack], notes


@pytest.mark.parametrize("moved", [0, 2 << 20, 0x1e400000, -(2 << 20)])
@pytest.mark.parametrize("has_offset", [True, False])
def test_kernel(kernel, moved, has_offset):
    """The symbol in the name of the kernel's mapping says how far the kernel was
    moved.  perf gives the mapping its address as offset, others 0."""
    folder, base, places = kernel
    for name, right in ((b"[kernel.kallsyms]_stext", True),
                        (b"[guest.kernel.kallsyms]_stext", True),
                        (b"[guest.kernel.kallsyms.4711]_stext", True),
                        # The kernel has no such symbol.
                        (b"[kernel.kallsyms]_text", False),
                        (b"[kernel.kallsyms]", False), (b"vmlinux", False)):
        if name == b"vmlinux" and not base >> 63:
            # Nothing tells it from a program.
            continue
        start = (places["_stext"] if right else base) + moved
        start &= ~0xfff if not right else ~0
        found, notes = kernel_names(
            folder / "store", start, places["start_kernel"] + moved, name,
            start if has_offset else 0)
        if right or not moved:
            assert found == ["start_kernel"], name
        else:
            assert not found and "of a kernel that was moved" in notes[0], name
    # The end of the mapping is not known.
    for limit in (0, (1 << 64) - 1):
        found, notes = kernel_names(
            folder / "store", places["_stext"] + moved,
            places["start_kernel"] + moved, b"[kernel.kallsyms]_stext",
            places["_stext"] + moved if has_offset else 0, limit)
        assert found == ["start_kernel"], limit
    # Without symbols only a kernel that was not moved has names.
    found, notes = kernel_names(folder / "bare", base + moved,
                                places["start_kernel"] + moved,
                                b"[kernel.kallsyms]_stext", 0)
    assert found == ([] if moved else ["start_kernel"])
    # No kernel is moved by a part of a page.
    found, notes = kernel_names(folder / "store", places["_stext"] + 16,
                                places["start_kernel"] + 16,
                                b"[kernel.kallsyms]_stext", 0)
    assert not found


def test_unreadable():
    """A file that cannot be opened is not a missing one."""
    data, notes = profile(), []
    with gsym.Store([STORE]) as opened:
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        number = os.dup(0)
        os.close(number)
        resource.setrlimit(resource.RLIMIT_NOFILE, (number, before[1]))
        try:
            assert pprof.symbolize(data, opened, report=notes.append) == data
            with pytest.raises(OSError, match="Too many open files"):
                opened.lookup(ID, PAIRS[0][0])
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, before)
        assert "cannot be opened" in notes[0]
        assert any(stacks(pprof.symbolize(data, opened)))


# ---- programs and their debug files

SOURCES = {
    "c": """#include <stdio.h>
__attribute__((noinline)) int work(int n)
{ volatile int s = 0; for (int i = 0; i < n; i++) s += i * n; return s; }
int main(int argc, char **argv)
{ printf("%p\\n", (void *)work); fflush(stdout); getchar();
  return work(argc) == 3; }
""",
    "rs": """use std::io::Read;
#[inline(never)] fn work(n: u64) -> u64 { (0..n).map(|i| i ^ n).sum() }
fn main() { println!("{:#x}", work as usize);
  let _ = std::io::stdin().read(&mut [0u8; 1]);
  println!("{}", work(std::env::args().count() as u64)); }
""",
    "go": """package main
import ("fmt"; "os"; "reflect")
//go:noinline
func work(n int) int { s := 0; for i := 0; i < n; i++ { s += i * n }; return s }
func main() { fmt.Printf("%#x\\n", reflect.ValueOf(work).Pointer())
  os.Stdin.Read(make([]byte, 1)); fmt.Println(work(len(os.Args))) }
"""}
LLD = sorted(glob.glob("/usr/bin/ld.lld*")) + [None]
BUILDS = {
    "pie": ("c", [*CC, "-g", "-O1", "-pie", "-fPIE"]),
    "nopie": ("c", [*CC, "-g", "-O1", "-no-pie", "-fno-pie"]),
    "joined": ("c", [*CC, "-g", "-O1", "-Wl,-z,noseparate-code"]),
    "lld": ("c", [*CC, "-g", "-O1", "-pie", "-fPIE", "-fuse-ld=lld"]),
    "lld-nopie": ("c", [*CC, "-g", "-O1", "-no-pie", "-fno-pie",
                        "-fuse-ld=lld"]),
    "rust": ("rs", ["rustc", "-g", "-O", "-C", "link-arg=-Wl,--build-id"]),
    "go": ("go", ["go", "build", "-ldflags=-B gobuildid"]),
}


def build(name, folder):
    """Build a program, and divide it into "prog" and "prog.debug"; "full" has
    both.  Returns its build ID."""
    kind, command = BUILDS[name]
    for tool in (command[0], "objcopy", "strip", "readelf"):
        if not shutil.which(tool):
            pytest.skip(f"{tool} is not installed")
    source = folder / f"main.{kind}"
    source.write_text(SOURCES[kind], encoding="ascii")
    if name.startswith("lld"):
        if not LLD[0]:
            pytest.skip("lld is not installed (Debian: lld)")
        (folder / "ld.lld").symlink_to(LLD[0])
        command = [*command, f"-B{folder}"]
    if kind == "c":
        command = [*command, "-Wl,--build-id"]
    environment = {**os.environ, "GO111MODULE": "off", "GOFLAGS": ""}
    done = subprocess.run([*command, "-o", folder / "full", source], check=False,
                          capture_output=True, text=True, env=environment)
    if done.returncode:
        pytest.skip(f"{name}: {done.stderr[-300:]}")
    for command in (["objcopy", "--only-keep-debug", "full", "prog.debug"],
                    ["strip", "-o", "prog", "full"]):
        subprocess.run(command, check=True, cwd=folder)
    notes = subprocess.run(["readelf", "-n", "full"], check=True, cwd=folder,
                           capture_output=True, text=True).stdout
    return re.search("Build ID: ([0-9a-f]+)", notes)[1]


def install(folder, name, *arguments):
    subprocess.run(["gsym-create", "-q", "--debug-file-directory=",
                    f"--install={name}", *arguments], check=True, cwd=folder)
    return folder / name


def sampled(folder, build_id):
    """A profile of addresses all over the code of a program, and the addresses
    that they were linked to."""
    start = 0x7f0000000000
    offset, length, address = code_segment(folder / "prog")
    page = offset & ~0xfff
    linked = list(range(address, address + length, max(1, length // 257)))
    data = _put(6, b"") + _put(6, build_id.encode()) + _put(
        3, _put(1, 1) + _put(2, start) + _put(3, start + offset - page + length)
        + _put(4, page) + _put(6, 1))
    for number, place in enumerate(linked):
        data += _put(4, _put(1, number + 1) + _put(2, 1)
                     + _put(3, place - address + offset - page + start))
    return data, linked, [place - address + offset for place in linked]


def load_example(name):
    path = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(
        os.path.abspath(__file__)))), "examples", name)
    spec = importlib.util.spec_from_file_location("example", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_time_answer(folder, store):
    """What gsym-lookup --pid says of the address that the program prints."""
    with subprocess.Popen([folder / "prog"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as process:
        address = process.stdout.readline().strip()
        done = subprocess.run(
            ["gsym-lookup", f"--pid={process.pid}", address,
             f"--gsym-file-directory={store}"], capture_output=True, text=True,
            check=False)
        process.communicate("\n")
    return done.stdout


def plain(answers):
    """Stacks without the calling convention that some names of Go have."""
    return [[name.replace(".abi0", "") for name in stack] for stack in answers]


@pytest.mark.parametrize("name", BUILDS)
def test_divided_program(name, tmp_path):
    """Every sample of a stripped program gets the name that the whole program
    has, or, without the program, none: by gsym-pprof, perf_rows.py, --pid."""
    build_id = build(name, tmp_path)
    data, linked, offsets = sampled(tmp_path, build_id)
    whole = install(tmp_path, "whole", "full")
    with gsym.Store([whole]) as store:
        want = [[f.function for f in store.lookup(build_id, address)]
                for address in linked]
    assert sum(map(bool, want)) > 3
    both = "--debug-file=prog.debug", "prog"
    install(tmp_path, "debug-first", "prog.debug")
    stores = [whole, install(tmp_path, "debug-first", *both),
              install(tmp_path, "debug-last", *both)]
    install(tmp_path, "debug-last", "prog.debug")
    example = load_example("perf_rows.py")
    for folder in stores:
        notes = []
        with gsym.Store([folder]) as store:
            got = stacks(pprof.symbolize(data, store, report=notes.append))
            programs = example.Programs({"/prog": build_id}, store)
            places = [programs.linked("/prog", offset) for offset in offsets]
        assert plain([[frame[0] for frame in stack] for stack in got]
                     ) == plain(want)
        assert places == [(build_id, address) for address in linked]
        assert not programs.lost
        assert "work" in run_time_answer(tmp_path, folder)
    alone = install(tmp_path, "alone", "prog.debug")
    notes = []
    with gsym.Store([alone]) as store:
        assert pprof.symbolize(data, store, report=notes.append) == data
        programs = example.Programs({"/prog": build_id}, store)
        assert programs.linked("/prog", offsets[0]) == (None, None)
        # The program itself has its headers.
        assert [programs.linked(str(tmp_path / "prog"), offset)
                for offset in offsets] == places
    assert f"program headers are known for the build ID {build_id}" in notes[0]
    assert sum(programs.lost.values()) == 1
    assert "work" in run_time_answer(tmp_path, alone)


def test_rows_of_odd_programs(store, monkeypatch):
    """perf_rows.py: a path of two programs, and one segment that is written and
    run."""
    example = load_example("perf_rows.py")
    other = "00" * 20
    lines = {"perf": [f"{ID} /a", f"{other} /a", f"{ID} /b", f"{ID} /b"],
             "readelf": ["  LOAD 0x1000 0x401000 0x401000 0x20 0x20 RWE 0x1000",
                         "  LOAD 0x2000 0x402000 0x402000 0x20 0x20 R 0x1000"]}
    monkeypatch.setattr(example, "run", lambda name, *rest: lines[name])
    monkeypatch.setattr(example, "run_perf", lambda *_: lines["perf"])
    ids = example.read_ids("perf.data")
    assert ids["/b"] == ID
    programs = example.Programs(ids, store)
    assert programs.linked("/a", 0x1010) == (None, None)
    assert programs.lost == {"/a: several programs had this path": 1}
    assert example.read_segments("/b") == [(0x1000, 0x401000, 0x20)]


EVENT = ("cpu-clock:u: type: 1, sample_type: IP|TID|TIME|CALLCHAIN|PERIOD, "
         "mmap: 1, comm: 1, mmap2: 1, ksymbol: 1")


def test_what_a_record_lacks(monkeypatch):
    """perf_rows.py says that build IDs may be those of other programs."""
    example = load_example("perf_rows.py")
    for lines, wanted in (([EVENT + ", build_id: 1"], []),
                          ([EVENT], ["--buildid-mmap"]),
                          ([EVENT.replace("|CALLCHAIN", "") + ", build_id: 1",
                            "# Tip: use 'perf evlist'"], ["stacks (-g)"])):
        monkeypatch.setattr(example, "run_perf", lambda *_, all=lines: all)
        notes = list(example.notes_of("perf.data"))
        assert len(notes) == len(wanted)
        assert all(text in note for text, note in zip(wanted, notes))


@pytest.mark.parametrize("content", [None, b"", b"text"])
def test_rows_of_no_record(tmp_path, content):
    """A file that perf cannot read is a message, and no traceback."""
    if not shutil.which("perf"):
        pytest.skip("perf is not installed (Debian: linux-perf)")
    pytest.importorskip("pyarrow")
    if content is not None:
        (tmp_path / "perf.data").write_bytes(content)
    done = subprocess.run(
        [sys.executable, load_example("perf_rows.py").__file__,
         tmp_path / "perf.data", STORE, "host", tmp_path / "out"], check=False,
        capture_output=True, text=True)
    assert done.returncode == 1 and not (tmp_path / "out").exists()
    assert re.fullmatch("perf_rows.py: cannot convert '.*perf.data': perf evlist: "
                        ".*\n", done.stderr), done.stderr


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


SHAPES = {
    "mappings": lambda size: _put(6, b"") + _put(3, b"") * (size // 2),
    "locations": lambda size: _put(6, b"") + _put(4, b"") * (size // 2),
    "used mappings": lambda size: _put(6, b"") + _put(3, b"") + b"".join(
        _put(3, _put(1, at)) + _put(4, _put(2, at))
        for at in range(1, size // 10)),
    "functions": lambda size: _put(6, b"") + _put(5, b"") * (size // 2),
    "strings": lambda size: _put(6, b"") + b"".join(
        _put(6, b"%x" % at) for at in range(size // 8)),
    "long build ID": lambda size: (
        _put(6, b"") + _put(6, b"a" * size)
        + b"".join(_put(3, _put(1, at) + _put(6, 1)) + _put(4, _put(2, at))
                   for at in range(1, size // 10))),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_memory(store, shape):
    """A profile takes no more than 40 times its size."""
    data = SHAPES[shape](60000)
    tracemalloc.start()
    try:
        pprof.symbolize(data, store, report=str)
        assert tracemalloc.get_traced_memory()[1] < 40 * len(data) + 100000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("shape", SHAPES)
def test_work(store, shape):
    """Four times the input is four times the work, and not sixteen times."""
    times = []
    for _ in range(5):
        for size in (100000, 400000):
            data = SHAPES[shape](size)
            start = time.process_time()
            pprof.symbolize(data, store)
            times.append(time.process_time() - start)
        if times[-1] < 10 * times[-2] + 0.05:
            return
    pytest.fail(f"the work is out of proportion: {times}")


def run(*arguments, stdin=b""):
    return subprocess.run([sys.executable, "-m", "gsym.pprof", *arguments],
                          input=stdin, capture_output=True, check=False)


def test_program(store, tmp_path):
    data = profile()
    want = pprof.symbolize(data, store)
    directory = f"--gsym-file-directory={STORE}"
    result = run(directory, "-", stdin=data)
    assert (result.returncode, result.stdout) == (0, want)
    assert b"that no function covers: " in result.stderr
    assert run(directory, "--strict", "-", stdin=data).returncode == 1
    source, target = tmp_path / "in.pb.gz", tmp_path / "out.pb.gz"
    source.write_bytes(gzip.compress(data))
    assert run(directory, str(source), "-o", str(target)).returncode == 0
    assert gzip.decompress(target.read_bytes()) == want
    # Nothing to name: the same bytes, compressed as they were.
    assert run(directory, str(target)).stdout == target.read_bytes()
    # Little that would become much is refused.
    result = run(directory, "-", stdin=gzip.compress(bytes(100 << 20)))
    assert result.returncode == 2
    assert b"it becomes more than" in result.stderr
    result = run(directory, "-", stdin=b"text")
    assert result.returncode == 2 and b"cannot convert '-'" in result.stderr
    result = run(directory, "-", stdin=gzip.compress(data)[:10] + b"\xff")
    assert result.returncode == 2 and b"cannot convert '-'" in result.stderr
    result = run(directory, str(tmp_path / "missing"))
    assert result.returncode == 2 and not result.stdout


def test_force(store, tmp_path):
    """Locations left alone are counted, and named with --force."""
    data = profile(named=1) + _put(4, _put(1, 1000) + _put(2, 1)
                                   + _put(4, _put(1, 1)))
    directory = f"--gsym-file-directory={STORE}"
    result = run(directory, "--strict", "-", stdin=data)
    assert (result.returncode, result.stdout) == (1, data)
    assert b"in mappings that have functions: " in result.stderr
    result = run(directory, "--force", "-", stdin=data)
    assert result.stdout == pprof.symbolize(data, store, force=True) != data


@pytest.mark.parametrize("data, name", [
    (b"PERFILE2" + bytes(96), "perf's record"),
    (struct.pack("<5Q", 0, 3, 0, 10000, 0), "breaks off"),
    (struct.pack(">5I", 0, 3, 0, 10000, 0), "breaks off"),
    (b"heap profile:  3:  300 [  3: 300] @ other", "unknown kind"),
    (b"heap_v2/524288\n  t: 1: 2 [0: 0]", "of jemalloc is damaged"),
    (b"\x7fELF\x02\x01\x01" + bytes(50), "program"),
    (b"\x28\xb5\x2f\xfd" + bytes(50), "zstd"),
    (b"\x04\x22\x4d\x18" + bytes(50), "lz4"), (b"MDMP" + bytes(50), "minidump"),
    (b"MZ\x90\x00" + bytes(50), "Windows"), (b"PAR1" + bytes(50), "Parquet"),
    (b"\xcf\xfa\xed\xfe" + bytes(50), "macOS"),
    (b"\xca\xfe\xba\xbe" + bytes(50), "Java"),
    (b"SQLite format 3\x00" + bytes(50), "SQLite"),
    (b"!<arch>\nmain.o/", "archive of object files"),
    (_put(1, _put(1, b"")) + _put(2, _put(5, b"")), "gsym-otlp"),
    (b"main;work;more 12\n", "it is text"), (b"# callgrind\r\n", "it is text"),
    (b"go 1.22 trace\0\0\0", "Go's runtime"), (b"PK\3\4" + bytes(50), "zip"),
    (b"", "it is empty"), (gzip.compress(gzip.compress(b"\n\0")), "compressed twice"),
    (bytes(257) + b"ustar\0" + bytes(200), "byte 0"),
    (b"main.pb".ljust(257, b"\0") + b"ustar\0" + bytes(200), "tar"),
    (b"\x89PNG\r\n\x1a\n", "image"), (b"\0asm\1\0\0\0", "WebAssembly"),
    (b"\0\0\0\2\n\0", "before each message"),
    (b'[{"ph":"X"}]', "list of JSON"), (b"\n [1]", "list of JSON"),
    (b'\xef\xbb\xbf{"nodes":[]}', "byte order mark"),
    (b'\n{"nodes":[]}', "blanks"),
    (b'{"nodes":[],"startTime":1}', "V8")])
def test_other_formats(data, name):
    """A file that is given by mistake is named."""
    result = run("-", stdin=data)
    assert result.returncode == 2 and name.encode() in result.stderr
    assert result.stderr.count(b"\n") == 1


def test_profiles_that_look_like_other_formats(store):
    """What a profile may have is no sign of another format."""
    data = _put(99, b"x" * 253 + b"ustar\0") + profile()
    assert data[257:262] == b"ustar"
    result = run(f"--gsym-file-directory={STORE}", "-", stdin=data)
    assert result.stdout == pprof.symbolize(data, store) != data
    # A line feed, a bracket or a brace: tag and size of the first field.
    for size in b"[{":
        result = run("-", stdin=_put(1, _put(1, 1) + b"x" * (size - 2))
                     + b"\x07")
        assert result.returncode == 2 and b"unknown type" in result.stderr


def whole_memory(linked, build_id=ID, limit=(1 << 64) - 1, start=0, offset=0):
    """A profile with an address in a mapping of all memory."""
    return (_put(6, b"") + _put(6, build_id.encode())
            + _put(3, _put(1, 1) + _put(2, start) + _put(3, limit)
                   + _put(4, offset) + _put(6, 1))
            + _put(4, _put(1, 1) + _put(2, 1) + _put(3, linked)))


def test_mapping_of_all_memory(tmp_path):
    """Its addresses are linked ones, in a program whose addresses are not the
    offsets of its file; google/pprof#882."""
    build_id = "0011223344556677"
    source = tmp_path / "main.c"
    source.write_text("int before(int x) { return x * 3 + 1; }\n"
                      "int main(void) { return before(1); }\n",
                      encoding="ascii")
    done = subprocess.run(
        [*CC, "-g", "-O0", "-nostdlib", "-static", "-no-pie", "-fno-pie",
         f"-Wl,-Ttext-segment=0x10000,-z,noseparate-code,-e,main,"
         f"--build-id=0x{build_id}", "-o", tmp_path / "prog", source],
        check=False, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no program: {done.stderr[-300:]}")
    install(tmp_path, "store", "prog")
    offset, _, address = code_segment(tmp_path / "prog")
    assert offset != address
    entry, = struct.unpack_from("<Q", (tmp_path / "prog").read_bytes(), 24)
    with gsym.Store([tmp_path / "store"]) as opened:
        for limit in (0, (1 << 64) - 1):
            result = pprof.symbolize(whole_memory(entry, build_id, limit), opened)
            assert [stack[0][0] for stack in stacks(result)] == ["main"]
        # A mapping of a part of memory has offsets of the file.
        result = pprof.symbolize(whole_memory(entry - address, build_id,
                                              (1 << 64) - 2), opened)
        assert [stack[0][0] for stack in stacks(result)] == ["main"]
        # So has one whose start alone is known, which a linked address, of other
        # code, is outside of.
        for limit in (0, (1 << 64) - 1):
            for place, names in ((entry - address + 0x7000000, ["main"]),
                                 (entry, [])):
                result = pprof.symbolize(whole_memory(
                    place, build_id, limit, 0x7000000, 0), opened)
                assert [stack[0][0] for stack in stacks(result)
                        if stack] == names, (limit, place)


def test_function_without_size(tmp_path):
    """It covers all addresses behind it, and not those in no segment."""
    build_id = "8899aabbccddeeff"
    source = tmp_path / "main.c"
    source.write_text("int main(void) { return 0; }\n", encoding="ascii")
    done = subprocess.run(
        [*CC, "-nostdlib", "-shared", "-fPIC", f"-Wl,--build-id=0x{build_id}",
         "-o", tmp_path / "prog", source],
        check=False, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no program: {done.stderr[-300:]}")
    install(tmp_path, "store", "prog")
    offset, _, address = code_segment(tmp_path / "prog")
    symbols = tmp_path / "prog.sym"
    symbols.write_text(
        "MODULE Linux x86_64 8A7B6C5D4E3F2A1B0C0D0E0F101112130 prog\n"
        f"INFO CODE_ID {build_id.upper()}\nPUBLIC {address:x} 0 last\n",
        encoding="ascii")
    file, = glob.glob(f"{tmp_path}/store/.build-id/{build_id[:2]}/*.gsym")
    subprocess.run(["gsym-create", "-q", "-o", file, symbols], check=True)
    start = 0x7000000
    with gsym.Store([tmp_path / "store"]) as opened:
        for place, limit, names, reason in (
                (start + offset, 0, ["last"], None),
                (start + (1 << 32), 0, [], _profile.NOT_LOADED),
                ((1 << 64) - 1, 0, [], _profile.NOT_LOADED)):
            notes = []
            result = pprof.symbolize(
                whole_memory(place, build_id, limit, start, 0), opened,
                report=notes.append)
            assert [stack[0][0] for stack in stacks(result) if stack] == names
            assert len(tables(result)[1]) == len(names)
            assert not names or not notes
            assert names or reason in notes[0]


@pytest.mark.parametrize("address", [0, (1 << 64) - 1])
def test_ends_of_memory(store, address):
    """No linked address is one that no segment has."""
    notes = []
    pprof.symbolize(whole_memory(address), store, report=notes.append)
    assert _profile.NOT_COVERED in notes[0]


def test_output_file(store, tmp_path):
    """The output appears whole or not at all, and follows no link."""
    data = profile()
    directory = f"--gsym-file-directory={STORE}"
    target, other = tmp_path / "out.pb", tmp_path / "other"
    other.write_text("precious", encoding="ascii")
    code = ("import os, sys; from gsym import pprof\n"
            "for n in range(os.getpid() - 2, os.getpid() + 3):\n"
            f"    os.symlink({str(other)!r}, {str(target)!r} + f'.{{n}}')\n"
            "sys.exit(pprof.main())")
    done = subprocess.run([sys.executable, "-c", code, directory, "-", "-o",
                           str(target)], input=data, check=False,
                          capture_output=True)
    assert done.returncode == 0, done.stderr
    assert other.read_text(encoding="ascii") == "precious"
    mask = os.umask(0)
    os.umask(mask)
    assert target.stat().st_mode & 0o777 == 0o666 & ~mask
    before = sorted(os.listdir(tmp_path))
    target.write_bytes(b"old")
    # No file of the size of the output may be written: as on a full disk.
    code = ("import resource, signal, sys; from gsym import pprof\n"
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
            "sys.exit(pprof.main())")
    done = subprocess.run([sys.executable, "-c", code, directory, "-", "-o",
                           str(target)], input=data, check=False,
                          capture_output=True)
    assert done.returncode == 2 and b"File too large" in done.stderr
    assert sorted(os.listdir(tmp_path)) == before
    assert target.read_bytes() == b"old"
    # A device is written to, and stays.
    assert run(directory, "-", "-o", "/dev/null", stdin=data).returncode == 0
    assert not os.path.isfile("/dev/null")
    # No folder to search.
    done = run("-", stdin=data)
    assert done.returncode == 0 and done.stdout == data
    assert b"no folder is searched" in done.stderr


def test_many_mappings(store):
    """Many mappings of one file: the file beside it is read once."""
    data = profile()
    more = b"".join(
        _put(3, _put(1, number) + _put(2, 1 << 40) + _put(3, (1 << 40) + 4096)
             + _put(6, 4))
        + _put(4, _put(1, number) + _put(2, number) + _put(3, 1 << 40))
        for number in range(1000, 1100))
    with gsym.Store([STORE]) as opened:
        pprof.symbolize(data + more, opened)
        # Gone: a second reading of the file would miss the headers.
        moved = f"{STORE}/.build-id/{ID[:2]}/{ID[2:]}.debug"
        os.rename(moved, moved + ".away")
        try:
            assert any(stacks(pprof.symbolize(data + more, opened)))
        finally:
            os.rename(moved + ".away", moved)


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
