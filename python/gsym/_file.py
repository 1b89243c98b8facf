# SPDX-License-Identifier: MIT
"""One GSYM file, by its path or as an open file."""

from __future__ import annotations

import ctypes
import os
import threading
from typing import Iterable, Optional, SupportsIndex, Union

from gsym import _library
from gsym._demangle import Demangler
from gsym._store import (_FRAME, _MOST_FRAMES, DamagedError, Frame, Names,
                         parse_address)


#: The path of a file, or the number of one that is open.
_Path = Union[str, "os.PathLike[str]", int]


class File:
    """The GSYM file PATH, or an ELF file with a section .gsym.  A number is a
    file that is open for reading, and stays open.

    With COPY, which takes a path, the file is read instead of mapped, with
    DEMANGLE functions have readable names, and PATH_MAPS change the paths of
    source files; Store describes all three.  Threads may use a file, one after the other.  Its
    context manager, or close(), frees it.

    Raises OSError if the file cannot be opened, and ValueError if it has no GSYM
    data that can be used.
    """

    def __init__(
        self,
        path: _Path,
        copy: bool = False,
        demangle: bool = False,
        path_maps: Iterable[str] = (),
    ) -> None:
        self._reader: Optional[int] = None
        self._lock = threading.Lock()
        self._library = _library.load()
        self._names = Names(Demangler(required=True) if demangle else None)
        self._frames = (_library.Frame * _MOST_FRAMES)()
        self._view = memoryview(self._frames).cast("B")
        self._match = _library.Match()
        self._error = _library.Error()
        reader = ctypes.c_void_p()
        if isinstance(path, int) and copy:
            raise ValueError("an open file is mapped: copy needs a path")
        if isinstance(path, int) and not 0 <= path < 1 << 31:
            raise ValueError(f"{path} is no number of an open file")
        function = (self._library.gsym_open_fd if isinstance(path, int)
                    else self._library.gsym_open_copy if copy
                    else self._library.gsym_open)
        self._check(function(
            path if isinstance(path, int) else os.fsencode(path),
            ctypes.byref(reader), ctypes.byref(self._error)), path)
        self._reader = reader.value
        texts = tuple(path_maps)
        if texts:
            array = (ctypes.c_char_p * len(texts))(*map(os.fsencode, texts))
            self._check(self._library.gsym_map_paths(
                self._reader, array, len(texts), ctypes.byref(self._error)),
                path)

    def _check(self, status: int, path: _Path) -> None:
        message = self._error.message.decode("utf-8", "replace")
        name = (f"file {path}" if isinstance(path, int) else os.fspath(path))
        if status == _library.ERR_MEMORY:
            raise MemoryError
        if status == _library.ERR_IO:
            raise OSError(f"{name}: {message}")
        if status != _library.OK:
            raise ValueError(f"{name}: {message}")

    def lookup(self, address: SupportsIndex,
               inlines: bool = True) -> list[Frame]:
        """The frames of ADDRESS, innermost first, as Store.lookup has them.

        Raises DamagedError, and ValueError for bad input."""
        number = parse_address(address)
        flags = 0 if inlines else _library.LOOKUP_NO_INLINES
        with self._lock:
            if not self._reader:
                raise ValueError("the file is closed")
            status = self._library.gsym_lookup(
                self._reader, number, flags, self._frames, _MOST_FRAMES,
                ctypes.byref(self._match), ctypes.byref(self._error))
            if status == _library.NOT_FOUND:
                return []
            if status != _library.OK:
                raise DamagedError(
                    self._error.message.decode("utf-8", "replace"))
            count = min(self._match.frame_count, _MOST_FRAMES)
            return [self._names.frame(raw) for raw in
                    _FRAME.iter_unpack(self._view[: count * _FRAME.size])]

    def close(self) -> None:
        """Close the file; later calls raise ValueError."""
        with self._lock:
            reader, self._reader = self._reader, None
            if reader:
                self._library.gsym_close(reader)

    def __enter__(self) -> "File":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __del__(self) -> None:
        # An object that was called with wrong arguments has no attributes.
        if hasattr(self, "_lock"):
            self.close()
