# SPDX-License-Identifier: MIT
"""The wire format of protocol buffers: fields of messages, read and written."""

from __future__ import annotations

from typing import Any, Iterator


class FormatError(ValueError):
    """The input is not a profile."""


def varint(data: bytes, at: int) -> tuple[int, int]:
    """The number at AT, and the place after it."""
    value = shift = 0
    while shift < 70 and at < len(data):
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & (1 << 64) - 1, at
        shift += 7
    raise FormatError("a number breaks off")


def fields(data: bytes) -> Iterator[tuple[int, Any, bytes]]:
    """Each field of the message DATA: number, value, and all its bytes.  The
    value is an integer, or bytes."""
    at = 0
    while at < len(data):
        start = at
        tag, at = varint(data, at)
        kind = tag & 7
        value: Any
        if kind == 0:
            value, at = varint(data, at)
        else:
            if kind == 2:
                size, at = varint(data, at)
            elif kind in (1, 5):
                size = 8 if kind == 1 else 4
            else:
                raise FormatError(f"a field has the unknown type {kind}")
            value = data[at : at + size]
            at += size
        if at > len(data) or not tag >> 3:
            raise FormatError("a field breaks off")
        yield tag >> 3, value, data[start:at]


def put_varint(value: int) -> bytes:
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


def numbers(data: bytes) -> dict[int, int]:
    """The fields of the message DATA that are numbers."""
    return {number: value for number, value, _ in fields(data)
            if isinstance(value, int)}
