#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: perf_rows.py PERF.DATA STORE HOST OUT.parquet

Write the samples of PERF.DATA, which "perf record -g" made, as rows for a lake of
profiles: host, time, sample, depth (0 is the innermost frame), build_id and
address.

Addresses are those that the programs were linked to: perf knows file offsets, and
the program headers of the REST.debug files in STORE, a folder of "gsym-create
--install", say where they were linked.  1 is subtracted from return addresses, so
that the table can be looked up as it is.  Frames of the kernel and of files
without a build ID have none.  Needs pyarrow, readelf, and perf 6.1 or later,
which prints offsets in files.
"""
import os
import re
import subprocess
import sys

import pyarrow
import pyarrow.parquet

HEAD = re.compile(r"\s*([0-9.]+):")
FRAME = re.compile(r"\s+([0-9a-f]+) \((.+)\)$")


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True
                          ).stdout.splitlines()


class Programs:
    """Build IDs and segments of the files of a recording."""

    def __init__(self, data, store):
        self.store = store
        self.ids = dict(reversed(line.split(" ", 1))
                        for line in run("perf", "buildid-list", "-i", data))
        self.segments = {}

    def linked(self, path, offset):
        """Build ID and linked address of the byte at OFFSET of the file PATH."""
        if path.startswith("["):
            return None, None
        if path not in self.ids:
            # perf lists the files of innermost frames alone.
            self.ids[path] = self.read_id(path)
        build_id = self.ids[path]
        if not build_id:
            return None, None
        if build_id not in self.segments:
            self.segments[build_id] = self.read_segments(build_id)
        for start, address, size in self.segments[build_id]:
            if start <= offset < start + size:
                return build_id, offset - start + address
        return build_id, offset

    def read_id(self, path):
        if not os.path.exists(path):
            return None
        found = re.search("Build ID: ([0-9a-f]+)",
                          "\n".join(run("readelf", "-n", path)))
        return found and found[1]

    def read_segments(self, build_id):
        stub = f"{self.store}/.build-id/{build_id[:2]}/{build_id[2:]}.debug"
        if not os.path.exists(stub):
            return []
        fields = [line.split() for line in run("readelf", "-lW", stub)]
        return [(int(f[1], 16), int(f[2], 16), int(f[4], 16))
                for f in fields if f and f[0] == "LOAD"]


def samples(data):
    """Time of each sample, and its frames: path and offset in the file."""
    time, frames = 0, []
    for line in run("perf", "script", "-i", data, "-F", "time,ip,dso") + [""]:
        head, frame = HEAD.match(line), FRAME.match(line)
        if head:
            time = float(head[1])
        elif frame:
            frames.append((frame[2], int(frame[1], 16)))
        elif frames:
            yield time, frames
            frames = []


def main():
    data, store, host, out = sys.argv[1:]
    programs = Programs(data, store)
    rows = []
    for number, (time, frames) in enumerate(samples(data)):
        for depth, (path, offset) in enumerate(frames):
            build_id, address = programs.linked(path, offset - (depth > 0))
            rows.append({"host": host, "time": time, "sample": number,
                         "depth": depth, "build_id": build_id,
                         "address": address})
    schema = pyarrow.schema([
        ("host", "string"), ("time", "float64"), ("sample", "int64"),
        ("depth", "int32"), ("build_id", "string"), ("address", "int64")])
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema), out,
                                compression="zstd")
    print(f"{number + 1 if rows else 0} samples, {len(rows)} frames")


if __name__ == "__main__":
    main()
