# SPDX-License-Identifier: MIT
"""gsym-otlp --listen: profiles of an exporter are named and handed on to a
collector, over HTTP or gRPC."""

from __future__ import annotations

import argparse
import http.server
import signal
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Optional

from gsym import _profile, otlp
from gsym._store import Store

_PATH = "/v1development/profiles"
_METHOD = ("/opentelemetry.proto.collector.profiles.v1development."
           "ProfilesService/Export")
#: The most bytes of a request.
MOST_BYTES = 64 << 20
#: Seconds that a client and the collector may be silent.
_PATIENCE = 30
#: The most requests at a time; further ones wait.
_AT_ONCE = 8
#: Headers of a request that the collector gets as they are.
_KEPT = ("Authorization", "User-Agent", "X-Scope-OrgID")


class Rejected(Exception):
    """A request has no answer of the collector: a status of HTTP and why."""


class Forwarder:
    """Names profiles, and hands them on."""

    def __init__(self, store: Store, url: str, return_addresses: bool) -> None:
        """URL: that of the collector.  Raises ValueError."""
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https", "grpc") or not parts.netloc:
            raise ValueError(f"not the address of a collector: '{url}'")
        self._store = store
        self._back = return_addresses
        self._url = url if parts.path.strip("/") else url.rstrip("/") + _PATH
        self._call: Any = None
        if parts.scheme == "grpc":
            import grpc
            self._call = grpc.insecure_channel(parts.netloc).unary_unary(
                _METHOD)
        self.at_once = threading.BoundedSemaphore(_AT_ONCE)
        self._told: set[str] = set()
        self._lock = threading.Lock()

    def name(self, data: bytes) -> bytes:
        """The request DATA with names.  Raises Rejected."""
        try:
            return otlp.symbolize(data, self._store, self._back, self._report)
        except _profile.ERRORS as error:
            raise Rejected(400, f"not a profile: {error}") from error

    def _report(self, text: str) -> None:
        """Tell TEXT once."""
        with self._lock:
            # Counts differ from request to request.
            if text.startswith("locations without") or text in self._told or (
                    len(self._told) > 10000):
                return
            self._told.add(text)
        print(f"gsym-otlp: {text}", file=sys.stderr, flush=True)

    def send(self, data: bytes, headers: dict[str, str]) -> tuple[
            int, str, bytes]:
        """Hand the message DATA on.  Returns the collector's status of HTTP,
        type of content and answer.  Raises Rejected."""
        if self._call:
            if otlp.is_json(data):
                raise Rejected(415, "JSON cannot be handed on over gRPC")
            try:
                return 200, "application/x-protobuf", self._call(
                    data, timeout=_PATIENCE)
            except Exception as error:
                raise Rejected(503, f"the collector does not answer: {error}"
                               ) from error
        request = urllib.request.Request(self._url, data, headers)
        try:
            with urllib.request.urlopen(request, timeout=_PATIENCE) as answer:
                return (answer.status, answer.headers.get("Content-Type", ""),
                        answer.read(MOST_BYTES))
        except urllib.error.HTTPError as error:
            return (error.code, error.headers.get("Content-Type", ""),
                    error.read(MOST_BYTES))
        except (OSError, ValueError) as error:
            raise Rejected(503, f"the collector does not answer: {error}"
                           ) from error


