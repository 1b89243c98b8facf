# SPDX-License-Identifier: MIT
"""Tests of gsym-pprof with profiles of samply and the Firefox Profiler."""

import copy
import gzip
import json
import os
import random
import re
import struct
import subprocess
import time
import tracemalloc

import pytest

import gsym
from gsym import _debugid, _firefox, _profile
from gsym._wire import FormatError
from test_pprof import PROFILES, put_stub, run

HERE = f"{PROFILES}/../firefox"
BUILD_ID = "39041f8371326ee4032a112a6b16a0cc422b401b"
TABLES = ("stackTable", "frameTable", "funcTable", "resourceTable",
          "nativeSymbols")
RECORDED = ["samply", "profiler"]
# libc has no file in the store.
NOTES = ["there is no GSYM file for the build ID "
         "93ac61ec5a8eb1396f9fbd350e3169a558528a40",
         "locations without a name: 1; of build IDs without a GSYM file: 1"]


def read(name):
    with gzip.open(f"{HERE}/{name}.json.gz") as file:
        return json.load(file)


def read_head():
    with open(f"{HERE}/calls.head", "rb") as file:
        return file.read()


def read_expected():
    """The frames that samply's server has at each place, innermost first."""
    found = {}
    with open(f"{HERE}/samply.expected", encoding="ascii") as file:
        for line in file:
            library, offset, *frames = line.split()
            found[library, int(offset, 16)] = [
                (*frame.split(":")[:2], int(frame.split(":")[2]))
                for frame in frames]
    return found


EXPECTED = read_expected()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A store with the program that was profiled."""
    path = tmp_path_factory.mktemp("firefox") / "store"
    subprocess.run(["gsym-create", "-q", f"--install={path}",
                    f"{HERE}/calls.sym"], check=True)
    put_stub(f"{path}/.build-id/{BUILD_ID[:2]}/{BUILD_ID[2:]}.debug",
             read_head(), bytes.fromhex(BUILD_ID))
    return path


@pytest.fixture
def store(folder):
    with gsym.Store([folder]) as opened:
        yield opened


def name(profile, store, **options):
    """PROFILE with names."""
    return json.loads(_firefox.symbolize(json.dumps(profile).encode(), store,
                                         **options))


class Reader:
    """Reads the stacks of a thread, whatever the version of its profile."""

    def __init__(self, profile, thread):
        shared = profile.get("shared", {})
        self.holder = shared if "stackTable" in shared else thread
        self.texts = shared.get("stringArray") or thread.get("stringArray")
        self.sources = shared.get("sources")
        self.libraries = profile["libs"]

    def column(self, table, column):
        return self.holder[table][column]

    def library(self, frame):
        """The name of the library of FRAME."""
        if "lib" in self.holder["frameTable"]:
            at = self.column("frameTable", "lib")[frame]
        else:
            at = self.column("resourceTable", "lib")[self.column(
                "funcTable", "resource")[
                    self.column("frameTable", "func")[frame]]]
        return self.libraries[at]["name"]

    def frame(self, at):
        """Function, file and line of frame AT."""
        function = self.column("frameTable", "func")[at]
        if self.sources:
            path = self.column("funcTable", "source")[function]
            path = path if path is None else self.sources["filename"][path]
        else:
            path = self.column("funcTable", "fileName")[function]
        return (self.texts[self.column("funcTable", "name")[function]],
                "" if path is None else self.texts[path],
                self.column("frameTable", "line")[at] or 0)

    def stack(self, at):
        """The frames of stack AT, innermost first."""
        frames = []
        while at is not None:
            frames.append(self.column("stackTable", "frame")[at])
            if "prefix" in self.holder["stackTable"]:
                before = self.column("stackTable", "prefix")[at]
            else:
                back = self.column("stackTable", "prefixOffset")[at]
                before = at - back if back else None
            assert before is None or 0 <= before < at
            at = before
        return frames

    def places(self, at):
        """Library, address, depth and name of the frames of stack AT."""
        addresses = self.column("frameTable", "address")
        return [(self.library(frame), addresses[frame],
                 self.column("frameTable", "inlineDepth")[frame],
                 self.frame(frame)) for frame in self.stack(at)]


def wanted(reader, at):
    """What stack AT, without names, has to become."""
    result = []
    for library, address, _, (text, _, _) in reader.places(at):
        frames = EXPECTED[library, address] if library == "calls" else [
            (text, "", 0)]
        result += [(library, address, len(frames) - 1 - depth, frame)
                   for depth, frame in enumerate(frames)]
    return result


def check(before, after):
    """All samples of AFTER are those of BEFORE, with names.  Returns how many
    frames there are, and how many of these are inlined."""
    counts = [0, 0]
    for old, new in zip(before["threads"], after["threads"]):
        one, two = Reader(before, old), Reader(after, new)
        assert len(old["samples"]["stack"]) == len(new["samples"]["stack"])
        for a, b in zip(old["samples"]["stack"], new["samples"]["stack"]):
            got = two.places(b)
            assert got == wanted(one, a)
            counts[0] += len(got)
            counts[1] += sum(place[2] > 0 for place in got)
    return counts


def check_tables(profile):
    """All columns of all tables have the length of their table."""
    for holder in (profile.get("shared", {}), *profile["threads"]):
        for key in (*TABLES, "sources"):
            table = holder.get(key, {})
            for column, values in table.items():
                if isinstance(values, list):
                    assert len(values) == table["length"], (key, column)


def test_recorded(folder, tmp_path):
    """Functions, files, lines and inlined calls of all samples are those of
    samply's own server."""
    before = read("samply")
    out = tmp_path / "named"
    result = run(f"--gsym-file-directory={folder}", "-o", str(out),
                 "--return-addresses", f"{HERE}/samply.json.gz")
    assert result.returncode == 0
    assert result.stderr.decode().splitlines() == [
        f"gsym-pprof: {note}" for note in NOTES]
    after = json.loads(gzip.decompress(out.read_bytes()))
    assert check(before, after) == [421, 153]
    assert after["meta"].pop("symbolicated") is True
    assert before["meta"].pop("symbolicated") is False
    # All else stays.
    for thread in [*before["threads"], *after["threads"]]:
        for key in (*TABLES, "stringArray"):
            del thread[key]
        del thread["samples"]["stack"]
    assert after == before
    # A second run changes nothing.
    again = run(f"--gsym-file-directory={folder}", "--strict", str(out))
    assert again.returncode == 1 and again.stdout == out.read_bytes()


