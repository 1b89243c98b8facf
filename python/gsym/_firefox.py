# SPDX-License-Identifier: MIT
"""Processed profiles of the Firefox Profiler, which samply writes, too.

A profile is JSON.  Its tables are columns: lists of one length.  A stack refers
to a frame, a frame to a function, and a function to a text.  A frame of native
code has an address, which counts from the first segment of its library.  Return
addresses have been reduced by 1.

Frames get functions, files and lines.  Inlined calls become frames and stacks
of their own.  Everything else stays.

Sources: the documents and types of the Firefox Profiler (its changelog of
formats, types/profile.ts), and the crate fxprof-processed-profile of samply.
"""

from __future__ import annotations

import array
import re
from typing import (Any, Iterable, Iterator, NamedTuple, Optional, Sequence,
                    Union)

from gsym import _debugid, _profile, _store, otlp
from gsym._demangle import Demangler
from gsym._profile import (DAMAGED, NO_HEADERS, NO_MAPPING, NOT_COVERED,
                           NOT_LOADED, OVERHEAD, UNREADABLE, Budget, Mapping,
                           Misses, Unnamed, Waiting)
from gsym._store import (FOUND, NOWHERE, Frame, Names, NoHeadersError, Store,
                         parse_build_id)
from gsym._wire import FormatError

# The versions of the format that are known, and what changed with a version.
_OLDEST, _NEWEST = 41, 70
_SHARED_STRINGS, _SOURCES, _SHARED_TABLES = 56, 58, 60
_SOURCE_LINES, _PREFIX_OFFSETS, _LIBRARY_OF_FRAME = 61, 66, 70
_LIBRARY = 1  # a type of resources


# ---- tables


def _said(value: Any) -> str:
    """VALUE, in a message."""
    if isinstance(value, (list, dict)):
        return "a list or an object"
    return str(value)[:40]


def _object(holder: Any, key: str, where: str) -> dict[str, Any]:
    """The member KEY of HOLDER, which is at WHERE in the profile."""
    value = holder.get(key)
    if not isinstance(value, dict):
        raise FormatError(f"{where}{key} is no object")
    return value


def _list(holder: Any, key: str, where: str) -> list[Any]:
    """The same for a list."""
    value = holder.get(key)
    if not isinstance(value, list):
        raise FormatError(f"{where}{key} is no list")
    return value


class _Table:
    """A table: columns by their names."""

    def __init__(self, holder: Any, key: str, where: str,
                 budget: Budget) -> None:
        self._table = _object(holder, key, where)
        self._budget = budget
        self.where = where + key
        self.length: int = self._table.get("length", -1)
        if type(self.length) is not int or self.length < 0:
            raise FormatError(f"{self.where}.length is no number")
        self.columns: dict[str, list[Any]] = {
            name: values for name, values in self._table.items()
            if isinstance(values, list)}
        for name, values in self.columns.items():
            if len(values) != self.length:
                raise FormatError(f"{self.where}.{name} has {len(values)} "
                                  f"values for {self.length} rows")

    def column(self, name: str) -> list[Any]:
        """The column NAME, which has to be there."""
        if name not in self.columns:
            raise FormatError(f"{self.where}.{name} is no list")
        return self.columns[name]

    def index(self, name: str, at: int, limit: int, least: int = 0) -> int:
        """The value of column NAME in row AT, from LEAST to below LIMIT."""
        value = self.column(name)[at]
        if type(value) is not int or not least <= value < limit:
            raise FormatError(f"{self.where}.{name}[{at}] is no number below "
                              f"{limit}: {_said(value)}")
        return value

    def take_rows(self, count: int, like: Optional[int] = None) -> None:
        """COUNT rows are added, which may repeat values of row LIKE."""
        self._budget.take(count * (OVERHEAD + 16 * len(self.columns)))
        if like is None:
            return
        for name, values in self.columns.items():
            value = values[like]
            # A long value in many rows would be out of proportion.
            if not (value is None or type(value) in (bool, float) or
                    type(value) is int and -1 << 63 <= value < 1 << 64):
                raise FormatError(f"{self.where}.{name}[{like}] is neither a "
                                  f"number nor null: {_said(value)}")

    def append(self, row: dict[str, Any], like: Optional[int] = None) -> int:
        """Append ROW, of which other columns are those of row LIKE, or null.
        Returns its number."""
        self.take_rows(1, like)
        for name, values in self.columns.items():
            values.append(row[name] if name in row else
                          None if like is None else values[like])
        self.length += 1
        self._table["length"] = self.length
        return self.length - 1

    def replace(self, rows: "array.array[int]",
                changed: dict[str, list[Any]]) -> None:
        """The table becomes that of ROWS, numbers of rows before, but for the
        columns CHANGED."""
        for name, values in self.columns.items():
            self._table[name] = (changed[name] if name in changed else
                                 [values[at] for at in rows])
        self._table["length"] = len(rows)


