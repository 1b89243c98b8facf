#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Convert a tree of programs and debug files with Apache Spark.

    spark-submit convert.py --store /srv/gsym --manifest manifest /srv/debug

Workers have to see the tree and the store under the same names, and to have
gsym-create in PATH.

1. List the files of the tree.
2. Identify them, some hundred a process.
3. Give all files of a build ID to one task, and convert them one by one.  The
   store keeps the best of them, so that a repeated task changes nothing.
4. Write a row for each file: what became of it.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IDENTITY = pa.schema([("input", pa.string()), ("uuid", pa.string()),
                      ("outcome", pa.string()), ("error", pa.string())])
RESULT = pa.schema([*IDENTITY, ("hash", pa.string()),
                    ("output", pa.string()), ("output_bytes", pa.int64()),
                    ("milliseconds", pa.int64())])
NAMES = {pa.string(): "string", pa.int64(): "bigint"}


def ddl(schema: pa.Schema) -> str:
    """SCHEMA as Spark writes it."""
    return ", ".join(f"{field.name} {NAMES[field.type]}" for field in schema)


def parse_lines(text: bytes) -> list[dict]:
    """The JSON objects in the lines of TEXT.  File names need not be UTF-8."""
    return [json.loads(line)
            for line in text.decode("utf-8", "surrogateescape").splitlines()]


def batch(rows: list[dict], schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist(
        [{name: row.get(name) for name in schema.names} for row in rows],
        schema)


def identify(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What the files of the column "input" are."""
    for names in batches:
        paths = names.column("input").to_pylist()
        done = subprocess.run(
            ["gsym-create", "--identify", "-0", "--files-from=-"],
            input="\0".join(paths).encode("utf-8", "surrogateescape"),
            stdout=subprocess.PIPE,
            check=False)
        rows = parse_lines(done.stdout)
        # A process that was killed has not named the rest of its files.
        seen = {row["input"] for row in rows}
        rows += [{"input": path, "outcome": "not identified"}
                 for path in paths if path not in seen]
        for row in rows:
            if not row.get("uuid") and not row.get("outcome"):
                row["outcome"] = "no-build-id"
        yield batch(rows, IDENTITY)


def convert_file(path: str, store: str, folder: str) -> dict:
    """Convert the file PATH.  FOLDER is for temporary files."""
    manifest = os.path.join(folder, "manifest")
    # A process that is killed, for want of memory perhaps, gets a second try.
    for _ in range(2):
        done = subprocess.run(
            ["gsym-create", "-q", "-j1", "--sandbox=try", "--install=" + store,
             "--manifest=" + manifest, "--", path],
            stderr=subprocess.PIPE, check=False)
        if os.path.exists(manifest):
            with open(manifest, "rb") as file:
                rows = parse_lines(file.read())
            os.remove(manifest)
            if rows:
                return {**rows[0], "input": path}
    if done.returncode < 0:
        return {"outcome": "killed", "error": f"signal {-done.returncode}"}
    return {"outcome": "failed",
            "error": done.stderr.decode("utf-8", "replace").strip()}


def converter(store: str):
    """A function for mapInArrow, which converts the files of each row."""
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with tempfile.TemporaryDirectory() as folder:
            for groups in batches:
                for group in groups.to_pylist():
                    rows = [{"uuid": group["uuid"],
                             **convert_file(path, store, folder),
                             "input": path} for path in group["inputs"]]
                    # A program without functions gets links to the files that
                    # another one of the group has brought since.
                    for row in rows:
                        if row["outcome"] == "empty" and len(rows) > 1:
                            convert_file(row["input"], store, folder)
                    yield batch(rows, RESULT)
    return run


def list_files(tree: str) -> list[str]:
    return sorted(os.path.join(folder, name)
                  for folder, _, names in os.walk(os.path.abspath(tree))
                  for name in names
                  if os.path.isfile(os.path.join(folder, name)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("tree", metavar="TREE")
    parser.add_argument("--store", metavar="DIR", required=True,
                        help="the folder for GSYM files")
    parser.add_argument("--manifest", metavar="TABLE", required=True,
                        help="the Parquet table to write")
    parser.add_argument("--programs", metavar="N", type=int, default=100,
                        help="programs a task; default: 100, because a task "
                        "costs more than a small file")
    arguments = parser.parse_args()
    paths = list_files(arguments.tree)
    if not paths:
        sys.exit(f"there are no files below '{arguments.tree}'")
    spark = SparkSession.builder.appName("gsym convert").getOrCreate()
    files = (spark.createDataFrame([(path,) for path in paths], "input string")
             .repartition(len(paths) // 1000 + 1))
    # Identified once, whatever becomes of the rows.
    identities = files.mapInArrow(identify, ddl(IDENTITY)).persist()
    programs = (identities.where("uuid IS NOT NULL").groupBy("uuid")
                .agg(F.sort_array(F.collect_set("input")).alias("inputs")))
    tasks = programs.count() // arguments.programs + 1
    done = (programs.repartition(tasks)
            .mapInArrow(converter(os.path.abspath(arguments.store)),
                        ddl(RESULT)))
    other = identities.where("uuid IS NULL").withColumn(
        "hash", F.lit(None).cast("string"))
    for field in list(RESULT)[5:]:
        other = other.withColumn(field.name,
                                 F.lit(None).cast(NAMES[field.type]))
    done.unionByName(other).write.mode("overwrite").parquet(arguments.manifest)
    counts = spark.read.parquet(arguments.manifest).groupBy("outcome").count()
    print(json.dumps({row["outcome"]: row["count"]
                      for row in counts.orderBy("outcome").collect()}))
    spark.stop()


if __name__ == "__main__":
    main()
