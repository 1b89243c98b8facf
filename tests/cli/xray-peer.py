#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare gsym-xray with llvm-xray on traces: xray-peer.py MANUAL N TRACE...

Both programs read every trace, and all numbers in their outputs are compared.
Each intended difference of gsym-xray has a name below and a line in the manual,
and is applied to llvm-xray's output before the comparison.  At least N traces
have to be compared in each way.
"""
import collections
import csv
import decimal
import io
import json
import math
import os
import re
import struct
import subprocess
import sys

# The name of each difference: a line in the manual's section "Differences from
# llvm-xray".
DIFFERENCES = {
    "refused": "Damaged traces",
    "old-typed-events": "typed events of versions 2 to 4 are read",
    "recursion": "adds recursive calls to the total once",
    "unordered": "The first event in the file need not be the earliest one",
    "unmatched-exits": "An exit without an entry changes nothing",
    "unfinished-calls": "Unfinished calls are in stacks and graphs",
    "digits": "count from the first event",
    "no-frequency": "Without a frequency times are ticks",
    "split-stacks": "Stacks are whole",
    "stale-numbers": "events have the function 0",
    "stale-types": "a typed event has the number of its type",
    "no-process": "The process is left out where it is not known",
    "bytes": "bytes of events that are not UTF-8 are kept",
}
used = collections.Counter()


def differs(name):
    assert name in DIFFERENCES
    used[name] += 1


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout, done.stderr.decode("latin-1")


def theirs(*command):
    return run(os.environ["LLVM_XRAY"], *command)


def ours(*command):
    status, out, err = run("gsym-xray", *command)
    if status != 0:
        raise AssertionError("gsym-xray %s: status %d: %s" %
                             (" ".join(command), status, err))
    return out.decode("latin-1")


def equal(what, got, wanted):
    if got == wanted:
        return
    if isinstance(got, dict) and isinstance(wanted, dict):
        wrong = [k for k in sorted(set(got) | set(wanted), key=str)
                 if got.get(k) != wanted.get(k)]
        raise AssertionError("%s: %r: %r, llvm-xray has %r" % (
            what, wrong[0], got.get(wrong[0]), wanted.get(wrong[0])))
    if isinstance(got, list) and len(got) == len(wanted):
        wrong = [i for i in range(len(got)) if got[i] != wanted[i]][0]
        raise AssertionError("%s: number %d: %r, llvm-xray has %r" % (
            what, wrong, got[wrong], wanted[wrong]))
    raise AssertionError("%s: %r, llvm-xray has %r" % (what, got, wanted))


def near(got, wanted, share=2e-6, least=1.01):
    return abs(got - wanted) <= max(least, share * abs(wanted))


class Trace:
    def __init__(self, path):
        self.path = path
        head = open(path, "rb").read(32)
        self.big = head[:4] not in (b"%c\0%c\0" % (v, t) for t in (0, 1)
                                    for v in range(1, 6))
        form = ">HHIQ" if self.big else "<HHIQ"
        self.version, self.type, _, self.frequency = struct.unpack(
            form, head[:16])
        # At 1 GHz the nanoseconds of gsym-xray are ticks.
        self.ticks = "--frequency=1000000000"
        _, out, _ = run("gsym-xray", "-q", "info", "--format=json", path)
        info = json.loads(out)
        self.regular = not info["orphans"] + info["inferred"]
        self.finished = not info["unfinished"]
        self.typed = info["typed"]
        self.first = None


# ---- fdr-dump ---------------------------------------------------------------

def compare_dump(trace):
    status, out, _ = theirs("fdr-dump", trace.path)
    if trace.type != 1 or status != 0:
        return False
    equal("dump", ours("dump", "-q", "--compat=llvm", trace.path),
          out.decode("latin-1"))
    return True


# ---- convert to YAML ----------------------------------------------------------

RECORD = re.compile(
    r"  - \{ type: (\d+), func-id: (\d+), function: (.*?), "
    r"(?:args: \[ (.*?) \], )?cpu: (\d+), (?:thread: (\d+), )?"
    r"(?:process: (\d+), )?kind: ([a-z-]+), tsc: (\d+), data: (.*) \}$",
    re.S)


def unquoted(text):
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    if text.startswith('"'):
        return re.sub(r"\\(x..|.)",
                      lambda m: chr(int(m[1][1:], 16)) if m[1][0] == "x"
                      else {"n": "\n", "t": "\t", "r": "\r", "0": "\0",
                            "a": "\a", "b": "\b", "v": "\v", "f": "\f",
                            "e": "\x1b"}.get(m[1], m[1]), text[1:-1])
    return text


def records(text):
    head, _, body = text.partition("records:\n")
    found = []
    for line in re.split(r"\n(?=  - |\.\.\.)", body):
        if line.startswith("..."):
            break
        if line in ("", "  []"):
            continue
        match = RECORD.match(line)
        if not match:
            raise AssertionError("not a record: %r" % line)
        kind, tsc = match[8], int(match[9])
        found.append({
            "type": int(match[1]), "function": int(match[2]),
            "name": unquoted(match[3]), "args": match[4],
            "cpu": int(match[5]), "tid": int(match[6] or 0),
            "pid": int(match[7] or 0), "kind": kind, "tsc": tsc,
            "data": unquoted(match[10]),
        })
    return head, found


def compare_yaml(trace):
    status, out, _ = theirs("convert", "-f", "yaml", trace.path)
    head, mine = records(ours("convert", "--to=yaml", "-q", trace.path))
    if mine:
        trace.first = min(r["tsc"] for r in mine)
    if status != 0:
        differs("refused")
        return False
    their_head, wanted = records(out.decode("latin-1"))
    if trace.big:
        # llvm-xray misreads the flags of big-endian traces.
        head = re.sub(r"(tsc: +)\w+", r"\1-", head)
        their_head = re.sub(r"(tsc: +)\w+", r"\1-", their_head)
    equal("header", head, their_head)
    for r in wanted:
        if not r["kind"].startswith("function"):
            if r["function"]:
                differs("stale-numbers")
            r["function"], r["name"] = 0, "0"
        if r["kind"] != "typed-event" and r["type"]:
            differs("stale-types")
            r["type"] = 0
        if trace.type == 1 and trace.version < 3:
            differs("no-process")
            r["pid"] = 0
        if trace.type == 0 and trace.version < 3:
            r["pid"] = 0
    for m, w in zip(mine, wanted):
        # llvm-xray's data end at a byte that is not UTF-8.
        broken = w["data"].find("\xef\xbf\xbd")
        if broken >= 0 and m["data"][:broken] == w["data"][:broken]:
            differs("bytes")
            w["data"] = m["data"]

    def by_tick(r):
        return r["tsc"], r["pid"], r["tid"]
    equal("records", sorted(mine, key=by_tick), sorted(wanted, key=by_tick))
    return True


# ---- convert to trace events ----------------------------------------------------

EVENT = re.compile(r'"name" : "(.*)", "ph" : "([BE])", "tid" : "(\d+)", '
                   r'"pid" : "(\d+)", "ts" : "([\d.]+)"')


def calls(events):
    """Calls in the order of their beginnings, from begins and ends."""
    stacks, found = collections.defaultdict(list), []
    for phase, tid, function, ticks in events:
        if phase == "B":
            stacks[tid].append(len(found))
            found.append([tid, function, ticks, None])
        elif stacks[tid]:
            call = found[stacks[tid].pop()]
            call[3] = ticks - call[2]
    return sorted(found, key=lambda call: call[0])


def compare_chrome(trace):
    status, out, _ = theirs("convert", "-f", "trace_event", trace.path)
    if status != 0:
        return False
    if not trace.frequency or not trace.regular:
        differs("unmatched-exits" if trace.frequency else "no-frequency")
        return False
    events, last = [], 0.0
    for name, phase, tid, _, ts in EVENT.findall(out.decode()):
        last = max(last, float(ts))
        # Decimal numbers: rounding here would add to llvm-xray's rounding
        # error.
        ticks = decimal.Decimal(ts) * trace.frequency / 1000000
        events.append((phase, int(tid), int(name),
                       float(ticks - trace.first)))
    # llvm-xray counts time from tick 0, so the numbers leave few digits for
    # fractions.
    error = 2 * math.ulp(last) * trace.frequency / 1e6
    if error > 1.01:
        differs("digits")
    wanted = calls(events)
    events = json.loads(ours("convert", "--to=chrome", "--begin-end", "-q",
                             trace.ticks, trace.path))["traceEvents"]
    mine = calls((e["ph"], e["tid"], e.get("args", {}).get("id"),
                  round(e["ts"] * 1000))
                 for e in events if e["ph"] in "BE")
    equal("number of calls", len(mine), len(wanted))
    for m, w in zip(mine, wanted):
        if w[3] is None:
            differs("unfinished-calls")
            w[3] = m[3]
        if (m[:2] != w[:2] or not near(m[2], w[2], 0, max(1.01, error)) or
                not near(m[3], w[3], 0, max(1.01, 2 * error))):
            raise AssertionError("call %r, llvm-xray has %r" % (m, w))
    return True


# ---- account ------------------------------------------------------------------

def compare_account(trace):
    # With --all-levels every level of a recursion is added, as in llvm-xray.
    text = ours("account", "-q", "-f", "csv", "--sort=id", "--all-levels",
                trace.ticks, trace.path)
    mine = {int(r["id"]): r for r in csv.DictReader(io.StringIO(text))}
    once = ours("account", "-q", "-f", "csv", "--sort=id", trace.ticks,
                trace.path)
    if once != text:
        differs("recursion")
    status, out, err = theirs("account", "-d", "-f", "csv", trace.path)
    if status != 0:
        differs("unordered" if trace.regular and "Error processing" in err
                else "refused")
        return False
    wanted = {int(r["funcid"]): r
              for r in csv.DictReader(io.StringIO(out.decode()))}
    mine = {k: v for k, v in mine.items() if int(v["calls"])}
    equal("functions", sorted(mine), sorted(wanted))
    columns = {"min": "min", "median": "median", "p90": "90%ile",
               "p99": "99%ile", "max": "max", "total": "sum"}
    for number, row in mine.items():
        equal("calls of #%d" % number, int(row["calls"]),
              int(wanted[number]["count"]))
        for column, name in columns.items():
            ticks = float(wanted[number][name]) * (trace.frequency or 1)
            if not near(int(row[column]), ticks):
                raise AssertionError("%s of #%d: %s, llvm-xray has %f" % (
                    column, number, row[column], ticks))
    return True


# ---- stack --------------------------------------------------------------------

NODE = re.compile(r"^ *(\d+) +(\d+) +(\d+) [~ ][! ] ( *)#(\d+)$")


def our_stacks(trace, *options):
    """{(thread, path of functions): (calls, total)}"""
    stacks, path, thread = {}, [], None
    for line in ours("stack", "-q", trace.ticks, *options,
                     trace.path).splitlines():
        named = re.match(r"^.*thread (\d+)", line)
        if named:
            thread = int(named[1])
        match = NODE.match(line)
        if not match:
            continue
        depth = len(match[4]) // 2
        path = path[:depth] + [int(match[5])]
        stacks[thread, tuple(path)] = int(match[1]), int(match[2])
    return stacks


def compare_flames(trace):
    mine = our_stacks(trace, "--threads")
    for kind, which in (("time", 1), ("count", 0)):
        status, out, _ = theirs("stack", "-all-stacks",
                                "-stack-format=flame",
                                "-aggregation-type=" + kind, trace.path)
        if status != 0:
            return False
        wanted = collections.Counter()
        for line in out.decode().splitlines():
            match = re.match(r"thread_(\d+);(.*); (\d+)$", line)
            names = tuple(int(n[1:]) for n in match[2].split(";"))
            wanted[int(match[1]), names] += int(match[3])
        got = {key: node[which] for key, node in mine.items()}
        if not trace.finished:
            differs("unfinished-calls")
            return False
        equal("stacks by " + kind, got, dict(wanted))
    return True


def reported(text):
    """The stacks of a report, each with a [path, (calls, total)] a level."""
    stack = []
    for line in text.splitlines() + ["Sum: 0"]:
        row = re.match(r"#(\d+) +#(\d+) +(\d+) +(\d+)$", line)
        if row:
            above = stack[-1][0] if stack else ()
            equal("level", int(row[1]), len(above))
            stack.append((above + (int(row[2]),), (int(row[3]), int(row[4]))))
        elif re.match(r"(Sum|Count): ", line) and stack:
            yield stack
            stack = []


def compare_reports(trace):
    if not trace.finished:
        differs("unfinished-calls")
        return False
    seen = 0
    for option, ask in (("-aggregate-threads", ()),
                        ("-per-thread-stacks", ("--threads",))):
        status, out, _ = theirs("stack", option, trace.path)
        if status != 0:
            return False
        mine = our_stacks(trace, *ask)
        threads = {t for t, _ in mine}
        for stack in reported(out.decode()):
            seen += 1
            if any(all(mine.get((t, path)) == node for path, node in stack)
                   for t in threads):
                continue
            # If a recursion ends at different depths, llvm-xray has several
            # lines for one stack, also in its flame graphs. Their sum is our
            # line.
            if not any(all(n <= m for path, node in stack for n, m in
                           zip(node, mine.get((t, path), (0, 0))))
                       for t in threads):
                raise AssertionError("%s: no stack like %r" % (option, stack))
            differs("split-stacks")
    return seen > 0


# ---- graph --------------------------------------------------------------------

def compare_graph(trace):
    status, out, _ = theirs("graph", "-d", "-edge-label=sum",
                            "-vertex-label=count", trace.path)
    if status != 0:
        return False
    if not trace.finished or not trace.frequency:
        differs("unfinished-calls" if trace.frequency else "no-frequency")
        return False
    edge = re.compile(r'^F(\d+) -> F(\d+) \[label="([^ "]*)', re.M)
    vertex = re.compile(r'^F(\d+) \[label="\{#\d+\|(\d+)\}"', re.M)
    mine = ours("graph", "-q", trace.ticks, trace.path)
    # Our labels are rounded, and tooltips exact.
    exact = re.compile(r'^F(\d+) -> F(\d+) \[.*tooltip="([^ "]*)', re.M)
    wanted = {e[:2]: float(e[2]) * trace.frequency
              for e in edge.findall(out.decode())}
    got = {e[:2]: int(e[2]) for e in exact.findall(mine)}
    equal("edges", sorted(got), sorted(wanted))
    for key, ticks in wanted.items():
        if not near(got[key], ticks):
            raise AssertionError("edge %r: %r, llvm-xray has %r" %
                                 (key, got[key], ticks))
    equal("calls", dict(vertex.findall(mine)),
          dict(vertex.findall(out.decode())))
    return True


def main():
    manual = " ".join(re.sub(r"(?m)^\.[A-Z][a-z] ?", "",
                             open(sys.argv[1], encoding="utf-8").read())
                      .split())
    manual = manual[manual.index("Differences from llvm-xray"):]
    missing = [text for text in DIFFERENCES.values() if text not in manual]
    if missing:
        sys.exit("not in the manual: %s" % "; ".join(missing))
    compared, bad = collections.Counter(), 0
    for path in sys.argv[3:]:
        trace = Trace(path)
        if trace.typed and trace.version < 5:
            # llvm-xray misreads them, and all records after them.
            differs("old-typed-events")
            continue
        for compare in (compare_yaml, compare_dump, compare_chrome,
                        compare_account, compare_flames, compare_reports,
                        compare_graph):
            try:
                compared[compare.__name__[8:]] += bool(compare(trace))
            except AssertionError as error:
                print("%s: %s: %s" % (path, compare.__name__[8:], error))
                bad += 1
    print("compared: " + ", ".join("%s %d" % c for c in compared.items()))
    print("differences: " + ", ".join("%s %d" % u for u in used.items()))
    sys.exit(bad > 0 or min(compared.values()) < int(sys.argv[2]))


main()
