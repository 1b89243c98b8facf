# SPDX-License-Identifier: MIT
"""Tests of the package, with a store that tests/cli/python.sh makes.

GSYM_TEST_STORE is the store, GSYM_TEST_ID the build ID of a program in it, and
GSYM_TEST_PAIRS a file of addresses with the answers of gsym-lookup --stream."""

import copy
import json
import os
import pickle
import random
import shutil
import subprocess
import sys
import threading

import pytest

import gsym

STORE = os.environ["GSYM_TEST_STORE"]
ID = os.environ["GSYM_TEST_ID"]


def read_pairs():
    with open(os.environ["GSYM_TEST_PAIRS"], encoding="utf-8") as file:
        for line in file:
            address, answer = line.split("\t")
            yield int(address), json.loads(answer)


PAIRS = list(read_pairs())


@pytest.fixture
def store():
    with gsym.Store(directories=[STORE]) as opened:
        yield opened


def as_dicts(frames):
    return [frame._asdict() for frame in frames]


def test_lookup_is_that_of_the_tool(store):
    assert any(len(answer["frames"]) > 1 for _, answer in PAIRS)
    assert any(not answer["frames"] for _, answer in PAIRS)
    for address, answer in PAIRS:
        assert as_dicts(store.lookup(ID, address)) == answer["frames"]


def test_without_inlines(store):
    for address, answer in PAIRS:
        frames = store.lookup(bytes.fromhex(ID), address, inlines=False)
        assert len(frames) == min(1, len(answer["frames"]))
        if frames:
            assert frames[0].function == answer["frames"][-1]["function"]


def stored_file():
    return os.path.join(STORE, ".build-id", ID[:2], ID[2:] + ".debug.gsym")


@pytest.mark.parametrize("copied", [False, True])
def test_a_file_by_its_path(copied):
    with gsym.File(stored_file(), copy=copied) as file:
        for address, answer in PAIRS:
            assert as_dicts(file.lookup(address)) == answer["frames"]
            frames = file.lookup(address, inlines=False)
            assert len(frames) == min(1, len(answer["frames"]))
    with pytest.raises(ValueError, match="closed"):
        file.lookup(0)
    file.close()


def test_an_open_file():
    address, answer = next(pair for pair in PAIRS if pair[1]["frames"])
    with open(stored_file(), "rb") as opened:
        with gsym.File(opened.fileno()) as file:
            assert as_dicts(file.lookup(address)) == answer["frames"]
        assert opened.read(1)
        with pytest.raises(ValueError, match="copy"):
            gsym.File(opened.fileno(), copy=True)
    with pytest.raises(OSError, match="file 1000000"):
        gsym.File(1000000)
    for number in (-1, 1 << 32):
        with pytest.raises(ValueError, match="no number"):
            gsym.File(number)


def test_paths_of_a_file_are_mapped():
    address, answer = next(pair for pair in PAIRS if pair[1]["frames"]
                           and "/" in pair[1]["frames"][0]["file"])
    old = os.path.dirname(answer["frames"][0]["file"])
    with gsym.File(stored_file(), path_maps=[old + "=/mapped"]) as file:
        assert file.lookup(address)[0].file.startswith("/mapped/")
    with pytest.raises(ValueError):
        gsym.File(stored_file(), path_maps=["nothing"])


def test_files_that_cannot_be_used(tmp_path):
    with pytest.raises(OSError, match="missing"):
        gsym.File(tmp_path / "missing")
    (tmp_path / "text").write_text("no GSYM data, but a text")
    with pytest.raises(ValueError, match="text"):
        gsym.File(tmp_path / "text")


def test_spellings(store):
    address = PAIRS[0][0]
    assert store.lookup(ID.upper(), address) == store.lookup(ID, address)
    assert store.lookup(ID, address - (1 << 64) + (1 << 64)) == store.lookup(
        ID, address)
    assert store.lookup(ID, -1) == []
    assert store.lookup(ID, (1 << 64) - 1) == []


