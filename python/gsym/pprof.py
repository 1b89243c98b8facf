# SPDX-License-Identifier: MIT
"""gsym-pprof: name the addresses of a profile in pprof's format.

Messages of the profile are read by a small cursor.  Everything but the
mappings and locations that get names is copied byte for byte, unknown fields
too; new functions and strings are appended.
"""

from __future__ import annotations

import argparse
import ctypes
import gzip
import io
import os
import struct
import sys
import zlib
from typing import Any, Iterator, Optional

from gsym import _library
from gsym._store import FOUND, Frame, Names, Store, parse_build_id

# What a compressed profile may become: a multiple of its size, or so many
# bytes, whichever is more.
_MOST_RATIO = 32
_MOST_BYTES = 64 << 20

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


def _segments(elf: bytes) -> list[tuple[int, int, int]]:
    """Offset, bytes and address of each loaded segment of the file ELF.  There
    are none if the file has no code: then it comes from a debug file, and has
    other offsets than the program."""
    if elf[:4] != b"\x7fELF" or len(elf) < 64 or elf[4] not in (1, 2):
        return []
    order = ">" if elf[5] == 2 else "<"
    wide = elf[4] == 2
    table, = struct.unpack_from(order + ("Q" if wide else "I"), elf,
                                32 if wide else 28)
    size, count = struct.unpack_from(order + "HH", elf, 54 if wide else 42)
    segments, has_code = [], False
    for at in range(table, table + size * count, size or 1):
        if size < (56 if wide else 32) or at + size > len(elf):
            break
        if wide:
            kind, flags, offset, address, _, length = struct.unpack_from(
                order + "IIQQQQ", elf, at)
        else:
            kind, offset, address, _, length, _, flags = struct.unpack_from(
                order + "IIIIIII", elf, at)
        if kind == 1 and length:
            segments.append((offset, length, address))
            has_code |= bool(flags & 1)
    return segments if has_code else []


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
        self.segments: list[tuple[int, int, int]] = []
        self.build_id: Optional[bytes] = None
        at = numbers.get(6, 0)
        try:
            if 0 < at < len(strings):
                self.build_id = parse_build_id(strings[at].decode("ascii"))
        except ValueError:
            pass

    def find_segments(self, directories: list[str]) -> bool:
        """Read the segments of the file with symbols beside the GSYM file.
        Returns whether there are any."""
        if not self.build_id:
            return False
        name = self.build_id.hex()
        for directory in directories:
            path = os.path.join(directory, ".build-id", name[:2],
                                name[2:] + ".debug")
            try:
                with open(path, "rb") as file:
                    self.segments = _segments(file.read(1 << 20))
            except OSError:
                continue
            if self.segments:
                return True
        return False

    def linked(self, address: int) -> int:
        """The address that the program was linked to, of ADDRESS."""
        if self.limit:
            address += self.offset - self.start
            for offset, length, start in self.segments:
                if offset <= address < offset + length:
                    address += start - offset
                    break
        return address & (1 << 64) - 1

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

    def lines(self, mapping: _Mapping, entry: int, address: int) -> bytes:
        """The fields Line of ADDRESS, innermost first."""
        # The frames point into the file of ENTRY, which is in use.
        status, frames = self.store._call(
            self.store._library.gsym_store_reader(entry),
            mapping.linked(address), 0)
        if status != FOUND:
            return b""
        result = b""
        for raw in frames:
            frame = mapping.names.frame(raw)
            result += _put(4, _put(1, self.function(frame))
                           + _put(2, frame.line))
        return result


def _name_locations(profile: _Profile, mapping_id: int, back: int,
                    locations: dict[int, list[tuple[int, bytes]]],
                    changed: dict[int, bytes]) -> int:
    """Add lines to the locations of a mapping: to CHANGED, by their number.
    Returns the number of locations that got lines."""
    mapping = profile.mappings[mapping_id]
    assert mapping.build_id
    entry = profile.store._find(mapping.build_id)
    named = 0
    if not entry:
        return 0
    mapping.done = True
    try:
        for at, data in locations.get(mapping_id, ()):
            address = _numbers(data).get(3, 0)
            lines = profile.lines(mapping, entry, address - back)
            if lines:
                changed[at] = _put(_LOCATION, data + lines)
                named += 1
    finally:
        profile.store._library.gsym_store_release(entry)
    return named


def symbolize(data: bytes, store: Store, return_addresses: bool = False,
              report: Any = None) -> bytes:
    """Name the addresses of the profile DATA, which is not compressed.

    Mappings without a file in STORE stay as they are, as do locations with
    lines, and mappings that say that they have functions and have locations
    with lines.  With RETURN_ADDRESSES 1 is subtracted from each address.
    REPORT, a function, is called with each note.  Raises FormatError.
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
    for mapping_id, mapping in profile.mappings.items():
        if not mapping.build_id or (mapping.has_functions
                                    and mapping_id in named):
            continue
        exact = mapping.find_segments(store.directories) or not mapping.limit
        found = _name_locations(profile, mapping_id, int(return_addresses),
                                locations, changed)
        if report and mapping.done and not exact:
            report(f"the build ID {mapping.build_id.hex()} has no program "
                   "headers: its segments are taken for linked at their file "
                   "offsets")
        if report and mapping.done and not found and locations.get(mapping_id):
            report(f"no address of the build ID {mapping.build_id.hex()} "
                   "lies in a function")
        mapping.done = mapping.done and bool(found)
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
    return parser


def main() -> int:
    """The command gsym-pprof."""
    options = _arguments().parse_args()

    def report(text: str) -> None:
        print(f"gsym-pprof: {text}", file=sys.stderr)

    try:
        if options.input == "-":
            data = sys.stdin.buffer.read()
        else:
            with open(options.input, "rb") as file:
                data = file.read()
        packed = data[:2] == b"\x1f\x8b"
        plain = data
        if packed:
            most = max(_MOST_BYTES, _MOST_RATIO * len(data))
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
                plain = stream.read(most + 1)
            if len(plain) > most:
                raise FormatError("it becomes more than 32 times as large")
        with Store(options.gsym_file_directory) as store:
            result = symbolize(plain, store, options.return_addresses, report)
        if result == plain:
            result = data
        elif packed:
            result = gzip.compress(result, mtime=0)
        if options.output == "-":
            sys.stdout.buffer.write(result)
            sys.stdout.buffer.flush()
        else:
            new = f"{options.output}.{os.getpid()}"
            with open(new, "wb") as output:
                output.write(result)
            os.replace(new, options.output)
    except (OSError, EOFError, ValueError, ImportError, zlib.error) as error:
        report(f"cannot convert '{options.input}': {error}")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
