# SPDX-License-Identifier: MIT
"""Collects the crashes of a log, from the objects of "gsym-markup --json".

A crash is a stack trace.  Of the traces in a report of a sanitizer or of the
Linux kernel only the first one counts, and each leak.  Crashes with the same
signature are the same crash.
"""

from __future__ import annotations

import collections
import functools
import json
import re
import sys
from typing import Any, NamedTuple, Optional

# Functions of a crash, inlined ones included.
MOST_FRAMES = 256
# Functions that the signature depends on, from the innermost on.
SIGNIFICANT = 8
# Bytes of the names of a defect and of the tool that found it.
MOST_KIND = 63
MOST_PROCESSES = 4096
# Lines about reports that are ahead of the frames.
MOST_MARKS = 4096
# Different crashes that are kept, and the functions of all of them.
MOST_CRASHES = 1 << 16
MOST_KEPT = 1 << 21
# Names that the log gives and that are kept, and characters of each; and the
# bytes of memory for these names and those of the symbols.
MOST_TEXTS = 1 << 16
LONGEST_TEXT = 4096
MOST_BYTES = 1 << 28
# Objects of frames that are kept read, because frames are repeated, and bytes
# of each.
MOST_CACHED = 8192
LONGEST_CACHED = 2048


class FormatError(ValueError):
    """The input is not what "gsym-markup --json" writes."""


class Function(NamedTuple):
    """A function on the stack of a crash.  Texts and numbers that are not known
    are empty and 0."""
    # The linkage name, and the readable one.
    linkage: str
    readable: str
    file: str
    line: int
    # The base name of the module.
    module: str
    # The function was inlined into that of the next frame.
    inlined: bool

    @property
    def name(self) -> str:
        """The readable name, or the module."""
        return self.readable if self.linkage else self.module or "?"


class Crash:
    """A crash that happened once or more."""

    def __init__(self, signature: int, kind: bytes, tool: bytes, line: int,
                 frames: tuple[Function, ...], counts: bytes) -> None:
        """FRAMES is the stack of the first time.  COUNTS has a byte for each
        frame: 1 if the signature depends on it."""
        self.signature = signature
        # What a sanitizer or the kernel calls the crash, and the name of the
        # sanitizer; empty: neither reported it.
        self.kind, self.tool = kind, tool
        self.count = 0
        self.first_line, self.last_line = line, 0
        self.frames, self.counts = frames, counts

    def main_frame(self, place: bool) -> Optional[Function]:
        """The first frame that the signature depends on; if PLACE, that has a
        file, too, or else any frame with a file."""
        for frame, counts in zip(self.frames, self.counts):
            if counts and (frame.file or not place):
                return frame
        return next((frame for frame in self.frames if place and frame.file),
                    None)


# ---- reports of sanitizers and of the kernel

_REPORT, _LEAK, _END = range(3)
# Lines without any of these say nothing about a report.
_WORDS = (b"Sanitizer: ", b": runtime error: ", b"irect leak of ", b"BUG: ",
          b"kernel BUG at ", b"WARNING: CPU: ", b"general protection fault",
          b"Unable to handle kernel ", b"---[ end trace ", b"INFO: task ")
# What begins a report of the kernel, and how many bytes of it are no part of the
# kind.
_OOPSES = ((b"BUG: ", 5), (b"kernel BUG at ", 0), (b"WARNING: CPU: ", 0),
           (b"general protection fault", 0), (b"Unable to handle kernel ", 0))
_KIND_END = re.compile(rb"[(:]| on ")
_OOPS_END = re.compile(rb" in | for | at | - |, |: ")


def _may_tell(text: bytes) -> bool:
    """Whether the line TEXT may say something about a report."""
    for word in _WORDS:
        if word in text:
            return True
    return False


# What a line says about a report: _REPORT, _LEAK or _END, the kind, the tool.
_Mark = tuple[int, bytes, bytes]


def _until(text: bytes, end: re.Pattern[bytes]) -> bytes:
    """TEXT up to what END finds."""
    found = end.search(text)
    return text[:found.start()] if found else text


def _short(text: bytes) -> bytes:
    """TEXT as it is kept."""
    return text[:MOST_KIND].partition(b"\0")[0]


def _kind(text: bytes) -> bytes:
    """The name of a defect at the start of TEXT: "heap-use-after-free on address
    ...", "data race (pid=1)", "signed integer overflow: 1 + ..."."""
    return _until(text, _KIND_END).rstrip(b" ")


