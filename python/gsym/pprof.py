# SPDX-License-Identifier: MIT
"""gsym-pprof: name the addresses of a profile in pprof's format.

Everything but the mappings and locations that get names is copied byte for
byte, unknown fields too; new functions and strings are appended.
"""

from __future__ import annotations

import io
import sys
from typing import Any

from gsym import _profile
from gsym._demangle import Demangler
from gsym._profile import NO_MAPPING, REASONS, Mapping, Misses
from gsym._store import Frame, Store, parse_build_id
from gsym._wire import FormatError, fields, numbers, put

__all__ = ["FormatError", "REASONS", "main", "symbolize"]

# Fields of the message Profile.
_MAPPING, _LOCATION, _FUNCTION, _STRING = 3, 4, 5, 6


class _Mapping(Mapping):
    """A message Mapping, and the GSYM file of its program."""

    def __init__(self, data: bytes, strings: list[bytes]) -> None:
        values = numbers(data)
        build_ids: list[bytes] = []
        at = values.get(6, 0)
        try:
            if 0 < at < len(strings):
                build_ids.append(parse_build_id(strings[at].decode("ascii")))
        except ValueError:
            pass
        super().__init__(values.get(2, 0), values.get(3, 0), values.get(4, 0),
                         build_ids)
        self.data = data
        self.has_functions = bool(values.get(7))
        self.done = False

    def encode(self) -> bytes:
        """The message, which says now that its functions have names."""
        kept = b"".join(raw for number, _, raw in fields(self.data)
                        if not 7 <= number <= 10)
        return kept + b"".join(put(number, 1) for number in range(7, 11))


class _Profile:
    """A profile, its tables, and what is added to them."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.strings: list[bytes] = []
        self.next_function = 1
        mappings: list[bytes] = []
        for number, value, _ in fields(data):
            if number in (_MAPPING, _LOCATION, _FUNCTION, _STRING) and (
                    isinstance(value, int)):
                raise FormatError(f"field {number} is a number")
            if number == _STRING:
                self.strings.append(value)
            elif number == _MAPPING:
                mappings.append(value)
            elif number == _FUNCTION:
                self.next_function = max(self.next_function,
                                         numbers(value).get(1, 0) + 1)
        if not self.strings or self.strings[0]:
            raise FormatError("the first string is not empty")
        self.mappings = {numbers(value).get(1, 0):
                         _Mapping(value, self.strings) for value in mappings}
        self.old_strings = len(self.strings)
        self.places = {text: at for at, text in
                       reversed(list(enumerate(self.strings)))}
        self.functions: dict[tuple[str, str], int] = {}
        self.added = bytearray()
        self.demangle = Demangler()
        self.budget = _profile.Budget(len(data))

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
            self.added += put(_FUNCTION, put(1, self.next_function)
                              + put(2, self.string(self.demangle(name)))
                              + put(3, self.string(name))
                              + put(4, self.string(frame.file.encode())))
            self.next_function += 1
        return self.functions[key]

    def lines(self, frames: list[Frame]) -> bytes:
        """The fields Line of a location with FRAMES."""
        result = b"".join(put(4, put(1, self.function(frame))
                              + put(2, frame.line)) for frame in frames)
        self.budget.take(len(result))
        return result


def symbolize(data: bytes, store: Store, return_addresses: bool = False,
              report: Any = None) -> bytes:
    """Name the addresses of the profile DATA, which is not compressed.

    Mappings without a file in STORE stay as they are, as do locations with
    lines, and mappings that say that they have functions and have locations
    with lines.  With RETURN_ADDRESSES 1 is subtracted from each address.
    REPORT, a function, is called with each note: why locations have no names.
    Raises FormatError.
    """
    profile = _Profile(data)
    misses = Misses()
    locations: dict[int, list[tuple[tuple[int, bytes], int]]] = {}
    # Mappings with locations that have lines.  Go says that a mapping has
    # functions, and programs that remove the lines leave that as it is.
    named: set[int] = set()
    at = 0
    for number, value, _ in fields(data):
        if number == _LOCATION:
            values = numbers(value)
            mapping_id = values.get(2, 0)
            if any(field == 4 for field, _, _ in fields(value)):
                named.add(mapping_id)
            else:
                locations.setdefault(mapping_id, []).append(
                    ((at, value), values.get(3, 0) - int(return_addresses)))
            at += 1
    changed: dict[int, bytes] = {}
    for mapping_id, waiting in locations.items():
        mapping = profile.mappings.get(mapping_id)
        if not mapping:
            misses.add(NO_MAPPING, count=len(waiting))
        elif not (mapping.has_functions and mapping_id in named):
            for (at, old), frames in _profile.name_addresses(
                    store, mapping, waiting, misses):
                changed[at] = put(_LOCATION, old + profile.lines(frames))
                mapping.done = True
    for note in misses.notes() if report else ():
        report(note)
    return _write(profile, changed)


def _write(profile: _Profile, changed: dict[int, bytes]) -> bytes:
    """The profile with the CHANGED locations."""
    out = io.BytesIO()
    location = 0
    for number, value, raw in fields(profile.data):
        if number == _MAPPING:
            mapping = profile.mappings[numbers(value).get(1, 0)]
            if mapping.done and mapping.data == value:
                raw = put(_MAPPING, mapping.encode())
        elif number == _LOCATION:
            raw = changed.get(location, raw)
            location += 1
        out.write(raw)
    out.write(profile.added)
    for text in profile.strings[profile.old_strings:]:
        out.write(put(_STRING, text))
    return out.getvalue()


def main() -> int:
    """The command gsym-pprof."""
    parser = _profile.parser_of(
        "gsym-pprof", "Name the addresses of a profile in pprof's format, by "
        "the GSYM files that gsym-create --install made.")
    parser.add_argument("input", metavar="IN",
                        help="the profile, compressed or not; '-' is standard "
                        "input")
    return _profile.convert(parser.parse_args(), "gsym-pprof", symbolize)


if __name__ == "__main__":
    sys.exit(main())
