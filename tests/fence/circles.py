#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check which files of a room use each other's functions in a circle.

usage: circles.py TOP BUILD

The object files in BUILD say which file defines and which file uses a symbol.
A circle is a set of files in which each file uses every other file, directly
or through further files.  The table "| Circle |" in TOP/doc/design.md has to
list each circle with exactly its files.  Prints each circle that the table
lacks, with the symbols that close it, and each row of the table that is no
longer a circle.  Exits with 1 if anything was printed.
"""
import collections
import os
import re
import subprocess
import sys


def source_of(path, build):
    """libgsym/go/libinputs_la-plan9.o -> libgsym/go/plan9.c"""
    folder, name = os.path.split(os.path.relpath(path, build))
    name = re.sub(r"^(?:lib\w+_la|gsym_\w+)-", "", name)
    return os.path.join(folder, name.removesuffix(".o") + ".c")


def objects(build):
    for home in "libgsym", "tools":
        for folder, _, names in os.walk(os.path.join(build, home)):
            if os.path.basename(folder) != ".libs":
                for name in names:
                    if name.endswith(".o"):
                        yield os.path.join(folder, name)


def read_symbols(top, build):
    """Which file defines a symbol, and which symbols a file uses."""
    defines, uses = {}, collections.defaultdict(set)
    sources = {path: source_of(path, build) for path in objects(build)}
    # Objects of files that no longer exist may be left.
    paths = [path for path, source in sources.items()
             if os.path.exists(os.path.join(top, source))]
    said = subprocess.run(["nm", "-A", *paths], capture_output=True,
                          text=True, check=True).stdout if paths else ""
    for line in said.split("\n"):
        path, _, rest = line.partition(":")
        fields = rest.split()
        if len(fields) == 3 and fields[1] in "TDBRWV":
            defines[fields[2]] = sources[path]
        elif len(fields) == 2 and fields[0] == "U":
            uses[sources[path]].add(fields[1])
    return defines, uses


def find_circles(graph):
    """The strongly connected components of more than one file."""
    number, low, stack, circles = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in graph[node]:
            if other not in number:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], number[other])
        if low[node] == number[node]:
            members = []
            while not members or members[-1] != node:
                members.append(stack.pop())
            if len(members) > 1:
                circles.append(frozenset(members))
    for node in list(graph):
        if node not in number:
            visit(node)
    return circles


def allowed_circles(top):
    with open(os.path.join(top, "doc/design.md"), encoding="utf-8") as file:
        rest = file.read().partition("\n| Circle |")[2]
    allowed = set()
    for row in rest.split("\n")[2:]:
        if not row.startswith("|"):
            break
        folder, *names = re.findall(r"`([^`]+)`", row.split("|")[1])
        allowed.add(frozenset(os.path.join(folder, name) for name in names))
    return allowed


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    top, build = sys.argv[1:]
    defines, uses = read_symbols(top, build)
    graph = collections.defaultdict(set)
    for source, symbols in uses.items():
        graph[source] = {defines[s] for s in symbols
                         if s in defines and defines[s] != source}
    for source in {s for others in graph.values() for s in others}:
        graph[source] |= set()
    circles = set(find_circles(graph))
    allowed = allowed_circles(top)
    for circle in sorted(circles - allowed, key=sorted):
        print("a circle that doc/design.md does not name:")
        for source in sorted(circle):
            for other in sorted(graph[source] & circle):
                shared = sorted(s for s in uses[source]
                                if defines.get(s) == other)
                print(f"  {source} uses {other}: {' '.join(shared)}")
    for circle in allowed - circles:
        print(f"doc/design.md: no circle: {' '.join(sorted(circle))}")
    if not graph:
        print(f"no object files in {build}")
    bad = circles != allowed or not graph
    if not bad:
        print(f"{len(graph)} files, {len(circles)} circles, all named")
    return 1 if bad else 0


sys.exit(main())
