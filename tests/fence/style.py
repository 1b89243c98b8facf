#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check the rules of CONTRIBUTING.md that a program can check.

usage: style.py TOP

Prints a line for each C file of TOP that breaks a rule, and for each entry of
the table "Where is ..." in TOP/doc/design.md whose file or function does not
exist.  Exits with 1 if anything was printed.
"""
import os
import re
import sys

COLUMNS = 80
LINES_OF_FUNCTION = 70  # of the libraries and the tools
# The binary search of all rooms, and the one over packed tables, which is
# branchless.
SEARCHES = {"libgsym/base/order.h", "libgsym/reader/search.c"}
# A file that a comment names.
NAMED_FILE = r'(?<![\w./"<-])((?:[a-z]\w*/)*[a-z]\w+\.[ch])\b(?![">])'
EXAMPLES = {"config.h", "init/main.c", "fs/read_write.c",
            "elfutils/debuginfod.h", "libc_sigaction.c"}
# Files that a build in the source folder makes.
GENERATED = {"page_files.c", "pages_files.c", "flame_files.c", "help_files.c"}
ENTRIES = 20            # least number of rows in the table


def sources(top, *homes):
    for home in homes:
        for folder, _, files in sorted(os.walk(os.path.join(top, home))):
            for name in sorted(files):
                path = os.path.relpath(os.path.join(folder, name), top)
                if name.endswith((".c", ".h")) and name not in GENERATED:
                    yield path


def lines_of(top, path):
    with open(os.path.join(top, path), encoding="utf-8") as file:
        return file.read().split("\n")


def check_lines(path, lines):
    start = 0
    for number, line in enumerate(lines, 1):
        if len(line.expandtabs(8)) > COLUMNS:
            yield f"{path}:{number}: more than {COLUMNS} columns"
        if "(unsigned long long)" in line:
            yield f"{path}:{number}: use PRIu64 of <inttypes.h>, not a cast"
        if (re.search(r"= (\w+) \+ \((\w+) - \1\) / 2;", line) and
                path not in SEARCHES):
            yield f"{path}:{number}: a binary search: take base/order.h"
        if line == "{":
            start = number
        if (line == "}" and start and number - start > LINES_OF_FUNCTION and
                path.startswith(("libgsym", "tools"))):
            yield (f"{path}:{start}: a function of more than "
                   f"{LINES_OF_FUNCTION} lines")
        if line == "}":
            start = 0


def check_header(path, lines):
    """A C file begins with a comment that says what the file is for."""
    if not lines[1:] or not re.match(r"/\*( \w|$)", lines[1]):
        yield f"{path}:2: say in a comment what the file is for"


def check_names(path, lines, files):
    """The files that comments name exist.  Words in quotes, names of one letter
    and system headers are examples."""
    text = "\n".join(lines)
    for comment in re.finditer(r"/\*.*?\*/", text, re.S):
        for found in re.finditer(NAMED_FILE, comment.group()):
            name = found.group(1)
            if name not in EXAMPLES and not any(
                    ("/" + file).endswith("/" + name) for file in files):
                at = comment.start() + found.start(1)
                number = text.count("\n", 0, at) + 1
                yield f"{path}:{number}: there is no {name}"


def check_table(top):
    """Problems of the table "Where is ...": what it names has to exist."""
    text = "\n".join(lines_of(top, "doc/design.md"))
    _, found, rest = text.partition("\n| Where is … | File | Function |\n")
    if not found:
        yield "doc/design.md: the table \"Where is ...\" is missing"
        return
    count = 0
    for row in rest.split("\n")[1:]:
        if not row.startswith("|"):
            break
        count += 1
        question, path, names = [c.strip() for c in row.split("|")[1:4]]
        path = path.strip("`")
        if not os.path.exists(os.path.join(top, path)):
            yield f"doc/design.md: {question}: there is no {path}"
            continue
        body = "\n".join(lines_of(top, path))
        for name in re.findall(r"`(\w+)`", names) or ["no name in the row"]:
            if not re.search(rf"^[^\s/*#].*\b{name}\b|^#define {name}\b|"
                             rf"^enum {{ {name}\b|^\t{name} = ", body, re.M):
                yield f"doc/design.md: {question}: no {name} in {path}"
    if count < ENTRIES:
        yield f"doc/design.md: the table has {count} rows of {ENTRIES}"


def main():
    top = sys.argv[1] if len(sys.argv) == 2 else sys.exit(__doc__)
    problems = list(check_table(top))
    paths = list(sources(top, "libgsym", "tools", "tests", "examples"))
    count = len(paths)
    for path in paths:
        lines = lines_of(top, path)
        problems += check_lines(path, lines)
        if path.startswith(("libgsym", "tools")):
            problems += check_header(path, lines)
            problems += check_names(path, lines, paths)
    print("\n".join(problems) if problems else
          f"{count} files keep the rules")
    return 1 if problems else 0


sys.exit(main())
