# SPDX-License-Identifier: MIT
"""gsym-otlp --listen-symbols: a symbol server for the Firefox Profiler.

Answers requests of the API /symbolicate/v5, which Mozilla's Tecken and samply
have: modules by Breakpad's debug IDs, and addresses as offsets from the first
loaded segment of a module.
"""

from __future__ import annotations

import json
import threading
import time
import urllib.parse
from typing import Any, Callable, Iterator, Optional

from gsym import _debugid, _profile, _receiver, otlp
from gsym._demangle import Demangler
from gsym._profile import Budget
from gsym._receiver import Handler, Memory, Rejected
from gsym._store import FOUND, Frame, Names, NoHeadersError, Store

_PATH = "/symbolicate/v5"
#: Pages that may ask: every page that a browser shows can send requests to this
#: machine.
_PAGES = ("https://profiler.firefox.com",)
_LOCAL = ("localhost", "127.0.0.1", "::1")

# The most bytes of a request, of all requests and answers that are in memory,
# and of one answer.  Twice as many as the last are reserved for a request.
_MOST_BYTES = 16 << 20
_MOST_MEMORY = 2 << 30
_MOST_ANSWER = 128 << 20
#: A byte of a request takes so many.
_COST = 40


class _Module:
    """A program of the store, in use until close()."""

    def __init__(self, store: Store, entry: int, base: int,
                 demangler: Demangler) -> None:
        self._store = store
        self._entry: Optional[int] = entry
        self._base = base
        self._names = Names()
        self._demangle = demangler

    def frames(self, offset: int) -> list[Frame]:
        """The frames at OFFSET, innermost first; none without an answer."""
        assert self._entry
        status, frames = self._store._call(
            self._store._library.gsym_store_reader(self._entry),
            self._base + offset & (1 << 64) - 1, 0)
        if status != FOUND:
            return []
        return [frame._replace(function=self._demangle(
            frame.function.encode()).decode("utf-8", "replace"))
                for frame in map(self._names.frame, frames)]

    def close(self) -> None:
        """The program is not used any more."""
        entry, self._entry = self._entry, None
        self._store._release(entry)


def _open(store: Store, debug_id: str,
          demangler: Demangler) -> Optional[_Module]:
    """The program with Breakpad's DEBUG_ID; None if there is none in STORE, or
    several are, or its first address is not known."""
    for build_id in _debugid.candidates(store, debug_id):
        entry = store._find(build_id)
        if not entry:
            continue
        try:
            base = _debugid.base_of(store, entry)
        except (NoHeadersError, OSError):
            base = None
        if base is None:
            store._release(entry)
            return None
        return _Module(store, entry, base, demangler)
    return None


def _frame(number: int, module: str, offset: int,
           frames: list[Frame]) -> dict[str, Any]:
    """The answer for frame NUMBER of a stack."""
    answer: dict[str, Any] = {"frame": number, "module": module,
                              "module_offset": hex(offset)}
    for frame in frames[-1:]:
        answer["function"] = frame.function
        answer["function_offset"] = hex(frame.offset)
        answer.update(_place(frame))
        if len(frames) > 1:
            answer["inlines"] = [{"function": inner.function, **_place(inner)}
                                 for inner in frames[:-1]]
    return answer


def _place(frame: Frame) -> dict[str, Any]:
    """File and line of FRAME, as far as they are known."""
    return {key: value for key, value in (("file", frame.file),
                                          ("line", frame.line)) if value}


class _Request:
    """The jobs of a request, and the modules that are open for it."""

    def __init__(self, store: Store, budget: Budget) -> None:
        self._store = store
        self._budget = budget
        self._demangler = Demangler()
        self._modules: dict[str, Optional[_Module]] = {}

    def close(self) -> None:
        """Close all modules."""
        for module in self._modules.values():
            if module:
                module.close()
        self._modules = {}

    def _module(self, debug_id: str) -> Optional[_Module]:
        if debug_id not in self._modules:
            self._budget.check()
            if len(self._modules) >= _debugid.MOST_MODULES:
                raise Rejected(413, "the request has too many modules")
            try:
                self._modules[debug_id] = _open(self._store, debug_id,
                                                self._demangler)
            except OSError:
                self._modules[debug_id] = None
        return self._modules[debug_id]

    def job(self, job: Any) -> Iterator[str]:
        """The answer to JOB, an object, in pieces of JSON."""
        memory_map = job.get("memoryMap")
        stacks = job.get("stacks")
        if not isinstance(memory_map, list) or not isinstance(stacks, list):
            raise Rejected(400, "a job has no memoryMap, or no stacks")
        found = {}
        for entry in memory_map:
            if not (isinstance(entry, list) and len(entry) == 2
                    and all(isinstance(text, str) for text in entry)):
                raise Rejected(400, "a module is no pair of texts")
            found["/".join(entry)] = self._module(entry[1]) is not None
        yield '{"stacks":['
        for at, stack in enumerate(stacks):
            if not isinstance(stack, list):
                raise Rejected(400, "a stack is no list")
            yield ",[" if at else "["
            for number, frame in enumerate(stack):
                if not number % 256:
                    self._budget.check()
                yield ("," if number else "") + json.dumps(
                    self._answer(number, frame, memory_map))
            yield "]"
        yield '],"found_modules":' + json.dumps(found) + "}"

    def _answer(self, number: int, frame: Any,
                memory_map: list[list[str]]) -> dict[str, Any]:
        """The answer to FRAME, index of a module and offset."""
        if not (isinstance(frame, list) and len(frame) == 2
                and all(type(value) is int for value in frame)
                and -1 <= frame[0] < len(memory_map)
                and 0 <= frame[1] < 1 << 64):
            raise Rejected(400, "a frame is no pair of module and offset")
        index, offset = frame
        if index < 0:
            return _frame(number, "", offset, [])
        name, debug_id = memory_map[index]
        module = self._module(debug_id)
        return _frame(number, name, offset,
                      module.frames(offset) if module else [])


