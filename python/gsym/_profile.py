# SPDX-License-Identifier: MIT
"""What profiles of all formats share: from the address of a process to frames,
counts of addresses without names, and the program around it."""

from __future__ import annotations

import argparse
import array
import collections
import ctypes
import gzip
import io
import itertools
import os
import re
import stat
import struct
import sys
import tempfile
import time
import zlib
from typing import (Any, Callable, Generic, Iterable, Iterator, Optional,
                    Sequence, TypeVar, Union)

from gsym import __version__, _library, _store
from gsym._gperftools import CPU_HEADERS
from gsym._store import (FOUND, NOWHERE, Names, NoHeadersError, Store,
                         _FRAME)
from gsym._wire import FormatError

# What a compressed profile may become, and what may be added to a profile: a
# multiple of its size, or so many bytes, whichever is more.
_MOST_RATIO = 32
_MOST_BYTES = 64 << 20

#: Bytes of memory that something new takes beside its own.
OVERHEAD = 64

_GZIP = b"\x1f\x8b"
# Struct gsym_frame begins with pointers to the texts of function, folder and
# base name, and the line.  _PART unpacks these alone, the pointers as bytes.
_TEXTS = struct.Struct("PPP")
_PART = struct.Struct(f"{_TEXTS.size}sI{_FRAME.size - _TEXTS.size - 4}x")
_MASK = (1 << 64) - 1


def most_of(size: int, least: int = _MOST_BYTES) -> int:
    """The most bytes that a profile of SIZE bytes may become: LEAST, or a
    multiple of SIZE."""
    return max(least, _MOST_RATIO * size)


# ---- addresses


# Why a location has no name, in the order of the report.
NO_MAPPING = "without a mapping"
NO_BUILD_ID = "in mappings without a build ID"
NO_FILE = "of build IDs without a GSYM file"
UNREADABLE = "of GSYM files that cannot be opened"
NO_HEADERS = "of build IDs without program headers"
OUTSIDE = "outside of their mapping"
NOT_LOADED = "in no loaded segment of the program"
KERNEL = "of a kernel that was moved when it started"
NAMED = "in mappings that have functions"
NOT_COVERED = "that no function covers"
DAMAGED = "with a damaged record"
REASONS = (NO_MAPPING, NO_BUILD_ID, NO_FILE, UNREADABLE, NO_HEADERS, OUTSIDE,
           NOT_LOADED, KERNEL, NAMED, NOT_COVERED, DAMAGED)

# The most build IDs that are named.
_MOST_NOTES = 8


class Unnamed(Exception):
    """An address has no name; the argument is one of REASONS."""


# perf's names of a kernel's mapping.  Most end with the symbol at the start of the
# mapping.  Those of a guest may have the number of its process.
_KERNEL = re.compile(rb"\[(?:guest\.)?kernel\.kallsyms(?:\.\d+)?\](_s?text)?")


