#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: subset.py PROGRAM.gsym BUILD-ID <ADDRESSES

Write Breakpad symbols with the build ID BUILD-ID of the functions of
PROGRAM.gsym that ADDRESSES, one a line, lie in: lines and inlined calls at these
addresses alone.  gsym-lookup and gsym-dump have to be in PATH."""
import json
import subprocess
import sys


def read(*command, text=""):
    """The JSON objects that COMMAND writes, one a line."""
    done = subprocess.run(command, input=text, text=True, check=True,
                          stdout=subprocess.PIPE)
    return [json.loads(line) for line in done.stdout.splitlines()]


def numbers():
    """A function that numbers texts: the number, and all texts so far."""
    texts = {}
    return (lambda text: texts.setdefault(text, len(texts))), texts


image, build_id = sys.argv[1:]
sizes = {int(f["start"], 16): f["size"]
         for f in read("gsym-dump", "--functions", "--json", image)}
file_number, files = numbers()
origin_number, origins = numbers()
functions = {}
for answer in read("gsym-lookup", "--json", image,
                   text="".join(sorted(set(sys.stdin)))):
    address, frames = int(answer["address"], 16), answer["frames"]
    if not frames:
        continue
    outer = frames[-1]
    start = address - outer["offset"]
    rows, calls = functions.setdefault((start, outer["function"]), ([], []))
    rows.append(f"{address:x} 1 {frames[0]['line']} "
                f"{file_number(frames[0]['file'])}")
    for depth, (inner, caller) in enumerate(zip(frames[-2::-1],
                                                frames[:0:-1])):
        calls.append(f"INLINE {depth} {caller['line']} "
                     f"{file_number(caller['file'])} "
                     f"{origin_number(inner['function'])} {address:x} 1")
# The first three numbers of the module's ID are in the other byte order.
raw = bytes.fromhex(build_id)[:16]
module = raw[3::-1] + raw[5:3:-1] + raw[7:5:-1] + raw[8:]
print(f"MODULE Linux x86_64 {module.hex().upper()}0 program")
print(f"INFO CODE_ID {build_id.upper()}")
for text, number in files.items():
    print("FILE", number, text)
for text, number in origins.items():
    print("INLINE_ORIGIN", number, text)
for (start, name), (rows, calls) in sorted(functions.items()):
    print(f"FUNC {start:x} {sizes[start]:x} 0 {name}")
    print("\n".join(calls + rows))
