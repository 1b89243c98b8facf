# SPDX-License-Identifier: MIT
"""Readable names, by libgsym-demangle."""

from __future__ import annotations

import ctypes
from typing import Any, Iterable

from gsym import _library

# The most bytes that many names may become together: a multiple of their bytes,
# or so many, whichever is more.  One name becomes 32 KiB at most.
_MOST_RATIO = 32
_MOST_BYTES = 64 << 20


class Demangler:
    """Turns linkage names into readable ones.  Without the library, which some
    systems install apart from libgsym, names stay as they are; if REQUIRED,
    LibraryError is raised instead."""

    def __init__(self, required: bool = False) -> None:
        self._copy: Any = None
        try:
            self._copy = _library.load_demangle()
        except _library.LibraryError:
            if required:
                raise
            return
        self._free = ctypes.CDLL(None).free
        self._free.argtypes = [ctypes.c_void_p]

    def __call__(self, name: bytes) -> bytes:
        text = ctypes.c_void_p()
        if not self._copy or self._copy(0, name, ctypes.byref(text)):
            return name
        try:
            return ctypes.string_at(text.value or 0)
        finally:
            self._free(text)

    def texts(self, names: Iterable[str]) -> list[str]:
        """The readable forms of NAMES.  Raises OverflowError if they are out of
        proportion."""
        result: list[str] = []
        given = made = 0
        for name in names:
            bare = name.encode("utf-8")
            text = self(bare)
            given += len(bare)
            made += len(text)
            if made > max(_MOST_BYTES, _MOST_RATIO * given):
                raise OverflowError("the readable names are too long: look "
                                    "fewer rows up at a time")
            result.append(text.decode("utf-8", "replace"))
        return result

    def stacks(self, texts: Iterable[str]) -> list[str]:
        """The folded stacks TEXTS, "main;work", with readable names, in which
        ":" stands for ";"."""
        parts = [text.split(";") for text in texts]
        names = list(dict.fromkeys(name for part in parts for name in part))
        readable = dict(zip(names, (text.replace(";", ":")
                                    for text in self.texts(names))))
        return [";".join(map(readable.__getitem__, part)) for part in parts]
