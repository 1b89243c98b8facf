#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write an XRay trace: xray.py RECORDS FILE [BLOCKS].

The trace has one thread, and every call is complete.  llvm-xray sorts the
blocks of a thread with a comparison that is an order only if both the seconds
and the microseconds of their wall times grow, and refuses blocks that are
unsorted afterwards.  Up to 16 blocks stay as they are.  So llvm-xray reads two
kinds of traces:

* by default, blocks of 16 KiB whose seconds and microseconds both grow;
* with BLOCKS (at most 16), BLOCKS large blocks within one second, as a runtime
  with large buffers writes.
"""
import random
import struct
import sys

PER_CHUNK = 2032
FREQUENCY = 2 * 10**9


def metadata(kind, form, *values):
    fields = struct.pack("<" + form, *values)
    return bytes([kind << 1 | 1]) + fields + b"\xaa" * (15 - len(fields))


def calls():
    """The bytes of records of complete calls, and the ticks they take."""
    records, stack, ticks = [], [], 0
    while len(records) < PER_CHUNK:
        delta = random.randrange(20, 3000)
        ticks += delta
        full = len(stack) >= PER_CHUNK - len(records)
        if full or stack and (random.random() < 0.5 or len(stack) > 20):
            records.append((stack.pop() << 4 | 2, delta))
        else:
            function = random.randrange(1, 8)
            stack.append(function)
            records.append((function << 4, delta))
    return b"".join(struct.pack("<II", *r) for r in records), ticks


def main():
    random.seed(1)
    chunks = [calls() for _ in range(8)]
    count = -(-int(sys.argv[1]) // PER_CHUNK)
    large = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    per_block = -(-count // large) if large else 1
    size = per_block * PER_CHUNK * 8 + 64
    now = 1000000
    with open(sys.argv[2], "wb") as out:
        out.write(struct.pack("<HHIQQ", 5, 1, 3, FREQUENCY, size) + bytes(8))
        for number, first in enumerate(range(0, count, per_block)):
            here = range(first, min(first + per_block, count))
            out.write(metadata(7, "Q", 64 + len(here) * PER_CHUNK * 8))
            out.write(metadata(0, "i", 7))
            out.write(metadata(4, "QI", 5 if large else 5 + number, number))
            out.write(metadata(9, "i", 7) + metadata(2, "HQ", 0, now))
            for i in here:
                out.write(chunks[i % 8][0])
                now += chunks[i % 8][1]
            now += 100


if len(sys.argv) not in (3, 4):
    sys.exit(__doc__.split("\n", 1)[0])
main()