class _Strings:
    """A list of texts, and those that are added to it."""

    def __init__(self, holder: Any, where: str, budget: Budget) -> None:
        self._texts = _list(holder, "stringArray", where)
        for at, text in enumerate(self._texts):
            if not isinstance(text, str):
                raise FormatError(f"{where}stringArray[{at}] is no text")
        self._budget = budget
        self._places: Optional[dict[str, int]] = None

    def __len__(self) -> int:
        return len(self._texts)

    def __getitem__(self, at: int) -> str:
        text: str = self._texts[at]
        return text

    def place(self, text: str) -> int:
        """The place of TEXT."""
        if self._places is None:
            self._places = {one: at for at, one in enumerate(self._texts)}
        at = self._places.get(text)
        if at is None:
            self._budget.take(len(text) + OVERHEAD)
            at = self._places[text] = len(self._texts)
            self._texts.append(text)
        return at


class _Sources:
    """The table of source files."""

    def __init__(self, shared: Any, version: int, strings: int,
                 budget: Budget) -> None:
        """STRINGS: how many texts there are."""
        self._table = _Table(shared, "sources", "shared.", budget)
        self._row = ({"startLine": 1, "startColumn": 1}
                     if version >= _SOURCE_LINES else {})
        identities = self._table.column(
            "id" if version >= _SOURCE_LINES else "uuid")
        self._table.column("filename")
        # Files of scripts have an identity.
        self._places: dict[int, int] = {}
        for at in range(self._table.length):
            name = self._table.index("filename", at, strings)
            if identities[at] is None:
                self._places.setdefault(name, at)

    def place(self, name: int) -> int:
        """The row of the file whose path is text NAME."""
        if name not in self._places:
            self._places[name] = self._table.append(
                {**self._row, "filename": name})
        return self._places[name]


# ---- libraries


class _Library(Mapping):
    """A library: its addresses are offsets from its first segment."""

    def __init__(self, build_ids: list[bytes]) -> None:
        super().__init__(0, 0, 0, build_ids)
        self._base: Optional[int] = None
        #: Where the function of the last frames() begins, and its bytes.
        self.start = 0
        self.size = 0

    def _base_of(self, store: Store, entry: int) -> int:
        """The address that offsets in the library, that of ENTRY, count from.
        Raises Unnamed."""
        if self._base is None:
            try:
                self._base = _debugid.base_of(store, entry)
            except NoHeadersError as error:
                raise Unnamed(NO_HEADERS) from error
            except OSError as error:
                raise Unnamed(UNREADABLE) from error
        if self._base is None:
            raise Unnamed(NOT_LOADED)
        return self._base

    def frames(self, store: Store, entry: int, names: Names,
               addresses: Sequence[int]
               ) -> Iterable[Union[str, list[Frame]]]:
        """As Mapping has it, one after the other."""
        reader = store._library.gsym_store_reader(entry)
        for address in addresses:
            try:
                base = self._base_of(store, entry)
            except Unnamed as why:
                yield why.args[0]
                continue
            status, raw = store._call(reader, base + address & NOWHERE, 0)
            if status != FOUND:
                yield DAMAGED if status == _store.DAMAGED else NOT_COVERED
                continue
            match = store._local.match
            self.start, self.size = match.start - base, match.size
            yield [names.frame(one) for one in raw]