def test_tables(store):
    """Each function, symbol and source is there once."""
    for kind in RECORDED:
        profile = name(read(kind), store)
        check_tables(profile)
        thread = profile["threads"][1]
        reader = Reader(profile, thread)
        symbols = reader.holder["nativeSymbols"]
        assert sorted(zip(
            (reader.texts[at] for at in symbols["name"]), symbols["address"],
            symbols["functionSize"], symbols["libIndex"])) == [
                ("main", 0x13a0, 0x262, 1), ("work", 0x1130, 0x26b, 1)]
        frames = reader.holder["frameTable"]
        for at in range(frames["length"]):
            symbol = frames["nativeSymbol"][at]
            assert (symbol is None) == (reader.library(at) != "calls")
            if symbol is not None:
                place = EXPECTED["calls", frames["address"][at]]
                assert reader.texts[symbols["name"][symbol]] == place[-1][0]
            assert frames["category"][at] == frames["category"][0]
        used = {frames["func"][at] for at in range(frames["length"])
                if reader.library(at) == "calls"}
        assert len(used) == 4
        assert len(set(reader.texts)) == len(reader.texts)
        if kind == "profiler":
            assert profile["shared"]["sources"] == {
                "length": 1, "id": [None], "startLine": [1],
                "startColumn": [1], "sourceMapURL": [None], "content": [None],
                "filename": [reader.texts.index("/src/calls/calls.c")]}


def of_version(version):
    """The recorded profile, in the layout of VERSION of the format."""
    if version < 60:
        profile = read("samply")
        if version >= 56:
            # All threads but one are empty.
            profile["shared"] = {
                "stringArray": profile["threads"][1]["stringArray"]}
            for thread in profile["threads"]:
                del thread["stringArray"]
        if version >= 58:
            profile["shared"]["sources"] = {"length": 0, "uuid": [],
                                            "filename": []}
            for thread in profile["threads"]:
                table = thread["funcTable"]
                table["source"] = table.pop("fileName")
        if version < 45:
            for thread in profile["threads"]:
                frames = thread["frameTable"]
                frames["optimizations"] = [None] * frames["length"]
    else:
        profile = read("profiler")
        shared = profile["shared"]
        if version < 70:
            frames = shared["frameTable"]
            shared["resourceTable"]["lib"] = [0, 1]
            del frames["lib"]
        if version < 66:
            stacks = shared["stackTable"]
            stacks["prefix"] = [
                at - back if back else None
                for at, back in enumerate(stacks.pop("prefixOffset"))]
        if version < 61:
            shared["sources"] = {"length": 0, "uuid": [], "filename": []}
    profile["meta"]["preprocessedProfileVersion"] = version
    return profile