def _report_mark(text: bytes, colon: int) -> Optional[_Mark]:
    """The mark of "==1==ERROR: AddressSanitizer: heap-use-after-free", in which
    the name of the tool ends at COLON."""
    if b"SUMMARY:" in text:
        return _END, b"", b""
    if b"ERROR:" not in text and b"WARNING:" not in text:
        return None
    tool = text[text.rfind(b" ", 0, colon) + 1:colon]
    return _REPORT, _kind(text[colon + 2:]), tool


def _oops_mark(text: bytes) -> _Mark:
    """The mark of the kernel's report whose kind is at the start of TEXT: "kernel
    NULL pointer dereference, address: 0000000000000008", "KASAN: use-after-free
    in f+0x1"."""
    tool = b"kernel"
    colon = text.find(b": ", 0, 9) if len(text) > 8 and text[:1] == b"K" else -1
    if colon >= 0:
        tool, text = text[:colon], text[colon + 2:]
    return _REPORT, _until(text, _OOPS_END), tool


def _kernel_mark(text: bytes) -> Optional[_Mark]:
    """What the line TEXT of the kernel says about a report."""
    if b"---[ end trace " in text:
        return _END, b"", b""
    for start, skip in _OOPSES:
        found = text.find(start)
        if found >= 0:
            return _oops_mark(text[found + skip:])
    return ((_REPORT, b"hung task", b"kernel") if b"INFO: task " in text
            else None)


def _mark_of(text: bytes, kernel: bool) -> Optional[_Mark]:
    """What the line TEXT says about a report.  KERNEL: also of the kernel."""
    found = text.find(b"Sanitizer: ")
    if found >= 0:
        return _report_mark(text, found + len(b"Sanitizer"))
    _, error, what = text.partition(b": runtime error: ")
    if error:
        return _REPORT, _kind(what), b"UndefinedBehaviorSanitizer"
    if b"irect leak of " in text:
        return _LEAK, b"memory leak", b"LeakSanitizer"
    return _kernel_mark(text) if kernel else None


# ---- signatures

# Functions that say nothing about a crash: they allocate memory, report the
# crash, or start a thread.
_SKIPPED_STARTS = (
    "__interceptor_", "___interceptor_", "__asan_", "__hwasan_", "__msan_",
    "__tsan_", "__ubsan_", "__lsan_", "__sanitizer_", "_ZN6__asan",
    "_ZN8__hwasan", "_ZN6__msan", "_ZN6__tsan", "_ZN7__ubsan", "_ZN6__lsan",
    "_ZN11__sanitizer", "_ZN4llvm3sys15PrintStackTrace",
    "llvm::sys::PrintStackTrace", "_ZN4llvm3sys17RunSignalHandlers",
    "llvm::sys::RunSignalHandlers", "__scudo_", "_ZN5scudo", "_ZN8__scudo",
    "je_", "tc_", "mi_", "_Znw", "_Zna", "_Zdl", "_Zda", "__libc_start_",
    "__GI_", "__pthread_kill")
