#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: arrow.py LIBRARY STORE PAIRS ANSWERS

Look the pairs of build ID and address in the file PAIRS up in the folder STORE,
by gsym_batch_finish of LIBRARY, import the columns, and compare them with
ANSWERS, the output of gsym-lookup --stream."""
import ctypes
import json
import sys

import pyarrow

library = ctypes.CDLL(sys.argv[1])
library.gsym_store_new.restype = ctypes.c_void_p
library.gsym_batch_new.restype = ctypes.c_void_p
store = ctypes.c_void_p(library.gsym_store_new())
library.gsym_store_add_gsym_directory(store, sys.argv[2].encode())
batch = ctypes.c_void_p(library.gsym_batch_new(store, 7))
for line in open(sys.argv[3]):
    build_id, address = line.split()
    raw = bytes.fromhex(build_id)
    assert not library.gsym_batch_add(
        batch, raw, ctypes.c_size_t(len(raw)),
        ctypes.byref(ctypes.c_uint64(int(address))), ctypes.c_size_t(1))
array = (ctypes.c_uint64 * 10)()
schema = (ctypes.c_uint64 * 9)()
assert not library.gsym_batch_finish(batch, array, schema, None)
library.gsym_batch_free(batch)
library.gsym_store_free(store)
rows = pyarrow.RecordBatch._import_from_c(ctypes.addressof(array),
                                          ctypes.addressof(schema))
rows.validate(full=True)

FRAME = pyarrow.struct([
    pyarrow.field("function", pyarrow.utf8(), False),
    pyarrow.field("file", pyarrow.utf8(), False),
    pyarrow.field("line", pyarrow.int32(), False),
    pyarrow.field("offset", pyarrow.int64(), False),
    pyarrow.field("inlined", pyarrow.bool_(), False)])
wanted = pyarrow.schema([
    pyarrow.field("status", pyarrow.int8(), False),
    pyarrow.field("frames", pyarrow.list_(
        pyarrow.field("item", FRAME, False)), False),
    pyarrow.field("folded", pyarrow.utf8()),
    pyarrow.field("leaf", pyarrow.utf8())])
assert rows.schema.equals(wanted), rows.schema

answers = [json.loads(line) for line in open(sys.argv[4])]
assert len(answers) == rows.num_rows
found = 0
for row, answer in zip(rows.to_pylist(), answers):
    frames = answer.get("frames", [])
    names = [frame["function"] for frame in frames]
    found += bool(frames)
    assert (row["status"] == 0) == bool(frames), (row, answer)
    assert [f["function"] for f in row["frames"]] == names, (row, answer)
    assert [f["line"] for f in row["frames"]] == \
        [f.get("line", 0) for f in frames], (row, answer)
    assert [f["file"] for f in row["frames"]] == \
        [f.get("file", "") for f in frames], (row, answer)
    assert row["leaf"] == (names[0] if names else None), row
    assert row["folded"] == (";".join(reversed(names)) if names else None), row
assert 0 < found < len(answers)
