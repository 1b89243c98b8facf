# SPDX-License-Identifier: MIT
"""The wire format of protocol buffers: fields of messages, read and written."""

from __future__ import annotations

import array
import re
import sys
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
          end: Optional[int] = None, runs: Iterable[int] = ()
          ) -> Iterator[tuple[int, Optional[int], int, int, int]]:
    """Each field of the message at AT up to END of DATA: its number; its value,
    which is None for bytes, and -1 for a number of fixed size; and the places
    where the field begins, where its value begins, and where both end.  No bytes
    are copied.  RUNS are numbers of fields, each from 1 to 15.  Several short
    fields of bytes with such a number, one behind the other, may come as one, which
    takes a fifth of the time.  Its value begins where the first field begins."""
    if end is None:
        end = len(data)
    checked = at
    tags = bytes([number << 3 | 2 for number in runs])
    while at < end:
        if check and at >= checked:
            check()
            checked = at + _STRIDE
        start = at
        tag = data[at]
        if tag in tags:
            at = _over(data, at, min(end, at + _STRIDE), tag)
            if at > end:
                raise FormatError("a field breaks off")
            if at > start:
                yield tag >> 3, None, start, start, at
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


def _gather(rows: int) -> Iterator[tuple[int, int, int]]:
    """The steps that decode ROWS varints, each in _WIDE bytes, as one integer: a
    shift, the mask of the bits that stay, and the mask of the bits that are
    shifted.  The first step puts the 7 bits of each byte next to those of the byte
    before it, the second 14 bits next to 14, and so on."""
    for size in (1, 2, 4, 8):
        pair = ((1 << 7 * size) - 1).to_bytes(2 * size, "little")
        low = int.from_bytes(pair * (rows * _WIDE // len(pair)), "little")
        yield size, low, low << 8 * size


# A field of bytes whose value is a message of numbers in the fields 1 to 3, each of
# which may be missing.  The groups are the size, the value, and the three numbers.
# Where no such field begins, all bytes that are left match.
_NUMBER = rb"[\x80-\xff]{0,9}[\0-\x7f]"
_ROW = re.compile(rb"[\0-\x7f]([\0-\x7f])((?:\x08(%s))?(?:\x10(%s))?"
                  rb"(?:\x18(%s))?)|[\0-\xff]+" % ((_NUMBER,) * 3))
# A field that _ROW finds is a row.  The bytes that one search takes, at first and at
# most.
_LEAST_ROWS, _MOST_ROWS = 512, 1 << 12
# Fewer rows than these are not worth a search.
_WORTH = 8
# A number has up to ten bytes.
_WIDE = 16
# A row has at least two bytes.
_GATHER = tuple(_gather(_MOST_ROWS // 2))
# Fields that are read one by one before the next search for rows.
_MOST_SLOW = 64


def _column(texts: list[bytes]) -> "array.array[int]":
    """The values of TEXTS, each the bytes of a varint, all decoded at once.  An
    empty text is 0."""
    wide = int.from_bytes(b"".join([text.ljust(_WIDE, b"\0") for text in texts]),
                          "little")
    for shift, low, high in _GATHER:
        wide = wide & low | (wide & high) >> shift
    numbers = array.array("Q", wide.to_bytes(_WIDE * len(texts), "little"))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers[::2]


#: A field of bytes: where the field begins and ends; the numbers in the fields 1 to
#: 3 of its message, 0 if they are missing; and message() of its value, None if the
#: message certainly has nothing but numbers in the fields 1 to MOST of Rows.
Row = tuple[int, int, int, int, int, Optional[dict[int, int]]]


class Rows:
    """Fields of bytes of the message DATA.  Most of their values are messages with
    nothing but numbers in the fields 1 to MOST, which is 2 or 3: such fields are read
    many at once."""

    def __init__(self, data: bytes, most: int = 3) -> None:
        self._data = data
        self._two = most == 2
        # Begin and end of each run of fields.
        self._runs = array.array("Q")

    def add(self, begin: int, end: int) -> None:
        """One or more fields, from BEGIN to END."""
        if self._runs and self._runs[-1] == begin:
            self._runs[-1] = end
        else:
            self._runs.extend((begin, end))

    def read(self, check: Check) -> Iterator[Row]:
        """Each field."""
        runs = iter(self._runs)
        for begin, end in zip(runs, runs):
            yield from self._read(begin, end, check)

    def _read(self, at: int, end: int, check: Check) -> Iterator[Row]:
        # The bytes that are searched stay in proportion to the rows found before.
        window, slow, data, two = _LEAST_ROWS, 1, self._data, self._two
        while at < end:
            check()
            found = (_ROW.findall(data, at, min(at + window, end))
                     if end - at >= _LEAST_ROWS else ())
            good = 0
            for row in found:
                # The last match may be the rest of the bytes, or break off.
                if row[0] != _BYTES[len(row[1])] or two and row[4]:
                    break
                good += 1
            if good < _WORTH:
                for _ in range(slow):
                    if at < end:
                        here, (first, at) = at, value_of(data, at)
                        values = message(data, first, at)
                        yield (here, at, values.get(1, 0), values.get(2, 0),
                               values.get(3, 0), values)
                window, slow = _LEAST_ROWS, min(_MOST_SLOW, 2 * slow)
                continue
            begin = at
            for row, first, second, third in zip(found, *(
                    _column([row[field] for row in found[:good]])
                    for field in (2, 3, 4))):
                here, at = at, at + len(row[1]) + 2
                yield here, at, first, second, third, None
            window = max(_LEAST_ROWS, min(_MOST_ROWS, 4 * (at - begin)))
            slow = 1


def value_of(data: bytes, at: int) -> tuple[int, int]:
    """Where the value of the field of bytes at AT begins, and where it ends."""
    size, first = varint(data, varint(data, at)[1])
    return first, first + size


def longer(data: bytes, fields: Iterable[tuple[int, int, bytes]]
           ) -> Iterator[tuple[int, int, bytes]]:
    """Changes of FIELDS of bytes of DATA, for put_changed().  Each of FIELDS is
    where a field begins and ends, and the bytes, which may be none, that are put at
    the end of its value."""
    for begin, end, more in fields:
        if not more:
            continue
        size = end - begin - 2 + len(more)
        if size < 128 and data[begin] < 128 and data[begin + 1] < 128:
            # Tag and size have a byte each.
            head = data[begin:begin + 1] + _BYTES[size] + data[begin + 2:end]
        else:
            first = value_of(data, begin)[0]
            head = put_varint(varint(data, begin)[0]) + put_varint(
                end - first + len(more)) + data[first:end]
        yield begin, end, head + more


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


class Pairs:
    """Makes fields with the number NUMBER, 1 to 15.  The value of each is a message
    of two numbers, its fields 1 and 2."""

    def __init__(self, number: int) -> None:
        tag = bytes((number << 3 | 2,))
        self._heads = [tag + size for size in _BYTES]

    @staticmethod
    def start(first: int) -> bytes:
        """The beginning of a message with the number FIRST, for put()."""
        return b"\x08" + put_varint(first) + b"\x10"

    def put(self, start: bytes, second: int) -> bytes:
        """The field with the message that begins with START, and SECOND."""
        pair = start + put_varint(second)
        return self._heads[len(pair)] + pair


def numbers(data: bytes) -> dict[int, int]:
    """The fields of the message DATA that are numbers."""
    return {number: value for number, value, _ in fields(data)
            if isinstance(value, int)}
