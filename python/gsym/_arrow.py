# SPDX-License-Identifier: MIT
"""Lookups of Arrow columns, by gsym/batch.h."""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Optional

import pyarrow as pa
import pyarrow.compute as pc

from gsym import _library, _store
from gsym._demangle import Demangler
from gsym._store import Store

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

# The most bytes of an array of texts whose offsets have 32 bits.
_MOST_TEXT = (1 << 31) - 1
# The flags of gsym_batch_new.
_FLAGS = {"frames": 1, "folded": 2, "leaf": 4, "all": 3}


def _array(column: Any) -> pa.Array:
    if isinstance(column, pa.ChunkedArray):
        return column.combine_chunks()
    return column if isinstance(column, pa.Array) else pa.array(column)


def _addresses(column: Any) -> pa.Array:
    """COLUMN as an array; a list of addresses may have those of a kernel, which
    are beyond the largest signed number."""
    try:
        return _array(column)
    except OverflowError:
        return pa.array([None if value is None else _store.parse_address(value)
                         for value in column], pa.uint64())


def _encode_ids(column: Any) -> tuple[pa.Array, list[bytes]]:
    """The build IDs of COLUMN, b"" for bad ones, and indices into them."""
    array = _array(column)
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    ids: list[bytes] = []
    for value in array.dictionary.to_pylist():
        try:
            ids.append(_store.parse_build_id(value))
        except (TypeError, ValueError):
            ids.append(b"")
    # Nulls are bad input, too.
    indices = array.indices.cast(pa.int64()).fill_null(len(ids))
    ids.append(b"")
    return indices, ids


def _encode_addresses(column: Any) -> tuple[pa.Array, pa.Array]:
    """The distinct addresses of COLUMN as numbers of 64 bits, of which the last
    stands for nulls, and indices into them."""
    array = _addresses(column)
    if pa.types.is_null(array.type):
        array = array.cast(pa.int64())
    if not pa.types.is_integer(array.type):
        raise TypeError(f"addresses are integers, not {array.type}")
    encoded = array.dictionary_encode()
    values = encoded.dictionary
    if values.type != pa.uint64():
        values = values.cast(pa.int64()).view(pa.uint64())
    indices = encoded.indices.cast(pa.int64()).fill_null(len(values))
    return indices, pa.concat_arrays([values, pa.array([0], pa.uint64())])


class _Batch:
    """A struct gsym_batch."""

    def __init__(self, store: Store, output: str) -> None:
        self.library = store._library
        self.store = store
        self.batch: Optional[int] = self.library.gsym_batch_new(
            store._enter(), _FLAGS[output])
        if not self.batch:
            store._leave()
            raise MemoryError

    def __enter__(self) -> "_Batch":
        return self

    def __exit__(self, *exception: object) -> None:
        self.library.gsym_batch_free(self.batch)
        self.store._leave()

    def check(self, status: int, error: Optional[_library.Error] = None) -> None:
        """Raise an exception for an error of the library."""
        if status == _library.ERR_MEMORY:
            raise MemoryError
        if status != _library.OK:
            text = error.message.decode() if error else "too many addresses"
            raise OverflowError(f"{text}: look fewer rows up at a time")

    def add(self, build_id: bytes, place: int, count: int) -> None:
        """Add COUNT addresses, the first of which is at PLACE in memory."""
        self.check(self.library.gsym_batch_add(
            self.batch, build_id, len(build_id), place, count))

    def finish(self) -> pa.StructArray:
        """Look all addresses up."""
        array = (ctypes.c_uint64 * 16)()
        schema = (ctypes.c_uint64 * 16)()
        error = _library.Error()
        self.check(self.library.gsym_batch_finish(
            self.batch, array, schema, ctypes.byref(error)), error)
        # Takes both over, and releases them.
        answers: pa.StructArray = pa.Array._import_from_c(
            ctypes.addressof(array), ctypes.addressof(schema))
        return answers


