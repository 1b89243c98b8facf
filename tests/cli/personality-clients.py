#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare what a client printed with two symbolizers.

usage: personality-clients.py same|more|perf REAL OURS PATTERN

Takes the lines of both files that match PATTERN, without what differs from run
to run, and without what GSYM has not: columns and discriminators.  Of a name
the innermost word counts: GSYM data have qualified names and linkage names
where the debug info has both.  Prints the lines that differ.  Exits with 1 if
there are any, with "more" only if lines of REAL are missing in OURS, and with 2
if REAL has none.  "perf" is "more" for perf script --inline, without the lines
where binutils 2.40 names the outer function instead of the inlined one, as it
does in its first answer to an address.
"""
import collections
import re
import sys

# Names of one address; which of them a program shows is its own choice.
ALIASES = [("__libc_start_main_impl", "__libc_start_main"),
           ("___interceptor_", "__interceptor_")]


def plain(line):
    line = re.sub(r"0x[0-9a-f]+|==\d+==|\(BuildId[^)]*\)|[pt]id=\d+", "", line)
    line = re.sub(r" \(discriminator \d+\)", "", line)
    line = re.sub(r"(:\d+):\d+", r"\1", line)
    for one, other in ALIASES:
        line = line.replace(one, other)
    line = re.sub(r"\.(constprop|isra|part|cold)\.\d+", "", line)
    line = line.replace("operator()", "operator")
    while re.search(r"[<({\[][^<>(){}\[\]]*[>)}\]]", line):
        line = re.sub(r"[<({\[][^<>(){}\[\]]*[>)}\]]", "", line)
    line = re.sub(r"[\w~]+::", "", line)
    return " ".join(line.split())


def read(path, pattern):
    with open(path, encoding="utf-8", errors="replace") as file:
        return collections.Counter(plain(line) for line in file
                                   if re.search(pattern, line))


def without_first(path, pattern):
    """The inlined functions in lines of perf script.  The last line of an
    address is the function itself, even if binutils has perf call it inlined;
    lines before it with the same name are the first answer's mistake."""
    lines, group = collections.Counter(), []
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in list(file) + [""]:
            address = line.split()[:1]
            if group and group[0].split()[:1] != address:
                lines.update(x for x in group[:-1] if x != group[-1])
                group = []
            if address and re.match("[0-9a-f]+$", address[0]):
                group.append(plain(line))
    return lines


def main():
    how, real, ours, pattern = sys.argv[1:]
    reader = without_first if how == "perf" else read
    real, ours = reader(real, pattern), read(ours, pattern)
    if not real:
        print(f"no line with {pattern}")
        return 2
    missing, more = real - ours, ours - real
    if how != "same":
        missing = collections.Counter(set(real)) - collections.Counter(
            set(ours))
        more = collections.Counter()
    for sign, lines in (("-", missing), ("+", more)):
        for line in lines:
            print(sign, line)
    return 1 if missing or more else 0


sys.exit(main())