@pytest.mark.parametrize("bad", ["", "a", "xy", " 00", "00 00", b"", b"x" * 257])
def test_bad_build_ids(store, bad):
    with pytest.raises(ValueError):
        store.lookup(bad, 1)


class Index:
    """An integer that is no int, as those of numpy."""

    def __init__(self, number):
        self.number = number

    def __index__(self):
        return self.number


def test_integers_of_other_types(store):
    address = PAIRS[40][0]
    assert store.lookup(ID, address)
    assert store.lookup(ID, Index(address)) == store.lookup(ID, address)
    assert store.address_of(ID, Index(0)) == store.address_of(ID, 0)


@pytest.mark.parametrize("argument, call", [
    ("build_id", lambda store: store.lookup(None, 5)),
    ("build_id", lambda store: store.lookup(5, 5)),
    ("address", lambda store: store.lookup(ID, "5")),
    ("address", lambda store: store.lookup(ID, 5.0)),
    ("offset", lambda store: store.address_of(ID, None)),
    ("directories", lambda store: gsym.Store(STORE)),
    ("debug_directories", lambda store: gsym.Store(debug_directories=STORE)),
    ("max_open", lambda store: gsym.Store(max_open=None)),
])
def test_wrong_types_name_the_argument(store, argument, call):
    with pytest.raises(TypeError, match=f"^{argument}: "):
        call(store)


@pytest.mark.parametrize("bad", [1 << 64, -(1 << 63) - 1])
def test_bad_addresses(store, bad):
    with pytest.raises(ValueError):
        store.lookup(ID, bad)


def test_no_file(store):
    with pytest.raises(gsym.NoFileError):
        store.lookup("00112233", 1)


@pytest.mark.parametrize("kind", [gsym.Store, gsym.File])
def test_wrong_arguments(kind, monkeypatch):
    lost = []
    monkeypatch.setattr(sys, "unraisablehook", lost.append)
    with pytest.raises(TypeError):
        kind(nonsense=1)
    assert not lost


def test_missing_folder():
    with pytest.raises(FileNotFoundError):
        gsym.Store(directories=["nowhere"])


@pytest.mark.parametrize("copy_it", [
    copy.copy, copy.deepcopy, lambda store: pickle.loads(pickle.dumps(store))])
def test_copies(copy_it):
    """A copy has the arguments, and is freed by itself."""
    address = next(a for a, answer in PAIRS if answer["frames"])
    with gsym.Store([STORE], max_open=3, copy=True) as first:
        wanted = first.lookup(ID, address)
        second = copy_it(first)
    with second:
        assert second.directories == [STORE]
        assert second._arguments == ([STORE], [], None, 3, None, True,
                                     False, ())
        assert second.lookup(ID, address) == wanted


def test_pickle_for_another_process(store):
    """Ray and Dask hand a store to their workers."""
    address = next(a for a, answer in PAIRS if answer["frames"])
    text = ("import pickle, sys; store = pickle.load(sys.stdin.buffer); "
            f"print(store.lookup({ID!r}, {address})[0].function)")
    said = subprocess.run([sys.executable, "-c", text],
                          input=pickle.dumps(store), stdout=subprocess.PIPE,
                          check=True).stdout.decode()
    assert said.strip() == store.lookup(ID, address)[0].function


def test_no_copy_of_a_closed_store():
    store = gsym.Store([STORE])
    store.close()
    with pytest.raises(ValueError, match="closed"):
        pickle.dumps(store)


def test_options():
    with pytest.raises(ValueError):
        gsym.Store([STORE], max_open=-1)


def test_copies_files(tmp_path):
    """With copy=True a file may be cut short while it is open; without it the
    process would end with SIGBUS."""
    shutil.copytree(STORE, tmp_path / "store")
    path = tmp_path / "store" / ".build-id" / ID[:2] / f"{ID[2:]}.debug.gsym"
    address = next(a for a, answer in PAIRS if answer["frames"])
    with gsym.Store([tmp_path / "store"], copy=True) as store:
        want = store.lookup(ID, address)
        os.truncate(path, 0)
        assert store.lookup(ID, address) == want != []


