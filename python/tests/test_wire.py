# SPDX-License-Identifier: MIT
"""Tests of the wire format of protocol buffers."""

from __future__ import annotations

import io
import random

import pytest

from gsym import _wire
from gsym._wire import (FormatError, Pairs, Rows, fields, longer, message, put,
                        put_changed, put_varint, spans, varint)

NUMBERS = (0, 1, 127, 128, 129, 16383, 16384, 1 << 32, (1 << 64) - 1)


def _told(data: bytes, *runs: int) -> list[tuple[int, bytes]] | None:
    """The fields of DATA that spans tells of, but those with the number 2; None
    if DATA is no message."""
    try:
        return [(number, data[start:end]) for number, _, start, _, end
                in spans(data, runs=runs) if number != 2]
    except FormatError:
        return None


@pytest.mark.parametrize("number", NUMBERS)
def test_numbers(number: int) -> None:
    """A number is read as it was written."""
    assert varint(put_varint(number) + b"\xff", 0) == (
        number, len(put_varint(number)))


def test_pairs() -> None:
    """A pair is the field that put writes."""
    for first in NUMBERS:
        for second in NUMBERS:
            pairs = Pairs(4)
            assert pairs.put(pairs.start(first), second) == put(
                4, put(1, first) + put(2, second))


def test_runs_of_fields() -> None:
    """Short fields are told of together, whatever their sizes, and a message that
    breaks off is one in both ways."""
    data = b"".join(
        put(2, b"s" * size) + put(2, size) + put(3 + size % 9, b"x" * size)
        for size in (0, 1, 126, 127, 128, 300))
    assert len(_told(data, 2)) == 6
    for end in range(len(data) + 1):
        assert _told(data[:end]) == _told(data[:end], 2)


def test_no_field_has_the_number_0() -> None:
    for runs in ((), (2,)):
        assert _told(b"\x02\x03abc", *runs) is None


def test_the_check_is_called_in_long_runs() -> None:
    data = put(2, b"s" * 100) * 10000
    checks = []
    runs = list(spans(data, lambda: checks.append(1), runs=(2,)))
    assert len(checks) > 10
    assert len(runs) == len(checks)
    assert [start for _, _, start, _, _ in runs[1:]] == [
        end for *_, end in runs[:-1]]
    assert len(list(fields(data))) == 10000


# ---- rows


def _long_varint(value: int, size: int) -> bytes:
    """VALUE in SIZE bytes, which may be more than it needs."""
    return bytes((value >> 7 * at & 127) | (128 if at < size - 1 else 0)
                 for at in range(size))


def _random_row(choose: random.Random) -> bytes:
    """A field of bytes with the number 4, which may have a layout of its own."""
    kind = choose.randrange(12)
    parts = [put(number, choose.getrandbits(choose.randrange(1, 65)))
             for number in (1, 2, 3) if choose.randrange(5)]
    if kind == 0:
        choose.shuffle(parts)
    elif kind == 1:
        parts.append(put(4, put(1, 5) + put(2, 6)) * choose.randrange(1, 30))
    elif kind == 2:
        parts.append(b"\x18" + _long_varint(
            choose.getrandbits(64) | choose.getrandbits(1) << 66, 10))
    elif kind == 3:
        parts.append(choose.choice((b"\x20\x01", b"\x2d1234", b"\x1912345678",
                                    b"\x98\x00\x07", b"\x08\x03")))
    value = b"".join(parts)
    head = b"\x22" + put_varint(len(value))
    if kind == 4:
        head = b"\xa2\x00" + put_varint(len(value))
    elif kind == 5:
        head = b"\x22" + _long_varint(len(value), choose.randrange(2, 5))
    return head + value


def _slowly(data: bytes) -> list[tuple[int, int, list[int], bool]]:
    """The rows of DATA: where each begins and ends, its numbers, and whether it
    has others."""
    rows = []
    for _, _, begin, start, end in spans(data):
        values = message(data, start, end)
        rows.append((begin, end, [values.get(at, 0) for at in (1, 2, 3)],
                     bool(values.keys() - {1, 2, 3})))
    return rows


@pytest.mark.parametrize("odd", (0.0, 0.003, 0.1, 1.0))
def test_rows(odd: float) -> None:
    """Rows that are read many at once are those that are read one by one,
    whatever stands between those of the usual layout."""
    choose = random.Random(46)
    for _ in range(40):
        data = b"".join(
            _random_row(choose) if choose.random() < odd else put(4, b"".join(
                put(at, choose.getrandbits(choose.choice((7, 20, 48, 64))))
                for at in (1, 2, 3)))
            for _ in range(choose.choice((1, 5, 100, 1500))))
        rows = Rows(data)
        for _, _, start, _, end in spans(data, runs=(4,)):
            rows.add(start, end)
        assert [(begin, end, numbers, bool(values and values.keys() - {1, 2, 3}))
                for begin, end, *numbers, values in rows.read(lambda: None)
                ] == _slowly(data)


def test_rows_of_two_numbers() -> None:
    """A row with another number is no usual one, even if that is 0 and all rows
    have it."""
    for others in ((0,), (1,), (0, 1, None)):
        numbers = [others[at % len(others)] for at in range(300)]
        data = b"".join(
            put(2, put(1, 5) + put(2, at) + (b"" if number is None
                                             else put(3, number)))
            for at, number in enumerate(numbers))
        rows = Rows(data, 2)
        rows.add(0, len(data))
        for (_, _, first, second, _, values), at, number in zip(
                rows.read(lambda: None), range(300), numbers):
            assert (first, second) == (5, at)
            assert (3 in (values or ())) == (number is not None)


def test_rows_are_read_in_time_in_proportion() -> None:
    """Few bytes are searched in vain, whatever rows come after each other."""
    usual, slow = put(4, put(1, 1) + put(2, 2)), put(4, put(9, 1))
    data = b"".join(usual * count + slow for count in range(300)) + slow * 20000
    rows = Rows(data)
    rows.add(0, len(data))
    searched = 0

    class Pattern:
        """Counts bytes that are searched."""

        @staticmethod
        def findall(text: bytes, at: int, end: int) -> list[tuple[bytes, ...]]:
            nonlocal searched
            searched += end - at
            return pattern.findall(text, at, end)

    pattern, _wire._ROW = _wire._ROW, Pattern  # type: ignore
    try:
        for _ in rows.read(lambda: None):
            pass
    finally:
        _wire._ROW = pattern
    assert searched < 6 * len(data)


def test_longer_fields() -> None:
    """A field that gets bytes is the one that is written anew, whatever its size
    was, and others stay."""
    choose = random.Random(47)
    data = b"".join(_random_row(choose) for _ in range(400))
    added = [choose.choice((b"", b"\x22\x00", b"\x22\x7f" + b"z" * 127))
             for _ in range(400)]
    out = io.BytesIO()
    put_changed(data, lambda: None, out, longer(data, (
        (begin, end, more) for (_, _, begin, _, end), more
        in zip(spans(data), added))))
    assert out.getvalue() == b"".join(
        put(4, data[start:end] + more) if more else data[begin:end]
        for (_, _, begin, start, end), more in zip(spans(data), added))