@pytest.mark.parametrize("version", [41, 45, 55, 56, 57, 58, 59, 60, 61, 65, 66,
                                     69, 70])
def test_versions(store, version):
    before, notes = of_version(version), []
    after = name(before, store, report=notes.append)
    assert notes == NOTES and check(before, after) == [421, 153]
    check_tables(after)
    assert name(after, store) == after


@pytest.mark.parametrize("version", [40, 71, None, "55", True, 1e9, [], -1])
def test_unknown_versions(store, version):
    profile = read("samply")
    profile["meta"]["preprocessedProfileVersion"] = version
    with pytest.raises(FormatError, match="raw profile" if version is None else
                       "preprocessedProfileVersion is"):
        name(profile, store)


def test_scripts_keep_their_sources(store):
    """A source with an identity is that of a script; one without is used."""
    profile = read("profiler")
    shared = profile["shared"]
    shared["stringArray"].append("/src/calls/calls.c")
    place = len(shared["stringArray"]) - 1
    shared["sources"] = {"length": 2, "id": ["7", None], "startLine": [5, 1],
                         "startColumn": [5, 1], "filename": [place, place],
                         "sourceMapURL": [None] * 2, "content": [None] * 2}
    after = name(profile, store)
    assert after["shared"]["sources"] == shared["sources"]
    assert set(after["shared"]["funcTable"]["source"]) == {None, 1}


def with_references(kind):
    """A profile in which markers and allocations refer to each stack."""
    profile = read(kind)
    thread = profile["threads"][1]
    count = Reader(profile, thread).holder["stackTable"]["length"]
    stacks = [None, *range(count)]
    for key in ("jsAllocations", "nativeAllocations"):
        thread[key] = {"length": len(stacks), "weightType": "bytes",
                       "stack": list(stacks), "weight": [8] * len(stacks)}
    thread["markers"]["data"] = [None, {"type": "x"}, {"cause": None}] + [
        {"type": "x", "cause": {"time": 1, "stack": at}} for at in stacks]
    thread["samples"]["stack"].append(None)
    return profile


@pytest.mark.parametrize("kind", RECORDED)
def test_references(store, kind):
    """Stacks of markers and allocations move with those of samples."""
    before = with_references(kind)
    after = name(before, store)
    one, two = (Reader(p, p["threads"][1]) for p in (before, after))
    old, new = before["threads"][1], after["threads"][1]
    pairs = []
    for key in ("samples", "jsAllocations", "nativeAllocations"):
        pairs += zip(old[key]["stack"], new[key]["stack"])
    assert new["markers"]["data"][:3] == old["markers"]["data"][:3]
    pairs += [(a["cause"]["stack"], b["cause"]["stack"]) for a, b in zip(
        old["markers"]["data"][3:], new["markers"]["data"][3:])]
    assert len(pairs) > 100
    for a, b in pairs:
        assert (a is None) == (b is None)
        if a is not None:
            assert two.places(b) == wanted(one, a)


@pytest.mark.parametrize("kind", RECORDED)
def test_named_frames_stay(store, kind):
    """A frame with a symbol keeps its name, unless this is just an address."""
    before = read(kind)
    reader = Reader(before, before["threads"][1])
    frames, symbols = (reader.holder[key]
                       for key in ("frameTable", "nativeSymbols"))
    ours = [at for at in range(frames["length"])
            if reader.library(at) == "calls"]
    for text in ("other", "0x11d2"):
        reader.texts.append(text)
        for column, value in (("name", len(reader.texts) - 1), ("address", 1),
                              ("libIndex", 1), ("functionSize", None)):
            symbols[column].append(value)
        symbols["length"] += 1
    frames["nativeSymbol"][ours[0]], frames["nativeSymbol"][ours[1]] = 0, 1
    after = name(before, store)
    changed = Reader(after, after["threads"][1])
    assert changed.frame(ours[0]) == reader.frame(ours[0])
    assert [changed.holder["frameTable"]["nativeSymbol"][at]
            for at in ours[:2]] == [0, 2]
    place = reader.column("frameTable", "address")[ours[1]]
    assert changed.frame(ours[1]) == EXPECTED["calls", place][-1]