class _Libraries:
    """The libraries of a profile."""

    def __init__(self, profile: Any, store: Store) -> None:
        self._values = _list(profile, "libs", "")
        self._store = store
        self._known: dict[int, _Library] = {}

    def __len__(self) -> int:
        return len(self._values)

    def get(self, at: int) -> _Library:
        """Library AT."""
        if at not in self._known:
            if len(self._known) >= _debugid.MOST_MODULES:
                raise FormatError("frames are in more than "
                                  f"{_debugid.MOST_MODULES} libraries")
            self._known[at] = _Library(self._build_ids(at))
        return self._known[at]

    def _build_ids(self, at: int) -> list[bytes]:
        """The build IDs that library AT may have."""
        library = self._values[at]
        if not isinstance(library, dict):
            raise FormatError(f"libs[{at}] is no object")
        debug_id, code_id = (
            value if isinstance(value, str) else ""
            for value in map(library.get, ("breakpadId", "codeId")))
        try:
            build_id = parse_build_id(code_id)
        except ValueError:
            build_id = b""
        # Of ELF files the code ID is the build ID; of those of Windows it is
        # none, and has nothing in common with the debug ID.
        if build_id and build_id[:16].ljust(16, b"\0") in (
                _debugid.build_ids_of(debug_id)):
            return [build_id]
        return list(_debugid.candidates(self._store, debug_id))


# ---- frames, functions and stacks


class _Run(NamedTuple):
    """What all tables of a profile are named with."""

    store: Store
    libraries: _Libraries
    version: int
    budget: Budget
    misses: Misses
    demangle: Demangler


