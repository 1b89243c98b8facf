# SPDX-License-Identifier: MIT
"""gsym-otlp: name the addresses of OpenTelemetry's profiles.

Reads the messages ProfilesData and ExportProfilesServiceRequest, which have the
same fields, of the schema v1development from release 1.7 on, in protocol
buffers or in JSON.  Locations get lines; new functions and strings are
appended; everything else stays, unknown fields too.
"""

from __future__ import annotations

import array
import io
import json
import sys
from typing import Any, Callable, Iterable, Iterator, Optional

from gsym import _profile
from gsym._demangle import Demangler
from gsym._profile import (NO_MAPPING, OVERHEAD, Budget, Lines, Mapping,
                           Misses, Strings, Waiting)
from gsym._store import Store, parse_build_id
from gsym._wire import (FormatError, Pairs, Rows, Table, longer, put,
                        put_changed, put_varint, spans, value_of, varint)

__all__ = ["FormatError", "main", "symbolize"]

_BUILD_ID = "process.executable.build_id.gnu"
# Identities of the deployed file, by the profiler's own hash; only
# OpenTelemetry's profiler gives them, and its addresses are linked ones.
_HASHES = ("process.executable.build_id.htlhash",
           "process.executable.build_id.profiling")
_FRAME_TYPE = "profile.frame.type"
# The attributes that are read, and the most bytes of their texts.
_KEYS = {_BUILD_ID, *_HASHES, _FRAME_TYPE}
_MOST_TEXT = 512

# Start, limit, file offset and indexes of attributes of a mapping.
_Place = tuple[int, int, int, Iterable[int]]


# ---- the tables, whatever the encoding


class _Tables:
    """The tables of a dictionary, and what is added to them.  The tables stay in
    the message: what is needed of them is read when it is needed."""

    def __init__(self, attributes: int,
                 read_attribute: Callable[[int], tuple[str, str]], mappings: int,
                 read_mapping: Callable[[int], _Place], functions: int,
                 budget: Budget, start: Callable[[int], Any],
                 put: Callable[[Any, int], Any]) -> None:
        """ATTRIBUTES, MAPPINGS, FUNCTIONS: the sizes of the tables.
        READ_ATTRIBUTE returns key and text of an attribute.  START makes a key of
        the index of a function, and PUT a line of such a key and the number of a
        line."""
        # Whether an attribute was read.
        self._known = bytearray(attributes)
        self._attributes: dict[int, tuple[str, str]] = {}
        self._read_attribute = read_attribute
        self._mappings = mappings
        self._start = start
        self._put = put
        self._read_mapping = read_mapping
        self._demangle = Demangler()
        # Function 0 is none.
        self._first = max(functions, 1)
        self._functions = functions
        # New functions, and their keys, as START makes them.
        self._numbers: dict[tuple[str, str], Any] = {}
        self._budget = budget
        self._waiting = Waiting()
        # Locations of mapping 0 and of mappings that are not there.
        self._lost = 0

    def attributes(self, indexes: Iterable[int]) -> dict[str, str]:
        """The attributes of INDEXES that count."""
        found = {}
        for at in indexes:
            if not 0 < at < len(self._known):
                continue
            if not self._known[at]:
                self._known[at] = 1
                key, text = self._read_attribute(at)
                if key in _KEYS and len(text) <= _MOST_TEXT:
                    self._attributes[at] = key, text
            if at in self._attributes:
                key, text = self._attributes[at]
                found[key] = text
        return found

    def _mapping(self, at: int) -> Mapping:
        start, limit, offset, indexes = self._read_mapping(at)
        attributes = self.attributes(indexes)
        build_ids: list[bytes] = []
        for key in (_BUILD_ID, *_HASHES):
            try:
                build_ids.append(parse_build_id(attributes.get(key, "")))
            except ValueError:
                pass
        mapping = Mapping(start, limit, offset, build_ids)
        mapping.is_linked = any(key in attributes for key in _HASHES)
        return mapping

    def add_location(self, number: int, mapping: int, address: int,
                     indexes: Iterable[int]) -> None:
        """Location NUMBER, which has no lines, waits for them."""
        # Addresses of other frames, as of interpreters, are none of programs;
        # those of the kernel are below a start that is not known.
        if indexes and self.attributes(indexes).get(
                _FRAME_TYPE, "native") != "native":
            return
        if mapping < self._mappings:
            self._waiting.add(mapping, number, address)
        else:
            self._lost += 1

    def _function(self, function: str, file: str) -> Any:
        key = function, file
        start = self._numbers.get(key)
        if start is None:
            self._budget.take(OVERHEAD)
            start = self._numbers[key] = self._start(
                self._first + len(self._numbers))
        return start

    def name(self, store: Store, misses: Misses
             ) -> Iterator[tuple[int, list[Any]]]:
        """The lines of the locations that wait, and their numbers."""
        if self._lost:
            misses.add(NO_MAPPING, count=self._lost)
        for number in self._waiting.mappings():
            mapping = self._mapping(number)
            if not number and not mapping.build_ids:
                misses.add(NO_MAPPING,
                           count=sum(1 for _ in self._waiting.of(number)))
                continue
            for at, lines in _profile.name_addresses(
                    store, mapping, self._waiting.of(number), misses,
                    self._budget, lambda: Lines(self._function, self._put)):
                # A line has so many bytes of JSON, and fewer in a message.
                self._budget.take(40 * len(lines) + OVERHEAD)
                yield at, lines

    def new_functions(self) -> list[tuple[str, str, str]]:
        """Readable name, name, and file of the new functions."""
        return [("", "", "")] * (self._first - self._functions) + [
            (self._demangle(function.encode()).decode("utf-8", "replace"),
             function, file) for function, file in self._numbers]


