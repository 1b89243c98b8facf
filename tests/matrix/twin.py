#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Link a relocatable object so that its sections lie where gsym lays them out.

    twin.py [--at ADDRESS] LINKER OBJECT OUTPUT

A linker script gives every executable section of OBJECT the address that the
rule of gsym-create(1) gives it.  LINKER applies the relocations, so that the
debug info of OUTPUT can be compared with what gsym-create makes of OBJECT.
With --at all sections are moved up by ADDRESS, and the options that make
gsym-create do the same are printed, one a line.  Needs only the standard
library.
"""

import argparse
import struct
import subprocess
import sys

ALLOC, EXECUTABLE = 2, 4


def sections(path):
    """Name, flags, size and alignment of each section."""
    with open(path, "rb") as stream:
        data = stream.read()
    wide, order = data[4] == 2, ">" if data[5] == 2 else "<"
    at, = struct.unpack_from(order + ("Q" if wide else "I"), data,
                             40 if wide else 32)
    count, names = struct.unpack_from(order + "HH", data, 60 if wide else 48)
    header = struct.Struct(order + ("IIQQQQIIQQ" if wide else "10I"))
    headers = [header.unpack_from(data, at + i * header.size)
               for i in range(count)]
    for h in headers:
        start = headers[names][4] + h[0]
        yield (data[start:data.index(b"\0", start)].decode(), h[2], h[5],
               h[8] or 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--at", type=lambda text: int(text, 0), default=0)
    parser.add_argument("linker")
    parser.add_argument("object")
    parser.add_argument("output")
    options = parser.parse_args()
    script, position, sizes = "SECTIONS {\n", 0, {}
    for name, flags, size, align in sections(options.object):
        if not flags & ALLOC or not flags & EXECUTABLE:
            continue
        if name in sizes:
            sys.exit(f"twin: {name} is there twice")
        sizes[name] = size
        position = (position + align - 1) // align * align
        address = options.at + position
        script += f"  {name} {address:#x} : {{ KEEP(*({name})) }}\n"
        position += size
        if options.at:
            print(f"--section-base={name}={address:#x}")
    with open(options.output + ".ld", "w", encoding="ascii") as stream:
        stream.write(script + "}\n")
    status = subprocess.run(
        [options.linker, "--noinhibit-exec", "--no-relax", "-e", "0",
         "--unresolved-symbols=ignore-all", "-T", options.output + ".ld",
         "-o", options.output, options.object],
        stderr=subprocess.DEVNULL).returncode
    if status:
        return status
    # A linker that takes padding away moves the code after it: then there is no
    # twin.
    linked = {name: size for name, _, size, _ in sections(options.output)}
    for name, size in sizes.items():
        if linked.get(name, 0) != size:
            sys.exit(f"twin: the linker changed the size of {name}")
    return 0


sys.exit(main())
