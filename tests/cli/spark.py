#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: spark.py EXAMPLES PROGRAM ID

Run the programs of the folder EXAMPLES on Spark, with two local workers, and
compare what they write with the answers of gsym-lookup and the store of
gsym-create.  The program PROGRAM has the build ID ID.  tests/cli/spark.sh makes
the files in the current folder."""
import collections
import glob
import io
import json
import os
import contextlib
import random
import runpy
import signal
import subprocess
import sys
import zlib

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

import gsym.spark

EXAMPLES, PROGRAM, ID = sys.argv[1:]
HERE = os.getcwd()
NO_ID = os.environ["GSYM_TEST_NO_ID"]
STATUSES = ["ok", "none", "nofile", "damaged", "bad"]
KEYS = ["build_id", "address"]
os.environ["PYSPARK_SUBMIT_ARGS"] = (
    # A failed task is tried four times.
    "--master local[2,4] --conf spark.ui.enabled=false "
    "--conf spark.ui.showConsoleProgress=false "
    "--conf spark.sql.shuffle.partitions=4 "
    "--conf spark.sql.execution.arrow.maxRecordsPerBatch=200 pyspark-shell")


def passed(part):
    print("ok -", part, flush=True)


def run_example(name, *arguments):
    """Run an example in this process, which keeps Java alive.  Returns the
    object that the example writes."""
    out = io.StringIO()
    argv, sys.argv = sys.argv, [name, *arguments]
    try:
        with contextlib.redirect_stdout(out):
            runpy.run_path(os.path.join(EXAMPLES, name), run_name="__main__")
    finally:
        sys.argv = argv
    return json.loads(out.getvalue())


def read(path):
    """The rows of the Parquet files of the folder PATH."""
    return [row for file in glob.glob(path + "/*.parquet")
            for row in pq.read_table(file).to_pylist()]


# ---- rows, and the answers of the tool


def make_rows():
    """Rows of all kinds, the good ones many times."""
    with open("addresses", encoding="ascii") as file:
        addresses = [int(line) for line in file]
    choose = random.Random(5)
    rows = [(choose.choice([ID, ID, ID.upper(), "d" * 40]),
             choose.choice(addresses)) for _ in range(20000)]
    odd = [("00112233", 5), ("xyz", 5), ("", 5), ("a b", -1), (ID, -1),
           (ID, -(1 << 63)), (None, 5), (ID, None), (None, None)]
    rows += odd * 3
    choose.shuffle(rows)
    return rows


def tool_answers(rows):
    """What gsym-lookup --stream answers: statuses and frames."""
    lines = "".join(f"{build_id or ''}\t{'' if address is None else address}\n"
                    for build_id, address in rows)
    out = subprocess.run(
        ["gsym-lookup", "--stream", "--gsym-file-directory=store"],
        input=lines.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        check=True).stdout
    answers = [json.loads(line) for line in out.splitlines()]
    assert len(answers) == len(rows)
    return [(answer["status"], answer["frames"]) for answer in answers]


def fold(frames):
    return ";".join(frame["function"].replace(";", ":")
                    for frame in reversed(frames))


def check_table(path, rows, answers):
    """Compare the table of symbols PATH with the ANSWERS to ROWS."""
    table = {}
    for row in read(path):
        key = row["build_id"], row["address"]
        assert key not in table, f"{key} is there twice"
        table[key] = STATUSES[row["status"]], row["frames"]
    for (build_id, address), answer in zip(rows, answers):
        if build_id is None or address is None:
            assert answer[0] == "bad"
            continue
        assert table[build_id.lower(), address] == answer, (build_id, address)
    assert len(table) == len({(build_id.lower(), address)
                              for build_id, address in rows
                              if build_id is not None and address is not None})


# ---- tests


def test_symbolize(rows, answers):
    """The job itself."""
    arguments = ["samples.parquet", "--store", "store", "--symbols", "symbols",
                 "--stacks", "stacks"]
    said = run_example("symbolize.py", *arguments)
    check_table("symbols", rows, answers)
    assert said["rows"] == len(rows)
    kinds = collections.Counter(status for status, _ in answers)
    assert all(kinds[status] for status in STATUSES), kinds
    want = collections.Counter(fold(frames) for _, frames in answers)
    got = {row["stack"]: row["samples"] for row in read("stacks")}
    assert got == want
    passed("symbolize: each row as gsym-lookup, each sample counted once")
    again = run_example("symbolize.py", *arguments)
    assert again == {**said, "looked_up": 0}, again
    check_table("symbols", rows, answers)
    assert {row["stack"]: row["samples"] for row in read("stacks")} == want
    passed("symbolize: a second run looks nothing up")


def install_late():
    """Install a program with the build ID 00112233, and give its name to every
    address, as a program that is linked at 0 would."""
    with open("late.sym", "w", encoding="ascii") as file:
        file.write("MODULE Linux x86_64 33221100000000000000000000000000 late\n"
                   "INFO CODE_ID 00112233\nFUNC 0 1000 0 late;(int)\n")
    subprocess.run(["gsym-create", "-q", "--install=store", "late.sym"],
                   check=True)


def test_late(answers):
    """Symbols that come late: pairs without an answer are looked up again."""
    arguments = ["samples.parquet", "--store", "store", "--symbols", "symbols",
                 "--stacks", "stacks"]
    table = read("symbols")
    missed = sum(STATUSES[row["status"]] not in ("ok", "bad") for row in table)
    before = {row["stack"]: row["samples"] for row in read("stacks")}
    install_late()
    said = run_example("symbolize.py", *arguments)
    assert said["looked_up"] == missed > 1, (said, missed)
    after = {row["stack"]: row["samples"] for row in read("stacks")}
    # A semicolon would be the border of two frames.
    assert after.pop("late:(int)") == 3
    assert after[""] == before.pop("") - 3
    after.pop("")
    assert after == before
    assert run_example("symbolize.py", *arguments)["looked_up"] == 0
    passed("symbolize: symbols that come late")


class KillOnce:
    """The folders of a store; the first worker that reads them is killed."""

    def __init__(self, folders):
        self.folders = folders

    def __iter__(self):
        kill_once(os.path.join(HERE, "killed-1"))
        return iter(self.folders)


def kill_once(marker):
    """Kill this process, unless the file MARKER is there already."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


