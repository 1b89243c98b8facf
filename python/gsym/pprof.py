# SPDX-License-Identifier: MIT
"""gsym-pprof: name the addresses of a profile in pprof's format.

Messages of the profile are read by a small cursor.  Everything but the
mappings and locations that get names is copied byte for byte, unknown fields
too; new functions and strings are appended.
"""

from __future__ import annotations

import argparse
import collections
import ctypes
import gzip
import io
import os
import sys
import tempfile
import zlib
from typing import Any, Iterator, Optional

from gsym import _library, _store
from gsym._store import (FOUND, Frame, Names, NoHeadersError, Store,
                         parse_build_id)

# What a compressed profile may become: a multiple of its size, or so many
# bytes, whichever is more.
_MOST_RATIO = 32
_MOST_BYTES = 64 << 20

_GZIP = b"\x1f\x8b"
_MASK = (1 << 64) - 1

# Fields of the message Profile.
_MAPPING, _LOCATION, _FUNCTION, _STRING = 3, 4, 5, 6


class FormatError(ValueError):
    """The input is not a profile."""


# ---- the wire format


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """The number at AT, and the place after it."""
    value = shift = 0
    while shift < 70 and at < len(data):
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & (1 << 64) - 1, at
        shift += 7
    raise FormatError("a number breaks off")


def _fields(data: bytes) -> Iterator[tuple[int, Any, bytes]]:
    """Each field of the message DATA: number, value, and all its bytes.  The
    value is an integer, or bytes."""
    at = 0
    while at < len(data):
        start = at
        tag, at = _varint(data, at)
        kind = tag & 7
        value: Any
        if kind == 0:
            value, at = _varint(data, at)
        else:
            if kind == 2:
                size, at = _varint(data, at)
            elif kind in (1, 5):
                size = 8 if kind == 1 else 4
            else:
                raise FormatError(f"a field has the unknown type {kind}")
            value = data[at : at + size]
            at += size
        if at > len(data) or not tag >> 3:
            raise FormatError("a field breaks off")
        yield tag >> 3, value, data[start:at]


def _put_varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _put(number: int, value: Any) -> bytes:
    if isinstance(value, int):
        return _put_varint(number << 3) + _put_varint(value)
    data: bytes = value
    return _put_varint(number << 3 | 2) + _put_varint(len(data)) + data


def _numbers(data: bytes) -> dict[int, int]:
    """The fields of the message DATA that are numbers."""
    return {number: value for number, value, _ in _fields(data)
            if isinstance(value, int)}


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
NOT_COVERED = "that no function covers"
DAMAGED = "with a damaged record"
REASONS = (NO_MAPPING, NO_BUILD_ID, NO_FILE, UNREADABLE, NO_HEADERS, OUTSIDE,
           NOT_LOADED, KERNEL, NOT_COVERED, DAMAGED)

# The most build IDs that are named.
_MOST_NOTES = 8


class Unnamed(Exception):
    """A location has no name; the argument is one of REASONS."""


class _Mapping:
    """A message Mapping, and the GSYM file of its program."""

    def __init__(self, data: bytes, strings: list[bytes]) -> None:
        numbers = _numbers(data)
        self.data = data
        self.start = numbers.get(2, 0)
        self.limit = numbers.get(3, 0)
        self.offset = numbers.get(4, 0)
        self.has_functions = bool(numbers.get(7))
        self.done = False
        self.names = Names()
        self.build_id: Optional[bytes] = None
        at = numbers.get(6, 0)
        try:
            if 0 < at < len(strings):
                self.build_id = parse_build_id(strings[at].decode("ascii"))
        except ValueError:
            pass

    def linked(self, store: Store, entry: int, address: int) -> int:
        """The address that the program, that of ENTRY, was linked to, of
        ADDRESS.  Raises Unnamed."""
        if not self.limit:
            return address & _MASK
        if not self.start <= address < self.limit:
            raise Unnamed(OUTSIDE)
        if self.start >> 63 and self.offset == self.start:
            return self._linked_kernel(store, entry, address)
        try:
            linked = store._address_of(
                entry, address - self.start + self.offset & _MASK)
        except NoHeadersError as error:
            raise Unnamed(NO_HEADERS) from error
        except OSError as error:
            raise Unnamed(UNREADABLE) from error
        if linked is None:
            raise Unnamed(NOT_LOADED)
        return linked

    def _linked_kernel(self, store: Store, entry: int, address: int) -> int:
        """perf gives the mapping of a kernel its address as file offset.  The
        kernel is where it was linked to if the mapping begins in the page where
        the program begins."""
        header = (ctypes.c_uint64 * 64)()
        store._library.gsym_get_header(
            store._library.gsym_store_reader(entry), header)
        # The member base_address of struct gsym_header.
        if header[1] >> 12 != self.start >> 12:
            raise Unnamed(KERNEL)
        return address

    def encode(self) -> bytes:
        """The message, which says now that its functions have names."""
        kept = b"".join(raw for number, _, raw in _fields(self.data)
                        if not 7 <= number <= 10)
        return kept + b"".join(_put(number, 1) for number in range(7, 11))


