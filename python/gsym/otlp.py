# SPDX-License-Identifier: MIT
"""gsym-otlp: name the addresses of OpenTelemetry's profiles.

Reads the messages ProfilesData and ExportProfilesServiceRequest, which have the
same fields, of the schema v1development from release 1.7 on, in protocol
buffers or in JSON.  Locations get lines; new functions and strings are
appended; everything else stays, unknown fields too.
"""

from __future__ import annotations

import io
import json
import sys
from typing import Any, Callable, Iterator, Sequence

from gsym import _profile
from gsym._demangle import Demangler
from gsym._profile import NO_MAPPING, Mapping, Misses
from gsym._store import Frame, Store, parse_build_id
from gsym._wire import FormatError, fields, numbers, put, put_varint, varint

__all__ = ["FormatError", "main", "symbolize"]

_BUILD_ID = "process.executable.build_id.gnu"
# Identities of the deployed file, by the profiler's own hash; only
# OpenTelemetry's profiler gives them, and its addresses are linked ones.
_HASHES = ("process.executable.build_id.htlhash",
           "process.executable.build_id.profiling")
_FRAME_TYPE = "profile.frame.type"

# A line of a location: the indexes of its function, and the line.
_Lines = list[tuple[int, int]]


# ---- the tables, whatever the encoding


class _Tables:
    """The tables of a dictionary, and what is added to them."""

    def __init__(self, strings: list[str], functions: int,
                 attributes: list[tuple[str, str]]) -> None:
        """FUNCTIONS: their number.  ATTRIBUTES: keys and texts."""
        if not strings or strings[0]:
            raise FormatError("the first string is not empty")
        self._attributes = attributes
        self._strings = len(strings)
        self._places = {text: at for at, text in
                        reversed(list(enumerate(strings)))}
        self._known: dict[tuple[str, str], int] = {}
        self._demangle = Demangler()
        self.new_strings: list[str] = []
        #: Indexes of strings: readable name, name, file.  Function 0 is none.
        self.new_functions: list[tuple[int, int, int]] = (
            [] if functions else [(0, 0, 0)])
        self._functions = functions
        self.mappings: list[Mapping] = []
        self.waiting: dict[int, list[tuple[int, int]]] = {}

    def attributes(self, indexes: Sequence[int]) -> dict[str, str]:
        """The attributes of INDEXES whose values are texts."""
        return dict(self._attributes[i] for i in indexes
                    if 0 < i < len(self._attributes))

    def add_mapping(self, start: int, limit: int, offset: int,
                    indexes: Sequence[int]) -> None:
        """A mapping with the attributes INDEXES."""
        attributes = self.attributes(indexes)
        build_ids: list[bytes] = []
        for key in (_BUILD_ID, *_HASHES):
            try:
                build_ids.append(parse_build_id(attributes.get(key, "")))
            except ValueError:
                pass
        mapping = Mapping(start, limit, offset, build_ids)
        mapping.is_linked = any(key in attributes for key in _HASHES)
        self.mappings.append(mapping)

    def add_location(self, number: int, mapping: int, address: int,
                     indexes: Sequence[int]) -> None:
        """Location NUMBER, which has no lines, waits for them."""
        kind = self.attributes(indexes).get(_FRAME_TYPE, "native")
        # Addresses of other frames, as of interpreters, are none of programs;
        # those of the kernel are below a start that is not known.
        if number and kind == "native":
            self.waiting.setdefault(mapping, []).append((number, address))

    def _string(self, text: str) -> int:
        if text not in self._places:
            self._places[text] = self._strings + len(self.new_strings)
            self.new_strings.append(text)
        return self._places[text]

    def _function(self, frame: Frame) -> int:
        key = frame.function, frame.file
        if key not in self._known:
            name = frame.function.encode()
            self._known[key] = self._functions + len(self.new_functions)
            self.new_functions.append(
                (self._string(self._demangle(name).decode("utf-8", "replace")),
                 self._string(frame.function), self._string(frame.file)))
        return self._known[key]

    def name(self, store: Store, back: int, budget: _profile.Budget,
             misses: Misses) -> dict[int, _Lines]:
        """The lines of the locations that wait, by their numbers."""
        named: dict[int, _Lines] = {}
        for number, waiting in self.waiting.items():
            mapping = (self.mappings[number]
                       if 0 <= number < len(self.mappings) else None)
            if not mapping or not number and not mapping.build_ids:
                misses.add(NO_MAPPING, count=len(waiting))
                continue
            for at, frames in _profile.name_addresses(
                    store, mapping,
                    [(at, address - back) for at, address in waiting], misses):
                named[at] = [(self._function(frame), frame.line)
                             for frame in frames]
                # A line has so many bytes of JSON, and fewer in a message.
                budget.take(40 * len(frames))
        return named


