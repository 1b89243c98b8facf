# SPDX-License-Identifier: MIT
"""gsym-otlp --listen: profiles of an exporter are named and handed on to a
collector, over HTTP or gRPC."""

from __future__ import annotations

import argparse
import contextlib
import http.client
import http.server
import io
import os
import signal
import socket
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Callable, Iterator, Optional

from gsym import _profile, otlp
from gsym._store import Store

_PATH = "/v1development/profiles"
_METHOD = ("/opentelemetry.proto.collector.profiles.v1development."
           "ProfilesService/Export")
#: The most bytes of a request, inflated.
MOST_BYTES = 64 << 20
#: Seconds for a request from its first byte to its last, for its names, and for
#: the collector's answer; also those that an idle connection is kept.
PATIENCE = 30
#: The most requests that are named at a time; further ones wait.
AT_ONCE = 8
#: The most connections at a time.
_MOST_CONNECTIONS = 256
#: The most bytes of requests that are not whole yet, together.
_MOST_RECEIVED = 256 << 20
#: The most memory of all requests that are named or handed on.
_MOST_MEMORY = 2 << 30
#: A byte of a request that is named takes so many, in a message and in JSON.
_COST, _COST_JSON = 24, 40
#: Bytes that a request may become when it is inflated, and that may be added to
#: it, however small it is.
_LEAST_INFLATED, _LEAST_ADDED = 1 << 20, 16 << 20
#: The most bytes of the headers of a request.
_MOST_HEADERS = 64 << 10
#: The most bytes of the collector's answer.
_MOST_ANSWER = 1 << 20
#: Headers of a request that the collector gets as they are.
_KEPT = ("Authorization", "User-Agent", "X-Scope-OrgID")


class Rejected(Exception):
    """A request has no answer of the collector: a status of HTTP and why."""


# ---- time


class _TimedReader(io.RawIOBase):
    """Reads the bytes of a socket until a deadline."""

    def __init__(self, connection: socket.socket,
                 deadline: Optional[float]) -> None:
        super().__init__()
        self._socket = connection
        self._file = connection.makefile("rb", buffering=0)
        #: A time of time.monotonic(); None: PATIENCE after the first byte.
        self.deadline = deadline
        #: The bytes that may still be read; None stands for any number.
        self.left: Optional[int] = None

    def readable(self) -> bool:
        """As io.RawIOBase has it."""
        return True

    def readinto(self, buffer: Any) -> Optional[int]:
        """As io.RawIOBase has it.  Raises TimeoutError."""
        left = PATIENCE if self.deadline is None else (
            self.deadline - time.monotonic())
        if left <= 0:
            raise socket.timeout("timed out")
        self._socket.settimeout(left)
        got = self._file.readinto(buffer)
        if self.left is not None:
            self.left -= got or 0
            if self.left < 0:
                raise OSError("too many bytes")
        if self.deadline is None:
            self.deadline = time.monotonic() + PATIENCE
        return got

    def close(self) -> None:
        """As io.RawIOBase has it."""
        self._file.close()
        super().close()


class _TimedSocket:
    """What http.client needs of a socket, until a deadline."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._deadline = time.monotonic() + PATIENCE

    def sendall(self, data: bytes) -> None:
        """As sockets have it."""
        self._socket.settimeout(max(self._deadline - time.monotonic(), 0.001))
        self._socket.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        """As sockets have it."""
        return io.BufferedReader(_TimedReader(self._socket, self._deadline))

    def close(self) -> None:
        """As sockets have it."""
        self._socket.close()


class _Http(http.client.HTTPConnection):
    """A connection to a collector, for one request."""

    def connect(self) -> None:
        """Connect, as http.client does."""
        super().connect()
        self.sock: Any = _TimedSocket(self.sock)


class _Https(http.client.HTTPSConnection):
    """The same, encrypted."""

    def connect(self) -> None:
        """Connect, as http.client does."""
        super().connect()
        self.sock: Any = _TimedSocket(self.sock)


class _HttpHandler(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> Any:
        """As urllib does, by the timed connection."""
        return self.do_open(_Http, req)


class _HttpsHandler(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> Any:
        """As urllib does, by the timed connection."""
        return self.do_open(_Https, req)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirection is an answer as others: headers of the request are for the
    collector alone."""

    def redirect_request(self, *_: Any) -> None:
        """There is no other request."""


# ---- memory