class _Demangler:
    """Readable names, if libgsym-demangle is installed."""

    def __init__(self) -> None:
        self._copy: Any = None
        name = os.environ.get("GSYM_DEMANGLE_LIBRARY") or (
            f"libgsym-demangle.so.{_library.MAJOR}")
        try:
            self._copy = ctypes.CDLL(name).gsym_demangle_copy
            self._free = ctypes.CDLL(None).free
            self._free.argtypes = [ctypes.c_void_p]
        except (OSError, AttributeError):
            return
        self._copy.argtypes = [ctypes.c_uint, ctypes.c_char_p,
                               ctypes.POINTER(ctypes.c_void_p)]

    def __call__(self, name: bytes) -> bytes:
        text = ctypes.c_void_p()
        if not self._copy or self._copy(0, name, ctypes.byref(text)):
            return name
        try:
            return ctypes.string_at(text.value or 0)
        finally:
            self._free(text)


class _Profile:
    """A profile, its tables, and what is added to them."""

    def __init__(self, data: bytes, store: Store) -> None:
        self.data = data
        self.store = store
        self.strings: list[bytes] = []
        self.next_function = 1
        mappings: list[bytes] = []
        for number, value, _ in _fields(data):
            if number in (_MAPPING, _LOCATION, _FUNCTION, _STRING) and (
                    isinstance(value, int)):
                raise FormatError(f"field {number} is a number")
            if number == _STRING:
                self.strings.append(value)
            elif number == _MAPPING:
                mappings.append(value)
            elif number == _FUNCTION:
                self.next_function = max(self.next_function,
                                         _numbers(value).get(1, 0) + 1)
        if not self.strings or self.strings[0]:
            raise FormatError("the first string is not empty")
        self.mappings = {_numbers(value).get(1, 0):
                         _Mapping(value, self.strings) for value in mappings}
        self.old_strings = len(self.strings)
        self.places = {text: at for at, text in
                       reversed(list(enumerate(self.strings)))}
        self.functions: dict[tuple[str, str], int] = {}
        self.added = bytearray()
        self.demangle = _Demangler()
        self.unnamed: collections.Counter[str] = collections.Counter()
        #: The build IDs of locations without a name, by reason.
        self.build_ids: dict[str, set[bytes]] = {}
        #: Bytes that are added to locations, and the most.
        self.more = 0
        self.most = max(_MOST_BYTES, _MOST_RATIO * len(data))

    def string(self, text: bytes) -> int:
        """The index of TEXT in the table of strings."""
        if text not in self.places:
            self.places[text] = len(self.strings)
            self.strings.append(text)
        return self.places[text]

    def function(self, frame: Frame) -> int:
        """The ID of the function of FRAME."""
        key = frame.function, frame.file
        if key not in self.functions:
            name = frame.function.encode()
            self.functions[key] = self.next_function
            self.added += _put(_FUNCTION, _put(1, self.next_function)
                               + _put(2, self.string(self.demangle(name)))
                               + _put(3, self.string(name))
                               + _put(4, self.string(frame.file.encode())))
            self.next_function += 1
        return self.functions[key]

    def miss(self, reason: str, mapping: Optional[_Mapping] = None,
             count: int = 1) -> None:
        """Count COUNT locations of MAPPING that have no name for REASON."""
        self.unnamed[reason] += count
        if count and mapping and mapping.build_id:
            self.build_ids.setdefault(reason, set()).add(mapping.build_id)

    def lines(self, mapping: _Mapping, entry: int, address: int) -> bytes:
        """The fields Line of ADDRESS, innermost first.  Raises Unnamed."""
        # The frames point into the file of ENTRY, which is in use.
        status, frames = self.store._call(
            self.store._library.gsym_store_reader(entry),
            mapping.linked(self.store, entry, address), 0)
        if status != FOUND:
            raise Unnamed(DAMAGED if status == _store.DAMAGED else NOT_COVERED)
        result = b""
        for raw in frames:
            frame = mapping.names.frame(raw)
            result += _put(4, _put(1, self.function(frame))
                           + _put(2, frame.line))
        self.more += len(result)
        if self.more > self.most:
            raise FormatError("it would become more than 32 times as large")
        return result

    def notes(self) -> Iterator[str]:
        """What is to be said of locations without names."""
        for reason, hint in (
                (NO_HEADERS, "no program headers are known for the build ID "
                 "{}: a debug file does not have them; give gsym-create "
                 "--install the program with --debug-file"),
                (NO_FILE, "there is no GSYM file for the build ID {}"),
                (UNREADABLE, "the GSYM file of the build ID {} cannot be "
                 "opened")):
            build_ids = sorted(self.build_ids.get(reason, ()))
            for build_id in build_ids[:_MOST_NOTES]:
                yield hint.format(build_id.hex())
            if len(build_ids) > _MOST_NOTES:
                yield f"the same for {len(build_ids) - _MOST_NOTES} others"
        total = sum(self.unnamed.values())
        if total:
            yield f"locations without a name: {total}; " + ", ".join(
                f"{reason}: {self.unnamed[reason]}" for reason in REASONS
                if self.unnamed[reason])


