#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fuzz gsym-pprof: profiles that are changed in random ways are symbolized.

usage: fuzz_pprof.py [--runs=N | --seconds=N] STORE BUILD-ID ADDRESS PROFILE...

STORE is a folder with the GSYM file of BUILD-ID, and ADDRESS lies in it; the
PROFILEs, which may be compressed, are seeds.  A profile is refused with
FormatError or symbolized.  Then a second run changes nothing, and all fields
but mappings, locations, functions and strings are as they were.  An input that
reaches lines of pprof.py that no other input reached is kept and changed
further.  --seconds counts processor time.  The same runs are the same in each
process.  Prints the number of runs, and lines reached; the input of a failure
goes to the file pprof-crash.
"""
import argparse
import gzip
import random
import sys
import time

from gsym import Store, pprof
from gsym._wire import fields as _fields, put as _put
from gsym._wire import put_varint as _put_varint

MOST_BYTES = 4096
INTERESTING = [0, 1, 2, 7, 127, 128, 255, 1 << 32, (1 << 63) - 1,
               (1 << 64) - 1]


def profile(build_id, address):
    """A profile with locations around ADDRESS."""
    data = _put(1, _put(1, 1) + _put(2, 2)) + _put(99, b"unknown")
    for named in (0, 1):
        data += _put(3, _put(1, 1 + named) + _put(2, address & ~0xfff)
                     + _put(3, address + 0x10000) + _put(6, 4)
                     + _put(4, address & ~0xfff) + _put(7, named))
    for i in range(6):
        data += _put(4, _put(1, i + 1) + _put(2, 1 + i % 3)
                     + _put(3, address + i)
                     + (_put(4, _put(1, 1) + _put(2, 5)) if i == 5 else b""))
    data += _put(5, _put(1, 1) + _put(2, 1))
    for text in (b"", b"samples", b"count", b"/bin/prog", build_id.encode()):
        data += _put(6, text)
    return data + _put(12, 1000)


def change_bytes(data, rng):
    """DATA with a few bytes changed."""
    data = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data) + 1)
        size = rng.randint(1, 8)
        choice = rng.randrange(5)
        if choice == 0:
            del data[at:at + size]
        elif choice == 1:
            data[at:at] = data[rng.randrange(len(data) + 1):][:size]
        elif choice == 2:
            data[at:at] = _put_varint(rng.choice(INTERESTING))
        elif at < len(data):
            data[at] ^= 1 << rng.randrange(8)
    return bytes(data[:MOST_BYTES])


def change_fields(data, rng):
    """DATA with a field of it removed, repeated, moved or changed."""
    try:
        fields = [(number, value) for number, value, _ in _fields(data)]
    except pprof.FormatError:
        return change_bytes(data, rng)
    if not fields:
        return change_bytes(data, rng)
    at = rng.randrange(len(fields))
    number, value = fields[at]
    choice = rng.randrange(6)
    if choice == 0:
        del fields[at]
    elif choice == 1:
        fields.insert(rng.randrange(len(fields) + 1), fields[at])
    elif choice == 2:
        fields[at] = rng.randint(1, 14), value
    elif isinstance(value, int):
        fields[at] = number, rng.choice(INTERESTING + [value + 1, value ^ 8])
    else:
        fields[at] = number, (change_fields if choice < 5 else change_bytes)(
            value, rng)
    return b"".join(_put(number, value % (1 << 64)
                         if isinstance(value, int) else value)
                    for number, value in fields)[:MOST_BYTES]


def others(data):
    """The fields of DATA that symbolizing leaves alone."""
    return [raw for number, _, raw in _fields(data)
            if number not in (3, 4, 5, 6)]


def check(data, store, back):
    """Symbolize DATA, and check what becomes of it."""
    try:
        result = pprof.symbolize(data, store, back)
    except pprof.FormatError:
        return
    assert others(result) == others(data)
    for number in (4, 5, 6):
        before = [v for n, v, _ in _fields(data) if n == number]
        after = [v for n, v, _ in _fields(result) if n == number]
        assert all(a.startswith(b) if number == 4 else a == b
                   for a, b in zip(after, before))
        assert number != 4 or len(after) == len(before)
    assert pprof.symbolize(result, store, back) == result


class Lines:
    """The lines of pprof.py that were reached."""

    def __init__(self):
        self.reached = set()

    def trace(self, frame, event, _):
        if frame.f_code.co_filename != pprof.__file__:
            return None
        if event == "line":
            self.reached.add(frame.f_lineno)
        return self.trace


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("store")
    parser.add_argument("build_id")
    parser.add_argument("address", type=int)
    parser.add_argument("profiles", nargs="*")
    options = parser.parse_args()
    rng = random.Random(1)
    lines = Lines()
    corpus = [profile(options.build_id, options.address)]
    for path in options.profiles:
        with open(path, "rb") as file:
            data = file.read()
        corpus.append(gzip.decompress(data) if path.endswith(".gz") else data)
    seeds = list(corpus)
    run = 0
    with Store([options.store]) as store:
        while (time.process_time() < options.seconds if options.seconds
               else run < options.runs):
            data = seeds[run] if run < len(seeds) else rng.choice(
                [change_bytes, change_fields, change_fields])(
                    rng.choice(corpus), rng)
            before = len(lines.reached)
            sys.settrace(lines.trace)
            try:
                check(data, store, bool(run % 2))
            except BaseException:
                sys.settrace(None)
                with open("pprof-crash", "wb") as file:
                    file.write(data)
                raise
            sys.settrace(None)
            run += 1
            if len(lines.reached) > before:
                corpus.append(data)
    print(f"pprof: {run} executions, {len(lines.reached)} lines, "
          f"{time.process_time():.0f} s of processor time")


main()
