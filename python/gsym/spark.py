# SPDX-License-Identifier: MIT
"""Lookups on Apache Spark, 3.5 and 4.

    pairs = gsym.spark.pairs(spark.read.parquet("samples"))
    symbols = gsym.spark.symbols(pairs, {"directories": ["/srv/gsym"]})

Each worker has to have this package, pyarrow and pandas, and has to see the
folders of GSYM files under the same names.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from gsym._store import BAD_INPUT, FOUND, UNREADABLE, Store

#: The columns of a table of symbols.  "stack" has the functions in the form of
#: folded stacks, null without an answer, and "store" the state of the store that
#: was searched (gsym.Store.state).
SCHEMA = ("build_id string, address bigint, status tinyint, "
          "frames array<struct<function: string, file: string, line: int, "
          "offset: bigint, inlined: boolean>>, stack string, store string")


def _text(samples: DataFrame, name: str) -> Column:
    """The build IDs in the column NAME, in hexadecimal, in lower case."""
    column = F.col(name)
    if samples.schema[name].dataType.typeName() == "binary":
        column = F.hex(column)
    return F.lower(column)


def _signed(samples: DataFrame, name: str) -> Column:
    """The addresses in the column NAME as signed numbers of 64 bits.  Spark
    reads unsigned numbers of Parquet as decimal(20,0)."""
    column = F.col(name)
    if samples.schema[name].dataType.typeName() == "decimal":
        least = F.lit(Decimal(1 << 63))
        column = F.when(column < least, column).otherwise(
            column - least - least)
    return column.cast("bigint")


def pairs(samples: DataFrame, build_id: str = "build_id",
          address: str = "address") -> DataFrame:
    """The distinct pairs of the columns BUILD_ID and ADDRESS of SAMPLES, as
    columns build_id and address, with the number of rows as "samples".

    Build IDs become hexadecimal text in lower case, and addresses signed
    numbers.  Rows without a build ID or an address form pairs, too.
    """
    return (samples.select(_text(samples, build_id).alias("build_id"),
                           _signed(samples, address).alias("address"))
            .groupBy("build_id", "address")
            .agg(F.count(F.lit(1)).alias("samples")))


def _look_up(options: Mapping[str, Any]) -> Callable[
        [Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A function for mapInArrow."""
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with Store(**options) as store:
            # Files that come after this are searched the next time.
            state = store.state()
            for batch in batches:
                build_ids, addresses = batch.column(0), batch.column(1)
                answers = store.symbolize(build_ids, addresses, "all")
                yield pa.RecordBatch.from_arrays(
                    [build_ids, addresses, answers.field("status"),
                     answers.field("frames"), answers.field("folded"),
                     pa.array([state] * len(answers), pa.utf8())],
                    names=["build_id", "address", "status", "frames", "stack",
                           "store"])
    return run


def _read_state(session: Any, options: Mapping[str, Any]) -> str:
    """The state of the store, as a worker sees the folders."""
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            with Store(**options) as store:
                yield pa.RecordBatch.from_arrays(
                    [pa.array([store.state()] * batch.num_rows, pa.utf8())],
                    names=["state"])
    state: str = session.range(1, numPartitions=1).mapInArrow(
        run, "state string").first()[0]
    return state


def best(symbols: DataFrame) -> DataFrame:
    """One row for each pair of SYMBOLS, a table of symbols: with an answer, if
    one of its rows has an answer."""
    keys = ["build_id", "address"]
    rest = [name for name in symbols.columns if name not in keys]
    # FOUND is the least status.
    return (symbols.groupBy(*keys)
            .agg(F.min_by(F.struct(*rest), F.col("status")).alias("row"))
            .select(*keys, *(F.col("row")[name].alias(name) for name in rest)))


def symbols(pairs: DataFrame, store_options: Mapping[str, Any],
            known: Optional[DataFrame] = None,
            partitions: Optional[int] = None) -> DataFrame:
    """The table of symbols of PAIRS: one row with status and frames for each
    distinct build ID and address.

    STORE_OPTIONS are the arguments of gsym.Store.  Pairs that have an answer in
    KNOWN, a table of symbols, are left out, as are those with a null, which no
    join finds.  Pairs without an answer are left out, too, if the store is still
    in the state that it had then; append the result to KNOWN, and read the table
    with best().  The lookups are divided into PARTITIONS ranges of build ID and
    address; without it Spark chooses their number.
    """
    keys = ["build_id", "address"]
    wanted = pairs.select(*keys).dropna().distinct()
    if known is not None:
        state = _read_state(pairs.sparkSession, dict(store_options))
        final = F.col("status").isin(FOUND, BAD_INPUT) | (
            (F.col("store") == state) & (F.col("status") != UNREADABLE))
        wanted = wanted.join(known.where(final).select(*keys), keys,
                             "left_anti")
    # Ranges divide a program that has most of the pairs, and bring each file
    # to few workers.
    wanted = (wanted.repartitionByRange(partitions, *keys) if partitions
              else wanted.repartitionByRange(*keys))
    return wanted.sortWithinPartitions(*keys).mapInArrow(
        _look_up(dict(store_options)), SCHEMA)
