#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write an XRay trace: xray.py RECORDS FILE."""
import random
import struct
import sys

PER_BLOCK = 2032


def metadata(kind, form, *values):
    fields = struct.pack("<" + form, *values)
    return bytes([kind << 1 | 1]) + fields + b"\xaa" * (15 - len(fields))


def calls():
    """The records of a block, every call complete, and their ticks."""
    records, stack, ticks = [], [], 0
    while len(records) < PER_BLOCK:
        delta = random.randrange(20, 3000)
        ticks += delta
        full = len(stack) >= PER_BLOCK - len(records)
        if full or stack and (random.random() < 0.5 or len(stack) > 20):
            records.append((stack.pop() << 4 | 2, delta))
        else:
            function = random.randrange(1, 8)
            stack.append(function)
            records.append((function << 4, delta))
    return b"".join(struct.pack("<II", *r) for r in records), ticks


random.seed(1)
blocks = [calls() for _ in range(8)]
now = 1000000
with open(sys.argv[2], "wb") as out:
    out.write(struct.pack("<HHIQQ", 5, 1, 3, 2 * 10**9, 16384) + bytes(8))
    for i in range(int(sys.argv[1]) // PER_BLOCK):
        body, ticks = blocks[i % 8]
        out.write(metadata(7, "Q", 64 + len(body)) + metadata(0, "i", 7))
        out.write(metadata(4, "QI", 5 + i, i) + metadata(9, "i", 7))
        out.write(metadata(2, "HQ", 0, now) + body)
        now += ticks + 100
