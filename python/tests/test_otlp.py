# SPDX-License-Identifier: MIT
"""Tests of gsym-otlp, with the store and the program of test_pprof.py."""

import gzip
import hashlib
import http.server
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import tracemalloc
import urllib.error
import urllib.request

import pytest

import gsym
from gsym import _profile, _receiver, otlp
from gsym._wire import fields, numbers, put, put_varint
from test_pprof import (ID, PAIRS, PROFILES, STORE, UNKNOWN, code_segment,
                        put_stub)

RECORDED = os.path.join(os.path.dirname(PROFILES), "otlp")


@pytest.fixture
def store():
    with gsym.Store([STORE]) as opened:
        yield opened


@pytest.fixture
def recorded_store(tmp_path):
    """A store with the program of the recorded profile, and its headers."""
    subprocess.run(["gsym-create", "-q", f"--install={tmp_path}",
                    f"{PROFILES}/perf.sym"], check=True)
    with gsym.Store([tmp_path]) as opened:
        yield opened


def packed(*values):
    return b"".join(put_varint(value) for value in values)


def dictionary(start=0x555555554000, build_id=ID, release=9, lines=b"",
               hashed=b""):
    """A dictionary without names, whose locations are the addresses of PAIRS,
    as a release of the schema has it."""
    offset, length, address = code_segment()
    page = offset & ~0xfff
    strings = [b"", b"process.executable.build_id.gnu", b"profile.frame.type",
               b"/bin/prog", b"process.executable.build_id.htlhash"]

    def attribute(key, text):
        held = put(2, put(1, text))
        return put(6, (put(1, strings[key]) if release < 8 else put(1, key))
                   + held)

    data = put(1, b"") + put(1, put(1, start) + put(2, start + length + 4096)
                             + put(3, page) + put(4, 3)
                             + put(5, packed(1, 3) if hashed else packed(1))
                             + UNKNOWN)
    data += put(2, b"")
    for linked, _ in PAIRS:
        runtime = linked - address + offset - page + start
        data += put(2, put(1, 1) + put(2, runtime) + lines
                    + put(4 if release > 7 else 5, packed(2)) + UNKNOWN)
    data += put(6, b"") + attribute(1, build_id.encode())
    data += attribute(2, b"native")
    if hashed:
        data += attribute(4, hashed)
    for text in strings:
        data += put(5, text)
    return data


def request(tables):
    return (put(1, put(2, put(2, put(6, 7)))) + put(2, tables) + UNKNOWN)


def stacks(data):
    """The stack of each location but the first of a message."""
    tables = b"".join(value for number, value, _ in fields(data)
                      if number == 2)
    strings = [value.decode() for number, value, _ in fields(tables)
               if number == 5]
    functions = [numbers(value) for number, value, _ in fields(tables)
                 if number == 3]
    return [[(strings[functions[numbers(line)[1]].get(2, 0)],
              strings[functions[numbers(line)[1]].get(3, 0)],
              numbers(line).get(2, 0))
             for field, line, _ in fields(value) if field == 3]
            for number, value, _ in fields(tables) if number == 2][1:]


WANTED = [[(frame["function"], frame["file"], frame["line"])
           for frame in answer["frames"]] for _, answer in PAIRS]


@pytest.mark.parametrize("release", [7, 8, 9])
def test_names(store, release):
    data, notes = request(dictionary(release=release)), []
    result = otlp.symbolize(data, store, report=notes.append)
    assert stacks(result) == WANTED and any(WANTED)
    assert notes[0].startswith("locations without a name: ")
    assert "that no function covers: " in notes[0]
    assert result.count(UNKNOWN) == data.count(UNKNOWN)
    assert otlp.symbolize(result, store) == result
    # The first function is the one that stands for none.
    tables = [value for number, value, _ in fields(result) if number == 2][0]
    functions = [value for number, value, _ in fields(tables) if number == 3]
    assert functions[0] == b"" and all(functions[1:])


