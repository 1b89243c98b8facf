# SPDX-License-Identifier: MIT
"""gsym-pprof: name the addresses of a profile in pprof's format, of one of
gperftools or jemalloc, which becomes one, or of one of the Firefox Profiler.

Here is pprof's format, and in _FORMATS the choice of another one.
Everything but the mappings and locations that get names is copied byte for
byte, unknown fields too; new functions and strings are appended.
"""

from __future__ import annotations

import array
import heapq
import io
import sys
from typing import Any, Iterable, Optional

from gsym import _firefox, _gperftools, _profile
from gsym._demangle import Demangler
from gsym._profile import (NAMED, NO_MAPPING, OVERHEAD, REASONS, Budget,
                           Lines, Mapping, Misses, Waiting)
from gsym._store import Store, parse_build_id
from gsym._wire import (FormatError, Pairs, Rows, Table, longer, message, put,
                        put_changed, spans)

__all__ = ["FormatError", "REASONS", "main", "symbolize"]

# Fields of the message Profile.
_SAMPLE, _MAPPING, _LOCATION, _FUNCTION, _STRING = 2, 3, 4, 5, 6


class _Profile:
    """A profile, its tables, and what is added to them."""

    def __init__(self, data: bytes, budget: Budget) -> None:
        self.data = data
        self.budget = budget
        self.next_function = 1
        self.mappings, self.strings = Table(data), Table(data)
        tables = {_MAPPING: self.mappings, _STRING: self.strings}
        self.locations = Rows(data)
        if not data:
            raise FormatError("it is empty")
        if data[:1] == b"{":
            # No message begins with a brace, which would be a group.
            raise FormatError("it is JSON, and not in pprof's format; gsym-otlp "
                              "takes that of OpenTelemetry")
        for number, value, begin, start, end in spans(data, budget.check,
                                                      runs=(_SAMPLE, _LOCATION)):
            if not _MAPPING <= number <= _STRING:
                continue
            if value is not None:
                raise FormatError(f"field {number} is a number")
            if number == _FUNCTION:
                self.next_function = max(
                    self.next_function,
                    message(data, start, end).get(1, 0) + 1)
            elif number == _LOCATION:
                self.locations.add(begin, end)
            else:
                tables[number].add(begin, start, end)
        if not self.strings:
            raise FormatError("it has no strings, as profiles in pprof's format "
                              "do; gsym-otlp takes OpenTelemetry's")
        if self.strings[0]:
            raise FormatError("the first string is not empty")
        # The last one with an ID counts.
        self.places = {self.mappings.message(at).get(1, 0): at
                       for at in range(len(self.mappings))}
        #: Mappings, by their places, that have got names.
        self.done: set[int] = set()
        # New functions, and the beginning of each line of them, as Pairs.start()
        # makes it.
        self._functions: dict[tuple[str, str], bytes] = {}
        self._pairs = Pairs(4)
        self.demangle = Demangler()

    def string(self, at: int, most: int = 0) -> bytes:
        """The string with index AT; "" if there is none, or one of more than
        MOST bytes."""
        if 0 < at < len(self.strings) and self.strings.size(at) <= most:
            return self.strings[at]
        return b""

    def mapping(self, at: int) -> Mapping:
        """The mapping at the place AT."""
        values = self.mappings.message(at)
        build_ids: list[bytes] = []
        try:
            # A mapping has the build ID as text.
            build_ids.append(parse_build_id(
                self.string(values.get(6, 0), 1024).decode("ascii")))
        except ValueError:
            pass
        return Mapping(values.get(2, 0), values.get(3, 0), values.get(4, 0),
                       build_ids, self.string(values.get(5, 0), 64))

    def has_functions(self, at: int) -> bool:
        """Whether the mapping at the place AT says that it has functions."""
        return bool(self.mappings.message(at).get(7))

    def lines(self) -> Lines:
        """Makes lines of the frames of one file."""
        return Lines(self._function, self._pairs.put)

    def _function(self, function: str, file: str) -> bytes:
        key = function, file
        start = self._functions.get(key)
        if start is None:
            self.budget.take(OVERHEAD)
            start = self._functions[key] = self._pairs.start(
                self.next_function + len(self._functions))
        return start

    def write(self, locations: Iterable[tuple[int, int, bytes]]) -> bytes:
        """The profile with names.  LOCATIONS: where each location that waited
        begins and ends, and the fields that it gets."""
        if not self.done:
            return self.data
        functions = [(number, (self.demangle(function.encode()),
                               function.encode(), file.encode()))
                     for number, (function, file) in enumerate(
                         self._functions, self.next_function)]
        strings = _profile.Strings(self.budget)
        for _, texts in functions:
            strings.want(texts)
        strings.find(self.strings)
        data, out = self.data, io.BytesIO()
        put_changed(data, self.budget.check, out, heapq.merge(
            self.mappings.changed(_MAPPING, (
                (at, _with_functions(self.mappings[at]))
                for at in sorted(self.done))),
            longer(data, locations)))
        for function, texts in functions:
            out.write(put(_FUNCTION, put(1, function) + b"".join(
                put(field, strings.places[text])
                for field, text in enumerate(texts, 2))))
        for text in strings.new:
            out.write(put(_STRING, text))
        return out.getvalue()


