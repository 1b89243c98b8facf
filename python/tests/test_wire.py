# SPDX-License-Identifier: MIT
"""Tests of the wire format of protocol buffers."""

from __future__ import annotations

import pytest

from gsym._wire import (FormatError, fields, put, put_pair, put_varint, spans,
                        varint)

NUMBERS = (0, 1, 127, 128, 129, 16383, 16384, 1 << 32, (1 << 64) - 1)


def _told(data: bytes, unneeded: int = 0) -> list[tuple[int, bytes]] | None:
    """The fields of DATA that spans tells of, but those with the number 2; None
    if DATA is no message."""
    try:
        return [(number, data[start:end]) for number, _, start, _, end
                in spans(data, unneeded=unneeded) if number != 2]
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
            assert put_pair(4, first, second) == put(
                4, put(1, first) + put(2, second))


def test_unneeded_fields() -> None:
    """Fields that nobody needs are left out, whatever their sizes, and a message
    that breaks off is one in both ways."""
    data = b"".join(
        put(2, b"s" * size) + put(2, size) + put(3 + size % 9, b"x" * size)
        for size in (0, 1, 126, 127, 128, 300))
    assert len(_told(data, 2)) == 6
    for end in range(len(data) + 1):
        assert _told(data[:end]) == _told(data[:end], 2)


def test_no_field_has_the_number_0() -> None:
    for unneeded in (0, 2):
        assert _told(b"\x02\x03abc", unneeded) is None


def test_most_fields_are_left_out() -> None:
    """The check is called also where all fields are left out."""
    data = put(2, b"s" * 100) * 10000
    checks = []
    assert not list(spans(data, lambda: checks.append(1), unneeded=2))
    assert len(checks) > 10
    assert len(list(fields(data))) == 10000
