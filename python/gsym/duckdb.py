# SPDX-License-Identifier: MIT
"""A function for DuckDB that names addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gsym._store import Store

if TYPE_CHECKING:
    import duckdb


def register(connection: "duckdb.DuckDBPyConnection", store: Store,
             name: str = "gsym", output: str = "folded") -> None:
    """Add the SQL function NAME(build_id VARCHAR, address BIGINT) to CONNECTION.

    Its result is VARCHAR: the functions, "main;work;sq", or with OUTPUT "leaf"
    the innermost one; "" without an answer, NULL for NULL.  STORE stays in use.
    Needs duckdb, numpy and pyarrow.
    """
    def look_up(build_ids: Any, addresses: Any) -> Any:
        return store.symbolize(build_ids, addresses, output)

    # Its parameters differ between the versions of duckdb.
    function: Any = connection.create_function
    function(name, look_up, ["VARCHAR", "BIGINT"], "VARCHAR",
             type="arrow")