def test_address_of(store):
    with pytest.raises(gsym.NoFileError):
        store.address_of("00112233", 0)
    for bad in (-1, 1 << 64):
        with pytest.raises(ValueError):
            store.address_of(ID, bad)
    assert store.address_of(ID, (1 << 64) - 1) is None


def test_address_of_mapped(store):
    address, answer = next((a, b) for a, b in PAIRS if b["frames"])
    # Where the byte is in the file, which is mapped in pages.
    offset = next(at for at in range(1 << 20)
                  if store.address_of(ID, at) == address)
    page = offset & ~4095
    start = 0x7f1234560000
    assert store.address_of_mapped(
        ID, start + offset - page, start, page) == address
    assert store.address_of_mapped(ID, start + (1 << 40), start, page) is None
    with pytest.raises(ValueError, match="below the mapping"):
        store.address_of_mapped(ID, start - 1, start, page)
    with pytest.raises(gsym.NoFileError):
        store.address_of_mapped("0011", start, start, 0)
    with pytest.raises(TypeError, match="offset"):
        store.address_of_mapped(ID, start, start, "0")


# ---- readable names


MANGLED, TWICE = os.environ["GSYM_TEST_MANGLED"].split()
TWICE = int(TWICE, 0)


@pytest.fixture
def readable():
    try:
        opened = gsym.Store(directories=[STORE], demangle=True)
    except gsym.LibraryError as error:
        pytest.skip(str(error))
    with opened:
        yield opened


def test_demangle(store, readable):
    assert store.lookup(MANGLED, TWICE)[0].function == "_ZN3app5twiceEi"
    assert readable.lookup(MANGLED, TWICE)[0].function == "app::twice(int)"
    # Other names stay.
    for address, answer in PAIRS:
        assert as_dicts(readable.lookup(ID, address)) == answer["frames"]


def test_path_maps():
    """Prefixes of the paths of source files are replaced."""
    address = next(a for a, answer in PAIRS if answer["frames"]
                   and answer["frames"][0]["file"])
    with gsym.Store([STORE]) as first:
        path = first.lookup(ID, address)[0].file
    with gsym.Store([STORE], path_maps=[f"{path}=x.c"]) as second:
        assert second.lookup(ID, address)[0].file == "x.c"
        with pickle.loads(pickle.dumps(second)) as third:
            assert third.lookup(ID, address)[0].file == "x.c"
    with pytest.raises(ValueError):
        gsym.Store([STORE], path_maps=["x"])


def test_demangle_survives_pickle(readable):
    with pickle.loads(pickle.dumps(readable)) as other:
        assert other.lookup(MANGLED, TWICE)[0].function == "app::twice(int)"


def test_demangle_without_library(monkeypatch):
    from gsym import _library

    monkeypatch.setenv("GSYM_DEMANGLE_LIBRARY", "/nowhere/lib.so")
    _library.load_demangle.cache_clear()
    try:
        with pytest.raises(gsym.LibraryError, match="libgsym-demangle"):
            gsym.Store(directories=[STORE], demangle=True)
    finally:
        _library.load_demangle.cache_clear()


def test_demangle_columns(pa, store, readable):
    rows = [(ID, PAIRS[40][0]), (MANGLED, TWICE), ("00112233", 1),
            (MANGLED, TWICE + 1), (ID, PAIRS[40][0])]
    ids, addresses = zip(*rows)
    for output in "frames", "folded", "leaf", "all":
        bare = store.symbolize(ids, addresses, output)
        named = readable.symbolize(ids, addresses, output)
        assert named.type == bare.type
        assert json.dumps(named.to_pylist()) == json.dumps(
            bare.to_pylist()).replace("_ZN3app5twiceEi", "app::twice(int)")
    assert "app::twice(int)" in named.to_pylist()[1]["folded"]