def test_return_addresses(store):
    """1 less than the address answers."""
    one_more = []
    for number, value, raw in fields(dictionary()):
        if number == 2 and value:
            at = numbers(value)[2]
            value = value.replace(put(2, at), put(2, at + 1), 1)
            raw = put(2, value)
        one_more.append(raw)
    data = request(b"".join(one_more))
    assert stacks(otlp.symbolize(data, store, True)) == WANTED


@pytest.mark.parametrize("change", [
    {"build_id": "00112233"}, {"build_id": "text"}, {"build_id": ""},
    {"lines": put(3, put(2, 5))}])
def test_left_alone(store, change):
    data = request(dictionary(**change))
    assert otlp.symbolize(data, store) == data


def test_no_dictionary(store):
    assert otlp.symbolize(b"", store) == b""
    with pytest.raises(otlp.FormatError, match="older than release 1.7"):
        otlp.symbolize(put(1, put(2, put(2, b"x"))), store)
    with pytest.raises(otlp.FormatError, match="older than release 1.7"):
        otlp.symbolize(b'{"resourceProfiles":[{}]}', store)
    # A message that begins as JSON after a line feed does.
    data = put(1, b"\x0a" + bytes([121]) + b"x" * 121)
    assert data[:2] == b"\x0a{"
    assert otlp.symbolize(data + put(2, dictionary()), store) != data


def test_second_identity(store):
    """A file that is known by the profiler's hash alone is found by it, and one
    that has both is found by the one that the store has."""
    data = request(dictionary(build_id="00112233", hashed=ID.encode()))
    assert stacks(otlp.symbolize(data, store)) == WANTED


def test_hash_alone(tmp_path):
    """A file that is known by the profiler's hash alone, in a store that
    gsym-create has given the hash of the program's file."""
    program = os.environ["GSYM_TEST_PROGRAM"]
    subprocess.run(["gsym-create", "-q", f"--install={tmp_path}", program],
                   check=True)
    with open(program, "rb") as file:
        held = file.read()
    name = hashlib.sha256(held[:4096] + held[-4096:]
                          + len(held).to_bytes(8, "big")).hexdigest()[:32]
    link = tmp_path / ".build-id" / name[:2] / f"{name[2:]}.debug.gsym"
    if not link.is_symlink():
        pytest.skip("gsym-create was built without nettle")
    data = request(dictionary(build_id="", hashed=name.encode()))
    with gsym.Store([tmp_path]) as opened:
        assert stacks(otlp.symbolize(data, opened)) == WANTED
    (tmp_path / "in").write_bytes(data)
    subprocess.run([sys.executable, "-m", "gsym.otlp", tmp_path / "in",
                    "-o", tmp_path / "out",
                    f"--gsym-file-directory={tmp_path}"], check=True)
    assert stacks((tmp_path / "out").read_bytes()) == WANTED


@pytest.mark.parametrize("kind", ["pb", "json"])
@pytest.mark.parametrize("headers", [True, False])
def test_recorded(recorded_store, tmp_path, kind, headers):
    """What the profiler's encoder writes.  Its addresses are linked ones, with
    program headers in the store and without."""
    build_id = "afa4a61ecc513c5d9d77f56c41b57a2491ae1447"
    if headers:
        with open(f"{PROFILES}/perf.head", "rb") as file:
            put_stub(f"{tmp_path}/.build-id/{build_id[:2]}/{build_id[2:]}.debug",
                     file.read(), bytes.fromhex(build_id))
    with open(f"{RECORDED}/ebpf.{kind}", "rb") as file:
        data = file.read()
    notes = []
    result = otlp.symbolize(data, recorded_store, report=notes.append)
    assert notes[-1] == ("locations without a name: 1; of build IDs without a "
                         "GSYM file: 1")
    with open(f"{PROFILES}/perf.expected", encoding="ascii") as file:
        expected = [line.split() for line in file]
    if kind == "pb":
        got = stacks(result)
    else:
        tables = json.loads(result)["dictionary"]
        strings, functions = tables["stringTable"], tables["functionTable"]
        got = [[(strings[functions[line["functionIndex"]].get(
            "systemNameStrindex", functions[line["functionIndex"]].get(
                "nameStrindex", 0))],
                 "", int(line.get("line", 0)))
                for line in location.get("lines", [])]
               for location in tables["locationTable"]][1:]
        before = json.loads(data)
        after = json.loads(result)
        assert before["resourceProfiles"] == after["resourceProfiles"]
        for table in before["dictionary"]:
            old = before["dictionary"][table]
            new = after["dictionary"][table][:len(old)]
            assert table == "locationTable" or old == new
        assert all(isinstance(one["lines"][-1].get("line", ""), str)
                   for one in tables["locationTable"][1:] if one.get("lines"))
    assert [(stack[-1][0], stack[0][2]) for stack in got[1:4]] == [
        (function, int(line)) for _, function, line in expected]
    assert got[4] == [] and len(got[5]) == 1
    assert otlp.symbolize(result, recorded_store) == result