# ---- protocol buffers


# Fields of ProfilesDictionary; those of its tables are below.
_MAPPINGS, _LOCATIONS, _FUNCTIONS, _STRINGS, _ATTRIBUTES, _STACKS = (
    1, 2, 3, 5, 6, 7)
_DICTIONARY = 2
# Fields of a profile in pprof's format that OpenTelemetry's do not have:
# locations and strings.
_PPROF = {4, 6}


class _Message(_Tables):
    """The tables of a message."""

    def __init__(self, dictionary: bytes, budget: Budget) -> None:
        self.data = dictionary
        tables = {number: Table(dictionary) for number in
                  (_MAPPINGS, _STRINGS, _ATTRIBUTES)}
        # Field 3 is the lines.
        self._locations = Rows(dictionary, 2)
        # Where each location that waits begins and ends.
        self._begins, self._ends = array.array("Q"), array.array("Q")
        functions = 0
        for number, value, begin, start, end in spans(dictionary, budget.check,
                                                      runs=(_LOCATIONS, _STACKS)):
            if number > _STACKS:
                continue
            if value is not None:
                raise FormatError(f"field {number} of the dictionary is a "
                                  "number")
            if number in tables:
                tables[number].add(begin, start, end)
            elif number == _LOCATIONS:
                self._locations.add(begin, end)
            functions += number == _FUNCTIONS
        self._strings = tables[_STRINGS]
        if not self._strings or self._strings[0]:
            raise FormatError("the first string is not empty")
        self._mapping_table = tables[_MAPPINGS]
        self._attribute_table = tables[_ATTRIBUTES]
        pairs = Pairs(3)
        super().__init__(len(self._attribute_table), self._attribute,
                         len(self._mapping_table), self._place, functions,
                         budget, pairs.start, pairs.put)

    def read(self, back: int) -> None:
        """Read the locations, less BACK."""
        locations = self._locations.read(self._budget.check)
        # Location 0 is none.
        next(locations, None)
        for begin, end, mapping, address, _, values in locations:
            indexes: Iterable[int] = ()
            if values:
                if 3 in values:
                    continue
                # Up to release 1.7 attributes are field 5, and field 4 is a
                # number.
                if 4 in values or 5 in values:
                    indexes = _packed(self.data, value_of(self.data, begin)[0],
                                      end, (4, 5))
            self.add_location(len(self._begins), mapping, address - back,
                              indexes)
            self._begins.append(begin)
            self._ends.append(end)

    def _place(self, at: int) -> _Place:
        """Mapping AT."""
        values, table = self._mapping_table.message(at), self._mapping_table
        return (values.get(1, 0), values.get(2, 0), values.get(3, 0),
                _packed(self.data, table.starts[at], table.ends[at], (5,)))

    def _attribute(self, at: int) -> tuple[str, str]:
        """Key and text of attribute AT.  Release 1.7 has the key as a text."""
        key, value = b"", []
        index = self._attribute_table.message(at).get(1, 0)
        for number, held in _texts(self._attribute_table[at]):
            if number == 1:
                key = held
            elif number == 2:
                value.append(held)
        if not key and index < len(self._strings) and (
                self._strings.size(index) <= _MOST_TEXT):
            key = self._strings[index]
        text = b""
        for number, held in _texts(b"".join(value)):
            if number == 1:
                text = held
        return (key.decode("utf-8", "surrogateescape"),
                text.decode("utf-8", "surrogateescape"))

    def write(self, named: Iterable[tuple[int, list[bytes]]]) -> bytes:
        """The dictionary with the lines NAMED, and what was added."""
        lines = [b""] * len(self._begins)
        for at, those in named:
            lines[at] = b"".join(those)
        if not self._numbers:
            return self.data
        functions = [(readable.encode("utf-8", "replace"), name.encode(),
                      file.encode())
                     for readable, name, file in self.new_functions()]
        strings: Strings[bytes] = Strings(self._budget)
        for texts in functions:
            strings.want(texts)
        strings.find(self._strings)
        out = io.BytesIO()
        put_changed(self.data, self._budget.check, out, longer(
            self.data, zip(self._begins, self._ends, lines)))
        for texts in functions:
            out.write(put(_FUNCTIONS, b"".join(
                put(field, strings.places[text])
                for field, text in enumerate(texts, 1) if text)))
        for text in strings.new:
            out.write(put(_STRINGS, text))
        return out.getvalue()