def test_demangled_names_out_of_proportion(readable, monkeypatch):
    from gsym import _demangle

    demangler = _demangle.Demangler()
    monkeypatch.setattr(_demangle, "_MOST_BYTES", 15)
    monkeypatch.setattr(_demangle, "_MOST_RATIO", 1)
    assert demangler.texts(["_ZN3app5twiceEi"]) == ["app::twice(int)"]
    with pytest.raises(OverflowError):
        demangler.texts(["_Z1fSsSsSs"])
    monkeypatch.setattr(_demangle, "_MOST_RATIO", 32)
    assert demangler.stacks(["main;_ZN3app5twiceEi", ""]) == [
        "main;app::twice(int)", ""]


def test_state(tmp_path):
    """The state changes with the files of the folders."""
    store = gsym.Store([tmp_path])
    states = [store.state()]

    def changed():
        states.append(store.state())
        return len(set(states)) == len(states)

    shutil.copytree(STORE, tmp_path, dirs_exist_ok=True)
    assert changed()
    assert store.state() == states[-1]
    path = tmp_path / ".build-id" / ID[:2] / f"{ID[2:]}.debug.gsym"
    better = tmp_path / "better"
    better.write_bytes(path.read_bytes())
    os.replace(better, path)
    assert changed()
    path.unlink()
    assert changed()
    store.close()


def test_closed(store):
    store.close()
    store.close()
    with pytest.raises(ValueError):
        store.lookup(ID, 1)