class _Names:
    """The tables of a profile, or of a thread of it, which get names."""

    def __init__(self, holder: Any, where: str, strings: _Strings,
                 sources: Optional[_Sources], run: _Run) -> None:
        self._strings, self._sources, self._run = strings, sources, run
        self._frames, self._functions, self._stacks, self._symbols = (
            _Table(holder, key, where, run.budget) for key in
            ("frameTable", "funcTable", "stackTable", "nativeSymbols"))
        self._resources = _Table(holder, "resourceTable", where, run.budget)
        for name in ("inlineDepth", "line", "nativeSymbol"):
            self._frames.column(name)
        for name in ("libIndex", "address", "name"):
            self._symbols.column(name)
        self._functions.column("source" if sources else "fileName")
        self._known_symbols: dict[tuple[int, int], int] = {}
        self._known_functions: dict[tuple[Any, int, Optional[int]], int] = {}
        # The frames that stand for a frame with inlined calls, outermost first.
        self._inlined: dict[int, list[int]] = {}

    # -- what is to be named

    def _library_of(self, at: int, function: int) -> int:
        """The library of frame AT, with FUNCTION; -1: none."""
        libraries = len(self._run.libraries)
        if self._run.version >= _LIBRARY_OF_FRAME:
            return self._frames.index("lib", at, libraries, -1)
        resource = self._functions.index("resource", function,
                                         self._resources.length, -1)
        if resource < 0 or (self._resources.column("type")[resource] != _LIBRARY
                            or self._resources.column("lib")[resource] is None):
            return -1
        return self._resources.index("lib", resource, libraries, -1)

    def _is_named(self, at: int) -> bool:
        """Whether frame AT has a name that is not just its address."""
        if self._frames.columns["inlineDepth"][at]:
            return True
        if self._frames.columns["nativeSymbol"][at] is None:
            return False
        symbol = self._frames.index("nativeSymbol", at, self._symbols.length)
        name = self._strings[
            self._symbols.index("name", symbol, len(self._strings))]
        return not re.fullmatch("0x[0-9a-f]{1,16}", name)

    def read(self) -> Waiting:
        """The frames that wait for names, by their libraries."""
        waiting, limit = Waiting(), self._functions.length
        addresses = self._frames.column("address")
        for at in range(self._frames.length):
            if not at % 256:
                self._run.budget.check()
            function = self._frames.index("func", at, limit)
            if self._is_named(at):
                continue
            library = self._library_of(at, function)
            if addresses[at] is None or addresses[at] == -1:
                # Addresses in no library are names of functions.
                name = self._strings[self._functions.index(
                    "name", function, len(self._strings))]
                if library < 0 and re.fullmatch("0x[0-9a-f]{1,16}", name):
                    self._run.misses.add(NO_MAPPING)
            elif library < 0:
                self._run.misses.add(NO_MAPPING)
            else:
                waiting.add(library, at,
                            self._frames.index("address", at, 1 << 64))
        return waiting

    # -- names

    def name(self) -> bool:
        """Name the frames.  Returns whether one got a name."""
        waiting, done = self.read(), False
        for number in waiting.mappings():
            library = self._run.libraries.get(number)
            for at, frames in _profile.name_addresses(
                    self._run.store, library, waiting.of(number),
                    self._run.misses, self._run.budget):
                self._add(at, frames, self._symbol(number, library, frames[-1]))
                done = True
        return done

    def _text(self, function: str) -> int:
        """The place of the readable name of FUNCTION."""
        return self._strings.place(self._run.demangle(
            function.encode()).decode("utf-8", "replace"))

    def _symbol(self, number: int, library: _Library, frame: Frame) -> int:
        """The native symbol of FRAME, which was found in LIBRARY, NUMBER."""
        key = number, library.start
        if key not in self._known_symbols:
            self._known_symbols[key] = self._symbols.append({
                "libIndex": number, "address": library.start,
                "functionSize": library.size or None,
                "name": self._text(frame.function)})
        return self._known_symbols[key]

    def _function(self, frame: Frame, before: int) -> int:
        """The function of FRAME, which had the function BEFORE."""
        name = self._text(frame.function)
        path = self._strings.place(frame.file) if frame.file else None
        resource = self._functions.index("resource", before,
                                         self._resources.length, -1)
        key = resource, name, path
        if key not in self._known_functions:
            row = {"name": name, "lineNumber": None, "columnNumber": None,
                   "originalLocation": None, "fileName": path}
            if self._sources:
                row["source"] = None if path is None else (
                    self._sources.place(path))
            self._known_functions[key] = self._functions.append(row, before)
        return self._known_functions[key]

    def _add(self, at: int, frames: list[Frame], symbol: int) -> None:
        """Frame AT becomes FRAMES, innermost first, which are in SYMBOL."""
        before, rows = self._frames.columns["func"][at], []
        for depth, frame in enumerate(reversed(frames)):
            row = {"func": self._function(frame, before), "inlineDepth": depth,
                   "line": frame.line or None, "column": None,
                   "nativeSymbol": symbol, "originalLocation": None}
            if depth:
                rows.append(self._frames.append(row, at))
            else:
                rows.append(at)
                for name in row.keys() & self._frames.columns.keys():
                    self._frames.columns[name][at] = row[name]
        if len(rows) > 1:
            self._inlined[at] = rows

    # -- stacks

    def _parent(self, at: int) -> Optional[int]:
        """The caller of stack AT, which comes before it."""
        if self._run.version >= _PREFIX_OFFSETS:
            back = self._stacks.index("prefixOffset", at, at + 1)
            return at - back if back else None
        if self._stacks.column("prefix")[at] is None:
            return None
        return self._stacks.index("prefix", at, at)

    def expand(self) -> "Optional[array.array[int]]":
        """Give inlined calls stacks of their own.  Returns what each stack
        became; None if all are the same."""
        if not self._inlined:
            return None
        origins, places = array.array("Q"), array.array("Q")
        frames: list[int] = []
        prefixes: list[Optional[int]] = []
        is_offset = self._run.version >= _PREFIX_OFFSETS
        for at in range(self._stacks.length):
            if not at % 256:
                self._run.budget.check()
            frame = self._stacks.index("frame", at, self._frames.length)
            parent = self._parent(at)
            prefix = None if parent is None else places[parent]
            rows = self._inlined.get(frame, (frame,))
            if len(rows) > 1:
                self._stacks.take_rows(len(rows) - 1, at)
            for row in rows:
                here = len(frames)
                frames.append(row)
                origins.append(at)
                prefixes.append(prefix if not is_offset else
                                0 if prefix is None else here - prefix)
                prefix = here
            places.append(len(frames) - 1)
        self._stacks.replace(origins, {"frame": frames, "prefixOffset"
                                       if is_offset else "prefix": prefixes})
        return places


