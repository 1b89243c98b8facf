#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: make -n -k all check TESTS= | compile_commands.py >compile_commands.json

Write what clangd, clang-tidy and other tools read about each source: the folder
and the command that compiles it.  Standard input has the commands of a build
folder in which nothing is built yet, the current folder."""
import json
import os
import re
import shlex
import sys


def compilation(line):
    """The words of the compiler's command in LINE, and the source; or None."""
    line = re.sub(r"`[^`]*`", "", line)
    try:
        words = shlex.split(line.partition(" && ")[0])
    except ValueError:
        return None
    if "-c" not in words:
        return None
    for index, word in enumerate(words):
        if word.startswith("--mode="):
            words = words[index + 1:]
            break
    sources = [word for word in words if re.search(r"\.(c|cc|cpp)$", word)]
    return (words, sources[-1]) if sources else None


def main():
    entries = {}
    text = sys.stdin.read().replace("\\\n", " ")
    for line in text.split("\n"):
        found = compilation(line.strip())
        if found:
            words, source = found
            entries.setdefault(source, {"directory": os.getcwd(),
                                        "arguments": words, "file": source})
    json.dump(list(entries.values()), sys.stdout, indent=1)
    print()
    return 0 if entries else 1


sys.exit(main())
