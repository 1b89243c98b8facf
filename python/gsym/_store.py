# SPDX-License-Identifier: MIT
"""Stores of GSYM files, and lookups in them."""

from __future__ import annotations

import array
import ctypes
import hashlib
import operator
import os
import struct
import threading
from typing import (TYPE_CHECKING, Any, Iterable, Iterator, NamedTuple,
                    Optional, Sequence, SupportsIndex, Union)

from gsym import _library
from gsym._demangle import Demangler
from gsym._fetch import Fetch, Fetcher

if TYPE_CHECKING:
    import pyarrow

BuildId = Union[str, bytes]

# Statuses of a lookup, in the column "status" of symbolize.
FOUND, NOT_COVERED, NO_FILE, DAMAGED, BAD_INPUT, UNREADABLE = range(6)

# The most bytes of a build ID.
_MOST_ID = 256
# An address has one frame for each level of the inline tree, 1024 at most.
_MOST_FRAMES = 1026
# Those of many addresses at once; at least _MOST_FRAMES.
_MANY_FRAMES = 4096
# What gsym_store_addresses_of has for an offset that no segment has.
NOWHERE = (1 << 64) - 1
# struct gsym_frame, see _library.Frame.
_FRAME = struct.Struct("PPPIIQQ?7x")


class NoFileError(LookupError):
    """No file with the build ID can be used."""


class NoHeadersError(LookupError):
    """The program headers of the program are not in the store."""


class DamagedError(ValueError):
    """The record of the address is damaged."""


class Frame(NamedTuple):
    """A function on the stack of an address."""

    #: The name in the file, as a rule the linkage name; readable if the store
    #: demangles names.
    function: str
    #: The source file; "" if it is not known.
    file: str
    #: The line of the address, and in outer frames that of the call; 0 if it
    #: is not known.
    line: int
    #: Bytes from the start of the function.
    offset: int
    #: The function was inlined into the function of the next frame.
    inlined: bool


def parse_build_id(build_id: BuildId) -> bytes:
    """The bytes of BUILD_ID, which is hexadecimal text or the bytes themselves.

    Raises TypeError or ValueError."""
    if isinstance(build_id, str):
        # A profile may have a long text in many places.
        if len(build_id) > 2 * _MOST_ID:
            raise ValueError(f"a build ID has 1 to {_MOST_ID} bytes, not "
                             f"{len(build_id)} digits")
        # bytes.fromhex ignores blanks, which are not digits here.
        try:
            if not build_id.isalnum():
                raise ValueError
            build_id = bytes.fromhex(build_id)
        except ValueError:
            raise ValueError("build_id: hexadecimal digits are needed, not "
                             f"{build_id!r}") from None
    elif isinstance(build_id, (bytearray, memoryview)):
        build_id = bytes(build_id)
    elif not isinstance(build_id, bytes):
        raise TypeError("build_id: a text or bytes is needed, not "
                        f"{type(build_id).__name__}")
    if not 1 <= len(build_id) <= _MOST_ID:
        raise ValueError(f"a build ID has 1 to {_MOST_ID} bytes, not "
                         f"{len(build_id)}")
    return build_id