class Mapping:
    """A part of a program's file in the memory of a process."""

    def __init__(self, start: int, limit: int, offset: int,
                 build_ids: Sequence[bytes], name: bytes = b"") -> None:
        self.start = start
        #: 0: addresses are those that the program was linked to.
        self.limit = limit
        self.offset = offset
        if not start and not offset and limit == _MASK:
            # All memory stands for the same.
            self.limit = 0
        elif start and not limit:
            # Where the program lies is known, and its end is not.
            self.limit = _MASK + 1
        #: The identities of the file; the first one with a GSYM file counts.
        self.build_ids = build_ids
        #: The file's name.
        self.name = name
        #: The profiler is known to give linked addresses: without program
        #: headers they are taken as they are.  Addresses of a process are far
        #: above those that programs and libraries are linked to, so these get
        #: no name.
        self.is_linked = False
        # How far the kernel was moved; None if that is not known yet.
        self._moved: Optional[int] = None

    def _linked(self, store: Store, entry: int, addresses: Sequence[int]
                ) -> "tuple[array.array[int], Optional[int]]":
        """The addresses that the program, that of ENTRY, was linked to, of
        ADDRESSES in the mapping; and the one that stands for all in no segment,
        None if segments were not asked.  Raises Unnamed."""
        if not self.limit:
            return array.array("Q", addresses), None
        # Kernels of 32 bits lie in the lower half.
        if self.start and self.offset in (0, self.start) and (
                self.start >> 63 or _KERNEL.fullmatch(self.name)):
            if self._moved is None:
                self._moved = self._kernel_moved(store, entry)
            moved = self._moved
            return array.array("Q", (
                address - moved & _MASK for address in addresses)), None
        behind = self.offset - self.start
        try:
            return store._addresses_of(entry, (
                address + behind & _MASK for address in addresses)), NOWHERE
        except NoHeadersError as error:
            if self.is_linked:
                return array.array("Q", addresses), None
            raise Unnamed(NO_HEADERS) from error
        except OSError as error:
            raise Unnamed(UNREADABLE) from error

    def _kernel_moved(self, store: Store, entry: int) -> int:
        """How far the kernel of ENTRY was moved when it started.  perf gives its
        mapping the address as file offset, and other programs 0: neither is an
        offset of the file.  Raises Unnamed."""
        named = _KERNEL.fullmatch(self.name)
        linked = (store._symbol_of(entry, named[1]) if named and named[1]
                  else None)
        if linked is None:
            # The kernel is where it was linked to if the mapping begins in the
            # page where the program begins.
            header = (ctypes.c_uint64 * 64)()
            store._library.gsym_get_header(
                store._library.gsym_store_reader(entry), header)
            # The member base_address of struct gsym_header.
            linked = header[1]
            if linked >> 12 != self.start >> 12:
                raise Unnamed(KERNEL)
            return 0
        # Kernels are moved by whole pages.
        if (self.start - linked) % 4096:
            raise Unnamed(KERNEL)
        return self.start - linked

    def frames(self, store: Store, entry: int, names: Names,
               addresses: Sequence[int]
               ) -> Iterable[Union[str, list[Any]]]:
        """For each of ADDRESSES its frames, innermost first, as NAMES, those of
        the file of ENTRY, make them; or the one of REASONS why it has none."""
        start, limit = self.start, self.limit or _MASK + 1
        if not self.limit:
            start = 0
        inside = [address for address in addresses if start <= address < limit]
        answers: Iterator[Union[str, list[Any]]]
        try:
            answers = self._answers(store, entry, names, *self._linked(
                store, entry, inside))
        except Unnamed as why:
            answers = itertools.repeat(why.args[0])
        if len(inside) == len(addresses):
            return answers
        return (next(answers) if start <= address < limit else OUTSIDE
                for address in addresses)

    @staticmethod
    def _answers(store: Store, entry: int, names: Names,
                 linked: "array.array[int]", lost: Optional[int]
                 ) -> Iterator[Union[str, list[Any]]]:
        """frames(), of LINKED, addresses that the program was linked to; LOST
        stands for those in no segment."""
        # A function without a size may cover all that is behind it, LOST too.
        asked = (array.array("Q", (one for one in linked if one != lost))
                 if lost in linked else linked)
        # The raw frames point into the file of ENTRY, which is in use.
        reader = store._library.gsym_store_reader(entry)
        found = store._call_many(reader, names, asked)
        for address in linked:
            if address == lost:
                yield NOT_LOADED
                continue
            # The single lookup tells why there are no frames.
            yield next(found) or (
                DAMAGED if store._call(reader, address, 0)[0] == _store.DAMAGED
                else NOT_COVERED)


class Lines(Names):
    """Makes lines of a profile from frames of one open file.  Functions are known
    by the pointers to their texts, which are read once for each function."""

    def __init__(self, function: Callable[[str, str], Any],
                 put: Callable[[Any, int], Any]) -> None:
        """FUNCTION makes a key of the name and the file of a function.  PUT makes a
        line of a profile of such a key and the number of a line."""
        super().__init__()
        self._function = function
        self._put = put
        self._known: dict[bytes, Any] = {}

    def frames(self, raw: memoryview) -> list[Any]:
        lines, known, put = [], self._known, self._put
        for key, line in _PART.iter_unpack(raw):
            function = known.get(key)
            if function is None:
                name, directory, basename = _TEXTS.unpack(key)
                function = known[key] = self._function(
                    self.function(name), self.path(directory, basename))
            lines.append(put(function, line))
        return lines


class Misses:
    """Counts of locations that have no name, by reason."""

    def __init__(self) -> None:
        self._counts: collections.Counter[str] = collections.Counter()
        #: The build IDs of these locations, by reason.
        self._build_ids: dict[str, set[bytes]] = {}

    def add(self, reason: str, mapping: Optional[Mapping] = None,
            count: int = 1) -> None:
        """Count COUNT locations of MAPPING that have no name for REASON."""
        self._counts[reason] += count
        if count and mapping and mapping.build_ids:
            self._build_ids.setdefault(reason, set()).add(mapping.build_ids[0])

    def notes(self) -> Iterator[str]:
        """What is to be said of these locations."""
        for reason, hint in (
                (NO_HEADERS, "no program headers are known for the build ID "
                 "{}: a debug file does not have them; give gsym-create "
                 "--install the program with --debug-file"),
                (NO_FILE, "there is no GSYM file for the build ID {}"),
                (UNREADABLE, "the GSYM file of the build ID {} cannot be "
                 "opened")):
            build_ids = sorted(self._build_ids.get(reason, ()))
            for build_id in build_ids[:_MOST_NOTES]:
                yield hint.format(build_id.hex())
            if len(build_ids) > _MOST_NOTES:
                yield f"the same for {len(build_ids) - _MOST_NOTES} others"
        total = sum(self._counts.values())
        if total:
            yield f"locations without a name: {total}; " + ", ".join(
                f"{reason}: {self._counts[reason]}" for reason in REASONS
                if self._counts[reason])