def _packed(data: bytes, at: int, end: int,
            wanted: tuple[int, ...]) -> Iterator[int]:
    """The numbers of the repeated fields WANTED of the message at AT up to END of
    DATA.  All writers pack them."""
    for number, value, _, first, last in spans(data, None, at, end):
        if number not in wanted or value is not None:
            continue
        while first < last:
            one, first = varint(data, first)
            yield one


def _texts(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of the message DATA that are texts or messages."""
    for number, value, _, first, end in spans(data):
        if value is None:
            yield number, data[first:end]


def _symbolize_message(data: bytes, run: "_Run") -> bytes:
    """DATA, a message of protocol buffers, with names."""
    pieces, profiles, others = [], False, set()
    for number, value, _, start, end in spans(data, run.budget.check):
        if number <= _DICTIONARY and value is not None:
            raise FormatError(f"field {number} is a number")
        if number == _DICTIONARY:
            # A message in pieces is all of them together.
            if start < end:
                pieces.append(data[start:end])
                run.budget.take(OVERHEAD)
        profiles |= number == 1
        if number in _PPROF and value is None:
            # pprof's first string is the empty one.
            if number == 6 and 6 not in others and start < end:
                number = 0
            others.add(number)
    if others >= _PPROF:
        raise FormatError("it is a profile in pprof's format: see gsym-pprof")
    if not pieces:
        if profiles:
            raise FormatError("it has no dictionary: its schema is older than "
                              "release 1.7")
        return data
    tables = _Message(b"".join(pieces), run.budget)
    del pieces
    tables.read(run.back)
    dictionary = tables.write(run.name(tables))
    if dictionary is tables.data:
        return data
    del tables
    out, done = io.BytesIO(), 0
    for number, _, start, _, end in spans(data, run.budget.check):
        if number == _DICTIONARY:
            out.write(data[done:start])
            done = end
    out.write(data[done:])
    out.write(put_varint(_DICTIONARY << 3 | 2) + put_varint(len(dictionary)))
    out.write(dictionary)
    return out.getvalue()


# ---- JSON


def _list(holder: Any, key: str) -> list[Any]:
    value = holder.get(key, [])
    if not isinstance(value, list):
        raise FormatError(f"\"{key}\" is no list")
    return value


def _objects(holder: Any, key: str) -> Iterator[dict[str, Any]]:
    for value in _list(holder, key):
        if not isinstance(value, dict):
            raise FormatError(f"an element of \"{key}\" is no object")
        yield value


def _number(value: Any) -> int:
    """A number, which is a text if it may have 64 bits."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and (
            len(value) <= 20):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not (
            0 <= value < 1 << 64):
        raise FormatError(f"not a number: {str(value)[:40]!r}")
    return value