def test_threads(store):
    failures = []

    def work(seed):
        pairs = PAIRS[:]
        random.Random(seed).shuffle(pairs)
        for address, answer in pairs:
            if as_dicts(store.lookup(ID, address)) != answer["frames"]:
                failures.append(address)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_no_library():
    environment = dict(os.environ, GSYM_LIBRARY="/nowhere/libgsym.so.0")
    result = subprocess.run(
        [sys.executable, "-c", "import gsym; gsym.Store()"],
        env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "cannot load libgsym" in result.stderr


def test_arrow_is_not_imported():
    code = ("import gsym, sys; gsym.Store(); "
            "sys.exit('pyarrow' in sys.modules or 'duckdb' in sys.modules)")
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# ---- fetching


GOOD = os.path.join(STORE, ".build-id", ID[:2], ID[2:] + ".debug.gsym")


def test_fetch(tmp_path):
    calls = []

    def fetch(build_id, path):
        calls.append(build_id)
        if build_id != ID:
            return False
        shutil.copyfile(GOOD, path)
        return True

    address = next(a for a, answer in PAIRS if answer["frames"])
    with gsym.Store(cache=tmp_path, fetch=fetch) as store:
        for _ in range(3):
            assert store.lookup(ID, address)
            with pytest.raises(gsym.NoFileError):
                store.lookup("00112233", 1)
        assert calls == [ID, "00112233"]
        store.retry()
        with pytest.raises(gsym.NoFileError):
            store.lookup("00112233", 1)
        assert len(calls) == 3
    with gsym.Store(cache=tmp_path, fetch=fetch) as store:
        assert store.lookup(ID, address)
    assert len(calls) == 3
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == [
        ID[2:] + ".debug.gsym"]
    with pytest.raises(ValueError):
        gsym.Store(fetch=fetch)


def raise_error(build_id, path):
    raise ConnectionError("no server")


def write_half(build_id, path):
    with open(GOOD, "rb") as source, open(path, "wb") as file:
        file.write(source.read(20))
    return True


@pytest.mark.parametrize("fetch, error", [
    (raise_error, ConnectionError),
    (write_half, ValueError),
    (lambda build_id, path: True, FileNotFoundError),
    (lambda build_id, path: os.symlink(GOOD, path) is None, FileNotFoundError)])
def test_fetch_fails(tmp_path, fetch, error):
    with gsym.Store(cache=tmp_path, fetch=fetch) as store:
        with pytest.raises(error):
            store.lookup(ID, 1)
    assert not [p for p in tmp_path.rglob("*") if p.is_file()]


def test_fetch_another_build_id(tmp_path):
    with gsym.Store(cache=tmp_path, fetch=lambda build_id, path: bool(
            shutil.copyfile(GOOD, path))) as store:
        with pytest.raises(ValueError):
            store.lookup("0011223344556677", 1)


def test_fetch_at_once(tmp_path):
    code = """if True:
        import gsym, shutil, sys, time
        def fetch(build_id, path):
            print("called", flush=True)
            time.sleep(1)
            shutil.copyfile(sys.argv[1], path)
            return True
        with gsym.Store(cache=sys.argv[2], fetch=fetch) as store:
            assert store.lookup(sys.argv[3], int(sys.argv[4]))
        """
    address = next(a for a, answer in PAIRS if answer["frames"])
    runs = [subprocess.Popen(
        [sys.executable, "-c", code, GOOD, str(tmp_path), ID, str(address)],
        stdout=subprocess.PIPE) for _ in range(5)]
    outputs = [run.communicate()[0] for run in runs]
    assert all(run.returncode == 0 for run in runs)
    assert b"".join(outputs).count(b"called") == 1


# ---- columns


@pytest.fixture
def pa():
    return pytest.importorskip("pyarrow")


def test_lists_of_kernel_addresses(pa, store):
    kernel = 0xffffffff81000000
    rows = [PAIRS[40][0], kernel, None, kernel - (1 << 64)]
    column = pa.array([None if row is None else row % (1 << 64)
                      for row in rows], pa.uint64())
    assert store.symbolize([ID] * 4, rows) == store.symbolize([ID] * 4, column)


def test_more_text_than_offsets_of_32_bits(pa, store, monkeypatch):
    from gsym import _arrow

    address = PAIRS[40][0]
    texts = store.symbolize([ID] * 3, [address] * 3, "folded")
    monkeypatch.setattr(_arrow, "_MOST_TEXT", len(texts[0].as_py()) * 3 - 1)
    large = store.symbolize([ID] * 3, [address] * 3, "folded")
    assert large.type == pa.large_utf8() != texts.type
    assert large.to_pylist() == texts.to_pylist()



def shuffled():
    pairs = PAIRS * 3
    random.Random(7).shuffle(pairs)
    return pairs


def test_symbolize(store, pa):
    pairs = shuffled()
    answers = store.symbolize([ID] * len(pairs), [a for a, _ in pairs])
    assert answers.type == pa.struct([
        pa.field("status", pa.int8(), False),
        pa.field("frames", answers.type.field("frames").type, False)])
    for row, (_, answer) in zip(answers.to_pylist(), pairs):
        assert row["frames"] == answer["frames"]
        assert row["status"] == (0 if answer["frames"] else 1)
    leaf = store.symbolize([ID] * len(pairs), [a for a, _ in pairs], "leaf")
    folded = store.symbolize([ID] * len(pairs), [a for a, _ in pairs], "folded")
    for one, stack, (_, answer) in zip(leaf.to_pylist(), folded.to_pylist(),
                                       pairs):
        names = [frame["function"] for frame in answer["frames"]]
        assert one == (names[0] if names else "")
        assert stack == ";".join(reversed(names))


def test_symbolize_fetches(pa, tmp_path):
    calls = []

    def fetch(build_id, path):
        calls.append(build_id)
        return build_id == ID and bool(shutil.copyfile(GOOD, path))

    address = next(a for a, answer in PAIRS if answer["frames"])
    with gsym.Store(cache=tmp_path, fetch=fetch) as store:
        answers = store.symbolize([ID, "00112233", ID, None], [address] * 4)
    assert [a["status"] for a in answers.to_pylist()] == [0, 2, 0, 4]
    assert sorted(calls) == sorted([ID, "00112233"])


def test_symbolize_types(store, pa):
    address = next(a for a, answer in PAIRS if answer["frames"])
    want = store.symbolize([ID], [address])
    for ids in (pa.array([ID]), pa.array([ID]).dictionary_encode(),
                pa.array([bytes.fromhex(ID)]), pa.chunked_array([[ID]])):
        for kind in (pa.int64(), pa.uint64(), pa.uint32()):
            assert store.symbolize(ids, pa.array([address], kind)) == want
    with pytest.raises(TypeError):
        store.symbolize([ID], [1.5])
    with pytest.raises(ValueError):
        store.symbolize([ID], [1, 2])
    with pytest.raises(ValueError):
        store.symbolize([ID], [1], "json")


def test_symbolize_odd_rows(store, pa):
    ids = [ID, None, "xy", "00112233", ID, ID]
    addresses = pa.array([-1, 1, 1, 1, None, (1 << 63) - 1], pa.int64())
    answers = store.symbolize(ids, addresses).to_pylist()
    assert [row["status"] for row in answers] == [1, 4, 4, 2, 4, 1]
    assert all(row["frames"] == [] for row in answers)
    assert len(store.symbolize([], pa.array([], pa.int64()))) == 0
    assert len(store.symbolize(pa.array([], pa.utf8()), [])) == 0
    assert store.symbolize([None], [None], "folded").to_pylist() == [""]


def test_month(pa, tmp_path, readable):
    """The month of doc/fleet.md, with a file that is installed late."""
    duckdb = pytest.importorskip("duckdb")
    assert duckdb
    here = os.path.dirname(os.path.dirname(os.path.dirname(
        os.path.abspath(__file__))))
    with open(f"{here}/doc/fleet.md", encoding="utf-8") as file:
        script = file.read().split("```python\n")[1].split("```")[0]
    (tmp_path / "lake").mkdir()
    (tmp_path / "store").mkdir()
    address, answer = next((a, b) for a, b in PAIRS if b["frames"])
    names = [frame["function"] for frame in reversed(answer["frames"])]
    import pyarrow.parquet
    pyarrow.parquet.write_table(
        pa.table({"sample": [0, 1], "depth": [0, 0], "build_id": [ID, ID],
                  "address": [address, address]}),
        tmp_path / "lake" / "day1.parquet")

    def run_month():
        subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)
        with open(tmp_path / "month.folded", encoding="utf-8") as file:
            return file.read()

    assert run_month() == "[unknown] 2\n"
    shutil.copytree(STORE, tmp_path / "store", dirs_exist_ok=True)
    assert run_month() == ";".join(names) + " 2\n"


