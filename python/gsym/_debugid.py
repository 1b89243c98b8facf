# SPDX-License-Identifier: MIT
"""Modules as Firefox and samply name them: by Breakpad's debug IDs, and with
addresses that are offsets from the first loaded segment."""

from __future__ import annotations

import os
import re
from typing import Iterator, Optional

from gsym._store import Store

#: Modules of a request or profile: each may be a search in folders.
MOST_MODULES = 10000


def build_ids_of(debug_id: str) -> list[bytes]:
    """The first 16 bytes that a build ID with Breakpad's DEBUG_ID may have: that
    of ELF files is a GUID with an age, that of Mach-O files as it is."""
    if not re.fullmatch("[0-9A-Fa-f]{32}[0-9A-Fa-f]{1,8}", debug_id):
        return []
    plain = bytes.fromhex(debug_id[:32])
    guid = plain[3::-1] + plain[5:3:-1] + plain[7:5:-1] + plain[8:]
    return [guid, plain]


def _prefixed(store: Store, start: bytes) -> set[bytes]:
    """The build IDs in the folders of STORE that begin with the bytes START."""
    text = start.hex()
    found = set()
    for folder in store.directories:
        try:
            names = os.listdir(os.path.join(folder, ".build-id", text[:2]))
        except OSError:
            continue
        for name in names:
            if name.startswith(text[2:]) and name.endswith(".gsym"):
                try:
                    found.add(bytes.fromhex(text[:2]
                                            + name.partition(".")[0]))
                except ValueError:
                    continue
    return found


def candidates(store: Store, debug_id: str) -> Iterator[bytes]:
    """The build IDs that a program with Breakpad's DEBUG_ID may have in STORE.
    Those after one that several programs share are left out."""
    for start in build_ids_of(debug_id):
        build_ids = _prefixed(store, start)
        if len(build_ids) > 1:
            return
        # Shorter build IDs are filled up with zeros.
        yield build_ids.pop() if build_ids else start + bytes(4)


def base_of(store: Store, entry: int) -> Optional[int]:
    """The address that offset 0 of the program of ENTRY stands for; None if no
    segment begins with the file.  Raises NoHeadersError or OSError."""
    return store._address_of(entry, 0)
