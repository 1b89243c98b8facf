# SPDX-License-Identifier: MIT
"""Tests of gsym-otlp --listen-symbols, with the store of test_gsym.py."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys

import pytest

import gsym
from gsym import _debugid, _receiver, _symbolicate
from test_pprof import CC, ID, PAIRS, STORE, code_segment


def debug_id(build_id):
    """Breakpad's debug ID of the build ID BUILD_ID, in hexadecimal."""
    data = bytes.fromhex(build_id)[:16].ljust(16, b"\0")
    guid = data[3::-1] + data[5:3:-1] + data[7:5:-1] + data[8:]
    return guid.hex().upper() + "0"


@pytest.fixture
def served():
    """A symbol server in this process."""
    with gsym.Store([STORE]) as store:
        server = _receiver._listen_http(
            "127.0.0.1:0", _symbolicate.Symbolicator(store),
            _symbolicate.SymbolHandler)
        yield server.server_address
        assert server.end()


def ask(address, request, path="/symbolicate/v5", method="POST", **headers):
    """Status, headers and body of the answer to REQUEST."""
    connection = http.client.HTTPConnection(*address[:2], timeout=60)
    data = request if isinstance(request, bytes) else (
        json.dumps(request).encode())
    connection.request(method, path, data, headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, answer.headers, body


def answers(address, build_ids, stacks):
    request = {"jobs": [{
        "memoryMap": [["prog", name] for name in build_ids],
        "stacks": stacks}]}
    status, _, body = ask(address, request)
    assert status == 200, body
    return json.loads(body)["results"]


def test_names(served):
    """The frames are those of gsym-lookup --stream."""
    name = debug_id(ID)
    result, = answers(served, [name], [[[0, a] for a, _ in PAIRS]])
    assert result["found_modules"] == {f"prog/{name}": True}
    stack, = result["stacks"]
    named = inlined = 0
    for at, (got, (address, want)) in enumerate(zip(stack, PAIRS)):
        assert got["frame"] == at and got["module"] == "prog"
        assert int(got["module_offset"], 16) == address
        frames = want.get("frames", [])
        assert ("function" in got) == bool(frames)
        if not frames:
            continue
        named += 1
        outer = frames[-1]
        assert got["function"] == outer["function"]
        assert int(got["function_offset"], 16) == outer["offset"]
        every = [*got.get("inlines", []), got]
        inlined += len(every) > 1
        assert [(f["function"], f.get("file", ""), f.get("line", 0))
                for f in every] == [
            (f["function"], f["file"], f["line"]) for f in frames]
    assert named and inlined


@pytest.mark.parametrize("build_id", [
    "0011223344556677", "00112233445566778899aabbccddeeff",
    "00112233445566778899aabbccddeeff01234567"])
def test_base(tmp_path, build_id):
    """Offsets count from the first segment of a program that is not linked to
    0; short build IDs are filled up with zeros."""
    source, program = tmp_path / "main.c", tmp_path / "prog"
    source.write_text("int main(void) { return 0; }\n", encoding="ascii")
    done = subprocess.run([*CC, "-g", "-no-pie", "-o", program, source,
                           f"-Wl,--build-id=0x{build_id}"], check=False)
    if done.returncode:
        pytest.skip("no program")
    subprocess.run(["gsym-create", "-q", f"--install={tmp_path}/store",
                    program], check=True)
    symbols = subprocess.run(["nm", program], check=True, text=True,
                             capture_output=True).stdout
    main, = (int(line.split()[0], 16) for line in symbols.splitlines()
             if line.endswith(" T main"))
    offset, _, address = code_segment(program)
    base = address - offset
    assert base > 0xffff
    request = json.dumps({"memoryMap": [["prog", debug_id(build_id)]],
                          "stacks": [[[0, main - base], [0, main]]]})
    with gsym.Store([tmp_path / "store"]) as store:
        result = json.loads(_symbolicate.Symbolicator(store).answer(
            request.encode(), 1e99))["results"][0]
        assert [f.get("function") for f in result["stacks"][0]] == ["main", None]
    # Another build ID with the same first bytes: neither is meant.
    if len(build_id) == 40:
        folder = tmp_path / "store" / ".build-id" / build_id[:2]
        other = f"{build_id[2:-1]}8.debug.gsym"
        os.symlink(f"{build_id[2:]}.debug.gsym", folder / other)
        with gsym.Store([tmp_path / "store"]) as store:
            result = json.loads(_symbolicate.Symbolicator(store).answer(
                request.encode(), 1e99))["results"][0]
            assert result["found_modules"] == {
                f"prog/{debug_id(build_id)}": False}
            assert "function" not in result["stacks"][0][0]


def test_unknown(served):
    """Modules and addresses that nothing is known of."""
    names = [debug_id("77" * 20), "x", debug_id(ID)]
    result, = answers(served, names, [[[0, 1], [1, 1], [2, 1 << 63], [-1, 5]]])
    assert set(result["found_modules"].values()) == {False, True}
    assert [sorted(frame) for frame in result["stacks"][0]] == 4 * [
        ["frame", "module", "module_offset"]]


@pytest.mark.parametrize("request_", [
    b"", b"[]", b"1", b"{}", b"{", b'{"jobs":1}', b'{"jobs":[1]}',
    b'{"memoryMap":[],"stacks":1}', b'{"memoryMap":[1],"stacks":[]}',
    b'{"memoryMap":[["a"]],"stacks":[]}', b'{"memoryMap":[],"stacks":[1]}',
    b'{"memoryMap":[],"stacks":[[1]]}', b'{"memoryMap":[],"stacks":[[[0,1]]]}',
    b'{"memoryMap":[["a","b"]],"stacks":[[[0,-1]]]}',
    b'{"memoryMap":[["a","b"]],"stacks":[[[0,1.5]]]}',
    b'{"memoryMap":[["a","b"]],"stacks":[[[true,1]]]}',
    b'{"memoryMap":[["a","b"]],"stacks":[[[0,' + b"9" * 5000 + b"]]]}",
    b"[" * 100000, b'{"a":"\xff"}'])
def test_bad_requests(served, request_):
    status, _, body = ask(served, request_)
    assert status == 400 and len(body) < 200


def test_limits(served, monkeypatch):
    """The bytes of request and answer, the modules, and the time are limited."""
    assert ask(served, b" " * (_symbolicate._MOST_BYTES + 1))[0] == 413
    name = debug_id(ID)
    request = {"memoryMap": [["prog", name]],
               "stacks": [[[0, a] for a, _ in PAIRS] * 4]}
    with monkeypatch.context() as patch:
        patch.setattr(_symbolicate, "_MOST_ANSWER", 10000)
        assert ask(served, request)[0] == 413
    with gsym.Store([STORE]) as store:
        with pytest.raises(_receiver.Rejected, match="too long"):
            _symbolicate.Symbolicator(store).answer(
                json.dumps(request).encode(), 0)
    with monkeypatch.context() as patch:
        patch.setattr(_debugid, "MOST_MODULES", 10)
        assert ask(served, {"memoryMap": [["m", str(i)] for i in range(11)],
                            "stacks": []})[0] == 413
    assert ask(served, request)[0] == 200


def test_pages(served):
    """Only the profiler's page and pages of this machine may ask."""
    request = {"memoryMap": [], "stacks": []}
    for page in ("https://profiler.firefox.com", "http://localhost:4242",
                 "http://127.0.0.1:3000"):
        status, headers, _ = ask(served, request, Origin=page)
        assert status == 200
        assert headers["Access-Control-Allow-Origin"] == page
        status, headers, _ = ask(served, b"", method="OPTIONS", Origin=page)
        assert status == 204
        assert headers["Access-Control-Allow-Origin"] == page
    for page in ("https://evil.example", "null", "http://localhost.evil.example",
                 "http://[", "https://profiler.firefox.com.evil.example",
                 "ftp://localhost", "http://user@localhost"):
        status, headers, body = ask(served, request, Origin=page)
        assert status == 403 and b"results" not in body
        assert "Access-Control-Allow-Origin" not in headers
        assert ask(served, b"", method="OPTIONS", Origin=page)[0] == 403
    assert ask(served, request, path="/symbolicate/v4")[0] == 404
    assert ask(served, b"", method="GET")[0] == 501


def test_memory(served):
    """The memory of an answer is taken until it is written, or the client is
    gone."""
    with gsym.Store([STORE]) as store:
        symbolicator = _symbolicate.Symbolicator(store)
        free = symbolicator._memory._left
        request = json.dumps({"memoryMap": [], "stacks": []}).encode()
        for _ in range(3):
            _, _, body = symbolicator.forward(request, {})
            assert symbolicator._memory._left == free - len(body)
            symbolicator.written(len(body))
            assert symbolicator._memory._left == free
        with pytest.raises(_receiver.Rejected):
            symbolicator.forward(b"[", {})
        assert symbolicator._memory._left == free


def test_options_with_a_body(served):
    """What follows the headers of OPTIONS is not taken for another request."""
    data = b"POST /symbolicate/v5 HTTP/1.1\r\nContent-Length: 0\r\n\r\n"
    with socket.create_connection(served[:2], timeout=60) as connection:
        connection.sendall(
            b"OPTIONS /symbolicate/v5 HTTP/1.1\r\nHost: x\r\n"
            b"Content-Length: %d\r\n\r\n" % len(data) + data)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    assert answer.count(b"HTTP/1.1 ") == 1


def test_program():
    """gsym-otlp --listen-symbols, until a signal."""
    with subprocess.Popen(
            [sys.executable, "-m", "gsym.otlp", "--listen-symbols=127.0.0.1:0",
             f"--gsym-file-directory={STORE}"], stderr=subprocess.PIPE,
            text=True) as process:
        port = re.search(r"listening at 127\.0\.0\.1:(\d+)",
                         process.stderr.readline())[1]
        result, = answers(("127.0.0.1", int(port)), [debug_id(ID)],
                          [[[0, PAIRS[10][0]]]])
        assert result["stacks"][0][0].get("function") == (
            PAIRS[10][1]["frames"][-1]["function"])
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