def test_process_addresses_without_headers(tmp_path):
    """Without program headers an address of a process gets no name, also if a
    hash says that it is a linked one."""
    subprocess.run(["gsym-create", "-q", f"--install={tmp_path}",
                    f"{PROFILES}/perf.sym"], check=True)
    data = request(dictionary(
        build_id="afa4a61ecc513c5d9d77f56c41b57a2491ae1447", hashed=b"0011"))
    with gsym.Store([tmp_path]) as opened:
        assert otlp.symbolize(data, opened) == data


def test_other_frames(recorded_store):
    """Frames of interpreters and of the kernel have other addresses."""
    with open(f"{RECORDED}/ebpf.json", encoding="utf-8") as file:
        text = file.read()
    for kind in ("kernel", "cpython", "jvm"):
        changed = text.replace('"native"', f'"{kind}"').encode()
        assert otlp.symbolize(changed, recorded_store) == changed


def test_json(recorded_store):
    with open(f"{RECORDED}/ebpf.json", encoding="utf-8") as file:
        text = file.read()
    named = otlp.symbolize(text.encode(), recorded_store).decode()
    # The collector's exporter to files writes an object in each line.
    lines = f"{text}\n\n{text}\n".encode()
    assert otlp.symbolize(lines, recorded_store).decode() == (
        f"{named}\n\n{named}\n")
    pretty = json.dumps(json.loads(text), indent=1).encode()
    assert otlp.symbolize(pretty, recorded_store).decode() == named
    # Up to release 1.8.
    old = text.replace('"lines"', '"line"').encode()
    result = otlp.symbolize(old, recorded_store)
    assert b'"lines"' not in result and result != old
    for bad in (b"{", b"{}{", b'{"dictionary":1}', b'{"dictionary":{}}'[:-2],
                b'{"dictionary":{"stringTable":["a"]}}',
                b'{"dictionary":{"stringTable":[1]}}',
                b'{"dictionary":{"stringTable":[""],"mappingTable":[1]}}',
                b'{"dictionary":{"stringTable":[""],"mappingTable":'
                b'[{"memoryStart":-1}]}}',
                b'{"dictionary":{"stringTable":[""],"mappingTable":'
                b'[{"memoryStart":"99999999999999999999"}]}}',
                b'{"a":' * 100000):
        with pytest.raises(ValueError):
            otlp.symbolize(bad, recorded_store)


def test_hostile(store, recorded_store):
    """Messages that are changed in random ways are refused or named."""
    rng = random.Random(1)
    seeds = [request(dictionary())]
    for kind in ("pb", "json"):
        with open(f"{RECORDED}/ebpf.{kind}", "rb") as file:
            seeds.append(file.read())
    refused = 0
    for _ in range(1500):
        data = bytearray(rng.choice(seeds))
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(data))
            choice = rng.randrange(4)
            if choice == 0:
                del data[at:at + rng.randint(1, 8)]
            elif choice == 1:
                data[at:at] = data[rng.randrange(len(data)):][:8]
            elif choice == 2:
                data[at:at] = b"\xff" * 9 + b"\x01"
            else:
                data[at] = rng.randrange(256)
        for opened in (store, recorded_store):
            try:
                result = otlp.symbolize(bytes(data), opened)
            except ValueError:
                refused += 1
                continue
            assert otlp.symbolize(result, opened) == result
    assert 0 < refused < 3000


