# SPDX-License-Identifier: MIT
"""The wire format of protocol buffers: fields of messages, read and written."""

from __future__ import annotations

import array
from typing import Any, BinaryIO, Callable, Iterable, Iterator, Optional


class FormatError(ValueError):
    """The input is not a profile."""


#: Called now and then while a message is read; raises an exception to stop.
Check = Callable[[], None]

# Bytes of a message between two calls of the check.
_STRIDE = 1 << 16
#: The fields that message() tells of.
_MOST_FIELD = 15


def varint(data: bytes, at: int) -> tuple[int, int]:
    """The number at AT, and the place after it."""
    value = shift = 0
    for byte in data[at:at + 10]:
        if byte < 128:
            return ((value | byte << shift) & (1 << 64) - 1,
                    at + shift // 7 + 1)
        value |= (byte & 127) << shift
        shift += 7
    raise FormatError("a number breaks off")


def _over(data: bytes, at: int, end: int, tag: int) -> int:
    """Step over fields from AT on that have the byte TAG and less than 128 bytes
    each, up to END or a little beyond."""
    last = end - 1
    while at < last and data[at] == tag:
        size = data[at + 1]
        if size > 127:
            break
        at += size + 2
    return at


def spans(data: bytes, check: Optional[Check] = None, at: int = 0,
          end: Optional[int] = None, unneeded: int = 0
          ) -> Iterator[tuple[int, Optional[int], int, int, int]]:
    """Each field of the message at AT up to END of DATA: its number; its value,
    which is None for bytes, and -1 for a number of fixed size; and the places
    where the field begins, where its value begins, and where both end.  No bytes
    are copied.  Most fields of bytes with the number UNNEEDED, from 1 to 15, are
    left out, which takes a fifth of the time."""
    if end is None:
        end = len(data)
    checked = at
    # No field has the number 0.
    unneeded = unneeded << 3 | 2 if unneeded else -1
    while at < end:
        if check and at >= checked:
            check()
            checked = at + _STRIDE
        start = at
        tag = data[at]
        if tag == unneeded:
            at = _over(data, at, min(end, at + _STRIDE), tag)
            if at > end:
                raise FormatError("a field breaks off")
            if at > start:
                continue
        at += 1
        if tag > 127:
            tag, at = varint(data, start)
        kind = tag & 7
        value: Optional[int] = None
        first = at
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            size, first = varint(data, at)
            at = first + size
        elif kind in (1, 5):
            value = -1
            at += 8 if kind == 1 else 4
        else:
            raise FormatError(f"a field has the unknown type {kind}")
        if at > end or not tag >> 3:
            raise FormatError("a field breaks off")
        yield tag >> 3, value, start, first, at


def fields(data: bytes) -> Iterator[tuple[int, Any, bytes]]:
    """Each field of the message DATA: number, value, and all its bytes.  The
    value is an integer, or bytes."""
    for number, value, start, first, end in spans(data):
        yield (number, data[first:end] if value is None or value < 0 else value,
               data[start:end])


def message(data: bytes, at: int, end: int) -> dict[int, int]:
    """The fields 1 to 15 of the message at AT up to END of DATA that are there:
    numbers as such, and the others as 0."""
    found = {}
    while at < end:
        tag = data[at]
        at += 1
        if tag > 127:
            tag, at = varint(data, at - 1)
        kind = tag & 7
        value = 0
        if kind == 0:
            value = data[at] if at < end else 128
            at += 1
            if value > 127:
                value, at = varint(data, at - 1)
        elif kind == 2:
            size, at = varint(data, at)
            at += size
        elif kind in (1, 5):
            at += 8 if kind == 1 else 4
        else:
            raise FormatError(f"a field has the unknown type {kind}")
        if at > end or not tag >> 3:
            raise FormatError("a field breaks off")
        if tag >> 3 <= _MOST_FIELD:
            found[tag >> 3] = value
    return found


class Table:
    """Fields of bytes of the message DATA, by their places: 24 bytes each,
    however small a field is."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._begins = array.array("Q")
        self.starts = array.array("Q")
        self.ends = array.array("Q")

    def add(self, begin: int, start: int, end: int) -> None:
        """One more field, that begins at BEGIN and has a value from START to
        END."""
        self._begins.append(begin)
        self.starts.append(start)
        self.ends.append(end)

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, at: int) -> bytes:
        return self._data[self.starts[at] : self.ends[at]]

    def size(self, at: int) -> int:
        """The bytes of the value of field AT."""
        return self.ends[at] - self.starts[at]

    def message(self, at: int) -> dict[int, int]:
        """message() of the value of field AT."""
        return message(self._data, self.starts[at], self.ends[at])

    def messages(self) -> Iterator[dict[int, int]]:
        """message() of each field."""
        data = self._data
        for start, end in zip(self.starts, self.ends):
            yield message(data, start, end)

    def changed(self, number: int, values: Iterable[tuple[int, bytes]]
                ) -> Iterator[tuple[int, int, bytes]]:
        """What put_changed() takes, for fields with NUMBER that get VALUES, each
        with its place in the table."""
        tag = put_varint(number << 3 | 2)
        for at, value in values:
            yield (self._begins[at], self.ends[at],
                   tag + put_varint(len(value)) + value)


_BYTES = tuple(bytes((byte,)) for byte in range(128))
# Numbers of one and two bytes: most of those that are written.
_SHORT = _BYTES + tuple(bytes((value & 127 | 128, value >> 7))
                        for value in range(128, 128 * 128))


def put_varint(value: int) -> bytes:
    if value < 128 * 128:
        return _SHORT[value]
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def put(number: int, value: Any) -> bytes:
    if isinstance(value, int):
        return put_varint(number << 3) + put_varint(value)
    data: bytes = value
    return put_varint(number << 3 | 2) + put_varint(len(data)) + data


def put_changed(data: bytes, check: Check, out: BinaryIO,
                changed: Iterable[tuple[int, int, bytes]]) -> None:
    """Write the message DATA to OUT, with other fields in place of some: CHANGED
    are, in the order of DATA, begin, end and the new field.  Runs of fields that
    stay are copied at once."""
    done, write = 0, out.write
    for count, (begin, end, field) in enumerate(changed):
        if not count % 256:
            check()
        if begin > done:
            write(data[done:begin])
        write(field)
        done = end
    write(data[done:])


def put_pair(number: int, first: int, second: int) -> bytes:
    """A field with a message of two numbers, its fields 1 and 2.  NUMBER is
    1 to 15."""
    pair = b"\x08" + put_varint(first) + b"\x10" + put_varint(second)
    return _BYTES[number << 3 | 2] + _BYTES[len(pair)] + pair


def numbers(data: bytes) -> dict[int, int]:
    """The fields of the message DATA that are numbers."""
    return {number: value for number, value, _ in fields(data)
            if isinstance(value, int)}
