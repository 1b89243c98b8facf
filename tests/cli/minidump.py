# SPDX-License-Identifier: MIT
"""Minidumps for a Breakpad file, with a thread at each of many addresses.

minidump.py addresses SYM        print where records of SYM start and end
minidump.py dump SYM ADDRESSES   write a dump of a process that has loaded the
                                 module of SYM, with a thread at each address
minidump.py frames REPORT        print the stacks in the output of
                                 minidump-stackwalk --json as gsym-lookup would,
                                 without offsets
"""
import json
import struct
import sys

BASE = 0x10000000000
CONTEXT_SIZE, RIP, FLAGS = 1232, 248, 48


def text(string):
    """A MINIDUMP_STRING."""
    data = string.encode("utf-16-le")
    return struct.pack("<I", len(data)) + data + b"\0\0"


def identity(sym):
    """The name of SYM's module, and the CodeView record of its program."""
    with open(sym, "rb") as file:
        head = file.readline(4096).decode("latin-1").lstrip("\xef\xbb\xbf")
    _, _, _, ident, name = head.split(None, 4)
    ident, name = ident.replace("-", ""), name.strip()
    guid = bytes.fromhex(ident[:32])
    fields = guid[3::-1] + guid[5:3:-1] + guid[7:5:-1] + guid[8:]
    age = int(ident[32:] or "0", 16)
    return name, b"RSDS" + fields + struct.pack("<I", age) + name.encode() + b"\0"


def dump(sym, addresses):
    name, record = identity(sym)
    size = min(max(addresses) + 0x1000, 0xFFFFFFFF)
    streams = 3
    out = bytearray(32 + 12 * streams)

    def put(data):
        at = len(out)
        out.extend(data)
        return at

    system = put(struct.pack("<HHHBBIIIII", 9, 6, 0, 1, 1, 6, 0, 0, 0x8201, 0)
                 + bytes(28))
    struct.pack_into("<I", out, system + 24, put(text("")))
    name_at = put(text(name))
    record_at = put(record)
    modules = put(struct.pack("<IQIIII", 1, BASE, size, 0, 0, name_at)
                  + bytes(52) + struct.pack("<IIII", len(record), record_at,
                                            0, 0) + bytes(16))
    # All threads may share one stack, because its contents do not matter.
    stack = put(bytes(16))
    threads = put(struct.pack("<I", len(addresses))
                  + bytes(48 * len(addresses)))
    for i, address in enumerate(addresses):
        context = bytearray(CONTEXT_SIZE)
        struct.pack_into("<I", context, FLAGS, 0x10000B)
        struct.pack_into("<Q", context, RIP, BASE + address)
        struct.pack_into("<IIIIQQIIII", out, threads + 4 + 48 * i, i + 1, 0,
                         0, 0, 0, 0x1000, 16, stack, CONTEXT_SIZE,
                         put(context))
    kinds = ((7, system, 56), (4, modules, 4 + 108),
             (3, threads, 4 + 48 * len(addresses)))
    struct.pack_into("<IIIIIIQ", out, 0, 0x504D444D, 0xA793, streams, 32, 0,
                     0, 0)
    for i, (kind, at, length) in enumerate(kinds):
        struct.pack_into("<III", out, 32 + 12 * i, kind, length, at)
    return bytes(out)


def addresses_of(sym):
    """The first and last byte of each range, and the byte after it."""
    found = set()
    with open(sym, "rb") as file:
        for line in file:
            fields = [f for f in line.split() if f != b"m"] or [b"-"]
            if fields[0] == b"INLINE":
                ranges = fields[5:]
            elif fields[0] == b"FUNC":
                ranges = fields[1:3]
            elif fields[0] == b"PUBLIC":
                ranges = [fields[1], b"1"]
            elif fields[0][:1] in b"0123456789abcdef":
                ranges = fields[:2]
            else:
                continue
            for start, size in zip(ranges[::2], ranges[1::2]):
                start, size = int(start, 16), int(size, 16)
                found.update((start, start + size - 1, start + size))
    return sorted(a for a in found if 0 < a < 1 << 31)


def frames(report):
    for thread in report["threads"]:
        frame = thread["frames"][0]
        lines = [(i["function"], i["file"], i["line"], " (inlined)")
                 for i in frame["inlines"] or []]
        lines.append((frame["function"], frame["file"], frame["line"], ""))
        prefix = "0x%x: " % int(frame["module_offset"], 16)
        for function, file, line, inlined in lines:
            place = " at %s:%s" % (file, line or 0) if file is not None else ""
            print(prefix + (function or "??") + place + inlined)
            prefix = " " * len(prefix)


def main():
    if sys.argv[1] == "addresses":
        for address in addresses_of(sys.argv[2]):
            print("0x%x" % address)
    elif sys.argv[1] == "dump":
        with open(sys.argv[3], encoding="ascii") as file:
            addresses = [int(line, 16) for line in file]
        sys.stdout.buffer.write(dump(sys.argv[2], addresses))
    else:
        with open(sys.argv[2], encoding="utf-8") as file:
            frames(json.load(file))


main()