def test_other_reader(store):
    """OpenTelemetry's own classes read what is written."""
    profiles = pytest.importorskip(
        "opentelemetry.proto.profiles.v1development.profiles_pb2")
    if not hasattr(profiles, "ProfilesDictionary"):
        pytest.skip("opentelemetry-proto is too old")
    message = profiles.ProfilesData()
    message.ParseFromString(otlp.symbolize(request(dictionary()), store))
    tables = message.dictionary
    got = []
    for location in list(tables.location_table)[1:]:
        lines = getattr(location, "lines", None)
        got.append([
            (tables.string_table[
                tables.function_table[line.function_index]
                .system_name_strindex],
             tables.string_table[
                 tables.function_table[line.function_index]
                 .filename_strindex], line.line)
            for line in (location.line if lines is None else lines)])
    assert got == WANTED


# ---- the program


def run(*arguments, stdin=b""):
    return subprocess.run([sys.executable, "-m", "gsym.otlp", *arguments],
                          input=stdin, capture_output=True, check=False)


def test_program(store, tmp_path):
    data = request(dictionary())
    want = otlp.symbolize(data, store)
    directory = f"--gsym-file-directory={STORE}"
    result = run(directory, "-", stdin=gzip.compress(data))
    assert result.returncode == 0
    assert gzip.decompress(result.stdout) == want
    assert run(directory, "--strict", "-", stdin=data).returncode == 1
    target = tmp_path / "out"
    assert run(directory, "-", "-o", str(target), stdin=data).returncode == 0
    assert target.read_bytes() == want
    for arguments in ((), ("--listen=localhost:0",), ("--forward=http://x", "-"),
                      ("--listen=localhost", "--forward=http://localhost"),
                      ("--listen=localhost:0", "--forward=ftp://localhost")):
        result = run(*arguments)
        assert result.returncode == 2 and b"gsym-otlp: " in result.stderr
    result = run("-", stdin=b"text")
    assert result.returncode == 2 and b"cannot convert '-'" in result.stderr