def _look_up(store: Store, ids: list[bytes], identities: pa.Array,
             addresses: pa.Array, output: str) -> pa.StructArray:
    """The answers for ADDRESSES in the programs IDENTITIES, indices of IDS that
    never become smaller."""
    start = addresses.buffers()[1].address + 8 * addresses.offset
    with _Batch(store, output) as batch:
        at = 0
        for run in pc.value_counts(identities).to_pylist():
            batch.add(ids[run["values"]], start + 8 * at, run["counts"])
            at += run["counts"]
        return batch.finish()


def _replace(texts: pa.Array, change: Callable[[list[str]], list[str]]
             ) -> pa.Array:
    """The array TEXTS, in which CHANGE has replaced each distinct text."""
    encoded = texts.dictionary_encode()
    changed = pa.array(change(encoded.dictionary.to_pylist()), texts.type)
    size = pc.sum(pc.binary_length(changed).cast(pa.int64()).take(
        encoded.indices)).as_py() or 0
    if size > _MOST_TEXT:
        raise OverflowError(f"the readable names have {size} bytes: look fewer "
                            "rows up at a time")
    return changed.take(encoded.indices)


def _demangled(answers: pa.StructArray, demangler: Demangler) -> pa.StructArray:
    """ANSWERS with readable names."""
    columns = []
    for field in answers.type:
        column = answers.field(field.name)
        if field.name == "frames":
            frames = column.values
            names = _replace(frames.field("function"), demangler.texts)
            frames = pa.StructArray.from_arrays(
                [names] + [frames.field(i) for i in range(1, len(FRAME))],
                fields=list(FRAME))
            column = pa.ListArray.from_arrays(column.offsets, frames).cast(
                field.type)
        elif pa.types.is_string(field.type):
            column = _replace(column, demangler.stacks)
        columns.append(column)
    return pa.StructArray.from_arrays(columns, fields=list(answers.type))


def _spread(answers: pa.Array, places: pa.Array) -> pa.Array:
    """The ANSWERS at PLACES; texts with offsets of 64 bits if they need them."""
    if pa.types.is_string(answers.type):
        size = pc.sum(pc.binary_length(answers).cast(pa.int64()).take(places))
        if (size.as_py() or 0) > _MOST_TEXT:
            answers = answers.cast(pa.large_utf8())
    try:
        return answers.take(places)
    except pa.ArrowInvalid as error:
        raise OverflowError("the answers have more than 2 GiB of text: look "
                            "fewer rows up at a time") from error


def symbolize(store: Store, build_ids: Any, addresses: Any,
              output: str) -> pa.Array:
    """Store.symbolize."""
    if output not in _FLAGS:
        raise ValueError(f"not an output: {output!r}")
    id_indices, ids = _encode_ids(build_ids)
    address_indices, numbers = _encode_addresses(addresses)
    if len(id_indices) != len(address_indices):
        raise ValueError(f"{len(id_indices)} build IDs, but "
                         f"{len(address_indices)} addresses")
    store._fetch_missing(ids)
    # A missing address makes the pair bad, as a missing build ID does.
    null = pc.equal(address_indices, pa.scalar(len(numbers) - 1, pa.int64()))
    id_indices = pc.if_else(null, pa.scalar(len(ids) - 1, pa.int64()),
                            id_indices)
    # A pair is one number.  Sorted, pairs with equal build IDs follow each
    # other.
    width = pa.scalar(len(numbers), pa.int64())
    codes = pc.add(pc.multiply(id_indices, width),
                   address_indices).dictionary_encode()
    order = pc.array_sort_indices(codes.dictionary)
    pairs = codes.dictionary.take(order)
    identities = pc.divide(pairs, width)
    places = pc.subtract(pairs, pc.multiply(identities, width))
    answers = _look_up(store, ids, identities, numbers.take(places), output)
    if store._demangler:
        answers = _demangled(answers, store._demangler)
    if output in ("folded", "leaf"):
        answers = answers.field(output).fill_null("")
    return _spread(answers, pc.array_sort_indices(order).take(codes.indices))