def _stacks_of(thread: Any, where: str) -> Iterator[tuple[Any, Any, str]]:
    """The places of THREAD that hold a stack: a list or object, the index or
    key in it, and the place in the profile."""
    for key in ("samples", "jsAllocations", "nativeAllocations"):
        if thread.get(key) is not None:
            table = _object(thread, key, where)
            stacks = _list(table, "stack", f"{where}{key}.")
            for at in range(len(stacks)):
                yield stacks, at, f"{where}{key}.stack[{at}]"
    if thread.get("markers") is None:
        return
    table = _object(thread, "markers", where)
    for at, data in enumerate(_list(table, "data", f"{where}markers.")):
        cause = data.get("cause") if isinstance(data, dict) else None
        if isinstance(cause, dict) and "stack" in cause:
            yield cause, "stack", f"{where}markers.data[{at}].cause.stack"


def _move(thread: Any, where: str, places: "array.array[int]",
          budget: Budget) -> None:
    """The stacks that THREAD refers to are now at PLACES."""
    for count, (holder, key, what) in enumerate(_stacks_of(thread, where)):
        if not count % 256:
            budget.check()
        value = holder[key]
        if value is None:
            continue
        if type(value) is not int or not 0 <= value < len(places):
            raise FormatError(f"{what} is no number of a stack: {_said(value)}")
        holder[key] = places[value]


# ---- the profile


def _version(profile: dict[str, Any]) -> int:
    """The version of the format of PROFILE.  Raises FormatError for one that is
    not known."""
    if not profile.keys() >= {"meta", "threads"}:
        _profile.refuse_json(profile, "of the Firefox Profiler: it has neither "
                             "\"meta\" nor \"threads\"")
    meta = _object(profile, "meta", "")
    version = meta.get("preprocessedProfileVersion")
    if version is None and "version" in meta:
        raise FormatError("it is a raw profile of Firefox: save it in the "
                          "Firefox Profiler, which processes it")
    if type(version) is not int or not _OLDEST <= version <= _NEWEST:
        raise FormatError(
            f"meta.preprocessedProfileVersion is {_said(version)}, and known "
            f"are {_OLDEST} to {_NEWEST}; the Firefox Profiler turns old ones "
            "into new ones")
    return version


def _name_all(profile: dict[str, Any], run: _Run) -> bool:
    """Name the frames of PROFILE.  Returns whether one got a name."""
    budget, version = run.budget, run.version
    threads = _list(profile, "threads", "")
    shared = (_object(profile, "shared", "") if version >= _SHARED_STRINGS
              else {})
    strings = (_Strings(shared, "shared.", budget)
               if version >= _SHARED_STRINGS else None)
    sources = (_Sources(shared, version, len(strings), budget)
               if strings is not None and version >= _SOURCES else None)
    names = (_Names(shared, "shared.", strings, sources, run)
             if strings is not None and version >= _SHARED_TABLES else None)
    done = bool(names and names.name())
    places = names.expand() if names else None
    for at, thread in enumerate(threads):
        where = f"threads[{at}]."
        if not isinstance(thread, dict):
            raise FormatError(f"threads[{at}] is no object")
        if not names:
            one = _Names(thread, where,
                         _Strings(thread, where, budget)
                         if strings is None else strings, sources, run)
            done |= one.name()
            places = one.expand()
        if places is not None:
            _move(thread, where, places, budget)
    return done


def symbolize(data: bytes, store: Store, return_addresses: bool = False,
              report: Any = None, budget: Optional[Budget] = None,
              force: bool = False) -> bytes:
    """Name the addresses of DATA, a processed profile of the Firefox Profiler.

    Frames that have a native symbol stay as they are, and so do those of
    libraries without a file in STORE.  RETURN_ADDRESSES and FORCE change
    nothing: the format has reduced return addresses.  REPORT, a function, is
    called with each note: why frames have no names.  Raises ValueError:
    FormatError, or that of JSON.
    """
    del return_addresses, force
    profile = otlp.read_object(data.decode("utf-8"))
    version = _version(profile)
    budget = budget or Budget(len(data))
    budget.check()
    run = _Run(store, _Libraries(profile, store), version, budget, Misses(),
               Demangler())
    if _name_all(profile, run):
        profile["meta"]["symbolicated"] = True
        budget.check()
        data = otlp.write_object(profile).encode("utf-8", "surrogatepass")
    for note in run.misses.notes() if report else ():
        report(note)
    return data