def test_inlined_frames_stay(store):
    """An inlined frame has its name."""
    before = read("samply")
    frames = before["threads"][1]["frameTable"]
    frames["inlineDepth"] = [1] * frames["length"]
    assert name(before, store) == before


def test_identities(store, folder, tmp_path):
    """The debug ID counts if the code ID is none of its."""
    right = read("samply")["libs"][1]
    for change, notes in (
            ({"codeId": None}, 0), ({"codeId": "6132B96B70fd000"}, 0),
            ({"codeId": "00" * 20}, 0), ({"codeId": 7}, 0),
            ({"codeId": right["codeId"].upper()}, 0),
            ({"breakpadId": right["breakpadId"].lower()}, 0),
            ({"breakpadId": ""}, 1), ({"breakpadId": None}, 1),
            ({"breakpadId": "0" * 33}, 1), ({"breakpadId": "x"}, 1)):
        before, said = read("samply"), []
        before["libs"][1].update(change)
        after = name(before, store, report=said.append)
        assert (after == before) == notes, change
        assert ("31;" if notes else "name: 1;") in said[-1], change
    # Two programs have the first 16 bytes of the build ID.
    other = tmp_path / "other" / ".build-id" / BUILD_ID[:2]
    other.mkdir(parents=True)
    os.symlink(f"{folder}/.build-id/{BUILD_ID[:2]}/{BUILD_ID[2:]}.gsym",
               other / f"{BUILD_ID[2:-1]}c.gsym")
    before = read("samply")
    with gsym.Store([folder, tmp_path / "other"]) as both:
        assert name(before, both) != before
        before["libs"][1]["codeId"] = None
        assert name(before, both) == before


def test_no_headers(tmp_path):
    """Without program headers the first segment is not known."""
    subprocess.run(["gsym-create", "-q", f"--install={tmp_path}/store",
                    f"{HERE}/calls.sym"], check=True)
    before, said = read("samply"), []
    with gsym.Store([tmp_path / "store"]) as store:
        assert name(before, store, report=said.append) == before
    assert f"build ID {BUILD_ID}" in said[0]
    assert "of build IDs without program headers: 30" in said[-1]


def test_addresses_without_a_library(store):
    """An address in no library is counted; a label is none."""
    before, said = read("samply"), []
    thread = before["threads"][1]
    frames, functions = thread["frameTable"], thread["funcTable"]
    for at, text in enumerate(["0x7f1a5800e8a7", "label", "0xlabel"], 5):
        thread["stringArray"].append(text)
        frames["address"][at] = -1
        functions["resource"][frames["func"][at]] = -1
        functions["name"][frames["func"][at]] = len(thread["stringArray"]) - 1
    # A name in a library, that may be anything.
    thread["stringArray"].append("0x7")
    frames["address"][8] = -1
    functions["name"][frames["func"][8]] = len(thread["stringArray"]) - 1
    # An address that no function covers, and one in no library.
    frames["address"][9] = 0x1ffffffff
    functions["resource"][frames["func"][10]] = -1
    after = name(before, store, report=said.append)
    reader = Reader(after, after["threads"][1])
    assert said[-1] == (
        "locations without a name: 4; without a mapping: 2, of build IDs "
        "without a GSYM file: 1, that no function covers: 1")
    assert [reader.frame(at)[0] for at in (5, 6, 7)] == [
        "0x7f1a5800e8a7", "label", "0xlabel"]


def put_store(tmp_path, symbols, head):
    """A store with SYMBOLS, as Breakpad has them, and HEAD, the first bytes of
    the program."""
    path, folder = tmp_path / "other.sym", tmp_path / "store"
    debug_id = read("samply")["libs"][1]["breakpadId"]
    path.write_text(f"MODULE Linux x86_64 {debug_id} calls\n"
                    f"INFO CODE_ID {BUILD_ID.upper()}\n{symbols}",
                    encoding="ascii")
    subprocess.run(["gsym-create", "-q", f"--install={folder}", path],
                   check=True)
    put_stub(f"{folder}/.build-id/{BUILD_ID[:2]}/{BUILD_ID[2:]}.debug", head,
             bytes.fromhex(BUILD_ID))
    return folder