# ---- protocol buffers


# Fields of ProfilesDictionary; those of its tables are below.
_MAPPINGS, _LOCATIONS, _FUNCTIONS, _STRINGS, _ATTRIBUTES = 1, 2, 3, 5, 6
_DICTIONARY = 2


def _packed(message: bytes, field: int) -> list[int]:
    """The numbers of the repeated FIELD of MESSAGE.  All writers pack them."""
    result = []
    for number, value, _ in fields(message):
        if number != field or isinstance(value, int):
            continue
        at = 0
        while at < len(value):
            one, at = varint(value, at)
            result.append(one)
    return result


def _text(message: bytes, field: int) -> str:
    """The text in FIELD of MESSAGE; "" if there is none."""
    result = b""
    for number, value, _ in fields(message):
        if number == field and not isinstance(value, int):
            result = value
    return result.decode("utf-8", "surrogateescape")


def _message(message: bytes, field: int) -> bytes:
    """The message in FIELD of MESSAGE."""
    return b"".join(value for number, value, _ in fields(message)
                    if number == field and not isinstance(value, int))


def _attribute(message: bytes, strings: list[str]) -> tuple[str, str]:
    """Key and text of an attribute.  Release 1.7 has the key as a text."""
    key = _text(message, 1)
    index = numbers(message).get(1, 0)
    if not key and index < len(strings):
        key = strings[index]
    return key, _text(_message(message, 2), 1)


def _read_tables(dictionary: bytes) -> _Tables:
    """The tables of the message DICTIONARY."""
    parts: dict[int, list[bytes]] = {}
    for number, value, _ in fields(dictionary):
        if number <= 7:
            if isinstance(value, int):
                raise FormatError(f"field {number} of the dictionary is a "
                                  "number")
            parts.setdefault(number, []).append(value)
    strings = [value.decode("utf-8", "surrogateescape")
               for value in parts.get(_STRINGS, ())]
    tables = _Tables(strings, len(parts.get(_FUNCTIONS, ())),
                     [_attribute(value, strings)
                      for value in parts.get(_ATTRIBUTES, ())])
    for value in parts.get(_MAPPINGS, ()):
        mapping = numbers(value)
        tables.add_mapping(mapping.get(1, 0), mapping.get(2, 0),
                           mapping.get(3, 0), _packed(value, 5))
    for at, value in enumerate(parts.get(_LOCATIONS, ())):
        if any(number == 3 for number, _, _ in fields(value)):
            continue
        location = numbers(value)
        # Up to release 1.7 attributes are field 5, and field 4 is a number.
        tables.add_location(at, location.get(1, 0), location.get(2, 0),
                            _packed(value, 4) + _packed(value, 5))
    return tables


def _write_tables(dictionary: bytes, tables: _Tables,
                  named: dict[int, _Lines]) -> bytes:
    """DICTIONARY with the lines NAMED and what was added to TABLES."""
    out = io.BytesIO()
    at = 0
    for number, value, raw in fields(dictionary):
        if number == _LOCATIONS:
            if at in named:
                raw = put(_LOCATIONS, value + b"".join(
                    put(3, put(1, function) + put(2, line))
                    for function, line in named[at]))
            at += 1
        out.write(raw)
    for name, system, file in tables.new_functions if named else ():
        out.write(put(_FUNCTIONS, b"".join(
            put(field, value) for field, value in
            ((1, name), (2, system), (3, file)) if value)))
    for text in tables.new_strings:
        out.write(put(_STRINGS, text.encode("utf-8", "replace")))
    return out.getvalue()


def _symbolize_message(data: bytes, name: "_Name") -> bytes:
    """DATA, a message of protocol buffers, with names."""
    dictionary, profiles = b"", False
    for number, value, _ in fields(data):
        if number <= _DICTIONARY and isinstance(value, int):
            raise FormatError(f"field {number} is a number")
        if number == _DICTIONARY:
            dictionary += value
        profiles |= number == 1
    if not dictionary:
        if profiles:
            raise FormatError("it has no dictionary: its schema is older than "
                              "release 1.7")
        return data
    tables = _read_tables(dictionary)
    named = name(tables)
    if not named:
        return data
    rest = b"".join(raw for number, _, raw in fields(data)
                    if number != _DICTIONARY)
    return rest + put(_DICTIONARY, _write_tables(dictionary, tables, named))


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