class Symbolicator:
    """Answers requests by the files of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._memory = Memory(_MOST_MEMORY)
        self._at_once = threading.BoundedSemaphore(_receiver.AT_ONCE)

    def answer(self, data: bytes, deadline: float) -> bytes:
        """The answer to the request DATA.  Raises Rejected."""
        try:
            request = json.loads(data, **otlp.SHORT)
        except (ValueError, RecursionError) as error:
            raise Rejected(400, f"not JSON: {error}") from error
        jobs = request.get("jobs", [request]) if isinstance(request, dict) else (
            None)
        if not isinstance(jobs, list) or not all(
                isinstance(job, dict) for job in jobs):
            raise Rejected(400, "the request has no list of jobs")
        budget = Budget(0, _MOST_ANSWER, deadline)
        out = bytearray(b'{"results":[')
        named = _Request(self._store, budget)
        try:
            for at, job in enumerate(jobs):
                if at:
                    out += b","
                for piece in named.job(job):
                    budget.take(len(piece))
                    out += piece.encode("ascii")
        except _profile.LimitError as error:
            raise Rejected(413, str(error)) from error
        except _profile.FormatError as error:
            raise Rejected(413, "the answer is too large") from error
        finally:
            named.close()
        out += b"]}"
        return bytes(out)

    def forward(self, data: bytes, _headers: dict[str, str],
                packed: bool = False,
                begin: Optional[Callable[[], None]] = None
                ) -> tuple[int, str, bytes]:
        """As Forwarder has it, with an answer of the store."""
        if packed:
            raise Rejected(415, "requests are not compressed")
        if len(data) > _MOST_BYTES:
            raise Rejected(413, "the request is too large")
        deadline = time.monotonic() + _receiver.PATIENCE
        taken = self._memory.take(len(data) * _COST + 2 * _MOST_ANSWER, deadline)
        try:
            if begin:
                begin()
            with _receiver.turn(self._at_once, deadline):
                answer = self.answer(data, deadline)
            # The answer takes memory until it is written.
            taken -= len(answer)
            return 200, "application/json", answer
        finally:
            self._memory.give(taken)

    def written(self, size: int) -> None:
        """An answer of SIZE bytes is written, or its client is gone."""
        self._memory.give(size)


class SymbolHandler(Handler):
    """Answers a request for symbols over HTTP, of programs and of pages that may
    ask."""

    path_of_service = _PATH

    def _page(self) -> Optional[str]:
        """The page that asks; None if it is no page.  Raises Rejected."""
        page: Optional[str] = self.headers.get("Origin")
        if page is None or page in _PAGES:
            return page
        try:
            parts = urllib.parse.urlsplit(page)
            is_local = parts.scheme in ("http", "https") and (
                parts.hostname in _LOCAL and parts.username is None)
        except ValueError:
            is_local = False
        if not is_local:
            raise Rejected(403, "this page may not ask for symbols")
        return page

    def check(self) -> None:
        """Raise Rejected if the client may not ask."""
        self._page()

    def more_headers(self) -> dict[str, str]:
        """Headers of the answer: the page may read it."""
        try:
            page = self._page()
        except Rejected:
            return {}
        return {"Access-Control-Allow-Origin": page, "Vary": "Origin"} if (
            page) else {}

    def do_OPTIONS(self) -> None:
        """A browser asks whether a page may ask."""
        self.send_response(204 if self.more_headers() else 403)
        for name, value in self.more_headers().items():
            self.send_header(name, value)
        self.send_header("Access-Control-Allow-Methods", "POST")
        self.send_header("Access-Control-Allow-Headers", "Content-Type")
        self.send_header("Access-Control-Allow-Private-Network", "true")
        self.send_header("Content-Length", "0")
        if "Content-Length" in self.headers or (
                "Transfer-Encoding" in self.headers):
            # The body is not read.
            self.close_connection = True
            self.send_header("Connection", "close")
        self.end_headers()