class LimitError(FormatError):
    """A profile asks for more work than a service gives to one."""


class Budget:
    """The bytes that may be added to a profile, and the time that it may take.
    """

    def __init__(self, size: int, least: int = _MOST_BYTES,
                 deadline: Optional[float] = None) -> None:
        """SIZE: the bytes of the profile.  LEAST: bytes that may be added in any
        case.  DEADLINE: a time of time.monotonic()."""
        self._left = most_of(size, least)
        self._deadline = deadline

    def take(self, size: int) -> None:
        """SIZE bytes are added.  Raises FormatError if these are too many."""
        self._left -= size
        if self._left < 0:
            raise FormatError(f"it would become more than {_MOST_RATIO} times "
                              "as large")

    def check(self) -> None:
        """Raise LimitError if there is no time left."""
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise LimitError("it takes too long to name its addresses")


_Text = TypeVar("_Text", bytes, str)


class Strings(Generic[_Text]):
    """Texts of new functions, and where they are in the table of strings."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        #: Their indexes in the table, after find().
        self.places: dict[_Text, int] = {}
        #: Those that are to be appended to the table, after find().
        self.new: list[_Text] = []

    def want(self, texts: Iterable[_Text]) -> None:
        """Each of TEXTS is needed in the table."""
        for text in texts:
            if text and text not in self.places:
                # Of a text of Python each character may have four bytes.
                self._budget.take(len(text) + OVERHEAD)
                self.places[text] = 0

    def find(self, table: Any) -> None:
        """Find the texts in TABLE, which begins with the empty one, or a place
        at its end."""
        for at, text in enumerate(table):
            if not at % 256:
                self._budget.check()
            if not self.places.get(text, 1):
                self.places[text] = at
        self.new = [text for text, at in self.places.items() if not at]
        for at, text in enumerate(self.new, len(table)):
            self.places[text] = at
        # Nothing else is the empty text.
        self.places[table[0]] = 0


_Key = TypeVar("_Key")

# Addresses that are looked up together.
_TOGETHER = 1024


def name_addresses(
    store: Store, mapping: Mapping, waiting: Iterable[tuple[_Key, int]],
    misses: Misses, budget: Budget,
    names_of_file: Callable[[], Names] = Names
) -> Iterator[tuple[_Key, list[Any]]]:
    """The frames of the addresses WAITING, which lie in MAPPING, each with its
    key.  Frames are what the names of NAMES_OF_FILE make of them: Frame, if it is
    not given.  Addresses without a name are counted in MISSES."""
    reason, entry = NO_BUILD_ID, None
    if mapping.build_ids:
        reason = NO_FILE
        try:
            entry = next(filter(None, map(store._find, mapping.build_ids)), None)
        except OSError:
            reason = UNREADABLE
    if not entry:
        misses.add(reason, mapping, sum(1 for _ in waiting))
        return
    names = names_of_file()
    try:
        waiting = iter(waiting)
        while some := list(itertools.islice(waiting, _TOGETHER)):
            found = mapping.frames(store, entry, names,
                                   [address for _, address in some])
            for at, ((key, _), frames) in enumerate(zip(some, found)):
                if not at % 64:
                    budget.check()
                if isinstance(frames, str):
                    misses.add(frames, mapping)
                else:
                    yield key, frames
    finally:
        store._release(entry)


class Waiting:
    """Locations that wait for names, in the order of each mapping."""

    def __init__(self) -> None:
        # Number and address of each location of a mapping, in turns.
        self._of: dict[int, array.array[int]] = {}

    def add(self, mapping: int, number: int, address: int) -> None:
        """Location NUMBER of MAPPING."""
        if mapping not in self._of:
            self._of[mapping] = array.array("Q")
        self._of[mapping].extend((number, address & _MASK))

    def mappings(self) -> Iterable[int]:
        """The mappings with locations."""
        return self._of

    def drop(self, mapping: int) -> int:
        """Forget the locations of MAPPING.  Returns their number."""
        return len(self._of.pop(mapping, ())) // 2

    def of(self, mapping: int) -> Iterator[tuple[int, int]]:
        """Number and address of each location of MAPPING, the first one first."""
        pairs = iter(self._of.get(mapping, ()))
        return zip(pairs, pairs)


# ---- the program


def parser_of(program: str, description: str) -> argparse.ArgumentParser:
    """A parser of the options that all programs for profiles have."""
    parser = argparse.ArgumentParser(prog=program, description=description)
    parser.add_argument("--version", action="version",
                        version=f"{program} {__version__}")
    parser.add_argument("-o", "--output", metavar="OUT", default="-",
                        help="write the profile to OUT instead of standard "
                        "output")
    parser.add_argument("--gsym-file-directory", metavar="DIR",
                        action="append", default=[],
                        help="search DIR for GSYM files; repeatable")
    parser.add_argument("--return-addresses", action="store_true",
                        help="the addresses are return addresses that the "
                        "profiler did not reduce: subtract 1")
    parser.add_argument("--copy", action="store_true",
                        help="read GSYM files instead of mapping them, so that "
                        "they may change meanwhile")
    parser.add_argument("--strict", action="store_true",
                        help="end with status 1 if a location has no name")
    return parser


def _read(path: str) -> tuple[bytes, Optional[int]]:
    """The bytes of the file PATH, and when it was written, in nanoseconds; None
    if it is a pipe."""
    with (open(0, "rb", closefd=False) if path == "-" else
          open(path, "rb")) as file:
        status = os.fstat(file.fileno())
        return file.read(), (status.st_mtime_ns if stat.S_ISREG(status.st_mode)
                             else None)


def unpack(data: bytes, most: int) -> bytes:
    """The profile DATA, which may be compressed, as it was before.  Raises
    FormatError if it had more than MOST bytes."""
    if data[:2] != _GZIP:
        return data
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
        plain = stream.read(most + 1)
    if len(plain) > most:
        raise FormatError(f"it becomes more than {most} bytes when it is "
                          "inflated")
    return plain


def pack_as(original: bytes, data: bytes) -> bytes:
    """The profile DATA, compressed if ORIGINAL is."""
    return gzip.compress(data, mtime=0) if original[:2] == _GZIP else data


def _write_file(path: str, data: bytes) -> None:
    """Let the file PATH be DATA, whole or not at all."""
    if os.path.exists(path) and not os.path.isfile(path):
        # A pipe or a device.
        with open(path, "wb") as output:
            output.write(data)
        return
    mask = os.umask(0)
    os.umask(mask)
    # A new file with a name that nobody knows: not a link that waits.
    number, new = tempfile.mkstemp(prefix=".new.",
                                   dir=os.path.dirname(path) or ".")
    try:
        with open(number, "wb") as output:
            output.write(data)
            output.flush()
            os.fchmod(number, 0o666 & ~mask)
            os.fsync(number)
        os.replace(new, path)
    except BaseException:
        os.unlink(new)
        raise


# What files begin with that are given by mistake.
_BEGINNINGS = (
    (b"PERFILE2", "perf's record: perf_to_profile makes a profile in pprof's "
     "format of it, and examples/perf_rows.py rows for gsym"),
    (b"2ELIFREP", "perf's record of a machine with the other byte order"),
    (b"heap profile:", "a heap profile of gperftools: see gsym-pprof"),
    (b"heap_v2/", "a heap profile of jemalloc: see gsym-pprof"),
    (b"--- symbol", "a profile of gperftools with its symbols"),
    (b"\x7fELF", "a program or a core file"),
    (b"MZ\x90\x00", "a program of Windows"),
    (b"\xcf\xfa\xed\xfe", "a program of macOS"),
    (b"\xca\xfe\xba\xbe", "a program of macOS, or a class of Java"),
    (b"!<arch>\n", "an archive of object files"),
    (b"MDMP", "a minidump"),
    (b"SQLite format 3\x00", "a database of SQLite"),
    (b"PAR1", "a table of Parquet"),
    (b"MYSG", "a GSYM file"), (b"GSYM", "a GSYM file"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd, and has to be unpacked first"),
    (b"\x04\x22\x4d\x18", "compressed by lz4, and has to be unpacked first"),
    (b"\xfd7zXZ\x00", "compressed by xz, and has to be unpacked first"),
    (b"BZh", "compressed by bzip2, and has to be unpacked first"),
    (b"FLR\x00", "a record of Java's flight recorder"),
    (b"go 1.", "a trace of Go's runtime"),
    (b"PK\x03\x04", "a zip archive, and has to be unpacked first"),
    (_GZIP, "compressed twice, and has to be unpacked first"),
    (b"\x89PNG\r\n", "an image"),
    (b"\x00asm", "a program of WebAssembly"),
    # No message begins with a byte 0.
    (b"\x00", "no profile: it begins with a byte 0, as do streams of gRPC, and files "
     "of OpenTelemetry's collector, which have a size before each message"),
)


def refuse_others(data: bytes) -> None:
    """Raise FormatError if DATA is known to be in another format."""
    for beginning, what in _BEGINNINGS:
        if data.startswith(beginning):
            raise FormatError(f"it is {what}")
    if data.startswith(tuple(CPU_HEADERS)):
        raise FormatError("it is a CPU profile of gperftools: see gsym-pprof")


def is_text(data: bytes) -> bool:
    """Whether DATA begins with a line of text, as no message does that is a
    profile: folded stacks, the output of a program, an export of another kind."""
    line = data[:512].split(b"\n", 1)[0].rstrip(b"\r")
    return len(line) > 1 and not re.search(rb"[\x00-\x08\x0a-\x1f\x7f]", line)


# Bytes that are in no text.
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

# What objects of JSON are, by their members.
_OBJECTS = (
    ("a profile of Firefox or samply: see gsym-pprof", ("meta", "threads")),
    ("a profile of OpenTelemetry: see gsym-otlp", ("dictionary",)),
    ("a profile of OpenTelemetry: see gsym-otlp", ("resourceProfiles",)),
    ("a profile of V8 (Node, Chrome)", ("nodes", "startTime")),
    ("a profile of speedscope", ("shared", "profiles")),
    ("a trace of Chrome", ("traceEvents",)),
)


def refuse_json(data: Any, wanted: str) -> None:
    """Raise FormatError for DATA, an object of JSON that is no profile WANTED."""
    for what, keys in _OBJECTS:
        if all(key in data for key in keys):
            raise FormatError(f"it is {what}")
    raise FormatError(f"its JSON is no profile {wanted}")


ERRORS = (OSError, EOFError, ValueError, ImportError, zlib.error)


def _name(symbolize: Callable[..., bytes], store: Store,
          report: Callable[[str], None], data: bytes, back: bool) -> bytes:
    """What SYMBOLIZE makes of DATA.  Raises FormatError."""
    try:
        return symbolize(data, store, back, report)
    except FormatError as error:
        # The text may stand in a profile, too.
        if data[257:262] == b"ustar":
            raise FormatError("it is a tar archive, and has to be unpacked "
                              "first") from error
        # A message begins with a line feed and a size, as a rule.
        start = (b"" if _CONTROL.search(data[:512]) else
                 data[:64].lstrip(b"\xef\xbb\xbf \t\r\n")[:1])
        if start == b"[":
            raise FormatError("it is a list of JSON, and no profile") from error
        if start == b"{" and data[:1] != start:
            raise FormatError("it is JSON behind blanks or a byte order mark, "
                              "which have to be removed first") from error
        if data[:1] != b"{" and is_text(data):
            raise FormatError("it is text, and no profile: gsym-markup --logs "
                              "reads addresses in texts") from error
        raise


def convert(options: argparse.Namespace, program: str,
            symbolize: Callable[..., bytes],
            read_other: Optional[Callable[..., Optional[bytes]]] = None) -> int:
    """Name the addresses of the file OPTIONS.input by SYMBOLIZE, for PROGRAM.
    READ_OTHER makes a profile of one in another format, whose addresses are no
    return addresses, or returns None.  Returns the exit status."""
    notes: list[str] = []

    def report(text: str) -> None:
        notes.append(text)
        print(f"{program}: {text}", file=sys.stderr)

    try:
        data, written = _read(options.input)
        plain = unpack(data, most_of(len(data)))
        other = read_other(plain, written, report) if read_other else None
        if other is None:
            refuse_others(plain)
        with Store(options.gsym_file_directory, copy=options.copy) as store:
            result = _name(symbolize, store, report, *(
                (other, False) if other else (plain, options.return_addresses)))
        if notes and not options.gsym_file_directory:
            report("no folder is searched: see --gsym-file-directory")
        result = data if result == plain else pack_as(data, result)
        if options.output == "-":
            sys.stdout.buffer.write(result)
            sys.stdout.buffer.flush()
        else:
            _write_file(options.output, result)
    except ERRORS as error:
        report(f"cannot convert '{options.input}': {error}")
        return 2
    return 1 if options.strict and notes else 0