def _indexes(holder: dict[str, Any]) -> list[int]:
    """The attributes of HOLDER."""
    return [_number(i) for i in _list(holder, "attributeIndices")]


class _Object(_Tables):
    """The tables of an object."""

    def __init__(self, dictionary: dict[str, Any], budget: Budget) -> None:
        self._dictionary = dictionary
        self._strings = _list(dictionary, "stringTable")
        if not all(isinstance(text, str) for text in self._strings):
            raise FormatError("an element of \"stringTable\" is no text")
        if not self._strings or self._strings[0]:
            raise FormatError("the first string is not empty")
        self._attribute_table = list(_objects(dictionary, "attributeTable"))
        self._mapping_table = list(_objects(dictionary, "mappingTable"))
        for at in range(len(self._attribute_table)):
            self._attribute(at)
        for at in range(len(self._mapping_table)):
            self._place(at)
        super().__init__(len(self._attribute_table), self._attribute,
                         len(self._mapping_table), self._place,
                         len(_list(dictionary, "functionTable")), budget,
                         int, lambda function, line: (function, line))

    def _attribute(self, at: int) -> tuple[str, str]:
        """Key and text of attribute AT."""
        value = self._attribute_table[at]
        index = _number(value.get("keyStrindex", 0))
        key = value.get("key") or (
            self._strings[index] if index < len(self._strings) else "")
        held = value.get("value")
        text = held.get("stringValue") if isinstance(held, dict) else None
        return (key if isinstance(key, str) else "",
                text if isinstance(text, str) else "")

    def _place(self, at: int) -> _Place:
        """Mapping AT."""
        value = self._mapping_table[at]
        return (_number(value.get("memoryStart", 0)),
                _number(value.get("memoryLimit", 0)),
                _number(value.get("fileOffset", 0)), _indexes(value))

    def read(self, back: int) -> None:
        """Read the locations, less BACK."""
        for at, value in enumerate(_objects(self._dictionary, "locationTable")):
            if not at % 256:
                self._budget.check()
            if at and not value.get("lines") and not value.get("line"):
                self.add_location(
                    at, _number(value.get("mappingIndex", 0)),
                    _number(value.get("address", 0)) - back, _indexes(value))

    def write(self, named: dict[int, list[Any]]) -> None:
        """Add the lines NAMED and what was added to the object."""
        dictionary = self._dictionary
        locations = dictionary["locationTable"]
        # Up to release 1.8 the member has another name.
        key = "line" if any("line" in one for one in locations) else "lines"
        for at, lines in named.items():
            locations[at][key] = [
                {"functionIndex": function, "line": str(line)}
                for function, line in lines]
        functions = self.new_functions()
        strings: Strings[str] = Strings(self._budget)
        for texts in functions:
            strings.want(texts)
        strings.find(self._strings)
        dictionary.setdefault("functionTable", []).extend(
            {member: strings.places[text] for member, text in
             zip(("nameStrindex", "systemNameStrindex", "filenameStrindex"),
                 texts) if text}
            for texts in functions)
        self._strings.extend(strings.new)


def read_object(text: str) -> dict[str, Any]:
    """The object of JSON TEXT.  Raises ValueError."""
    try:
        data = json.loads(text, **SHORT)
    except RecursionError as error:
        raise FormatError("its JSON is nested too deeply") from error
    if not isinstance(data, dict):
        raise FormatError("its JSON is no object")
    return data


