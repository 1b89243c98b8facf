# SPDX-License-Identifier: MIT
"""Turn build IDs and addresses into functions, files, lines and inlined calls.

    with gsym.Store(directories=["/srv/gsym"]) as store:
        for frame in store.lookup("68aa0fe7c0...", 0x1173):
            print(frame.function, frame.file, frame.line)

The files in the folders are made by "gsym-create --install=DIR".  The module
gsym.duckdb, which is imported by name only, adds a function to DuckDB.
"""

from gsym._library import LibraryError
from gsym._store import DamagedError, Frame, NoFileError, Store

__all__ = ["DamagedError", "Frame", "LibraryError", "NoFileError", "Store"]
__version__ = "0.1.0"