class Collector(http.server.BaseHTTPRequestHandler):
    """A collector that keeps its requests."""

    got: list = []
    status = 200

    def log_message(self, format, *args):
        """Nothing is logged."""

    def do_POST(self):
        """Keep the request, and answer."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.got.append((self.path, dict(self.headers), body))
        self.send_response(self.status)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", "6")
        self.end_headers()
        self.wfile.write(b"answer")


@pytest.fixture
def collector():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    Collector.got, Collector.status = [], 200
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def receiver(collector):
    """A gsym-otlp that listens."""
    process = subprocess.Popen(
        [sys.executable, "-m", "gsym.otlp", f"--gsym-file-directory={STORE}",
         "--listen=127.0.0.1:0", f"--forward={collector}"],
        stderr=subprocess.PIPE, text=True)
    line = process.stderr.readline()
    yield "http://" + line.split()[-1] + "/v1development/profiles"
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0
    process.stderr.close()


def post(url, data, **headers):
    request_ = urllib.request.Request(
        url, data, {name.replace("_", "-"): value
                    for name, value in headers.items()})
    try:
        with urllib.request.urlopen(request_, timeout=20) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def test_receiver(store, receiver):
    data = request(dictionary())
    want = otlp.symbolize(data, store)
    assert post(receiver, data, Authorization="secret") == (200, b"answer")
    assert post(receiver, gzip.compress(data), Content_Encoding="gzip") == (
        200, b"answer")
    (path, headers, body), (_, _, second) = Collector.got
    assert path == "/v1development/profiles" and body == want == second
    assert headers["Authorization"] == "secret"
    assert headers["Content-Type"] == "application/x-protobuf"
    # The collector's refusal is the answer.
    Collector.status = 429
    assert post(receiver, data)[0] == 429
    count = len(Collector.got)
    assert post(receiver, b"text")[0] == 400
    # A message that says wrongly that it is compressed is taken as it is.
    assert post(receiver, data, Content_Encoding="gzip")[0] == 429
    assert post(receiver, b"\x1f\x8b" + bytes(30),
                Content_Encoding="gzip")[0] == 400
    assert post(receiver, data, Content_Encoding="br")[0] == 415
    assert post(receiver + "x", data)[0] == 404
    assert len(Collector.got) == count + 1


def test_receiver_limits(receiver):
    """A request that is too large, or becomes too large, goes no further."""
    # Little that would become much: 8 MB of empty mappings in 8 KB.
    flat = gzip.compress(put(2, put(5, b"") + bytes([10, 0]) * (4 << 20)))
    assert len(flat) < 32768
    assert post(receiver, flat, Content_Encoding="gzip")[0] == 400
    flat = gzip.compress(bytes(_receiver.MOST_BYTES + 1))
    assert post(receiver, flat, Content_Encoding="gzip")[0] == 400
    request_ = urllib.request.Request(
        receiver, b"x", {"Content-Length": str(_receiver.MOST_BYTES + 1)})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request_, timeout=20)
    assert refused.value.code == 413 and not Collector.got


def test_receiver_without_collector(store):
    forwarder = _receiver.Forwarder(store, "http://127.0.0.1:1", False)
    with pytest.raises(_receiver.Rejected) as why:
        forwarder.send(b"", {})
    assert why.value.args[0] == 503


@pytest.mark.parametrize("answer", [b"SSH-2.0-x\r\n", b"", b"\0" * 100,
                                    b"HTTP/1.1 200 OK\r\nA: " + b"a" * 70000])
def test_collector_without_http(store, answer):
    """A collector that answers no HTTP is a reason, and no traceback."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        def run_collector():
            with server.accept()[0] as connection:
                connection.recv(10000)
                connection.sendall(answer)

        thread = threading.Thread(target=run_collector)
        thread.start()
        forwarder = _receiver.Forwarder(
            store, f"http://127.0.0.1:{server.getsockname()[1]}", False)
        with pytest.raises(_receiver.Rejected, match="collector") as why:
            forwarder.send(b"", {})
        assert why.value.args[0] in (502, 503)
        thread.join()


def test_collector_that_redirects(store, collector):
    """A redirection is an answer: headers go to no other host."""
    class Redirect(Collector):
        """Sends its clients to the collector."""

        def do_POST(self):
            """Redirect the client."""
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(302)
            self.send_header("Location", collector)
            self.send_header("Content-Length", "0")
            self.end_headers()

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Redirect)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    forwarder = _receiver.Forwarder(
        store, f"http://127.0.0.1:{server.server_address[1]}", False)
    assert forwarder.send(b"", {"Authorization": "secret"})[0] == 302
    assert not Collector.got
    server.shutdown()
    server.server_close()


@pytest.fixture
def served(store, collector):
    """A receiver in this process."""
    forwarder = _receiver.Forwarder(store, collector, False)
    server = _receiver._listen_http("127.0.0.1:0", forwarder,
                                    _receiver.Handler)
    yield server
    assert server.end()


HEAD = b"POST /v1development/profiles HTTP/1.1\r\nContent-Length: %d\r\n\r\n"


def connect(server):
    connection = socket.create_connection(server.server_address)
    connection.settimeout(60)
    return connection


def status_of(connection):
    """The status of the answer, or 0 if the connection is ended."""
    try:
        line = connection.recv(12)
    except ConnectionResetError:
        return 0
    return int(line.split()[1]) if line else 0


def test_slow_clients(served):
    """Clients whose requests are not whole keep out no others."""
    slow = [connect(served) for _ in range(2 * _receiver.AT_ONCE)]
    for connection in slow:
        connection.sendall(HEAD % 1000 + b"{")
    with connect(served) as quick:
        quick.sendall(HEAD % 2 + b"{}")
        assert status_of(quick) == 200
    for connection in slow:
        connection.close()


