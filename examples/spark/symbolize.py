#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Name the samples of a fleet with Apache Spark.

    spark-submit symbolize.py --store /srv/gsym --symbols symbols \\
        --stacks stacks samples.parquet

The input has a row for each sample, with columns build_id and address.  The
addresses are those that the programs were linked to, and 1 was subtracted from
return addresses.

1. Count the rows of each distinct pair.
2. Look up the pairs that the table --symbols lacks, and append them to it.  Pairs
   without an answer are looked up again once the files of --store are others.
3. With --stacks: join the counts, not the rows, with the table, and write the
   number of samples of each stack, "main;work;sq".

Only one job may write a table of symbols at a time.  A job that was ended may
be started again: it looks up what the table still lacks.
"""
import argparse
import json
import os

from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import gsym.spark


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("samples", metavar="SAMPLES",
                        help="Parquet files with columns build_id and address")
    parser.add_argument("--store", metavar="DIR", action="append",
                        required=True,
                        help="a folder of GSYM files that all workers see; "
                        "repeatable")
    parser.add_argument("--symbols", metavar="TABLE", required=True,
                        help="the table of symbols, a folder of Parquet files, "
                        "to which new pairs are appended")
    parser.add_argument("--stacks", metavar="TABLE",
                        help="write stacks and their numbers of samples")
    parser.add_argument("--max-open", metavar="N", type=int, default=1024,
                        help="files that a worker keeps open")
    parser.add_argument("--demangle", action="store_true",
                        help="write readable names, parse(int) and not "
                        "_Z5parsei; workers need libgsym-demangle")
    parser.add_argument("--partitions", metavar="N", type=int,
                        help="tasks of the lookup: one for 10^5 pairs and more")
    return parser.parse_args()


def read_symbols(spark: SparkSession, path: str) -> DataFrame:
    """The table of symbols PATH, which may not exist yet."""
    files = spark._jvm.org.apache.hadoop.fs
    where = files.Path(path)
    system = where.getFileSystem(spark._jsc.hadoopConfiguration())
    if not system.exists(where):
        return spark.createDataFrame([], gsym.spark.SCHEMA)
    return spark.read.schema(gsym.spark.SCHEMA).parquet(path)


def name_stacks(pairs: DataFrame, symbols: DataFrame) -> DataFrame:
    """The stacks of PAIRS with their numbers of samples.  Pairs without a name
    have the stack ""."""
    keys = ["build_id", "address"]
    named = gsym.spark.best(symbols).select(*keys, "stack")
    return (pairs.join(named, keys, "left")
            .groupBy(F.coalesce("stack", F.lit("")).alias("stack"))
            .agg(F.sum("samples").alias("samples")))


def main() -> None:
    arguments = parse_arguments()
    spark = SparkSession.builder.appName("gsym symbolize").getOrCreate()
    pairs = gsym.spark.pairs(spark.read.parquet(arguments.samples))
    # The rows are read once.
    pairs = pairs.persist(StorageLevel.DISK_ONLY)
    known = read_symbols(spark, arguments.symbols)
    before = known.count()
    options = {"directories": [os.path.abspath(d) for d in arguments.store],
               "max_open": arguments.max_open,
               "demangle": arguments.demangle}
    new = gsym.spark.symbols(pairs, options, known, arguments.partitions)
    new.write.mode("append").parquet(arguments.symbols)
    symbols = read_symbols(spark, arguments.symbols)
    if arguments.stacks:
        name_stacks(pairs, symbols).write.mode("overwrite").parquet(
            arguments.stacks)
    counts = pairs.agg(F.count(F.lit(1)), F.sum("samples")).first()
    print(json.dumps({"rows": counts[1] or 0, "pairs": counts[0],
                      "looked_up": symbols.count() - before}))
    spark.stop()


if __name__ == "__main__":
    main()