def _name_locations(profile: _Profile, mapping: _Mapping, back: int,
                    locations: list[tuple[int, bytes]],
                    changed: dict[int, bytes]) -> None:
    """Add lines to the LOCATIONS of MAPPING: to CHANGED, by their number."""
    if not mapping.build_id:
        profile.miss(NO_BUILD_ID, mapping, len(locations))
        return
    try:
        entry = profile.store._find(mapping.build_id)
    except OSError:
        profile.miss(UNREADABLE, mapping, len(locations))
        return
    if not entry:
        profile.miss(NO_FILE, mapping, len(locations))
        return
    try:
        for at, data in locations:
            address = _numbers(data).get(3, 0)
            try:
                lines = profile.lines(mapping, entry, address - back)
            except Unnamed as why:
                profile.miss(why.args[0], mapping)
                continue
            changed[at] = _put(_LOCATION, data + lines)
            mapping.done = True
    finally:
        profile.store._library.gsym_store_release(entry)


def symbolize(data: bytes, store: Store, return_addresses: bool = False,
              report: Any = None) -> bytes:
    """Name the addresses of the profile DATA, which is not compressed.

    Mappings without a file in STORE stay as they are, as do locations with
    lines, and mappings that say that they have functions and have locations
    with lines.  With RETURN_ADDRESSES 1 is subtracted from each address.
    REPORT, a function, is called with each note: why locations have no names.
    Raises FormatError.
    """
    profile = _Profile(data, store)
    locations: dict[int, list[tuple[int, bytes]]] = {}
    # Mappings with locations that have lines.  Go says that a mapping has
    # functions, and programs that remove the lines leave that as it is.
    named: set[int] = set()
    at = 0
    for number, value, _ in _fields(data):
        if number == _LOCATION:
            fields = list(_fields(value))
            mapping_id = _numbers(value).get(2, 0)
            if any(field == 4 for field, _, _ in fields):
                named.add(mapping_id)
            else:
                locations.setdefault(mapping_id, []).append((at, value))
            at += 1
    changed: dict[int, bytes] = {}
    for mapping_id, waiting in locations.items():
        mapping = profile.mappings.get(mapping_id)
        if not mapping:
            profile.miss(NO_MAPPING, count=len(waiting))
        elif not (mapping.has_functions and mapping_id in named):
            _name_locations(profile, mapping, int(return_addresses), waiting,
                            changed)
    for note in profile.notes() if report else ():
        report(note)
    return _write(profile, changed)


def _write(profile: _Profile, changed: dict[int, bytes]) -> bytes:
    """The profile with the CHANGED locations."""
    out = io.BytesIO()
    location = 0
    for number, value, raw in _fields(profile.data):
        if number == _MAPPING:
            mapping = profile.mappings[_numbers(value).get(1, 0)]
            if mapping.done and mapping.data == value:
                raw = _put(_MAPPING, mapping.encode())
        elif number == _LOCATION:
            raw = changed.get(location, raw)
            location += 1
        out.write(raw)
    out.write(profile.added)
    for text in profile.strings[profile.old_strings:]:
        out.write(_put(_STRING, text))
    return out.getvalue()


# ---- the program


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gsym-pprof",
        description="Name the addresses of a profile in pprof's format, by "
        "the GSYM files that gsym-create --install made.")
    parser.add_argument("input", metavar="IN",
                        help="the profile, compressed or not; '-' is standard "
                        "input")
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


def _read(path: str) -> bytes:
    if path == "-":
        return sys.stdin.buffer.read()
    with open(path, "rb") as file:
        return file.read()


def _unpack(data: bytes) -> bytes:
    """The profile DATA, which may be compressed, as it was before."""
    if data[:2] != _GZIP:
        return data
    most = max(_MOST_BYTES, _MOST_RATIO * len(data))
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
        plain = stream.read(most + 1)
    if len(plain) > most:
        raise FormatError("it becomes more than 32 times as large")
    return plain


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


def main() -> int:
    """The command gsym-pprof."""
    options = _arguments().parse_args()
    notes: list[str] = []

    def report(text: str) -> None:
        notes.append(text)
        print(f"gsym-pprof: {text}", file=sys.stderr)

    try:
        data = _read(options.input)
        plain = _unpack(data)
        with Store(options.gsym_file_directory, copy=options.copy) as store:
            result = symbolize(plain, store, options.return_addresses, report)
        if notes and not options.gsym_file_directory:
            report("no folder is searched: see --gsym-file-directory")
        if result == plain:
            result = data
        elif data[:2] == _GZIP:
            result = gzip.compress(result, mtime=0)
        if options.output == "-":
            sys.stdout.buffer.write(result)
            sys.stdout.buffer.flush()
        else:
            _write_file(options.output, result)
    except (OSError, EOFError, ValueError, ImportError, zlib.error) as error:
        report(f"cannot convert '{options.input}': {error}")
        return 2
    return 1 if options.strict and notes else 0


if __name__ == "__main__":
    sys.exit(main())
