# SPDX-License-Identifier: MIT
"""Turn build IDs and addresses into functions, files, lines and inlined calls.

    with gsym.Store(directories=["/srv/gsym"]) as store:
        for frame in store.lookup("68aa0fe7c0...", 0x1173):
            print(frame.function, frame.file, frame.line)

gsym.File(path).lookup(0x1173) reads one file, without a build ID.

The files in the folders are made by "gsym-create --install=DIR".  The modules
gsym.duckdb and gsym.spark are imported by name only: a function for DuckDB, and
tables of symbols on Apache Spark.
"""

from gsym._file import File
from gsym._library import LibraryError
from gsym._store import (DamagedError, Frame, NoFileError, NoHeadersError,
                         Store)

__all__ = ["DamagedError", "File", "Frame", "LibraryError", "NoFileError",
           "NoHeadersError", "Store"]
__version__ = "1.0.0rc1"