class Memory:
    """The memory of all requests that are in work."""

    def __init__(self, most: int) -> None:
        self._left = self._most = most
        self._changed = threading.Condition()

    def take(self, size: int, deadline: float) -> int:
        """Wait for SIZE bytes, or for all if SIZE is more, until DEADLINE.
        Returns how many to give back.  Raises Rejected."""
        size = min(size, self._most)
        with self._changed:
            while self._left < size:
                if not self._changed.wait(deadline - time.monotonic()):
                    raise Rejected(503, "too many requests are in work")
            self._left -= size
        return size

    def give(self, size: int) -> None:
        """SIZE bytes are free again."""
        with self._changed:
            self._left += size
            self._changed.notify_all()


@contextlib.contextmanager
def turn(at_once: threading.BoundedSemaphore,
         deadline: float) -> Iterator[None]:
    """Be one of as many requests as AT_ONCE lets work.  Waits for a place until
    DEADLINE.  Raises Rejected."""
    if not at_once.acquire(timeout=max(deadline - time.monotonic(), 0)):
        raise Rejected(503, "too many requests are in work")
    try:
        yield
    finally:
        at_once.release()


class _Connections:
    """The connections of clients, and the bytes of their requests that are not
    in work yet.  If there are too many, those that have waited for the rest of
    their request for the longest time are ended: slow clients keep out no
    others."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # The bytes of each, in the order in which their requests began.
        self._bytes: dict[socket.socket, int] = {}
        self._whole: set[socket.socket] = set()
        self._received = 0
        self._ends = False

    def _end(self, connection: socket.socket) -> None:
        """Let the thread of CONNECTION see its end."""
        self._received -= self._bytes.pop(connection)
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def _end_oldest(self) -> None:
        """End the connection that has waited for the longest time."""
        self._end(next(one for one in self._bytes if one not in self._whole))

    def wait(self, connection: socket.socket) -> bool:
        """CONNECTION waits for a request.  Returns false if it has to end."""
        self.forget(connection)
        with self._lock:
            if self._ends:
                return False
            self._bytes[connection] = 0
            while len(self._bytes) > _MOST_CONNECTIONS:
                self._end_oldest()
            return connection in self._bytes

    def receive(self, connection: socket.socket, size: int) -> None:
        """SIZE more bytes of a request at CONNECTION.  Raises Rejected."""
        with self._lock:
            if connection in self._bytes:
                self._received += size
                self._bytes[connection] += size
                while self._received > _MOST_RECEIVED:
                    self._end_oldest()
            if connection not in self._bytes:
                raise Rejected(503, "there are too many requests")

    def whole(self, connection: socket.socket) -> None:
        """The request at CONNECTION is whole.  Raises Rejected."""
        with self._lock:
            if connection not in self._bytes:
                raise Rejected(503, "there are too many requests")
            self._whole.add(connection)

    def begin(self, connection: socket.socket) -> None:
        """The work for the request at CONNECTION begins."""
        with self._lock:
            self._received -= self._bytes[connection]
            self._bytes[connection] = 0

    def forget(self, connection: socket.socket) -> None:
        """CONNECTION is closed."""
        with self._lock:
            self._received -= self._bytes.pop(connection, 0)
            self._whole.discard(connection)

    def end(self) -> None:
        """End all connections but those whose request is whole, and take no
        further requests."""
        with self._lock:
            self._ends = True
            for connection in list(self._bytes):
                if connection not in self._whole:
                    self._end(connection)


# ---- requests


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
        self._open = urllib.request.build_opener(
            _HttpHandler, _HttpsHandler, _NoRedirect).open
        self._at_once = threading.BoundedSemaphore(AT_ONCE)
        self._memory = Memory(_MOST_MEMORY)
        self._told: set[str] = set()
        self._lock = threading.Lock()

    def _name(self, data: bytes, packed: bool, deadline: float) -> bytes:
        if packed:
            try:
                data = _profile.unpack(data, _most_inflated(len(data)))
            except _profile.ERRORS as error:
                raise Rejected(400, f"cannot be inflated: {error}") from error
        try:
            return otlp.symbolize(
                data, self._store, self._back, self._report,
                _profile.Budget(len(data), _LEAST_ADDED, deadline))
        except _profile.LimitError as error:
            raise Rejected(413, str(error)) from error
        except _profile.ERRORS as error:
            raise Rejected(400, f"not a profile: {error}") from error

    def forward(self, data: bytes, headers: dict[str, str],
                packed: bool = False, begin: Optional[Callable[[], None]] = None
                ) -> tuple[int, str, bytes]:
        """Name the whole request DATA, which is compressed if PACKED says so,
        and hand it on with HEADERS.  BEGIN is called once there is memory for
        the work.  Returns the collector's status of HTTP, type of content and
        answer.  Raises Rejected."""
        deadline = time.monotonic() + PATIENCE
        size = _most_inflated(len(data)) if packed else len(data)
        # What is compressed may be JSON.
        cost = _COST_JSON if packed or otlp.is_json(data) else _COST
        taken = self._memory.take(size * cost, deadline)
        try:
            if begin:
                begin()
            with turn(self._at_once, deadline):
                data = self._name(data, packed, deadline)
            kept = min(len(data), taken)
            self._memory.give(taken - kept)
            taken = kept
            return self.send(data, {
                **headers, "Content-Type": "application/json"
                if otlp.is_json(data) else "application/x-protobuf"})
        finally:
            self._memory.give(taken)

    def written(self, _size: int) -> None:
        """A collector's answer is written: it is small."""

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
                    data, timeout=PATIENCE)
            except Exception as error:
                raise Rejected(503, f"the collector does not answer: {error}"
                               ) from error
        request = urllib.request.Request(self._url, data, headers)
        try:
            try:
                answer = self._open(request, timeout=PATIENCE)
            except urllib.error.HTTPError as error:
                answer = error
            with answer:
                return (answer.code, answer.headers.get("Content-Type", ""),
                        answer.read(_MOST_ANSWER))
        except http.client.HTTPException as error:
            raise Rejected(502, "the collector's answer is none of HTTP: "
                           f"{type(error).__name__}") from error
        except (OSError, ValueError) as error:
            raise Rejected(503, f"the collector does not answer: {error}"
                           ) from error