def test_request_has_a_deadline(served, monkeypatch):
    """It counts from the first byte on, and not from the last one."""
    monkeypatch.setattr(_receiver, "PATIENCE", 1)
    for head in (b"POST", HEAD % 1000):
        with connect(served) as slow:
            slow.sendall(head)
            done = threading.Event()

            def drip(connection=slow, end=done):
                while not end.wait(0.1):
                    try:
                        connection.sendall(b"a")
                    except OSError:
                        return

            thread = threading.Thread(target=drip)
            thread.start()
            assert status_of(slow) in (0, 408)
            done.set()
            thread.join()


def test_too_many_clients(served, monkeypatch):
    """The ones that have waited for the longest time are ended."""
    monkeypatch.setattr(_receiver, "_MOST_CONNECTIONS", 4)
    slow = []
    for _ in range(4):
        slow.append(connect(served))
        slow[-1].sendall(HEAD % 1000 + b"{")
        while len(served.connections._bytes) < len(slow):
            time.sleep(0.01)
    with connect(served) as quick:
        quick.sendall(HEAD % 2 + b"{}")
        assert status_of(quick) == 200
    assert status_of(slow[0]) == 0
    # Bytes count as well as connections.
    monkeypatch.setattr(_receiver, "_MOST_RECEIVED", 100000)
    slow[1].sendall(b" " * 900)
    with connect(served) as large:
        large.sendall(HEAD % 100000 + b"{" + b" " * 99998 + b"}")
        assert status_of(large) == 200
    assert [status_of(connection) for connection in slow[1:]] == [0] * 3 or (
        served.connections._received <= 100000)
    for connection in slow:
        connection.close()


def test_large_headers(served):
    with connect(served) as connection:
        try:
            connection.sendall(b"GET / HTTP/1.1\r\n" + (b"a: " + b"b" * 60000
                                                        + b"\r\n") * 90)
        except OSError:
            pass
        assert status_of(connection) == 0


def test_memory_of_all_requests(store, collector):
    """Requests wait until there is memory for them."""
    memory = _receiver.Memory(100)
    taken = memory.take(1000, time.monotonic())
    assert taken == 100
    with pytest.raises(_receiver.Rejected, match="too many"):
        memory.take(1, time.monotonic() + 0.01)
    threading.Timer(0.05, memory.give, [taken]).start()
    assert memory.take(60, time.monotonic() + 60) == 60
    forwarder = _receiver.Forwarder(store, collector, False)
    assert forwarder.forward(request(dictionary()), {})[0] == 200
    with pytest.raises(_receiver.Rejected):
        forwarder.forward(b"text", {})
    assert forwarder._memory._left == _receiver._MOST_MEMORY


def test_names_have_a_deadline(store, monkeypatch):
    monkeypatch.setattr(_receiver, "PATIENCE", 0)
    forwarder = _receiver.Forwarder(store, "http://127.0.0.1:1", False)
    with pytest.raises(_receiver.Rejected) as why:
        forwarder.forward(request(dictionary()), {})
    assert why.value.args[0] in (413, 503)


def test_store_is_closed_while_threads_use_it():
    """The last of them frees it."""
    data, ends = request(dictionary()), []
    for _ in range(20):
        opened = gsym.Store([STORE])

        def use(opened=opened):
            try:
                while True:
                    otlp.symbolize(data, opened)
            except ValueError as error:
                ends.append(str(error))

        threads = [threading.Thread(target=use) for _ in range(4)]
        for thread in threads:
            thread.start()
        opened.close()
        for thread in threads:
            thread.join()
        assert opened._uses == 0 and opened._closing is None
        opened.close()
    assert ends == ["the store is closed"] * 80