def _integer(name: str, value: SupportsIndex) -> int:
    """The argument NAME with VALUE, an integer of any type, numpy's among them.

    Raises TypeError."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: an integer is needed, not "
                        f"{type(value).__name__}") from None


def parse_address(address: SupportsIndex) -> int:
    """ADDRESS as an unsigned number; a negative one stands for the same 64 bits.

    Raises TypeError or ValueError."""
    number = _integer("address", address)
    if not -(1 << 63) <= number < 1 << 64:
        raise ValueError(f"not an address: {number}")
    return number & ((1 << 64) - 1)


def _folders(name: str, paths: Any) -> list[Union[str, "os.PathLike[str]"]]:
    """The argument NAME with PATHS, folders.

    Raises TypeError."""
    if isinstance(paths, (str, bytes, os.PathLike)):
        # Each letter of a text would be a folder.
        raise TypeError(f"{name}: a list of folders is needed, not the text "
                        f"{os.fspath(paths)!r}")
    return list(paths)


def _join(directory: bytes, basename: bytes) -> str:
    """The path of a source file, as the tools of gsym write it."""
    if directory and not directory.endswith(b"/"):
        if b"\\" not in directory or b"/" in directory:
            directory += b"/"
        elif not directory.endswith(b"\\"):
            directory += b"\\"
    return (directory + basename).decode("utf-8", "replace")


def _text(pointer: int) -> bytes:
    """The text at POINTER.  ctypes.string_at takes five times as long."""
    return ctypes.c_char_p(pointer).value or b""


class UnreadableError(OSError):
    """A file of the store cannot be opened."""


def _check(status: int, error: _library.Error) -> None:
    """Raise an exception if memory ran out, or a file cannot be opened."""
    if status == _library.ERR_MEMORY:
        raise MemoryError
    if status == _library.ERR_IO:
        raise UnreadableError(error.message.decode("utf-8", "replace"))


def _names(path: str) -> list[str]:
    """The sorted names in the folder PATH; none if there is no such folder."""
    try:
        return sorted(os.listdir(path))
    except OSError:
        return []


class Names:
    """The texts of one open file, by their pointers; functions in their
    readable forms, if there is a DEMANGLER."""

    def __init__(self, demangler: Optional[Demangler] = None) -> None:
        self._demangler = demangler
        self._functions: dict[int, str] = {}
        self._files: dict[tuple[int, int], str] = {}

    def function(self, pointer: int) -> str:
        """The name of a function."""
        name = self._functions.get(pointer)
        if name is None:
            text = _text(pointer)
            if self._demangler:
                text = self._demangler(text)
            name = text.decode("utf-8", "replace")
            self._functions[pointer] = name
        return name

    def path(self, directory: int, basename: int) -> str:
        """The path of a source file."""
        path = self._files.get((directory, basename))
        if path is None:
            path = _join(_text(directory), _text(basename))
            self._files[directory, basename] = path
        return path

    def frame(self, raw: tuple[Any, ...]) -> Frame:
        """The frame of a tuple of Store._call."""
        function, directory, basename, line, _, offset, _, inlined = raw
        return Frame(self.function(function), self.path(directory, basename),
                     line, offset, inlined)

    def frames(self, raw: memoryview) -> list[Any]:
        """What is made of each struct gsym_frame of RAW: a Frame, if a subclass
        does not make something else."""
        return [self.frame(one) for one in _FRAME.iter_unpack(raw)]


class Store:
    """GSYM files by build ID, in folders that "gsym-create --install" made.

    DIRECTORIES are folders of GSYM files, DEBUG_DIRECTORIES folders such as
    /usr/lib/debug, and CACHE is a folder that is searched last.  No more than
    MAX_OPEN files are open at a time; 0 stands for any number.  Any number of
    threads may use a store.  Its context manager, or close(), frees it.  A copy
    or an unpickled store is a new store with the same arguments, so that a store
    can be sent to another process (Ray, Dask).  FETCH, if given, has to be a
    function that pickle can name.

    With COPY files are read instead of mapped.  A mapped file that another
    program cuts short ends the process with SIGBUS.

    With DEMANGLE the functions of lookup() and symbolize() have readable names,
    "parse(int)" instead of "_Z5parsei".  Needs libgsym-demangle.

    PATH_MAPS are texts OLD=NEW: the paths of source files that begin with OLD
    begin with NEW instead, as with --path-prefix-map of gsym-lookup.

    If no folder has a build ID, FETCH is called with the build ID in hexadecimal
    and the path of a file to make; it returns False if there is no such file,
    and raises an exception for an error.  The file is kept in CACHE, which has
    to be given.  FETCH is called once for a build ID, until retry().
    """

    def __init__(
        self,
        directories: Iterable[Union[str, "os.PathLike[str]"]] = (),
        debug_directories: Iterable[Union[str, "os.PathLike[str]"]] = (),
        cache: Optional[Union[str, "os.PathLike[str]"]] = None,
        max_open: int = 1024,
        fetch: "Optional[Fetch]" = None,
        copy: bool = False,
        demangle: bool = False,
        path_maps: Iterable[str] = (),
    ) -> None:
        self._store: Optional[int] = None
        # A closed store that is still in use.
        self._closing: Optional[int] = None
        # Calls of the library that use the store, and entries in use.
        self._uses = 0
        self._lock = threading.Lock()
        directories = _folders("directories", directories)
        debug_directories = _folders("debug_directories", debug_directories)
        self._arguments = (directories, debug_directories, cache, max_open,
                           fetch, copy, demangle, tuple(path_maps))
        #: The folders of GSYM files and of debug files, and the cache.
        self.directories: list[str] = []
        max_open = _integer("max_open", max_open)
        if max_open < 0:
            raise ValueError(f"not a number of files: {max_open}")
        self._library = _library.load()
        self._demangler = Demangler(required=True) if demangle else None
        self._local = threading.local()
        self._store = self._library.gsym_store_new()
        if not self._store:
            raise MemoryError
        for path in directories:
            self._add(self._library.gsym_store_add_gsym_directory, path)
        for path in debug_directories:
            self._add(self._library.gsym_store_add_debug_directory, path)
        if cache is not None:
            self._add(self._library.gsym_store_set_cache, cache)
        self._map_paths(self._arguments[-1])
        self._library.gsym_store_set_limit(self._store, max_open)
        self._library.gsym_store_copy(self._store, copy)
        self._fetcher: Optional[Fetcher] = None
        if fetch is not None:
            if cache is None:
                raise ValueError("fetch needs a cache")
            self._fetcher = Fetcher(self._library, os.fspath(cache), fetch)

    def _add(self, function: Any, path: Union[str, "os.PathLike[str]"]) -> None:
        # A mistyped folder would leave all addresses without an answer.
        os.listdir(path)
        self.directories.append(os.fspath(path))
        if function(self._store, os.fsencode(path)) != _library.OK:
            raise MemoryError

    def _map_paths(self, texts: "tuple[str, ...]") -> None:
        array = (ctypes.c_char_p * len(texts))(*map(os.fsencode, texts))
        status = self._library.gsym_store_map_paths(self._store, array,
                                                    len(texts))
        if status == _library.ERR_ARGUMENT:
            raise ValueError(f"not OLD=NEW or auto: {texts}")
        if status != _library.OK:
            raise MemoryError

    def close(self) -> None:
        """Close all files.  Calls of other threads that run end as usual, and
        the files are closed when the last of them ends; later calls raise
        ValueError."""
        with self._lock:
            store, self._store = self._store, None
            if not store:
                return
            self._closing = store
            self._uses += 1
        self._leave()

    def _enter(self) -> int:
        """The store, which stays until _leave().  Raises ValueError if it is
        closed."""
        with self._lock:
            if not self._store:
                raise ValueError("the store is closed")
            self._uses += 1
            return self._store

    def _leave(self) -> None:
        """The end of what _enter() began.  The last one frees a closed store."""
        with self._lock:
            self._uses -= 1
            store = None
            if not self._uses:
                store, self._closing = self._closing, None
        if store:
            self._library.gsym_store_free(store)

    def _release(self, entry: Optional[int]) -> None:
        """ENTRY, a result of _find(), is not used any more."""
        if entry:
            self._library.gsym_store_release(entry)
            self._leave()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __del__(self) -> None:
        # An object that was called with wrong arguments has no attributes.
        if hasattr(self, "_lock"):
            self.close()

    def __reduce__(self) -> Any:
        # The open files belong to this process, and are freed once.
        if not self._store:
            raise ValueError("the store is closed")
        return Store, self._arguments

    def retry(self) -> None:
        """Search again for the files of build IDs that had none."""
        if self._fetcher:
            self._fetcher.forget()
        self._retry()

    def _retry(self) -> None:
        self._library.gsym_store_retry(self._enter())
        self._leave()

    def state(self) -> str:
        """A hash of the names in the folders, and of when the folders changed.

        Keep it with build IDs and addresses that had no answer: they may have
        one as soon as the state is another one.  A file that is installed, or
        replaced by "gsym-create --install", changes the state, and a file that
        is written in its place does not.
        """
        hasher = hashlib.blake2b(digest_size=16)
        for directory in self.directories:
            tree = os.path.join(directory, ".build-id")
            for path in [directory] + [os.path.join(tree, name)
                                       for name in _names(tree)]:
                try:
                    changed = os.stat(path).st_mtime_ns
                except OSError:
                    continue
                hasher.update(f"{path}\0{changed}\0".encode(
                    "utf-8", "surrogateescape"))
                for name in _names(path) if path != directory else ():
                    hasher.update(os.fsencode(name) + b"\0")
        return hasher.hexdigest()

    def _find(self, build_id: bytes) -> Optional[int]:
        """The entry of BUILD_ID, which is in use until _release(); None without a
        file."""
        entry = self._search(build_id)
        if entry or not self._fetcher or not self._fetcher.get(build_id):
            return entry
        self._retry()
        return self._search(build_id)

    def _search(self, build_id: bytes) -> Optional[int]:
        """_find, in the folders alone.  Raises OSError for a file that cannot
        be opened."""
        entry = ctypes.c_void_p()
        error = _library.Error()
        status = self._library.gsym_store_find(
            self._enter(), build_id, len(build_id), ctypes.byref(entry),
            ctypes.byref(error)
        )
        if not entry.value:
            self._leave()
        _check(status, error)
        return entry.value

    def _fetch_missing(self, build_ids: Iterable[bytes]) -> None:
        """Call the function for missing files for all BUILD_IDS."""
        for build_id in build_ids if self._fetcher else ():
            if build_id:
                try:
                    self._release(self._find(build_id))
                except UnreadableError:
                    # The rows have a status that says so.
                    continue

    def _room(self) -> Any:
        """What calls of the library write to, for this thread."""
        local = self._local
        if not hasattr(local, "frames"):
            local.frames = (_library.Frame * _MOST_FRAMES)()
            local.match = _library.Match()
            local.error = _library.Error()
            local.many = (_library.Frame * _MANY_FRAMES)()
            local.view_of_many = memoryview(local.many).cast("B")
            local.view = memoryview(local.frames).cast("B")
            local.call = self._library.gsym_lookup
            local.at = (
                ctypes.addressof(local.frames),
                ctypes.addressof(local.match),
                ctypes.addressof(local.error),
            )
        return local

    def _call(self, reader: int, address: int, flags: int) -> tuple[int, Any]:
        """Look ADDRESS up in READER.  Returns a status, and the frames as an
        iterator of tuples: the pointers to function, folder and base name, line,
        file, offset, place of the function's name, inlined."""
        local = self._room()
        frames, match, error = local.at
        status = local.call(
            reader, address, flags, frames, _MOST_FRAMES, match, error)
        if status == _library.OK:
            count = min(local.match.frame_count, _MOST_FRAMES)
            return FOUND, _FRAME.iter_unpack(local.view[: count * _FRAME.size])
        return NOT_COVERED if status == _library.NOT_FOUND else DAMAGED, ()

    def _call_many(self, reader: int, names: Names,
                   addresses: "array.array[int]"
                   ) -> Iterator[list[Any]]:
        """For each of ADDRESSES the frames as NAMES make them, an empty list if
        there is no answer."""
        local = self._room()
        first = (ctypes.c_uint32 * (len(addresses) + 1))()
        done, at = ctypes.c_size_t(), 0
        place, _ = addresses.buffer_info()
        while at < len(addresses):
            self._library.gsym_lookup_many(
                reader, place + 8 * at, len(addresses) - at, 0,
                local.many, _MANY_FRAMES, first, ctypes.byref(done))
            if not done.value:
                raise DamagedError("an address has too many frames")
            bounds = first[: done.value + 1]
            # The next call of the library, for this caller or another one of
            # the thread, writes to the room: all frames are read before a yield.
            frames = names.frames(
                local.view_of_many[: bounds[-1] * _FRAME.size])
            for start, end in zip(bounds, bounds[1:]):
                yield frames[start:end]
            at += done.value

    def _addresses_of(self, entry: int,
                      offsets: Iterable[int]) -> "array.array[int]":
        """address_of for each of OFFSETS, with NOWHERE in place of None, for an
        entry that is in use."""
        addresses = array.array("Q", offsets)
        error, (place, count) = self._room().error, addresses.buffer_info()
        status = self._library.gsym_store_addresses_of(
            entry, place, count, place, ctypes.byref(error))
        _check(status, error)
        if status == _library.ERR_UNSUPPORTED:
            raise NoHeadersError(error.message.decode("utf-8", "replace"))
        return addresses

    def _address_of(self, entry: int, offset: int) -> Optional[int]:
        """address_of, for an entry that is in use."""
        address = self._addresses_of(entry, (offset,))[0]
        return None if address == NOWHERE else address

    def _symbol_of(self, entry: int, name: bytes) -> Optional[int]:
        """The address of the symbol NAME in the program of ENTRY, which is in
        use; None if no symbol has the name, or several have it."""
        symbol = _library.Symbol()

        def find(skip: int) -> bool:
            status: int = self._library.gsym_store_symbol_named(
                entry, name, len(name), skip, ctypes.byref(symbol))
            return status == _library.OK

        if not find(0) or find(1):
            return None
        find(0)
        return int(symbol.start)

    def address_of(
        self, build_id: BuildId, offset: SupportsIndex
    ) -> Optional[int]:
        """Convert OFFSET, an offset in the file of the program BUILD_ID, to the
        address that lookup() takes; None if the byte is not loaded.

        The program headers are in the file that "gsym-create --install" writes
        beside the GSYM file, if it was given the program, and not the debug
        file alone.  Raises NoFileError, NoHeadersError, OSError if a file
        cannot be opened, and ValueError for bad input.
        """
        identity = parse_build_id(build_id)
        number = _integer("offset", offset)
        if not 0 <= number < 1 << 64:
            raise ValueError(f"not an offset: {number}")
        entry = self._find(identity)
        if not entry:
            raise NoFileError(f"no GSYM file for the build ID {identity.hex()}")
        try:
            return self._address_of(entry, number)
        finally:
            self._release(entry)

    def address_of_mapped(
        self, build_id: BuildId, address: SupportsIndex, start: SupportsIndex,
        offset: SupportsIndex
    ) -> Optional[int]:
        """Convert ADDRESS, an address in a process, to the address in the
        program BUILD_ID that lookup() takes.  START and OFFSET are those of the
        line of /proc/PID/maps that has ADDRESS.

        None if the byte is not loaded by a segment of the program.  Raises the
        exceptions of address_of, ValueError among them if ADDRESS is below
        START.
        """
        number, first = parse_address(address), parse_address(start)
        if number < first:
            raise ValueError(f"{number:#x} is below the mapping that begins at "
                             f"{first:#x}")
        return self.address_of(
            build_id, number - first + _integer("offset", offset))

    def lookup(
        self, build_id: BuildId, address: SupportsIndex, inlines: bool = True
    ) -> list[Frame]:
        """The frames of ADDRESS in the program BUILD_ID, innermost first.

        ADDRESS is the one that the program was linked to.  Without INLINES
        there is one frame.  The list is empty if no function covers ADDRESS.
        Raises NoFileError, DamagedError, OSError if the file cannot be opened,
        and ValueError for bad input.
        """
        identity = parse_build_id(build_id)
        number = parse_address(address)
        entry = self._find(identity)
        if not entry:
            raise NoFileError(f"no GSYM file for the build ID {identity.hex()}")
        try:
            status, frames = self._call(
                self._library.gsym_store_reader(entry),
                number,
                0 if inlines else _library.LOOKUP_NO_INLINES,
            )
            names = Names(self._demangler)
            result = [names.frame(frame) for frame in frames]
        finally:
            self._release(entry)
        if status == DAMAGED:
            message: bytes = self._local.error.message
            raise DamagedError(message.decode("utf-8", "replace"))
        return result

    def symbolize(
        self, build_ids: Any, addresses: Any, output: str = "frames"
    ) -> "Union[pyarrow.StructArray, pyarrow.StringArray]":
        """Look up columns.  Needs pyarrow.

        BUILD_IDS are texts or bytes, which may be dictionary-encoded, and
        ADDRESSES integers of 64 bits: pyarrow arrays, or what pyarrow.array
        takes.  Each pair is looked up once.  OUTPUT is "frames", an array of
        structs of status and frames; "folded", of texts such as "main;work";
        "leaf", the innermost function of such a text; or "all", an array of
        structs of status, frames and folded, which is null without an answer.
        Texts of more than 2 GiB are a pyarrow.LargeStringArray; frames of more
        than 2 GiB raise OverflowError.
        """
        from gsym import _arrow

        return _arrow.symbolize(self, build_ids, addresses, output)
