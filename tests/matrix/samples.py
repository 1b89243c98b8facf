# SPDX-License-Identifier: MIT
"""Which programs of a folder, and which of their addresses, the scripts
distribution and vote try.  Needs only the standard library.
"""

import os
import random

import images


def sample(program, count, seed):
    """COUNT addresses of PROGRAM, the same for the same SEED."""
    total = sum(end - start for start, end in program.code)
    if total <= count:
        chosen = {a for start, end in program.code for a in range(start, end)}
    else:
        dice = random.Random(seed)
        chosen = set(edges(program, dice, count // 3))
        while len(chosen) < count:
            start = pick(program, dice, total)
            # Neighbours find the first and last bytes of inlined calls.
            chosen.update(range(start, start + dice.choice((1, 1, 1, 16))))
    # The first byte behind each piece of code belongs to nothing.
    chosen.update(end for _, end in program.code)
    return sorted(chosen)


def edges(program, dice, count):
    """First and last bytes of functions, and the bytes beside them."""
    symbols = program.symbols
    if len(symbols) > count // 4:
        symbols = dice.sample(symbols, count // 4)
    for symbol in symbols:
        for at in (symbol.start, symbol.start - 1, symbol.end, symbol.end - 1):
            if any(start <= at < end for start, end in program.code):
                yield at


def pick(program, dice, total):
    at = dice.randrange(total)
    for start, end in program.code:
        if at < end - start:
            return start + at
        at -= end - start
    return 0


def split_universal(path):
    """Write each program of a universal file beside it."""
    for kind, offset, size in images.slices(path):
        with open(path, "rb") as stream, \
                open(f"{path}.{kind:x}", "wb") as out:
            stream.seek(offset)
            out.write(stream.read(size))


def is_program(path):
    """Whether the bytes at the start are those of a program's file."""
    with open(path, "rb") as stream:
        start = stream.read(4)
    return any(start.startswith(magic) for magic, _ in images.MAGICS)


def files_below(folder):
    """Paths of the regular files below FOLDER, which are no links."""
    paths = (os.path.join(top, name)
             for top, _, names in os.walk(folder, followlinks=True)
             for name in names)
    return sorted(p for p in paths
                  if os.path.isfile(p) and not os.path.islink(p))


def programs(folder, at_most, largest):
    """Paths below FOLDER of programs, evenly chosen if there are many."""
    for path in files_below(folder):
        split_universal(path)
    paths = [p for p in files_below(folder)
             if is_program(p) and ".dwz/" not in p and
             0 < os.path.getsize(p) <= largest]
    step = max(len(paths) / at_most, 1)
    return [paths[int(i * step)] for i in range(min(at_most, len(paths)))]