def test_functions_of_files(tmp_path):
    """Functions of one name in two files are two; a line or file that is not
    known is null, and so is the column."""
    before = read("samply")
    frames = before["threads"][1]["frameTable"]
    frames["column"] = [7] * frames["length"]
    folder = put_store(tmp_path, (
        "FILE 0 a.c\nFILE 1 b.c\n"
        "FUNC 401130 100 0 same\n401130 100 5 0\n"
        "FUNC 401230 16b 0 bare\n"
        "FUNC 4013a0 262 0 same\n4013a0 262 6 1\n"), read_head())
    with gsym.Store([folder]) as store:
        after = name(before, store)
    reader = Reader(after, after["threads"][1])
    frames = after["threads"][1]["frameTable"]
    found = set()
    for at in range(frames["length"]):
        if reader.library(at) == "calls":
            address = frames["address"][at]
            place = (("same", "a.c", 5) if address < 0x1230 else
                     ("bare", "", 0) if address < 0x13a0 else
                     ("same", "b.c", 6))
            found.add(place)
            assert reader.frame(at) == place
            assert frames["line"][at] == (place[2] or None)
            assert frames["column"][at] is None
    assert len(found) == 3
    paths = after["threads"][1]["funcTable"]["fileName"]
    assert paths[-3:].count(None) == 1


def test_first_segment_elsewhere(tmp_path):
    """If the first segment does not begin with the file, offsets stand for
    nothing."""
    head = bytearray(read_head())
    table, = struct.unpack_from("<Q", head, 32)
    size, count = struct.unpack_from("<HH", head, 54)
    loads = [table + size * at for at in range(count)
             if struct.unpack_from("<I", head, table + size * at)[0] == 1]
    assert struct.unpack_from("<Q", head, loads[0] + 8)[0] == 0
    struct.pack_into("<Q", head, loads[0] + 8, 0x10000)
    # A function at the offsets themselves.
    folder = put_store(tmp_path, "FUNC 1000 1000 0 wrong\n", bytes(head))
    before, said = read("samply"), []
    with gsym.Store([folder]) as store:
        assert name(before, store, report=said.append) == before
    assert "in no loaded segment of the program: 30" in said[-1]


# ---- damaged profiles


def put_at(profile, path, value):
    """Let the place PATH of PROFILE be VALUE; no value removes it."""
    *parents, last = [int(part) if part.isdigit() else part
                      for part in re.split(r"[.\[\]]+", path.rstrip("]"))]
    for part in parents:
        profile = profile[part]
    if value is ...:
        del profile[last]
    else:
        profile[last] = value