def _most_inflated(size: int) -> int:
    """The most bytes that SIZE compressed ones may become."""
    return min(_profile.most_of(size, _LEAST_INFLATED), MOST_BYTES)


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers a request over HTTP."""

    protocol_version = "HTTP/1.1"
    path_of_service = _PATH
    forwarder: Any
    connections: _Connections

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged."""

    def setup(self) -> None:
        """Read with a deadline."""
        super().setup()
        self.rfile.close()
        self._reader = _TimedReader(self.connection, None)
        self.rfile = io.BufferedReader(self._reader)

    def handle_one_request(self) -> None:
        """Handle a request, which has a deadline from its first byte on."""
        self.close_connection = True
        if not self.connections.wait(self.connection):
            return
        self._reader.deadline = None
        self._reader.left = _MOST_HEADERS
        try:
            super().handle_one_request()
        except OSError:
            # The client has gone, or was ended.
            self.close_connection = True

    def finish(self) -> None:
        """The connection ends."""
        self.connections.forget(self.connection)
        try:
            super().finish()
        except OSError:
            pass

    def _body(self) -> bytes:
        """The body of the request.  Raises Rejected."""
        size = self.headers.get("Content-Length", "")
        if not size.isascii() or not size.isdigit():
            raise Rejected(411, "the request does not say its size")
        if len(size) > 19 or int(size) > MOST_BYTES:
            raise Rejected(413, "the request is too large")
        self._reader.left = None
        data, left = bytearray(), int(size)
        while left:
            try:
                piece = self.rfile.read1(min(left, 1 << 16))
            except socket.timeout as error:
                raise Rejected(408, "the request takes too long") from error
            except OSError as error:
                raise Rejected(400, "the request breaks off") from error
            if not piece:
                raise Rejected(400, "the request breaks off")
            self.connections.receive(self.connection, len(piece))
            data += piece
            left -= len(piece)
        return bytes(data)

    def check(self) -> None:
        """Raise Rejected if the client may not ask."""

    def more_headers(self) -> dict[str, str]:
        """Headers of the answer."""
        return {}

    def _forward(self) -> tuple[int, str, bytes]:
        if self.path != self.path_of_service:
            raise Rejected(404, "requests are taken at "
                           f"{self.path_of_service}")
        self.check()
        coding = self.headers.get("Content-Encoding", "identity").lower()
        if coding not in ("gzip", "identity"):
            raise Rejected(415, f"the encoding {coding} is not supported")
        headers = {name: self.headers[name] for name in _KEPT
                   if name in self.headers}
        data = self._body()
        self.connections.whole(self.connection)
        return self.forwarder.forward(
            data, headers, coding == "gzip",
            lambda: self.connections.begin(self.connection))

    def do_POST(self) -> None:
        """Name the profiles of the request, and hand them on."""
        kept = 0
        try:
            status, kind, answer = self._forward()
            kept = len(answer)
        except Rejected as why:
            # The rest of the request may not have been read.
            self.close_connection = True
            status, kind = why.args[0], "text/plain; charset=utf-8"
            answer = f"{why.args[1]}\n".encode("utf-8", "replace")
        self.connection.settimeout(PATIENCE)
        try:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(answer)))
            for name, value in self.more_headers().items():
                self.send_header(name, value)
            if self.close_connection:
                self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(answer)
        finally:
            if kept:
                self.forwarder.written(kept)


