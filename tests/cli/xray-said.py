#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare a trace with the counts that the traced program printed:
xray-said.py HOW TRACE SAID PROGRAM LIBRARY."""
import json
import os
import subprocess
import sys

HOW, TRACE, SAID, PROGRAM, LIBRARY = sys.argv[1:6]
THRESHOLD_NS = 1000000


def gsym_xray(command, *more):
    names = ["-m", PROGRAM]
    if PROGRAM.endswith("with-library"):
        names.append("--object=1=" + LIBRARY)
    run = subprocess.run(["gsym-xray", command, *names, *more, TRACE],
                         text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, check=False)
    if run.returncode != 0:
        sys.exit("%s: status %d: %s" % (command, run.returncode, run.stderr))
    return run.stdout, run.stderr


def expect(what, got, wanted):
    if got != wanted:
        sys.exit("%s: %r in the trace, %r in the program" %
                 (what, got, wanted))


def said():
    calls, threads, totals = {}, {}, {}
    for line in open(SAID, encoding="ascii"):
        words = line.split()
        if words[0] == "calls":
            calls[words[1]] = int(words[2])
        elif words[0] == "thread":
            threads[int(words[1])] = int(words[3])
        else:
            totals[words[0]] = [int(w) for w in words[1:]]
    return calls, threads, totals


CALLS, THREADS, TOTALS = said()
# The program prints other names for the library's functions.
for inside, outside in (("inside", "lib_inner"), ("outside", "lib_outer")):
    if inside in CALLS:
        CALLS[outside] = CALLS.pop(inside)
text, warnings = gsym_xray("account", "-f", "json", "--sort=id")
rows = [json.loads(line) for line in text.splitlines()]
for row in rows:
    expect("unfinished calls of " + row["function"], row["unfinished"], 0)
    # Places are in the program's source files.
    source = "xray-library.c" if row["function"].startswith("lib_") \
        else "xray-program.cpp"
    place, line = row["place"].rsplit(":", 1)
    expect("file of " + row["function"], os.path.basename(place), source)
    if not 20 < int(line) < 250 and source == "xray-program.cpp":
        sys.exit("line of %s: %s" % (row["function"], line))
counted = {row["function"]: row["calls"] for row in rows}
inferred = sum(row["inferred"] for row in rows)
events = [json.loads(line) for line in
          gsym_xray("convert", "--to=json")[0].splitlines()]
kinds = [e["kind"] for e in events]

if HOW == "exact":
    expect("calls", counted, CALLS)
    expect("inferred", inferred, TOTALS["inferred"][0])
    expect("tail exits", kinds.count("function-tail-exit"), TOTALS["tail"][0])
    fibs = {}
    for e in events:
        if e["kind"] == "function-enter" and e["name"] == "fib":
            fibs[e["tid"]] = fibs.get(e["tid"], 0) + 1
    if THREADS:
        expect("calls by thread", fibs, THREADS)
    if not TOTALS["inferred"][0]:
        expect("warnings", warnings, "")
    arguments = [int(e["args"][0], 16) for e in events if "args" in e]
    if "numbered" in CALLS:
        expect("arguments", arguments,
               [i * 0x0123456789abcdef % 2**64
                for i in range(CALLS["numbered"])])
elif HOW == "ring":
    # A ring keeps the last calls, without a gap, within the size of its
    # buffers.
    last = [int(e["args"][0], 16) for e in events if "args" in e]
    expect("last calls", last,
           list(range(CALLS["numbered"] - len(last), CALLS["numbered"])))
    if not 100 < len(last) < 4 * 4096 // 32:
        sys.exit("%d calls in a ring of 16 KiB" % len(last))
elif HOW == "threshold":
    expect("slow calls", counted.get("slow"), CALLS["slow"])
    # On a busy machine a quick call may take longer than the threshold, and is
    # then in the trace.
    for row in rows:
        if row["min"] < THRESHOLD_NS:
            sys.exit("a call of %(function)s took %(min)d ns" % row)
    if counted.get("quick", 0) >= CALLS["quick"]:
        sys.exit("no quick call was left out")
elif HOW in ("events", "typed"):
    customs = [bytes.fromhex(e["hex"]) for e in events
               if e["kind"] == "custom-event"]
    expect("custom events", [len(customs), sum(map(len, customs))],
           TOTALS["custom"])
    expect("bytes", customs,
           [b"0123456789\n\"\\\xff"[:i + 1] for i in range(len(customs))])
    typed = [e for e in events if e["kind"] == "typed-event"]
    if HOW == "typed":
        expect("typed events", [len(typed), sum(e["size"] for e in typed)],
               TOTALS["typed"])
        expect("types", [e["type"] for e in typed],
               [i % 2 for i in range(len(typed))])
        # For each typed event the runtime loses 16 bytes of a block, which
        # are two records: at most one call.
        lost = sum(CALLS.values()) - sum(counted.values())
        if not 0 < lost <= len(typed):
            sys.exit("%d calls lost" % lost)
    else:
        expect("calls", counted, CALLS)
else:
    sys.exit("no such check: " + HOW)