def test_stop_under_load(collector):
    """The end is a clean one while requests are named, in GSYM_STOP_TRIES
    tries, and what is whole has an answer."""
    rng = random.Random(1)
    body = request(dictionary() + put(2, put(1, 1) + put(2, 5450)) * 2000)
    for _ in range(int(os.environ.get("GSYM_STOP_TRIES", "3"))):
        process = subprocess.Popen(
            [sys.executable, "-m", "gsym.otlp", "--listen=127.0.0.1:0",
             f"--gsym-file-directory={STORE}", f"--forward={collector}"],
            stderr=subprocess.PIPE, text=True)
        port = int(process.stderr.readline().rsplit(":", 1)[1])

        def load(port=port):
            try:
                while True:
                    with socket.create_connection(("127.0.0.1", port)) as to:
                        to.sendall(HEAD % len(body) + body)
                        to.recv(100)
            except OSError:
                pass

        threads = [threading.Thread(target=load) for _ in range(6)]
        for thread in threads:
            thread.start()
        time.sleep(rng.uniform(0, 0.5))
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert process.stderr.read() == ""
        process.stderr.close()
        for thread in threads:
            thread.join()
        Collector.got.clear()


def test_receiver_grpc(store):
    """Both sides of gRPC."""
    pytest.importorskip("grpc")
    got = []

    class Keep:
        """A forwarder that keeps what it would send."""

        def forward(self, data, headers):
            """As Forwarder has it."""
            return forwarder.forward(data, headers)

    forwarder = _receiver.Forwarder(store, "http://127.0.0.1:1", False)
    forwarder.send = lambda data, headers: (got.append(data) or (200, "", b""))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = _receiver._listen_grpc(f"127.0.0.1:{port}", Keep())
    try:
        client = _receiver.Forwarder(store, f"grpc://127.0.0.1:{port}", False)
        data = request(dictionary())
        assert client.send(data, {})[0] == 200
        assert got == [otlp.symbolize(data, store)]
        with pytest.raises(_receiver.Rejected):
            client.send(b"text", {})
        with pytest.raises(_receiver.Rejected):
            client.send(b"{}", {})
    finally:
        server.stop(None)