def write_object(data: dict[str, Any]) -> str:
    """DATA as JSON."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False,
                      separators=(",", ":"))


# The members of a profile; proto3 allows two spellings.
_MEMBERS = {"resourceProfiles", "resource_profiles", "dictionary"}


def _symbolize_object(text: str, run: "_Run") -> str:
    """TEXT, an object of JSON, with names."""
    data = read_object(text)
    dictionary = data.get("dictionary")
    if not dictionary:
        if data.get("resourceProfiles"):
            raise FormatError("it has no dictionary: its schema is older than "
                              "release 1.7")
        if data and not data.keys() & _MEMBERS:
            _profile.refuse_json(data, "of OpenTelemetry: it has neither "
                                 "\"resourceProfiles\" nor \"dictionary\"")
        return text
    if not isinstance(dictionary, dict):
        raise FormatError("\"dictionary\" is no object")
    run.budget.check()
    tables = _Object(dictionary, run.budget)
    tables.read(run.back)
    named = dict(run.name(tables))
    if not named:
        return text
    tables.write(named)
    run.budget.check()
    return write_object(data)


def _short(text: str) -> int:
    """The number TEXT.  The time of a long one grows with its square."""
    if len(text) > 4300:
        raise FormatError(f"a number has {len(text)} digits")
    return int(text)


#: Arguments of json.loads: releases of Python that have no limit of their own for
#: the digits of a number get one.
SHORT: dict[str, Any] = ({} if hasattr(sys, "get_int_max_str_digits")
                         else {"parse_int": _short})


def _symbolize_json(data: bytes, run: "_Run") -> bytes:
    """DATA, an object of JSON, or one in each line, with names."""
    end = data.find(b"\n")
    if end < 0 or not data[:end].rstrip().endswith(b"}"):
        return _symbolize_object(data.decode("utf-8"), run).encode(
            "utf-8", "surrogatepass")
    out, at = io.BytesIO(), 0
    while at < len(data):
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        line = data[at:end]
        if line.strip():
            line = _symbolize_object(line.decode("utf-8"), run).encode(
                "utf-8", "surrogatepass")
        out.write(line + data[end:end + 1])
        at = end + 1
    return out.getvalue()


# ---- both


class _Run:
    """A profile that is named, in one or several tables."""

    def __init__(self, store: Store, back: int, budget: Budget) -> None:
        """BACK is subtracted from each address."""
        self._store = store
        self.back = back
        self.budget = budget
        self.misses = Misses()

    def name(self, tables: _Tables) -> Iterator[tuple[int, list[Any]]]:
        """The lines of the locations of TABLES, and their numbers."""
        return tables.name(self._store, self.misses)


def is_json(data: bytes) -> bool:
    """Whether DATA is JSON, and no message of protocol buffers.  No message
    begins with a brace, which would be a group."""
    return data[:1] == b"{"


def symbolize(data: bytes, store: Store, return_addresses: bool = False,
              report: Any = None, budget: Optional[Budget] = None) -> bytes:
    """Name the addresses of DATA: ProfilesData or ExportProfilesServiceRequest
    in protocol buffers, or in JSON, also several objects, each in a line.

    Locations with lines stay as they are, and so do those of interpreters and
    of the kernel.  With RETURN_ADDRESSES 1 is subtracted from each address.
    REPORT, a function, is called with each note: why locations have no names.
    Raises ValueError: FormatError, or that of JSON.
    """
    run = _Run(store, int(return_addresses), budget or Budget(len(data)))
    result = (_symbolize_json(data, run) if is_json(data)
              else _symbolize_message(data, run))
    for note in run.misses.notes() if report else ():
        report(note)
    return result


def _arguments() -> Any:
    parser = _profile.parser_of(
        "gsym-otlp", "Name the addresses of OpenTelemetry's profiles, in "
        "protocol buffers or JSON, by the GSYM files that gsym-create "
        "--install made.  With --listen the profiles that a profiler or "
        "collector exports are named and forwarded.")
    parser.add_argument("input", metavar="IN", nargs="?",
                        help="the profiles, compressed or not; '-' is standard "
                        "input")
    parser.add_argument("--listen", metavar="HOST:PORT",
                        help="serve OTLP over HTTP, and forward to --forward")
    parser.add_argument("--listen-grpc", metavar="HOST:PORT",
                        help="serve OTLP over gRPC; needs the package grpcio")
    parser.add_argument("--listen-symbols", metavar="HOST:PORT",
                        help="serve symbols to the Firefox Profiler, by the API "
                        "/symbolicate/v5")
    parser.add_argument("--forward", metavar="URL",
                        help="the collector: http://, https:// or grpc://")
    return parser


def main() -> int:
    """The command gsym-otlp."""
    parser = _arguments()
    options = parser.parse_args()
    takes = options.listen or options.listen_grpc
    serves = takes or options.listen_symbols
    if bool(serves) == bool(options.input):
        parser.error("give either IN or --listen and --forward")
    if bool(takes) != bool(options.forward):
        parser.error("--listen and --forward need each other")
    if serves:
        from gsym import _receiver
        return _receiver.serve(options)
    return _profile.convert(options, "gsym-otlp", symbolize)


if __name__ == "__main__":
    sys.exit(main())
