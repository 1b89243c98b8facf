#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: clickhouse.py STORE PAIRS ANSWERS

Have ClickHouse, embedded in chdb, name the pairs of build ID and address in the
lines of PAIRS, by the recipe of gsym-fleet(7), and compare the stacks with those
in ANSWERS, the output of gsym-lookup --stream=folded."""
import os
import sys

from chdb import session

STORE, PAIRS, ANSWERS = sys.argv[1:]
HERE = os.getcwd()
os.makedirs("user_scripts")
with open("user_scripts/gsym-folded", "w", encoding="ascii") as file:
    file.write("#!/bin/sh\nexec gsym-lookup --stream=folded "
               f"--gsym-file-directory={STORE}\n")
os.chmod("user_scripts/gsym-folded", 0o755)
with open("gsym_function.xml", "w", encoding="ascii") as file:
    file.write("""<functions><function><type>executable_pool</type>
        <name>gsym</name><return_type>String</return_type>
        <argument><type>String</type><name>build_id</name></argument>
        <argument><type>Int64</type><name>address</name></argument>
        <format>TabSeparated</format><command>gsym-folded</command>
        <pool_size>2</pool_size>
        <command_read_timeout>600000</command_read_timeout>
        <max_command_execution_time>600</max_command_execution_time>
        </function></functions>""")
connection = session.Session(
    f"{HERE}/db?user_scripts_path={HERE}/user_scripts"
    f"&user_defined_executable_functions_config={HERE}/gsym_function.xml")
rows = (f"(SELECT rowNumberInAllBlocks() AS row, * FROM file('{PAIRS}', "
        "TSV, 'build_id String, address Int64'))")
with open(ANSWERS, encoding="utf-8") as file:
    want = file.read().splitlines()
got = str(connection.query(
    f"SELECT gsym(build_id, address) AS stack FROM {rows} ORDER BY row "
    "SETTINGS max_threads = 1", "TSVRaw")).split("\n")[:len(want)]
assert got == want, [pair for pair in zip(got, want) if pair[0] != pair[1]][:3]
sums = str(connection.query(
    "SELECT sum(n), sum(n * length(stack)) FROM ("
    "SELECT gsym(build_id, address) AS stack, n FROM ("
    f"SELECT build_id, address, count() AS n FROM {rows} "
    "GROUP BY build_id, address))", "CSV")).strip()
assert sums == f"{len(want)},{sum(len(s.encode()) for s in want)}", sums
connection.close()