def test_manual():
    """The manual and the completions have the options of --help."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    text = otlp._arguments().format_help()
    options = set(re.findall(r"(?m)^ +(?:-\w.*, )?--([a-z-]+)", text))
    assert "listen-grpc" in options
    with open(f"{here}/share/man/man1/gsym-otlp.1", encoding="utf-8") as file:
        manual = file.read()
    for option in options:
        assert f"Fl -{option}" in manual, option
    for path, form in (("bash-completion/completions/gsym-otlp", "--{}"),
                       ("fish/vendor_completions.d/gsym-otlp.fish", "-l {} ")):
        with open(f"{here}/share/{path}", encoding="utf-8") as file:
            completion = file.read()
        for option in options:
            assert form.format(option) in completion, (path, option)


# ---- work and memory in proportion to the input


def pieces(size):
    """A request whose dictionary comes in pieces of a byte."""
    inner = put(5, b"") + put(5, b"x") * (size // 3)
    return b"".join(put(2, inner[at:at + 1]) for at in range(len(inner)))


def long_text(size, key=b"process.executable.build_id.gnu", digit=b"a"):
    """A request in which many mappings have one long build ID."""
    return put(2, put(5, b"") + put(5, key)
               + put(6, b"") + put(6, put(1, 1) + put(2, put(1, digit * size)))
               + put(1, b"") + put(1, put(5, packed(1))) * (size // 4)
               + b"".join(put(2, put(1, at)) for at in range(size // 4)))


SHAPES = {
    "mappings": lambda size: put(2, put(5, b"") + put(1, b"") * (size // 2)),
    "locations": lambda size: put(2, put(5, b"") + put(2, b"") * (size // 2)),
    "attributes": lambda size: put(2, put(5, b"") + put(6, b"") * (size // 2)),
    "functions": lambda size: put(2, put(5, b"") + put(3, b"") * (size // 2)),
    "strings": lambda size: put(2, put(5, b"") + b"".join(
        put(5, b"%x" % at) for at in range(size // 8))),
    "used mappings": lambda size: put(2, put(5, b"") + put(1, b"")
                                      * (size // 10) + b"".join(
        put(2, put(1, at)) for at in range(size // 10))),
    "pieces": pieces, "long build ID": long_text,
    "long text": lambda size: long_text(size, b"other"),
    "no digits": lambda size: long_text(size, digit=b"x"),
    "lines of JSON": lambda size: b'{}' + b"\n" * size,
    "objects of JSON": lambda size: (b'{"dictionary":{"stringTable":[""],'
                                     b'"mappingTable":[' + b"{}," * (size // 3)
                                     + b"{}]}}"),
    "attributes of JSON": lambda size: (
        b'{"dictionary":{"stringTable":[""],"attributeTable":['
        + b"{}," * (size // 3) + b"{}]}}"),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_memory(store, shape):
    """A request takes no more than 40 times its size."""
    data = SHAPES[shape](60000)
    tracemalloc.start()
    try:
        otlp.symbolize(data, store, report=str)
        assert tracemalloc.get_traced_memory()[1] < 40 * len(data) + 100000
    finally:
        tracemalloc.stop()


def work(data, store):
    """The seconds of processor time that DATA takes."""
    start = time.process_time()
    otlp.symbolize(data, store)
    return time.process_time() - start


@pytest.mark.parametrize("shape", SHAPES)
def test_work(store, shape):
    """Four times the input is four times the work, and not sixteen times."""
    small, large = SHAPES[shape](100000), SHAPES[shape](400000)
    for _ in range(5):
        if work(large, store) < 10 * work(small, store) + 0.05:
            return
    pytest.fail("the work is out of proportion")


@pytest.mark.parametrize("data, name", [
    (b'{"nodes":[],"startTime":1,"samples":[]}', "V8"),
    (b'{"meta":{},"libs":[],"threads":[]}', "Firefox or samply"),
    (b'{"traceEvents":[]}', "Chrome"), (b'{"a":1}', "neither"),
    (put(2, put(1, b"\1") + put(2, b"\1")) * 10 + put(4, put(1, 1))
     + put(6, b"") + put(6, b"samples"), "gsym-pprof")])
def test_other_formats(store, data, name):
    """A profile that is given by mistake is named."""
    with pytest.raises(otlp.FormatError, match=name):
        otlp.symbolize(data, store)


def test_mapping_of_all_memory(store):
    """Its addresses are linked ones."""
    data = put(5, b"") + put(5, b"process.executable.build_id.gnu")
    data += put(6, b"") + put(6, put(1, 1) + put(2, put(1, ID.encode())))
    data += put(1, b"") + put(1, put(2, (1 << 64) - 1) + put(5, packed(1)))
    data += put(2, b"") + b"".join(put(2, put(1, 1) + put(2, linked))
                                   for linked, _ in PAIRS)
    assert stacks(otlp.symbolize(put(2, data), store)) == WANTED


def test_long_number(store, monkeypatch):
    """Python took minutes for a number of a million digits."""
    monkeypatch.setattr(otlp, "SHORT", {"parse_int": otlp._short})
    with pytest.raises(ValueError, match="1000000 digits"):
        otlp.symbolize(b'{"a":' + b"1" * 1000000 + b"}", store)


def test_deadline(store):
    budget = _profile.Budget(1, deadline=time.monotonic() - 1)
    for data in (request(dictionary()), SHAPES["objects of JSON"](3000)):
        with pytest.raises(_profile.LimitError, match="too long"):
            otlp.symbolize(data, store, budget=budget)


def test_added_bytes_have_a_limit(store):
    """Names count, and what they take in memory."""
    data = request(dictionary())
    size = len(otlp.symbolize(data, store)) - len(data)
    with pytest.raises(otlp.FormatError, match="32 times"):
        otlp.symbolize(data, store, budget=_profile.Budget(0, size))
    otlp.symbolize(data, store, budget=_profile.Budget(0, 50 * size))


def test_known_strings_are_used(store):
    """A name that the table has is not added to it."""
    data = request(dictionary() + put(5, WANTED[8][0][0].encode()))
    assert any(WANTED[8])
    result = otlp.symbolize(data, store)
    tables = [value for number, value, _ in fields(result) if number == 2][0]
    strings = [value for number, value, _ in fields(tables) if number == 5]
    assert len(strings) == len(set(strings)) and stacks(result) == WANTED


def test_budget():
    budget = _profile.Budget(1)
    budget.take(64 << 20)
    with pytest.raises(otlp.FormatError):
        budget.take(1)