@pytest.mark.parametrize("path, value, message", [
    ("libs", ..., "libs is no list"),
    ("libs[1]", 5, r"libs\[1\] is no object"),
    ("meta", [], "meta is no object"),
    ("threads", {}, "threads is no list"),
    ("threads[0]", None, r"threads\[0\] is no object"),
    ("threads[1].frameTable", ..., r"threads\[1\].frameTable is no object"),
    ("threads[1].frameTable.length", -1, "frameTable.length is no number"),
    ("threads[1].frameTable.length", True, "frameTable.length is no number"),
    ("threads[1].frameTable.length", 5, "has 31 values for 5 rows"),
    ("threads[1].frameTable.line", [], "frameTable.line has 0 values"),
    ("threads[1].frameTable.address", ..., "frameTable.address is no list"),
    ("threads[1].frameTable.line", ..., "frameTable.line is no list"),
    ("threads[1].frameTable.func[3]", 31, r"func\[3\] is no number below 31"),
    ("threads[1].frameTable.func[3]", -1, r"func\[3\] is no number below 31"),
    ("threads[1].frameTable.func[3]", [[]], r"func\[3\] .*: a list"),
    ("threads[1].frameTable.func[3]", True, r"func\[3\] is no number"),
    ("threads[1].frameTable.address[3]", -2, r"address\[3\] is no number"),
    ("threads[1].frameTable.address[3]", 1 << 64, r"address\[3\] is no number"),
    ("threads[1].frameTable.address[3]", 1.5, r"address\[3\] is no number"),
    ("threads[1].frameTable.nativeSymbol[3]", 0, r"nativeSymbol\[3\]"),
    ("threads[1].frameTable.category[3]", "x" * 50,
     r"category\[3\] is neither a number nor null: x{40}$"),
    ("threads[1].frameTable.category[3]", 1 << 64, r"category\[3\] is neither"),
    ("threads[1].frameTable.category[3]", {}, r"category\[3\] is neither"),
    ("threads[1].funcTable.resource[3]", 2, r"resource\[3\] is no number"),
    ("threads[1].funcTable.fileName", ..., "funcTable.fileName is no list"),
    ("threads[1].resourceTable.lib[1]", 2, r"resourceTable.lib\[1\]"),
    ("threads[1].resourceTable.type", ..., "resourceTable.type is no list"),
    ("threads[1].stringArray", ..., r"threads\[1\].stringArray is no list"),
    ("threads[1].stringArray[2]", 7, r"threads\[1\].stringArray\[2\] is no t"),
    ("threads[1].stackTable.frame[3]", 10000, r"stackTable.frame\[3\]"),
    ("threads[1].stackTable.prefix[3]", 3, r"stackTable.prefix\[3\]"),
    ("threads[1].stackTable.prefix", ..., "stackTable.prefix is no list"),
    ("threads[1].samples", [], r"threads\[1\].samples is no object"),
    ("threads[1].samples.stack", 5, r"threads\[1\].samples.stack is no list"),
    ("threads[1].samples.stack[3]", 10000, r"samples.stack\[3\] is no number"),
    ("threads[1].samples.stack[3]", "0", r"samples.stack\[3\] is no number"),
    ("threads[1].markers.data", {}, r"threads\[1\].markers.data is no list"),
    ("threads[1].markers.data", [{"cause": {"stack": -1}}],
     r"threads\[1\].markers.data\[0\].cause.stack is no number"),
])
def test_damaged(store, path, value, message):
    """The message names the place."""
    profile = read("samply")
    put_at(profile, path, value)
    with pytest.raises(FormatError, match=message):
        name(profile, store)


@pytest.mark.parametrize("path, value, message", [
    ("shared", ..., "shared is no object"),
    ("shared.sources", ..., "shared.sources is no object"),
    ("shared.sources.id", ..., "shared.sources.id is no list"),
    ("shared.stringArray", ..., "shared.stringArray is no list"),
    ("shared.frameTable.lib[3]", 2, r"shared.frameTable.lib\[3\]"),
    ("shared.frameTable.lib[3]", -2, r"shared.frameTable.lib\[3\]"),
    ("shared.frameTable.lib", ..., "shared.frameTable.lib is no list"),
    ("shared.funcTable.source", ..., "shared.funcTable.source is no list"),
    ("shared.stackTable.prefixOffset[3]", 4, r"prefixOffset\[3\]"),
    ("shared.stackTable.prefixOffset[3]", -1, r"prefixOffset\[3\]"),
])
def test_damaged_shared(store, path, value, message):
    profile = read("profiler")
    put_at(profile, path, value)
    with pytest.raises(FormatError, match=message):
        name(profile, store)


@pytest.mark.parametrize("data, message", [
    (b'{"resourceProfiles":[]}', "see gsym-otlp"),
    (b'{"dictionary":{}}', "see gsym-otlp"),
    (b'{"traceEvents":[]}', "Chrome"),
    (b'{"a":1}', 'neither "meta" nor "threads"'), (b'{"a":1', "line 1"),
    (b'{"a":' + b"[" * 100000, "too deeply"),
    (b'{"meta":{"version":30},"threads":[]}', "a raw profile of Firefox")])
def test_other_objects(data, message):
    """Other JSON is named, and so is the file."""
    result = run("-", stdin=data)
    assert result.returncode == 2 and not result.stdout
    said = result.stderr.decode()
    assert message in said and "cannot convert '-': " in said
    assert said.count("\n") == 1


def places(value, path=()):
    """The paths to all members of VALUE."""
    yield path
    if isinstance(value, (dict, list)):
        for key in (value if isinstance(value, dict) else range(len(value))):
            yield from places(value[key], (*path, key))


VALUES = [None, True, -1, 0, 1, 29, 1 << 64, 1.5, "", "0x1", [], {}, [0] * 31]


