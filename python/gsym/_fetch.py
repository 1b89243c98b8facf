# SPDX-License-Identifier: MIT
"""Missing GSYM files, brought into the cache by a function of the user."""

from __future__ import annotations

import ctypes
import fcntl
import os
import tempfile
import threading
from typing import Any, Callable

#: Called with a build ID in hexadecimal and the path of a file to make.  Returns
#: whether it made the file; False: there is no file with the build ID.
Fetch = Callable[[str, str], bool]


def _place(folder: str, build_id: bytes, suffix: str) -> str:
    name = build_id.hex()
    return os.path.join(folder, ".build-id", name[:2], name[2:] + suffix)


def _is_usable(library: Any, folder: str, build_id: bytes) -> bool:
    """Whether FOLDER has a GSYM file with BUILD_ID."""
    store = library.gsym_store_new()
    entry = ctypes.c_void_p()
    try:
        return bool(
            store
            and library.gsym_store_set_cache(store, os.fsencode(folder)) == 0
            and library.gsym_store_find(store, build_id, len(build_id),
                                        ctypes.byref(entry), None) == 0)
    finally:
        library.gsym_store_free(store)


class Fetcher:
    """Runs a function once for a build ID, in one thread at a time.  Processes
    with one cache, gsym-lookup --fetch among them, wait for each other: the one
    that is first writes its result into a lock file."""

    def __init__(self, library: Any, cache: str, fetch: Fetch) -> None:
        self._library = library
        self._cache = cache
        self._fetch = fetch
        self._lock = threading.Lock()
        self._asked: dict[bytes, bool] = {}

    def get(self, build_id: bytes) -> bool:
        """Whether the cache has the file of BUILD_ID now.  Raises what the
        function raises."""
        if len(build_id) > 64:
            return False
        with self._lock:
            if build_id not in self._asked:
                self._asked[build_id] = self._get_alone(build_id)
            return self._asked[build_id]

    def forget(self) -> None:
        """Ask again for build IDs that were missing."""
        with self._lock:
            self._asked.clear()

    def _get_alone(self, build_id: bytes) -> bool:
        path = _place(self._cache, build_id, ".lock")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if not os.fstat(file.fileno()).st_nlink:
                file.seek(0)
                result = file.read(1)
                if result not in (b"0", b"1"):
                    raise OSError(f"another process failed to fetch "
                                  f"{build_id.hex()}")
                return result == b"0"
            got = False
            try:
                got = self._make(build_id)
                file.write(b"0" if got else b"1")
            finally:
                os.unlink(path)
            return got

    def _make(self, build_id: bytes) -> bool:
        if _is_usable(self._library, self._cache, build_id):
            return True
        with tempfile.TemporaryDirectory(prefix=".new.",
                                         dir=self._cache) as folder:
            made = _place(folder, build_id, ".debug.gsym")
            os.makedirs(os.path.dirname(made))
            if not self._fetch(build_id.hex(), made):
                return False
            if not os.path.isfile(made) or os.path.islink(made):
                raise FileNotFoundError(
                    f"the fetch of {build_id.hex()} made no file")
            if not _is_usable(self._library, folder, build_id):
                raise ValueError(f"the file that was fetched for "
                                 f"{build_id.hex()} is not a GSYM file with "
                                 "this build ID")
            os.chmod(made, 0o644)
            os.replace(made, _place(self._cache, build_id, ".debug.gsym"))
        return True