class _Server(http.server.ThreadingHTTPServer):
    """Has a thread for each connection, and knows how many run."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], forwarder: Any,
                 handler: type[Handler]) -> None:
        """FORWARDER: makes the answers that HANDLER gives."""
        self.connections = _Connections()
        self._running = 0
        self._changed = threading.Condition()
        super().__init__(address, type("Handler", (handler,), {
            "forwarder": forwarder, "connections": self.connections}))

    def _run(self, more: int) -> None:
        with self._changed:
            self._running += more
            self._changed.notify_all()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Start a thread for the connection REQUEST."""
        self._run(1)
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._run(-1)
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Handle the connection REQUEST."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._run(-1)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection ended by an exception."""
        error = sys.exc_info()[1]
        print(f"gsym-otlp: a request failed: {type(error).__name__}: {error}",
              file=sys.stderr, flush=True)

    def end(self) -> bool:
        """Take no further requests, and wait for the answers to those that are
        whole, but no longer than they may take.  Returns whether all threads
        have ended."""
        self.shutdown()
        self.server_close()
        self.connections.end()
        with self._changed:
            # The time for the names, for the collector, and for the answer.
            return self._changed.wait_for(lambda: not self._running,
                                          3 * PATIENCE)


def _address(text: str) -> tuple[str, int]:
    """Host and port of TEXT.  Raises ValueError."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65535:
        raise ValueError(f"not HOST:PORT: '{text}'")
    return host.strip("[]"), int(port)


def _listen_http(text: str, forwarder: Any, handler: type[Handler]) -> _Server:
    """A server at TEXT, which runs already."""
    server = _Server(_address(text), forwarder, handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print("gsym-otlp: listening at %s:%d" % server.server_address[:2],
          file=sys.stderr, flush=True)
    return server


def _listen_grpc(text: str, forwarder: Forwarder) -> Any:
    """A server at TEXT for gRPC, which runs already.  Raises ImportError."""
    from concurrent import futures

    import grpc

    codes = {400: grpc.StatusCode.INVALID_ARGUMENT,
             415: grpc.StatusCode.UNIMPLEMENTED}

    def export(data: bytes, context: Any) -> bytes:
        try:
            status, _, answer = forwarder.forward(data, {})
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
    # A request that is not whole has a thread, too: connections end after a
    # time, so that slow clients do not keep all threads.
    server = grpc.server(
        futures.ThreadPoolExecutor(8 * AT_ONCE),
        maximum_concurrent_rpcs=8 * AT_ONCE, options=[
            ("grpc.max_receive_message_length", MOST_BYTES),
            ("grpc.max_connection_age_ms", 1000 * PATIENCE),
            ("grpc.max_connection_age_grace_ms", 1000 * PATIENCE),
            ("grpc.so_reuseport", 0)])
    server.add_generic_rpc_handlers((Handler(),))
    if not server.add_insecure_port(text):
        raise OSError(f"cannot listen at {text}")
    server.start()
    return server


def serve(options: argparse.Namespace) -> int:
    """Serve as OPTIONS say, until SIGINT or SIGTERM.  Returns an exit
    status."""
    signals = {signal.SIGINT, signal.SIGTERM}
    servers: list[_Server] = []
    grpc_server: Optional[Any] = None
    # Signals wait for sigwait(), in all threads.  A handler that sets an event
    # can run while the main thread has the event's lock, and waits for ever.
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        with Store(options.gsym_file_directory, copy=options.copy) as store:
            if options.forward:
                forwarder = Forwarder(store, options.forward,
                                      options.return_addresses)
            if options.listen:
                servers.append(_listen_http(options.listen, forwarder, Handler))
            if options.listen_symbols:
                from gsym import _symbolicate
                servers.append(_listen_http(
                    options.listen_symbols, _symbolicate.Symbolicator(store),
                    _symbolicate.SymbolHandler))
            if options.listen_grpc:
                grpc_server = _listen_grpc(options.listen_grpc, forwarder)
            signal.sigwait(signals)
            # A second one ends the program at once.
            for number in signals:
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
            ended = all([server.end() for server in servers])
            if grpc_server:
                grpc_server.stop(PATIENCE).wait()
            if not ended:
                # Threads that still run must not see how Python ends.
                os._exit(0)
    except ImportError as error:
        print(f"gsym-otlp: gRPC needs the package grpcio: {error}",
              file=sys.stderr)
        return 2
    except _profile.ERRORS as error:
        print(f"gsym-otlp: {error}", file=sys.stderr)
        return 2
    return 0
