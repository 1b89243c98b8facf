#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Give a Mach-O program of Go's linker the chained fixups of Apple's linker.

    chain_fixups.py PROGRAM OUT FORM

In PROGRAM (64 bits, little-endian) the rebase opcodes of LC_DYLD_INFO_ONLY list
the pointers, and the pointers have their values.  In OUT the pointers are
chained fixups in pointer format FORM: 2 (addresses) or 6 (offsets from the
base).
"""
import struct
import sys

PAGE = 0x4000
SEGMENT, INFO, CHAINED, RPATH = 0x19, 0x80000022, 0x80000034, 0x8000001c


def uleb(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def pointers(opcodes, segments):
    """The addresses of pointers that the rebase opcodes list."""
    at, segment, offset = 0, 0, 0

    def some(count, step):
        nonlocal offset
        for _ in range(count):
            yield segments[segment][0] + offset
            offset += step

    while at < len(opcodes):
        code, number = opcodes[at] & 0xf0, opcodes[at] & 15
        at += 1
        if code == 0x00:
            return
        if code == 0x20:
            segment = number
            offset, at = uleb(opcodes, at)
        elif code == 0x30:
            more, at = uleb(opcodes, at)
            offset += more
        elif code == 0x40:
            offset += 8 * number
        elif code == 0x50:
            yield from some(number, 8)
        elif code == 0x60:
            count, at = uleb(opcodes, at)
            yield from some(count, 8)
        elif code == 0x70:
            more, at = uleb(opcodes, at)
            yield from some(1, 8 + more)
        elif code == 0x80:
            count, at = uleb(opcodes, at)
            skip, at = uleb(opcodes, at)
            yield from some(count, 8 + skip)
        elif code != 0x10:
            sys.exit("chain_fixups: opcode %#x" % code)


def main():
    source, out, form = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(source, "rb") as stream:
        data = bytearray(stream.read())
    count, = struct.unpack_from("<I", data, 16)
    at, segments, info = 32, [], None
    for _ in range(count):
        command, size = struct.unpack_from("<II", data, at)
        if command == SEGMENT:
            address, _, offset, length = struct.unpack_from("<4Q", data,
                                                            at + 24)
            segments.append((address, offset, length,
                             bytes(data[at + 8:at + 24]).rstrip(b"\0")))
        elif command == INFO:
            info = at
        at += size
    if info is None:
        sys.exit("chain_fixups: no LC_DYLD_INFO_ONLY")
    base = next(s[0] for s in segments if s[3] == b"__TEXT")
    start, length = struct.unpack_from("<II", data, info + 8)
    places = sorted(set(pointers(data[start:start + length], segments)))

    starts = b""
    offsets = []
    for address, offset, length, _ in segments:
        mine = [p for p in places if address <= p < address + length]
        if not mine:
            offsets.append(0)
            continue
        offsets.append(4 + 4 * len(segments) + len(starts))
        first = [0xffff] * ((length + PAGE - 1) // PAGE)
        for i, place in enumerate(mine):
            where = offset + place - address
            value, = struct.unpack_from("<Q", data, where)
            page = (place - address) // PAGE
            if first[page] == 0xffff:
                first[page] = (place - address) % PAGE
            after = mine[i + 1] if i + 1 < len(mine) else 0
            step = (after - place) // 4 \
                if after and (after - address) // PAGE == page else 0
            struct.pack_into("<Q", data, where,
                             value - (base if form == 6 else 0) | step << 51)
        starts += struct.pack("<IHHQIH%dH" % len(first), 22 + 2 * len(first),
                              PAGE, form, address - base, 0, len(first),
                              *first)
        starts += bytes(-len(starts) % 8)
    blob = struct.pack("<7I", 0, 32, 0, 0, 0, 1, 0) + bytes(4)
    blob += struct.pack("<%dI" % (1 + len(offsets)), len(offsets), *offsets)
    blob += starts
    # The command had 48 bytes; what is left becomes another one.
    struct.pack_into("<7I20s", data, info, CHAINED, 16, len(data), len(blob),
                     RPATH, 32, 12, b"/nowhere")
    struct.pack_into("<I", data, 16, count + 1)
    with open(out, "wb") as stream:
        stream.write(data + blob)
    print("%d pointers" % len(places))


main()