def test_killed(spark, rows, answers):
    """Workers that are killed, before and amid their answers."""
    marker = os.path.join(HERE, "killed-2")

    def pass_on(batches):
        for count, batch in enumerate(batches):
            yield batch
            if count == 2:
                kill_once(marker)

    pairs = gsym.spark.pairs(spark.read.parquet("samples.parquet"))
    symbols = gsym.spark.symbols(
        pairs, {"directories": KillOnce([os.path.join(HERE, "store")])},
        partitions=2)
    symbols.mapInArrow(pass_on, gsym.spark.SCHEMA).write.parquet("killed")
    assert os.path.exists("killed-1") and os.path.exists(marker)
    check_table("killed", rows, answers)
    passed("symbolize: two workers are killed, and nothing is lost or doubled")


def test_columns(spark, rows, answers):
    """Build IDs as bytes, and addresses as unsigned numbers."""
    good = [(i, row) for i, row in enumerate(rows[:2000])
            if row[0] and row[1] is not None and len(row[0]) == 40]
    table = pa.table({
        "id": pa.array([bytes.fromhex(row[0]) for _, row in good]),
        "pc": pa.array([row[1] % (1 << 64) for _, row in good], pa.uint64())})
    pq.write_table(table, "odd.parquet")
    pairs = gsym.spark.pairs(spark.read.parquet("odd.parquet"), "id", "pc")
    gsym.spark.symbols(pairs, {"directories": ["store"]}).write.parquet("odd")
    check_table("odd", [row for _, row in good], [answers[i] for i, _ in good])
    passed("symbolize: build IDs as bytes, unsigned addresses")


def test_transform(spark, rows, answers):
    """The recipe of gsym-fleet(7) for SQL."""
    spark.read.parquet("keyed.parquet").createOrReplaceTempView("pairs")
    # Spark runs it in another folder.
    tool = ("gsym-lookup --stream=folded --keys "
            f"--gsym-file-directory={HERE}/store")
    got = spark.sql(f"""
        SELECT TRANSFORM (build_id, address, row)
        ROW FORMAT DELIMITED FIELDS TERMINATED BY '\\t' NULL DEFINED AS ''
        USING '{tool}'
        AS (row STRING, stack STRING)
        ROW FORMAT DELIMITED FIELDS TERMINATED BY '\\t' NULL DEFINED AS '\\\\N'
        FROM pairs WHERE build_id IS NULL OR build_id <> 'a b'""").collect()
    stacks = {int(row["row"]): row["stack"] for row in got}
    # A blank in a build ID makes one more field.
    fine = [i for i, row in enumerate(rows) if row[0] != "a b"]
    assert len(got) == len(stacks) == len(fine)
    for i in fine:
        frames = answers[i][1]
        assert stacks[i] == fold(frames), (rows[i], stacks[i])
    passed("SQL TRANSFORM: each row as gsym-lookup")


