#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: rows.py STORE ROWS uniform|skewed|pairs OUT

Write rows of build ID and address, which lie in functions of the GSYM files
of STORE, to OUT.parquet and, as lines, to OUT.pairs.  uniform: each byte of
code is as likely as any other.  skewed: 200,000 addresses with Zipf weights
of exponent 1.2.  pairs: the distinct pairs of uniform rows, sorted.
gsym-dump has to be in PATH.  The same arguments give the same rows."""
import json
import pathlib
import subprocess
import sys

import numpy
import pyarrow
import pyarrow.csv
import pyarrow.parquet


def functions(path):
    """Starts and sizes of the functions in the GSYM file PATH."""
    lines = subprocess.run(["gsym-dump", "--functions", "--json", path],
                           check=True, stdout=subprocess.PIPE).stdout
    pairs = []
    for line in lines.splitlines():
        record = json.loads(line)
        pairs.append((int(record["start"], 16), record["size"]))
    array = numpy.array(pairs, dtype=numpy.uint64)
    return array[array[:, 1] > 0]


def choose(random, count, tables):
    """COUNT random bytes of code: the number of the table, and the address."""
    starts = numpy.concatenate([table[:, 0] for table in tables])
    sizes = numpy.concatenate([table[:, 1] for table in tables])
    which = numpy.repeat(numpy.arange(len(tables)),
                         [len(table) for table in tables])
    ends = numpy.cumsum(sizes)
    byte = random.integers(0, ends[-1], count, dtype=numpy.uint64)
    at = numpy.searchsorted(ends, byte, side="right")
    return which[at], starts[at] + (byte - (ends[at] - sizes[at]))


def main():
    store, count, shape, out = sys.argv[1:]
    count = int(count)
    random = numpy.random.default_rng(18)
    paths = sorted(pathlib.Path(store).glob(".build-id/*/*.debug.gsym"))
    ids = [path.parent.name + path.name.split(".")[0] for path in paths]
    tables = [functions(path) for path in paths]
    if shape == "skewed":
        which, addresses = choose(random, 200000, tables)
        weights = numpy.cumsum(1 / numpy.arange(1, 200001) ** 1.2)
        chosen = numpy.searchsorted(weights / weights[-1],
                                    random.random(count))
        which, addresses = which[chosen], addresses[chosen]
    else:
        which, addresses = choose(random, count, tables)
    if shape == "pairs":
        which, addresses = numpy.unique(
            numpy.stack([which.astype(numpy.uint64), addresses]), axis=1)
    build_ids = pyarrow.DictionaryArray.from_arrays(
        pyarrow.array(which.astype(numpy.int32)), pyarrow.array(ids))
    # Engines without unsigned numbers have negative kernel addresses.
    table = pyarrow.table({
        "build_id": build_ids.cast(pyarrow.utf8()),
        "address": pyarrow.array(addresses.view(numpy.int64))})
    pyarrow.parquet.write_table(table, out + ".parquet", compression="zstd",
                                row_group_size=1 << 20)
    pyarrow.csv.write_csv(table, out + ".pairs", pyarrow.csv.WriteOptions(
        include_header=False, delimiter="\t", quoting_style="none"))


if __name__ == "__main__":
    main()