def _with_functions(mapping: bytes) -> bytes:
    """The message MAPPING, which says now that its functions have names."""
    kept = b"".join(mapping[start:end] for number, _, start, _, end
                    in spans(mapping) if not 7 <= number <= 10)
    return kept + b"".join(put(number, 1) for number in range(7, 11))


def _read_locations(profile: _Profile, back: int, force: bool, misses: Misses
                    ) -> "tuple[Waiting, array.array[int], array.array[int]]":
    """The locations of PROFILE that may get names, with addresses less BACK, and
    where the field of each begins and ends."""
    # Mappings with locations that have lines.  Go says that a mapping has
    # functions, and programs that remove the lines leave that as it is.
    named: set[int] = set()
    waiting = Waiting()
    begins, ends = array.array("Q"), array.array("Q")
    for begin, end, _, mapping_id, address, values in profile.locations.read(
            profile.budget.check):
        mapping = profile.places.get(mapping_id)
        if values and 4 in values:
            if mapping is not None:
                named.add(mapping)
        elif mapping is None:
            misses.add(NO_MAPPING)
        else:
            waiting.add(mapping, len(begins), address - back)
            begins.append(begin)
            ends.append(end)
    for mapping in () if force else named:
        if profile.has_functions(mapping):
            misses.add(NAMED, count=waiting.drop(mapping))
    return waiting, begins, ends


def symbolize(data: bytes, store: Store, return_addresses: bool = False,
              report: Any = None, budget: Optional[Budget] = None,
              force: bool = False) -> bytes:
    """Name the addresses of the profile DATA, which is not compressed.

    Mappings without a file in STORE stay as they are, as do locations with
    lines, and, without FORCE, mappings that say that they have functions and
    have locations with lines.  With RETURN_ADDRESSES 1 is subtracted from each
    address.  REPORT, a function, is called with each note: why locations have no
    names.  Raises FormatError.
    """
    profile = _Profile(data, budget or Budget(len(data)))
    misses = Misses()
    waiting, begins, ends = _read_locations(profile, int(return_addresses),
                                            force, misses)
    named = [b""] * len(begins)
    for mapping in waiting.mappings():
        for at, lines in _profile.name_addresses(
                store, profile.mapping(mapping), waiting.of(mapping), misses,
                profile.budget, profile.lines):
            named[at] = b"".join(lines)
            profile.budget.take(len(named[at]) + OVERHEAD)
            profile.done.add(mapping)
    for note in misses.notes() if report else ():
        report(note)
    return profile.write(zip(begins, ends, named))


# Formats that are written as they are read: what profiles begin with, and the
# function that names them.
_FORMATS = ((b"{", _firefox.symbolize), (b"", symbolize))


def _arguments() -> Any:
    parser = _profile.parser_of(
        "gsym-pprof", "Name the addresses of a profile in pprof's format, or "
        "of one of Firefox or samply, by the GSYM files that gsym-create "
        "--install made.")
    parser.add_argument("input", metavar="IN",
                        help="the profile, compressed or not; '-' is standard "
                        "input")
    parser.add_argument("--force", action="store_true",
                        help="name locations of mappings that have functions, "
                        "too")
    parser.add_argument("--root", metavar="DIR",
                        help="of a profile of gperftools or jemalloc: the "
                        "programs that were mapped are below DIR")
    return parser


def main() -> int:
    """The command gsym-pprof."""
    options = _arguments().parse_args()

    def read_other(data: bytes, written: Optional[int],
                   report: Any) -> Optional[bytes]:
        return _gperftools.read(data, options.root, written, report)

    def name(data: bytes, store: Store, back: bool, report: Any) -> bytes:
        function = next(one for beginning, one in _FORMATS
                        if data.startswith(beginning))
        return function(data, store, back, report, force=options.force)

    return _profile.convert(options, "gsym-pprof", name, read_other)


if __name__ == "__main__":
    sys.exit(main())