_SKIPPED_NAMES = frozenset((
    "malloc", "calloc", "realloc", "reallocarray", "free", "cfree", "memalign",
    "aligned_alloc", "posix_memalign", "valloc", "abort", "raise", "gsignal",
    "pthread_kill", "__assert_fail", "__assert_fail_base", "_ZSt9terminatev",
    "__cxa_throw", "_ZN9__gnu_cxx27__verbose_terminate_handlerEv",
    "_ZN10__cxxabiv111__terminateEPFvvE", "__stack_chk_fail", "__fortify_fail",
    "__chk_fail", "_start", "clone", "clone3", "__clone", "__clone3",
    "start_thread"))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _hash_more(value: int, text: bytes) -> int:
    """The FNV-1a hash VALUE, continued with TEXT and a line feed."""
    for byte in text:
        value = (value ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return (value ^ 10) * 0x100000001b3 & 0xffffffffffffffff


def _stable(name: str) -> str:
    """The linkage NAME without the suffixes that compilers give to copies and
    parts of a function: ".cold", ".isra.0", ".llvm.123"."""
    dot = name.find(".", name.startswith("."))
    return name[:dot] if dot >= 0 else name


@functools.lru_cache(maxsize=2048)
def _sign(kind: bytes, frames: tuple[Function, ...]) -> tuple[int, bytes]:
    """The signature of a crash, and a byte for each of FRAMES: 1 if the
    signature depends on it."""
    skipped = [frame.inlined or frame.linkage in _SKIPPED_NAMES or
               frame.linkage.startswith(_SKIPPED_STARTS) for frame in frames]
    if all(skipped):
        skipped = [frame.inlined for frame in frames]
    value = _hash_more(0xcbf29ce484222325, kind)
    counts = bytearray(len(frames))
    last = None
    for at, frame in enumerate(frames):
        name = frame.linkage or frame.module
        # A recursion may be of any depth.
        if skipped[at] or name == last:
            continue
        value = _hash_more(value, _bytes(_stable(name)))
        counts[at] = 1
        last = name
        if counts.count(1) == SIGNIFICANT:
            break
    return value, bytes(counts)


# ---- crashes


class _Trace:
    """The stack trace of a process, which has not ended yet."""

    def __init__(self) -> None:
        self.open = False
        # A name is missing, for which there was no room: the signature would be
        # that of another crash.
        self.nameless = False
        # FIRST_LINE is 0 before the first frame.
        self.first_line = self.last_number = 0
        self.kind = self.tool = b""
        self.frames: list[Function] = []


class _Frame(NamedTuple):
    """What the object of a frame says, without line and number."""
    # None: its name is too long.
    process: Optional[str]
    functions: tuple[Function, ...]
    nameless: bool


def _integer(digits: str) -> int:
    if len(digits) > 20:
        raise FormatError("a number has too many digits")
    return int(digits)


_decode = json.JSONDecoder(parse_int=_integer).decode
# The beginning of an object of a frame as gsym-markup writes it.
_FRAME_START = re.compile(rb'\{"line":(\d{1,19}),"frame":(\d{1,19}),')


def decode(raw: bytes) -> dict[str, Any]:
    """The object in the line RAW.  Raises FormatError if it is none."""
    try:
        found = _decode(raw.decode("utf-8"))
    except FormatError:
        raise
    except (ValueError, RecursionError):
        raise FormatError("a line is no object of JSON") from None
    if not isinstance(found, dict):
        raise FormatError("a line is no object of JSON")
    return found


def _number_in(found: dict[str, Any], key: str) -> int:
    number = found.get(key, 0)
    if type(number) is not int or not 0 <= number < 1 << 64:
        raise FormatError(f"'{key}' is no number")
    return number


def _text_in(found: dict[str, Any], key: str) -> str:
    text = found.get(key, "")
    if not isinstance(text, str):
        raise FormatError(f"'{key}' is no text")
    return text


class Crashes:
    """The crashes so far."""

    def __init__(self, kernel: bool) -> None:
        """KERNEL: the log may have reports of the kernel."""
        self._kernel = kernel
        # Marks of lines whose frames may come yet, each with its line.
        self._marks: collections.deque[tuple[int, _Mark]] = collections.deque()
        # The line of the last mark that had to make room before the frames of
        # its line came.
        self._hurried = 0
        # The report at hand, and whether it has its trace.
        self._report: Optional[_Mark] = None
        self._reported = False
        self._traces: dict[str, _Trace] = {}
        # The texts that are kept, how many of them the log has given, and the
        # memory of all.
        self._texts: dict[str, str] = {"": ""}
        self._given = self._bytes = 0
        self._frames: dict[bytes, _Frame] = {}
        self._crashes: dict[int, Crash] = {}
        self._kept = 0
        # Stack traces for which there was no room.
        self.lost = 0

    # -- objects

    def take(self, raw: bytes) -> Optional[dict[str, Any]]:
        """Take the object in the line RAW; return it if it is neither of a line
        nor of a frame.  Raises FormatError."""
        start = _FRAME_START.match(raw)
        if start:
            self._add(int(start[1]), int(start[2]),
                      self._cached(raw[start.end():]))
            return None
        # This cannot stand inside a string of JSON, where quotes have a
        # backslash.
        if b',"text":' in raw and not _may_tell(raw):
            return None
        found = decode(raw)
        if "text" in found:
            self._take_line(_number_in(found, "line"), _text_in(found, "text"))
        elif "frame" in found:
            self._add(_number_in(found, "line"), _number_in(found, "frame"),
                      self._read(found))
        else:
            return found
        return None

    def _cached(self, rest: bytes) -> _Frame:
        """What the object of a frame says whose members behind the first two
        are REST."""
        frame = self._frames.get(rest)
        if frame is None:
            frame = self._read(decode(b"{" + rest))
            if len(self._frames) >= MOST_CACHED:
                self._frames.clear()
            if len(rest) <= LONGEST_CACHED:
                self._frames[rest] = frame
        return frame

    # -- reports

    def _take_line(self, line: int, text: str) -> None:
        mark = _mark_of(_bytes(text), self._kernel)
        if not mark:
            return
        if len(self._marks) >= MOST_MARKS:
            self._hurried = self._marks[0][0]
            self._pass_mark()
        kind, what, tool = mark
        self._marks.append((line, (kind, _short(what), _short(tool))))

    def _pass_mark(self) -> None:
        """Let the oldest mark take effect."""
        _, mark = self._marks.popleft()
        self._report = mark if mark[0] != _END else None
        self._reported = False

    # -- frames

    def _keep(self, text: str, given: bool) -> Optional[str]:
        """TEXT as it is kept; None if there is no room.  GIVEN: by the log."""
        kept = self._texts.get(text)
        if kept is not None:
            return kept
        # An entry of the table takes about 100 bytes.
        size = sys.getsizeof(text) + 100
        if self._bytes + size > MOST_BYTES or (
                given and (len(text) > LONGEST_TEXT or
                           self._given >= MOST_TEXTS)):
            return None
        self._given += given
        self._bytes += size
        self._texts[text] = text
        return text

    def _read(self, found: dict[str, Any]) -> _Frame:
        """The frame that the object FOUND tells."""
        answered = found.get("found") is True
        functions = found.get("functions") or [{}]
        if not isinstance(functions, list):
            raise FormatError("'functions' is no array")
        missing = False

        def keep(text: str, given: bool) -> str:
            nonlocal missing
            kept = self._keep(text.partition("\0")[0], given)
            missing |= kept is None
            return kept or ""

        module = keep(_text_in(found, "module").rpartition("/")[2], True)
        result = []
        for at, one in enumerate(functions[:MOST_FRAMES]):
            if not isinstance(one, dict):
                raise FormatError("'functions' has something else")
            readable = _text_in(one, "function")
            linkage = _text_in(one, "linkage_name") or readable
            result.append(Function(
                keep(linkage, not answered), keep(readable, not answered),
                keep(_text_in(one, "file"), False), _number_in(one, "line"),
                module, at + 1 < len(functions)))
        process = _text_in(found, "process")
        return _Frame(process if len(process) <= LONGEST_TEXT else None,
                      tuple(result), missing)

    def _trace_of(self, process: Optional[str]) -> Optional[_Trace]:
        """The trace of PROCESS; None if there are too many processes."""
        if process is None:
            return None
        trace = self._traces.get(process)
        if not trace and len(self._traces) < MOST_PROCESSES:
            trace = self._traces[process] = _Trace()
        return trace

    def _add(self, line: int, number: int, frame: _Frame) -> None:
        """FRAME, of that NUMBER, is in LINE of the log."""
        trace = self._trace_of(frame.process)
        while self._marks and self._marks[0][0] <= line:
            self._pass_mark()
        if not trace:
            self.lost += number == 0
            return
        if not trace.first_line or number <= trace.last_number:
            self._end_trace(trace)
            self._begin_trace(trace, line)
        trace.last_number = number
        if trace.open:
            trace.nameless |= frame.nameless
            trace.frames += frame.functions[:MOST_FRAMES - len(trace.frames)]

    def _begin_trace(self, trace: _Trace, line: int) -> None:
        trace.first_line = line
        # The filter held the line back, and too many marks came meanwhile: the
        # report of the line is not known any more.
        if line < self._hurried:
            trace.open = False
            self.lost += 1
            return
        trace.open = not (self._report and self._reported)
        trace.nameless = False
        trace.frames = []
        trace.kind = trace.tool = b""
        if self._report:
            self._reported = True
            _, trace.kind, trace.tool = self._report

    def _end_trace(self, trace: _Trace) -> None:
        """TRACE has ended: count it."""
        if not trace.open:
            return
        trace.open = False
        crash = None if trace.nameless else self._crash_of(trace)
        if not crash:
            self.lost += 1
            return
        crash.count += 1
        # Traces of several processes end in another order than they begin.
        crash.first_line = min(crash.first_line, trace.first_line)
        crash.last_line = max(crash.last_line, trace.first_line)

    def _crash_of(self, trace: _Trace) -> Optional[Crash]:
        """The crash with the signature of TRACE, which is made if there is room;
        None."""
        frames = tuple(trace.frames)
        signature, counts = _sign(trace.kind, frames)
        crash = self._crashes.get(signature)
        count = len(self._crashes)
        # The first one has room in any case.
        if crash or (count and (count >= MOST_CRASHES or
                                self._kept + len(frames) > MOST_KEPT)):
            return crash
        self._kept += len(frames)
        crash = Crash(signature, trace.kind, trace.tool, trace.first_line,
                      frames, counts)
        self._crashes[signature] = crash
        return crash

    def end(self) -> list[Crash]:
        """The log has ended: its crashes, the most frequent first, then in the
        order of the log."""
        for trace in self._traces.values():
            self._end_trace(trace)
        return sorted(self._crashes.values(), key=lambda crash: (
            -crash.count, crash.first_line, crash.signature))