def test_duckdb(store, pa):
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("numpy")
    import gsym.duckdb

    connection = duckdb.connect()
    gsym.duckdb.register(connection, store)
    gsym.duckdb.register(connection, store, "leaf", output="leaf")
    pairs = shuffled()
    samples = pa.table({"build_id": [ID] * len(pairs),
                        "address": pa.array([a for a, _ in pairs], pa.int64())})
    rows = connection.sql("""
        SELECT address, gsym(build_id, address), leaf(build_id, address), n
        FROM (SELECT build_id, address, count(*) AS n FROM samples
              GROUP BY ALL)""").fetchall()
    assert len(rows) == len({a for a, _ in pairs})
    assert sum(n for _, _, _, n in rows) == len(pairs)
    for address, stack, leaf, _ in rows:
        names = [f["function"] for f in dict(PAIRS)[address]["frames"]]
        assert stack == ";".join(reversed(names))
        assert leaf == (names[0] if names else "")
    with gsym.Store(directories=[STORE], demangle=True) as readable:
        gsym.duckdb.register(connection, readable, "readable")
        assert connection.sql(f"SELECT readable('{MANGLED}', {TWICE})"
                              ).fetchall() == [("app::twice(int)",)]
    assert connection.sql("SELECT gsym(NULL, 1)").fetchall() == [(None,)]