@pytest.mark.parametrize("kind", RECORDED)
def test_changed_at_random(store, kind):
    """A changed profile is refused, or becomes one that stays as it is."""
    rng = random.Random(kind)
    seed = read(kind)
    every = [path for path in places(seed) if path]
    done = 0
    for _ in range(400):
        profile = copy.deepcopy(seed)
        for path in rng.choices(every, k=rng.randint(1, 2)):
            holder = profile
            try:
                for key in path[:-1]:
                    holder = holder[key]
                if rng.random() < 0.1:
                    del holder[path[-1]]
                else:
                    holder[path[-1]] = rng.choice(VALUES)
            except (IndexError, KeyError, TypeError):
                continue
        try:
            after = name(profile, store)
        except FormatError:
            continue
        done += 1
        check_tables(after)
        assert name(after, store) == after
    assert 100 < done < 390


# ---- work, memory and output in proportion


def repeated(count):
    """A profile whose stacks, each with inlined calls, come COUNT times."""
    profile = read("samply")
    thread = profile["threads"][1]
    stacks = thread["stackTable"]
    size = stacks["length"]
    stacks["frame"] *= count
    stacks["prefix"] = [at if at is None else at + size * i
                        for i in range(count) for at in stacks["prefix"]]
    stacks["length"] *= count
    thread["samples"]["stack"] = list(range(stacks["length"]))
    for column in ("timeDeltas", "weight", "threadCPUDelta"):
        thread["samples"][column] = [0] * stacks["length"]
    return json.dumps(profile).encode()


def test_budget_of_stacks(store):
    """Inlined calls take from the budget for each of their stacks."""
    data = repeated(50)
    assert len(_firefox.symbolize(data, store)) > len(data)
    with pytest.raises(FormatError, match="32 times as large"):
        _firefox.symbolize(data, store, budget=_profile.Budget(1000, 1000))


def test_budget_of_columns(store):
    """So does each column of a row that is added."""
    profile = read("samply")
    for table in ("frameTable", "funcTable", "nativeSymbols", "stackTable"):
        wide = copy.deepcopy(profile)
        one = wide["threads"][1][table]
        for at in range(3000):
            one[f"c{at}"] = [None] * one["length"]
        data = json.dumps(wide).encode()
        with pytest.raises(FormatError, match="32 times as large"):
            _firefox.symbolize(data, store, budget=_profile.Budget(1, 50000))
    _firefox.symbolize(json.dumps(profile).encode(), store,
                       budget=_profile.Budget(1, 50000))


def test_libraries(store, monkeypatch):
    """The debug IDs of so many libraries are searched."""
    monkeypatch.setattr(_debugid, "MOST_MODULES", 1)
    with pytest.raises(FormatError, match="in more than 1 libraries"):
        name(read("samply"), store)


def test_deadline(store):
    budget = _profile.Budget(1, deadline=time.monotonic() - 1)
    with pytest.raises(_profile.LimitError, match="too long"):
        _firefox.symbolize(repeated(1), store, budget=budget)


def work(data, store):
    """The seconds of processor time that DATA takes."""
    start = time.process_time()
    _firefox.symbolize(data, store)
    return time.process_time() - start


def test_work(store):
    """Four times the stacks are four times the work, and not sixteen times."""
    small, large = repeated(200), repeated(800)
    for _ in range(5):
        if work(large, store) < 10 * work(small, store) + 0.05:
            return
    pytest.fail("the work is out of proportion")


def with_more(change):
    """The data of the recorded profile after CHANGE."""
    profile = read("profiler")
    change(profile)
    return json.dumps(profile, separators=(",", ":")).encode()


SHAPES = {
    "stacks": lambda: repeated(200),
    "objects": lambda: with_more(
        lambda profile: profile.update(pages=[{"a": 0}] * 50000)),
    "lists": lambda: with_more(
        lambda profile: profile.update(pages=[[]] * 100000)),
    "texts": lambda: with_more(
        lambda profile: profile["shared"]["stringArray"].extend(
            f"{at:x}" for at in range(50000))),
    "threads": lambda: with_more(
        lambda profile: profile["threads"].extend([{}] * 50000)),
    "libraries": lambda: with_more(
        lambda profile: profile["libs"].extend([{"codeId": "00"}] * 50000)),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_memory(store, shape):
    """A profile takes no more than 40 times its size."""
    data = SHAPES[shape]()
    tracemalloc.start()
    try:
        _firefox.symbolize(data, store)
        assert tracemalloc.get_traced_memory()[1] < 40 * len(data)
    finally:
        tracemalloc.stop()
