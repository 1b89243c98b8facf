# SPDX-License-Identifier: MIT
"""Lookups of Arrow columns."""

from __future__ import annotations

from typing import Any, Optional

import pyarrow as pa
import pyarrow.compute as pc

from gsym import _store
from gsym._store import BAD_INPUT, NO_FILE, Names, Store

FRAME = pa.struct(
    [
        pa.field("function", pa.utf8(), nullable=False),
        pa.field("file", pa.utf8(), nullable=False),
        pa.field("line", pa.int32(), nullable=False),
        pa.field("offset", pa.int64(), nullable=False),
        pa.field("inlined", pa.bool_(), nullable=False),
    ]
)
ANSWER = pa.struct(
    [
        pa.field("status", pa.int8(), nullable=False),
        pa.field("frames", pa.list_(pa.field("item", FRAME, nullable=False)),
                 nullable=False),
    ]
)

# As gsym-lookup --stream=folded writes names.
_ESCAPES = {code: f"\\x{code:02x}" for code in [*range(32), 127]}
_ESCAPES.update({ord("\\"): "\\\\", ord("\t"): "\\t", ord("\n"): "\\n",
                 ord("\r"): "\\r", ord(";"): ":"})


def _array(column: Any) -> pa.Array:
    if isinstance(column, pa.ChunkedArray):
        return column.combine_chunks()
    return column if isinstance(column, pa.Array) else pa.array(column)


def _encode_ids(column: Any) -> tuple[pa.Array, list[Optional[bytes]]]:
    """The build IDs of COLUMN, None for bad ones, and indices into them."""
    array = _array(column)
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    ids: list[Optional[bytes]] = []
    for value in array.dictionary.to_pylist():
        try:
            ids.append(_store.parse_build_id(value))
        except (TypeError, ValueError):
            ids.append(None)
    # Nulls are bad input, too.
    indices = array.indices.cast(pa.int64()).fill_null(len(ids))
    ids.append(None)
    return indices, ids


def _encode_addresses(column: Any) -> tuple[pa.Array, list[Optional[int]]]:
    """The addresses of COLUMN, None for nulls, and indices into them."""
    array = _array(column)
    if not pa.types.is_integer(array.type) and not pa.types.is_null(array.type):
        raise TypeError(f"addresses are integers, not {array.type}")
    encoded = array.dictionary_encode()
    values: list[Optional[int]] = encoded.dictionary.to_pylist()
    indices = encoded.indices.cast(pa.int64()).fill_null(len(values))
    values.append(None)
    return indices, values


# A status, and the frames, innermost first.
Answer = tuple[int, list[Any]]


def _look_up(store: Store, ids: list[Optional[bytes]],
             addresses: list[Optional[int]], codes: list[int],
             names_only: bool) -> list[Answer]:
    """The answers for CODES, each of which is the index of a build ID times the
    number of addresses plus the index of an address.  Frames are Frames, or with
    NAMES_ONLY the names of the functions."""
    answers: list[Answer] = [(BAD_INPUT, [])] * len(codes)
    order = []
    for at, code in enumerate(codes):
        identity, place = divmod(code, len(addresses))
        address = addresses[place]
        if ids[identity] is not None and address is not None:
            order.append((identity, _store.parse_address(address), at))
    # In the order of files and addresses, lookups find data in caches.
    order.sort()
    library, call = store._library, store._call
    last, entry, reader, names = -1, None, 0, Names()
    try:
        for identity, address, at in order:
            if identity != last:
                library.gsym_store_release(entry)
                entry = None
                entry = store._find(ids[identity] or b"")
                reader = library.gsym_store_reader(entry)
                last, names = identity, Names()
            if not entry:
                answers[at] = (NO_FILE, [])
                continue
            status, frames = call(reader, address, 0)
            if names_only:
                function = names.function
                answers[at] = (status, [function(raw[0]) for raw in frames])
            else:
                answers[at] = (status, [names.frame(raw) for raw in frames])
    finally:
        library.gsym_store_release(entry)
    return answers


def _fold(names: list[str]) -> str:
    return ";".join([(name or "??").translate(_ESCAPES)
                     for name in reversed(names)])


def _columns(answers: list[Answer]) -> pa.StructArray:
    flat = [frame for _, frames in answers for frame in frames]
    offsets = [0]
    for _, frames in answers:
        offsets.append(offsets[-1] + len(frames))
    frames = pa.StructArray.from_arrays(
        [pa.array([frame[i] for frame in flat], field.type)
         for i, field in enumerate(FRAME)],
        fields=list(FRAME),
    )
    lists = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), frames,
                                     type=ANSWER.field("frames").type)
    return pa.StructArray.from_arrays(
        [pa.array([status for status, _ in answers], pa.int8()), lists],
        fields=list(ANSWER),
    )


def symbolize(store: Store, build_ids: Any, addresses: Any,
              output: str) -> pa.Array:
    """Store.symbolize."""
    if output not in ("frames", "folded", "leaf"):
        raise ValueError(f"not an output: {output!r}")
    id_indices, ids = _encode_ids(build_ids)
    address_indices, numbers = _encode_addresses(addresses)
    if len(id_indices) != len(address_indices):
        raise ValueError(f"{len(id_indices)} build IDs, but "
                         f"{len(address_indices)} addresses")
    codes = pc.add(pc.multiply(id_indices, pa.scalar(len(numbers), pa.int64())),
                   address_indices).dictionary_encode()
    answers = _look_up(store, ids, numbers, codes.dictionary.to_pylist(),
                       output != "frames")
    distinct: pa.Array
    if output == "frames":
        distinct = _columns(answers)
    elif output == "folded":
        distinct = pa.array([_fold(frames) for _, frames in answers], pa.utf8())
    else:
        distinct = pa.array([frames[0] if frames else ""
                             for _, frames in answers], pa.utf8())
    return distinct.take(codes.indices)
