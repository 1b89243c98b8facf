#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: perf_rows.py PERF.DATA STORE HOST OUT.parquet

Write the samples of PERF.DATA, which "perf record --buildid-mmap -g" made, as rows
for a lake of profiles: host, time, sample, depth (0 is the innermost frame), build_id and
address.

Addresses are those that the programs were linked to.  perf knows file offsets.
The program headers that "gsym-create --install" writes beside the GSYM files in
STORE say where the offsets were linked.  If STORE lacks a program that is still
where perf found it, its own program headers say so: it can be installed later.
1 is subtracted from return addresses, so that the table can be looked up as it is.
Frames of the kernel and of files without a build ID have none.  Frames whose
address cannot be known have neither address nor build ID: they are counted on
standard error.  So are frames of a path that had several programs while perf
recorded.  Without --buildid-mmap perf reads build IDs when it ends, so that a
program that was replaced meanwhile has the build ID of the new one: standard error
says where a record lacks them.  Needs the package gsym, pyarrow, readelf, and perf 6.1 or later, which
prints offsets in files.
"""
import collections
import importlib.util
import os
import re
import subprocess
import sys

try:
    import gsym
except ImportError:
    sys.exit("perf_rows.py: the package gsym is missing: pip install ./python, "
             "in the sources of gsym")

HEAD = re.compile(r"\s*([0-9.]+):")
FRAME = re.compile(r"\s+([0-9a-f]+) \((.+)\)$")
# Instead of a build ID: perf does not say which one a frame belongs to.
SEVERAL = object()


class PerfError(Exception):
    """perf cannot read the record."""


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True
                          ).stdout.splitlines()


def run_perf(*command):
    """The lines that perf prints.  Raises PerfError."""
    try:
        done = subprocess.run(("perf", *command), check=False,
                              capture_output=True, text=True, errors="replace")
    except OSError as error:
        raise PerfError(f"cannot run perf: {error}") from error
    if done.returncode:
        why = done.stderr.strip().split("\n")[-1] or (
            f"status {done.returncode}")
        raise PerfError(f"perf {command[0]}: {why}")
    return done.stdout.splitlines()


def notes_of(data):
    """What the record DATA lacks."""
    for line in run_perf("evlist", "-v", "-i", data):
        event, _, rest = line.partition(": ")
        words = re.split("[:,] *", rest)
        if "mmap2" in words and "build_id" not in words:
            yield (f"{event}: recorded without --buildid-mmap: a program that was "
                   "replaced while perf recorded has the build ID of the new one, "
                   "and its names")
        if "sample_type" in words and "CALLCHAIN" not in rest:
            yield f"{event}: recorded without stacks (-g): it has no rows"


class Programs:
    """Build IDs of the files of a recording, and addresses in them."""

    def __init__(self, ids, store):
        self.ids = ids
        self.store = store
        self.places = {}
        self.segments = {}
        #: Why frames have no address, and how many.
        self.lost = collections.Counter()

    def linked(self, path, offset):
        """Build ID and linked address of the byte at OFFSET of the file PATH."""
        if path.startswith("["):
            return None, None
        if path not in self.ids:
            # perf lists the files of innermost frames alone.
            self.ids[path] = read_id(path)
        build_id = self.ids[path]
        if not build_id:
            return None, None
        if build_id is SEVERAL:
            self.lost[f"{path}: several programs had this path"] += 1
            return None, None
        place = path, offset
        if place not in self.places:
            self.places[place] = self.find(path, build_id, offset)
        address, why = self.places[place]
        if why:
            self.lost[why] += 1
            return None, None
        return build_id, address

    def find(self, path, build_id, offset):
        """The address, or None and why it is not known."""
        try:
            address = self.store.address_of(build_id, offset)
        except (LookupError, OSError) as error:
            if path not in self.segments:
                self.segments[path] = (read_segments(path)
                                       if read_id(path) == build_id else [])
            if not self.segments[path]:
                return None, f"{path}: {error}"
            found = [offset - start + linked
                     for start, linked, size in self.segments[path]
                     if start <= offset < start + size]
            address = found[0] if len(found) == 1 else None
        if address is None:
            return None, f"{path}: the offset is in no loaded segment"
        # Engines have signed numbers.
        return address - (address >> 63 << 64), None


def read_id(path):
    """The build ID of the file PATH; None if it has none, or is not there."""
    if not os.path.exists(path):
        return None
    found = re.search("Build ID: ([0-9a-f]+)",
                      "\n".join(run("readelf", "-n", path)))
    return found and found[1]


def read_segments(path):
    """Offset, address and size of each segment of the program PATH that is
    loaded to be run."""
    fields = [line.split() for line in run("readelf", "-lW", path)]
    return [(int(f[1], 16), int(f[2], 16), int(f[4], 16)) for f in fields
            if f and f[0] == "LOAD" and "E" in "".join(f[6:-1])]


def read_ids(data):
    """The build IDs that the recording has, by path; SEVERAL if there are."""
    ids = {}
    for line in run_perf("buildid-list", "-i", data):
        build_id, _, path = line.partition(" ")
        ids[path] = SEVERAL if ids.get(path, build_id) != build_id else build_id
    return ids


def samples(data):
    """Time of each sample, and its frames: path and offset in the file."""
    time, frames = 0, []
    for line in run_perf("script", "-i", data, "-F", "time,ip,dso") + [""]:
        head, frame = HEAD.match(line), FRAME.match(line)
        if head:
            time = float(head[1])
        elif frame:
            frames.append((frame[2], int(frame[1], 16)))
        elif frames:
            yield time, frames
            frames = []


def rows_of(data, programs, host):
    """The rows of the recording DATA."""
    rows = []
    for number, (time, frames) in enumerate(samples(data)):
        for depth, (path, offset) in enumerate(frames):
            build_id, address = programs.linked(path, offset - (depth > 0))
            rows.append({"host": host, "time": time, "sample": number,
                         "depth": depth, "build_id": build_id,
                         "address": address})
    return rows


def write(rows, out):
    """Write ROWS to the Parquet file OUT."""
    import pyarrow
    import pyarrow.parquet

    schema = pyarrow.schema([
        ("host", "string"), ("time", "float64"), ("sample", "int64"),
        ("depth", "int32"), ("build_id", "string"), ("address", "int64")])
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema), out,
                                compression="zstd")


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__.split("\n")[0])
    # Not after the minutes that perf script may take.
    if not importlib.util.find_spec("pyarrow"):
        sys.exit("perf_rows.py: pyarrow is missing: pip install pyarrow")
    data, store, host, out = sys.argv[1:]
    try:
        for note in notes_of(data):
            print(f"perf_rows.py: {note}", file=sys.stderr)
        with gsym.Store(directories=[store]) as opened:
            programs = Programs(read_ids(data), opened)
            rows = rows_of(data, programs, host)
        write(rows, out)
    except (PerfError, OSError) as error:
        sys.exit(f"perf_rows.py: cannot convert '{data}': {error}")
    for why, count in sorted(programs.lost.items()):
        print(f"{count} frames without an address: {why}", file=sys.stderr)
    number = rows[-1]["sample"] + 1 if rows else 0
    print(f"{number} samples, {len(rows)} frames")


if __name__ == "__main__":
    main()
