#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes small files that ask for outputs of any size, for
greedy-outputs.sh: greedy-outputs.py FOLDER."""
import struct
import sys


def gsym(names, text, rows, inlines=0, merged=0):
    """A GSYM file whose NAMES functions have the ends of one string of TEXT
    bytes as names, and ROWS line rows each; the files of the rows, too, have
    the ends of that string.  The first one has INLINES levels of inlined
    calls, and MERGED functions are merged with it."""
    strings = b"\0" + b"n" * text + b"\0"

    def info(kind, data):
        return struct.pack("<II", kind, len(data)) + data

    def leb(value):
        out = b""
        while value > 0x7F:
            out += bytes([value & 0x7F | 0x80])
            value >>= 7
        return out + bytes([value])

    def tree(level):
        if level > inlines:
            return b""
        # One range of the whole function, children, name, call place.
        return (leb(1) + leb(0) + leb(16) + (b"\1" if level < inlines else b"\0")
                + struct.pack("<I", 1 + level) + leb(1) + leb(7)
                + tree(level + 1) + (b"\0" if level < inlines else b""))

    def function(index, nested=False):
        out = struct.pack("<II", 16, 1 + index)
        if rows:
            out += info(1, b"\0\x0a\1" + b"\4" * rows + b"\0")
        if inlines and index == 0:
            out += info(2, tree(1))
        if merged and index == 0 and not nested:
            parts = [function(i + 1, True) for i in range(merged)]
            out += info(3, struct.pack("<I", merged) + b"".join(
                struct.pack("<I", len(p)) + p for p in parts))
        return out + info(0, b"")

    files = struct.pack("<I", 2) + struct.pack("<IIII", 0, 0, 1, 1)
    at = 48 + 8 * names
    head = struct.pack("<IHBBQIII", 0x4753594D, 1, 4, 0, 0x1000, names,
                       at + len(files), len(strings)) + bytes(20)
    body = b"".join(struct.pack("<I", 16 * i) for i in range(names))
    records = []
    offset = at + len(files) + len(strings)
    pad = -offset % 4
    offset += pad
    for i in range(names):
        record = function(i)
        record += bytes(-len(record) % 4)
        records.append((offset, record))
        offset += len(record)
    body += b"".join(struct.pack("<I", at) for at, _ in records)
    return (head + body + files + strings + bytes(pad)
            + b"".join(record for _, record in records))


def trace(depth):
    """A trace of DEPTH nested calls of one function."""
    out = struct.pack("<HHIQ", 1, 0, 3, 1000000000) + bytes(16)
    time = 0
    for kind in (0, 1):
        for _ in range(depth):
            time += 10
            out += struct.pack("<HBBiQII", 0, 0, kind, 1, time, 1, 1) + bytes(8)
    return out


def main(folder):
    sys.setrecursionlimit(10000)

    def save(name, data):
        with open(f"{folder}/{name}", "wb") as file:
            file.write(data)

    save("names.gsym", gsym(100, 2000000, 0))
    save("rows.gsym", gsym(1, 84000, 50000))
    save("inlines.gsym", gsym(1, 200000, 0, inlines=1000))
    save("merged.gsym", gsym(1, 200000, 0, merged=5000))
    save("long.gsym", gsym(1, 100000, 0))
    save("deep.xray", trace(10000))


main(sys.argv[1])