def _read_json_tables(dictionary: Any) -> _Tables:
    """The tables of the object DICTIONARY."""
    strings = _list(dictionary, "stringTable")
    if not all(isinstance(text, str) for text in strings):
        raise FormatError("an element of \"stringTable\" is no text")
    attributes = []
    for value in _objects(dictionary, "attributeTable"):
        index = _number(value.get("keyStrindex", 0))
        key = value.get("key") or (
            strings[index] if index < len(strings) else "")
        held = value.get("value")
        text = held.get("stringValue") if isinstance(held, dict) else None
        attributes.append((str(key), text if isinstance(text, str) else ""))
    tables = _Tables(list(strings), len(_list(dictionary, "functionTable")),
                     attributes)
    for value in _objects(dictionary, "mappingTable"):
        tables.add_mapping(
            _number(value.get("memoryStart", 0)),
            _number(value.get("memoryLimit", 0)),
            _number(value.get("fileOffset", 0)),
            [_number(i) for i in _list(value, "attributeIndices")])
    for at, value in enumerate(_objects(dictionary, "locationTable")):
        if not value.get("lines") and not value.get("line"):
            tables.add_location(
                at, _number(value.get("mappingIndex", 0)),
                _number(value.get("address", 0)),
                [_number(i) for i in _list(value, "attributeIndices")])
    return tables


def _write_json_tables(dictionary: Any, tables: _Tables,
                       named: dict[int, _Lines]) -> None:
    """Add the lines NAMED and what was added to TABLES to DICTIONARY."""
    locations = dictionary["locationTable"]
    # Up to release 1.8 the member has another name.
    key = "line" if any("line" in one for one in locations) else "lines"
    for at, lines in named.items():
        locations[at][key] = [
            {"functionIndex": function, "line": str(line)}
            for function, line in lines]
    dictionary.setdefault("functionTable", []).extend(
        {key: value for key, value in
         (("nameStrindex", name), ("systemNameStrindex", system),
          ("filenameStrindex", file)) if value}
        for name, system, file in tables.new_functions)
    dictionary["stringTable"].extend(tables.new_strings)


def _symbolize_object(text: str, name: "_Name") -> str:
    """TEXT, an object of JSON, with names."""
    try:
        data = json.loads(text)
    except RecursionError as error:
        raise FormatError("its JSON is nested too deeply") from error
    if not isinstance(data, dict):
        raise FormatError("its JSON is no object")
    dictionary = data.get("dictionary")
    if not dictionary:
        if data.get("resourceProfiles"):
            raise FormatError("it has no dictionary: its schema is older than "
                              "release 1.7")
        return text
    if not isinstance(dictionary, dict):
        raise FormatError("\"dictionary\" is no object")
    tables = _read_json_tables(dictionary)
    named = name(tables)
    if not named:
        return text
    _write_json_tables(dictionary, tables, named)
    return json.dumps(data, ensure_ascii=False, allow_nan=False,
                      separators=(",", ":"))


def _symbolize_json(data: bytes, name: "_Name") -> bytes:
    """DATA, an object of JSON, or one in each line, with names."""
    text = data.decode("utf-8")
    lines = text.split("\n")
    if lines[0].rstrip().endswith("}"):
        result = "\n".join(_symbolize_object(line, name) if line.strip()
                           else line for line in lines)
    else:
        result = _symbolize_object(text, name)
    return result.encode("utf-8", "surrogatepass")


# ---- both


_Name = Callable[[_Tables], dict[int, _Lines]]


def is_json(data: bytes) -> bool:
    """Whether DATA is JSON, and no message of protocol buffers.  No message
    begins with a brace, which would be a group."""
    return data[:1] == b"{"


def symbolize(data: bytes, store: Store, return_addresses: bool = False,
              report: Any = None) -> bytes:
    """Name the addresses of DATA: ProfilesData or ExportProfilesServiceRequest
    in protocol buffers, or in JSON, also several objects, each in a line.

    Locations with lines stay as they are, and so do those of interpreters and
    of the kernel.  With RETURN_ADDRESSES 1 is subtracted from each address.
    REPORT, a function, is called with each note: why locations have no names.
    Raises ValueError: FormatError, or that of JSON.
    """
    misses = Misses()
    budget = _profile.Budget(len(data))

    def name(tables: _Tables) -> dict[int, _Lines]:
        return tables.name(store, int(return_addresses), budget, misses)

    result = (_symbolize_json(data, name) if is_json(data)
              else _symbolize_message(data, name))
    for note in misses.notes() if report else ():
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
    parser.add_argument("--forward", metavar="URL",
                        help="the collector: http://, https:// or grpc://")
    return parser


def main() -> int:
    """The command gsym-otlp."""
    parser = _arguments()
    options = parser.parse_args()
    serves = options.listen or options.listen_grpc
    if bool(serves) == bool(options.input):
        parser.error("give either IN or --listen and --forward")
    if bool(serves) != bool(options.forward):
        parser.error("--listen and --forward need each other")
    if serves:
        from gsym import _receiver
        return _receiver.serve(options)
    return _profile.convert(options, "gsym-otlp", symbolize)


if __name__ == "__main__":
    sys.exit(main())