class _Handler(http.server.BaseHTTPRequestHandler):
    """Answers a request over HTTP."""

    protocol_version = "HTTP/1.1"
    timeout = _PATIENCE
    forwarder: Forwarder

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged."""

    def _body(self) -> bytes:
        """The body of the request, inflated.  Raises Rejected."""
        size = self.headers.get("Content-Length", "")
        if not size.isascii() or not size.isdigit():
            raise Rejected(411, "the request does not say its size")
        if len(size) > 19 or int(size) > MOST_BYTES:
            raise Rejected(413, "the request is too large")
        data = self.rfile.read(int(size))
        if len(data) < int(size):
            raise Rejected(400, "the request breaks off")
        coding = self.headers.get("Content-Encoding", "identity").lower()
        if coding == "gzip":
            try:
                return _profile.unpack(data, MOST_BYTES)
            except _profile.ERRORS as error:
                raise Rejected(400, f"cannot be inflated: {error}") from error
        if coding != "identity":
            raise Rejected(415, f"the encoding {coding} is not supported")
        return data

    def _forward(self) -> tuple[int, str, bytes]:
        if self.path != _PATH:
            raise Rejected(404, f"profiles are taken at {_PATH}")
        headers = {name: self.headers[name] for name in _KEPT
                   if name in self.headers}
        data = self.forwarder.name(self._body())
        headers["Content-Type"] = ("application/json" if otlp.is_json(data)
                                   else "application/x-protobuf")
        return self.forwarder.send(data, headers)

    def do_POST(self) -> None:
        """Name the profiles of the request, and hand them on."""
        try:
            with self.forwarder.at_once:
                status, kind, answer = self._forward()
        except Rejected as why:
            # The rest of the request may not have been read.
            self.close_connection = True
            status, kind = why.args[0], "text/plain; charset=utf-8"
            answer = f"{why.args[1]}\n".encode("utf-8", "replace")
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(answer)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(answer)


def _address(text: str) -> tuple[str, int]:
    """Host and port of TEXT.  Raises ValueError."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65535:
        raise ValueError(f"not HOST:PORT: '{text}'")
    return host.strip("[]"), int(port)


def _listen_http(text: str, forwarder: Forwarder) -> Any:
    """A server at TEXT."""
    handler = type("Handler", (_Handler,), {"forwarder": forwarder})
    server = http.server.ThreadingHTTPServer(_address(text), handler)
    server.daemon_threads = True
    return server


def _listen_grpc(text: str, forwarder: Forwarder) -> Any:
    """A server at TEXT for gRPC, which runs already.  Raises ImportError."""
    from concurrent import futures

    import grpc

    codes = {400: grpc.StatusCode.INVALID_ARGUMENT,
             415: grpc.StatusCode.UNIMPLEMENTED}

    def export(data: bytes, context: Any) -> bytes:
        try:
            status, _, answer = forwarder.send(
                forwarder.name(data),
                {"Content-Type": "application/x-protobuf"})
        except Rejected as why:
            context.abort(codes.get(why.args[0], grpc.StatusCode.UNAVAILABLE),
                          why.args[1])
        if status != 200:
            context.abort(grpc.StatusCode.UNAVAILABLE if status >= 500 or
                          status == 429 else grpc.StatusCode.INVALID_ARGUMENT,
                          f"the collector answered with status {status}")
        return answer

    class Handler(grpc.GenericRpcHandler):  # type: ignore[misc]
        """Finds the method of a call."""

        def service(self, details: Any) -> Any:
            """The handler of the call, or None."""
            return (grpc.unary_unary_rpc_method_handler(export)
                    if details.method == _METHOD else None)

    _address(text)
    server = grpc.server(futures.ThreadPoolExecutor(_AT_ONCE), options=[
        ("grpc.max_receive_message_length", MOST_BYTES),
        ("grpc.so_reuseport", 0)])
    server.add_generic_rpc_handlers((Handler(),))
    if not server.add_insecure_port(text):
        raise OSError(f"cannot listen at {text}")
    server.start()
    return server


def serve(options: argparse.Namespace) -> int:
    """Serve as OPTIONS say, until SIGINT or SIGTERM.  Returns an exit
    status."""
    stop = threading.Event()
    http_server: Optional[Any] = None
    grpc_server: Optional[Any] = None
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    try:
        with Store(options.gsym_file_directory, copy=options.copy) as store:
            forwarder = Forwarder(store, options.forward,
                                  options.return_addresses)
            if options.listen:
                http_server = _listen_http(options.listen, forwarder)
                threading.Thread(target=http_server.serve_forever,
                                 daemon=True).start()
                print("gsym-otlp: listening at %s:%d"
                      % http_server.server_address[:2], file=sys.stderr,
                      flush=True)
            if options.listen_grpc:
                grpc_server = _listen_grpc(options.listen_grpc, forwarder)
            stop.wait()
            if http_server:
                http_server.shutdown()
            if grpc_server:
                grpc_server.stop(_PATIENCE).wait()
    except ImportError as error:
        print(f"gsym-otlp: gRPC needs the package grpcio: {error}",
              file=sys.stderr)
        return 2
    except _profile.ERRORS as error:
        print(f"gsym-otlp: {error}", file=sys.stderr)
        return 2
    return 0