def test_million(spark, rows, answers):
    """A million rows, by TRANSFORM and by mapInArrow joined back to the rows:
    number, lengths and checksums of the rows with their stacks are those of
    the answers of gsym-lookup."""
    choose = random.Random(6)
    fine = [i for i, row in enumerate(rows)
            if row[0] and row[0] != "a b" and row[1] is not None]
    which = choose.choices(fine, k=1000000)
    stacks = [fold(frames) for _, frames in answers]
    want = (len(which), sum(len(stacks[i]) for i in which),
            sum(zlib.crc32(f"{key} {stacks[i]}".encode())
                for key, i in enumerate(which)))
    # The join compares build IDs as texts.
    table = pa.table({
        "build_id": pa.array([row[0] and row[0].lower() for row in rows]),
        "address": pa.array([row[1] for row in rows], pa.int64())})
    pq.write_table(table.take(which).append_column("row", pa.array(
        range(len(which)))), "million.parquet")
    samples = spark.read.parquet("million.parquet")
    samples.createOrReplaceTempView("samples")
    tool = ("gsym-lookup --stream=folded --keys "
            f"--gsym-file-directory={HERE}/store")
    spark.sql(f"""
        SELECT TRANSFORM (build_id, address, row)
        ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t'
        USING '{tool}' AS (row BIGINT, stack STRING)
        ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t' NULL DEFINED AS '\\N'
        FROM samples""").createOrReplaceTempView("transformed")
    gsym.spark.symbols(
        gsym.spark.pairs(samples), {"directories": ["store"]}).selectExpr(
        "build_id", "address", "coalesce(stack, '') AS stack"
    ).createOrReplaceTempView("symbols")
    for source in ("transformed", "samples JOIN symbols "
                   "USING (build_id, address)"):
        got = spark.sql(f"""
            SELECT count(*), sum(length(stack)),
                   sum(crc32(encode(concat(row, ' ', stack), 'utf-8')))
            FROM {source}""").first()
        assert tuple(got) == want, (source, got, want)
    passed("a million rows, by TRANSFORM and by mapInArrow")


def test_convert():
    """The conversion of a tree, beside two other ways."""
    said = run_example("convert.py", "tree", "--store", "spark-store",
                       "--manifest", "manifest", "--programs", "10")
    rows = {row["input"]: row for row in read("manifest")}
    files = [os.path.join(HERE, path)
             for path in glob.glob("tree/**", recursive=True)
             if os.path.isfile(path)]
    assert len(read("manifest")) == len(rows)
    assert sorted(rows) == sorted(files)
    assert sum(said.values()) == len(files)
    outcomes = collections.Counter(row["outcome"] for row in rows.values())
    assert said == outcomes
    for name, outcome in (("text", "format"), ("no-id", NO_ID),
                          ("poison", "killed"), ("cut", "damaged")):
        assert rows[f"{HERE}/tree/{name}"]["outcome"] == outcome, name
    assert os.path.exists("create-killed")
    for other in ("recursive-store", "xargs-store"):
        subprocess.run(["diff", "-r", other, "spark-store"], check=True)
    passed("convert: the store of --recursive and of xargs, byte for byte")


def main():
    rows = make_rows()
    table = pa.table({
        "build_id": pa.array([row[0] for row in rows], pa.utf8()),
        "address": pa.array([row[1] for row in rows], pa.int64()),
        "host": pa.array(["h"] * len(rows))})
    pq.write_table(table, "samples.parquet")
    pq.write_table(table.append_column("row", pa.array(range(len(rows)))),
                   "keyed.parquet")
    answers = tool_answers(rows)
    test_symbolize(rows, answers)
    spark = SparkSession.builder.getOrCreate()
    print("Spark", spark.version)
    test_killed(spark, rows, answers)
    test_columns(spark, rows, answers)
    test_transform(spark, rows, answers)
    test_million(spark, rows, answers)
    spark.stop()
    test_convert()
    test_late(answers)


if __name__ == "__main__":
    main()
