#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The parts of a kernel that some logs need, as Breakpad symbol files.

usage: kernel.py FOLDER LOG...

FOLDER has vmlinux.gsym and MODULE.ko.gsym of the kernel that the LOGS are of.
Writes vmlinux.sym and MODULE.ko.sym to the working folder: each function that
a LOG names, with what gsym-lookup says about the address of each frame, and a
function "next" where the following function of the kernel begins.
"""
import collections
import json
import os
import re
import subprocess
import sys

TOKEN = re.compile(r"([A-Za-z_.][\w.]*)\+0x([0-9a-f]+)/0x([0-9a-f]+)"
                   r"(?: \[(\w+)(?: [0-9a-f]+)?\])?")


def lookup(file, address):
    done = subprocess.run(["gsym-lookup", "--json", file, hex(address)],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout).get("frames", [])


def starts(file):
    done = subprocess.run(["gsym-dump", "--functions", "--json", file],
                          capture_output=True, text=True, check=True)
    table = collections.defaultdict(list)
    for line in done.stdout.splitlines():
        function = json.loads(line)
        if "start" in function:
            table[function["name"]].append(int(function["start"], 0))
    return table


def path(frame):
    return frame["file"]


def main():
    folder, logs = sys.argv[1], sys.argv[2:]
    wanted = collections.defaultdict(dict)
    for log in logs:
        for m in TOKEN.finditer(open(log).read()):
            name = m[4] + ".ko" if m[4] else "vmlinux"
            offset = int(m[2], 16)
            for at in {offset, max(offset - 1, 0)}:
                wanted[name].setdefault((m[1], int(m[3], 16)), set()).add(at)
    # The folder that the kernel was built in.
    wanted["vmlinux"].setdefault(("kernel_init", None), set()).add(0)
    for name, functions in sorted(wanted.items()):
        file = os.path.join(folder, name + ".gsym")
        if not os.path.exists(file):
            continue
        table = starts(file)
        order = sorted({s for each in table.values() for s in each})
        files, origins, body = {}, {}, []
        for (function, size), offsets in sorted(functions.items(), key=str):
            fit = [s for s in table.get(function, []) if size is None or
                   order[order.index(s) + 1] - s == size]
            if len(fit) != 1:
                continue
            start = fit[0]
            size = order[order.index(start) + 1] - start
            body.append((start, f"FUNC {start:x} {size:x} 0 {function}",
                         start + size))
            for offset in sorted(o for o in offsets if o < size):
                frames = lookup(file, start + offset)
                at = start + offset
                for depth in range(len(frames) - 1):
                    inner, outer = frames[-2 - depth], frames[-1 - depth]
                    origin = origins.setdefault(inner["function"],
                                                len(origins))
                    call = files.setdefault(path(outer), len(files))
                    body.append((at, f"INLINE {depth} {outer['line']} {call} "
                                     f"{origin} {at:x} 1", None))
                if frames and frames[0]["file"]:
                    number = files.setdefault(path(frames[0]), len(files))
                    body.append((at, f"{at:x} 1 {frames[0]['line']} {number}",
                                 None))
        with open(name + ".sym", "w") as out:
            out.write(f"MODULE Linux x86_64 {'0' * 33} {name}\n")
            for text, number in files.items():
                out.write(f"FILE {number} {text}\n")
            for text, number in origins.items():
                out.write(f"INLINE_ORIGIN {number} {text}\n")
            ours = {b[0] for b in body if b[2]}
            for _, text, end in body:
                out.write(text + "\n")
            for end in sorted({b[2] for b in body if b[2]} - ours):
                out.write(f"PUBLIC {end:x} 0 next\n")


main()
