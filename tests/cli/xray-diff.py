#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""For xray-diff.sh.

xray-diff.py make FOLDER          traces and maps of two builds
xray-diff.py full FOLDER          traces with very many stacks
xray-diff.py check FILE           the JSON that gsym-xray diff makes of them
xray-diff.py browser PAGE HOSTILE SHOTS"""
import json
import math
import os
import random
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from webdriver import Browser, drive  # noqa: E402

OLD = ["main", "slow", "same", "often", "seldom", "dropped"]
NEW = ["added", "often", "seldom.isra.0", "same", "main", "slow"]


def metadata(kind, form, *values):
    fields = struct.pack("<" + form, *values)
    return bytes([kind << 1 | 1]) + fields + bytes(15 - len(fields))


def durations(seed, mean, count):
    """COUNT times around MEAN, and now and then a much longer one."""
    chance = random.Random(seed)
    return [round(mean * chance.uniform(0.8, 1.2)) +
            (20 * mean if chance.random() < 0.001 else 0)
            for _ in range(count)]


def times(new, slow):
    """The self times of the calls of each function."""
    t = {"slow": durations(1 + new, slow, 2000),
         "same": durations(3 + new, 300, 2000),
         "often": durations(5 + new, 200 if not new else 100, 500 + 500 * new),
         "seldom": [900, 1000, 100] if not new else [50, 60, 70, 80]}
    t["added" if new else "dropped"] = durations(7, 500, 100)
    return t


def write_trace(path, records, frequency=10**9):
    """A trace of one thread with these function records."""
    body = (metadata(0, "i", 7) + metadata(4, "QI", 5, 0) +
            metadata(9, "i", 7) + metadata(2, "HQ", 0, 1000) + records)
    with open(path, "wb") as out:
        out.write(struct.pack("<HHIQQ", 5, 1, 3, frequency, 4096) + bytes(8))
        out.write(metadata(7, "Q", len(body)) + body)


def write(path, names, calls, frequency=10**9):
    number = {name.split(".")[0]: i + 1 for i, name in enumerate(names)}
    ticks = frequency // 10**8 / 10

    def enter(name, delta=10):
        return struct.pack("<II", number[name] << 4, round(delta * ticks))

    def leave(name, delta):
        return struct.pack("<II", number[name] << 4 | 2, round(delta * ticks))
    body = enter("main")
    inner = iter(calls["same"])
    for name in calls:
        for n, time in enumerate(calls[name]):
            if name == "same":
                break
            body += enter(name)
            if name == "often" and n % 5 == 0:
                body += enter("same", 0) + leave("same", next(inner))
            body += leave(name, time)
    for time in inner:
        body += enter("same") + leave("same", time)
    # In the new build main does not end.
    if "dropped" in calls:
        body += leave("main", 10)
    write_trace(path, body, frequency)


def write_full(folder):
    """More stacks than gsym-xray diff keeps, and one of them alone."""
    calls = [struct.pack("<IIII", n << 4, 10, n << 4 | 2, 10)
             for n in range(1, 2**18 + 100)]
    write_trace(os.path.join(folder, "full.xray"), b"".join(calls))
    write_trace(os.path.join(folder, "one.xray"), calls[0] * 3)


def write_map(path, names):
    with open(path, "w", encoding="ascii") as out:
        out.write("---\n")
        for i, name in enumerate(names):
            for place, kind in ((0, "enter"), (32, "exit")):
                out.write("- { id: %d, address: 0x%X, function: 0x%X, "
                          "kind: function-%s, always-instrument: false, "
                          "function-name: %s, version: 2 }\n" % (
                              i + 1, 0x1000 + 64 * i + place,
                              0x1000 + 64 * i, kind, name))
        out.write("...\n")


def make(folder):
    os.chdir(folder)
    write_map("old.yaml", OLD)
    write_map("new.yaml", NEW)
    old, new = times(0, 1000), times(1, 2000)
    write("old.xray", OLD, old)
    write("half.xray", OLD, old, 5 * 10**8)
    write("new.xray", NEW, new)
    # The new build, in which only "slow" differs from the old one.
    write("little.xray", OLD, dict(old, slow=durations(2, 1200, 2000)))


# ---- an account of the test by another hand -------------------------------

def batches(values):
    """The mean times of the batches: at most 64 of equal size."""
    size = 1
    while len(values) // size > 64:
        size *= 2
    return [sum(values[i:i + size]) / size
            for i in range(0, len(values) - size + 1, size)]


def rank_sum(a, b):
    """The p value of the rank-sum test, by its definition as a count of pairs,
    with the normal distribution and a correction for ties."""
    if len(a) < 8 or len(b) < 8:
        return None
    pairs = sum((x > y) + (x == y) / 2 for x in a for y in b)
    n, both = len(a) + len(b), a + b
    ties = sum(both.count(v) ** 3 - both.count(v) for v in set(both))
    variance = len(a) * len(b) / 12 * (n + 1 - ties / n / (n - 1))
    away = abs(pairs - len(a) * len(b) / 2) - 0.5
    return math.erfc(max(away, 0) / math.sqrt(2 * variance))


def median(values):
    v = sorted(values)
    return (v[(len(v) - 1) // 2] + v[len(v) // 2]) / 2


def check(path):
    with open(path, encoding="utf-8") as file:
        rows = {row["function"]: row for row in map(json.loads, file)}
    old, new = times(0, 1000), times(1, 2000)
    wanted = {"slow": ("slower", "same"), "same": ("same", "same"),
              "often": ("faster", "more"), "seldom": ("too few", "same"),
              "added": ("new", "more"), "dropped": ("gone", "fewer"),
              "main": ("too few", "same")}
    assert set(rows) == set(wanted), sorted(rows)
    for name, (time, count) in wanted.items():
        row = rows[name]
        assert (row["time"], row["count"]) == (time, count), row
        assert row["beyond_noise"] == (time != "same" and time != "too few"), row
        if name == "main":
            assert [row[side]["inexact"] for side in ("before", "after")] == \
                [0, 1], row
            assert [row[side]["batches"] for side in ("before", "after")] == \
                [1, 0], row
        if name in ("main", "often"):
            continue
        for side, calls in (("before", old), ("after", new)):
            values = calls.get(name, [])
            assert row[side]["calls"] == len(values), row
            assert abs(row[side]["self"] - sum(values)) < 1, row
            means = batches(values)
            assert row[side]["batches"] == len(means), (row, len(means))
            typical = median(means) if len(means) >= 8 else \
                sum(values) / max(len(values), 1)
            assert abs(row[side]["call"] - typical) < 1e-3, (row, typical)
        p = rank_sum(batches(old.get(name, [])), batches(new.get(name, [])))
        assert (p is None) == (row["p"] is None), (row, p)
        assert p is None or abs(p - row["p"]) <= 1e-6 * p, (row, p)


# ---- the page --------------------------------------------------------------

def look(b, page):
    b.open(page)
    assert b.shown("#frames") and b.shown("#table")
    marks = b.run("return graph.visible.map(v => v.row.f < 0 ? 'all' : "
                  "labelOf(v.n, 99))")
    assert "\u25b2 slow" in marks and "\u25bc dropped" in marks, marks
    assert "same" in marks, marks
    paints = b.run("return Object.fromEntries(graph.visible.map(v => "
                   "[nameOf(v.n), paint(v.n)]))")
    assert "--more" in paints["slow"] and "--less" in paints["dropped"], paints
    assert paints["same"] == "", paints
    b.shot("diff")
    before = b.run("return graph.visible.map(v => nameOf(v.n))")
    b.run("$('width').value = 'after'; $('width').onchange()")
    after = b.run("return graph.visible.map(v => nameOf(v.n))")
    assert "dropped" in before and "dropped" not in after, (before, after)
    b.run("$('width').value = 'both'; $('width').onchange()")
    b.run("frames.focus()")
    b.keys("Down", "Down")
    tip = b.text("#tip")
    assert "\u2192" in tip and "beyond" not in tip and "slower" in tip, tip
    b.click("tr[data-f] th")
    assert b.run("return search.count") == 1
    assert b.run("return document.querySelectorAll('[aria-selected=true]')"
                 ".length") == 1
    b.media("print")
    assert not b.shown("#bar") and b.shown("#table")
    b.media("")
    assert not b.errors(), b.errors()


def browser(page, hostile, shots):
    def work(base):
        for dark in (False, True):
            b = Browser(base, shots, dark)
            try:
                look(b, page)
                b.open(hostile)
                text = b.content("#table")
                assert '</script><b>"slow' in text, text
                assert not b.errors(), b.errors()
            finally:
                b.close()
        return 0
    return drive(work)


if __name__ == "__main__":
    sys.exit({"make": make, "check": check,
              "browser": browser, "full": write_full}[sys.argv[1]](*sys.argv[2:]))
