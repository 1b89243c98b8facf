#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run the commands of README.md's tour, or of a page of the guide, line by line,
and compare what they print with what the page shows.

usage: tour.py README FOLDER

The commands run in one shell, in FOLDER.  Compilers and libraries differ from
machine to machine, so numbers, build IDs and folders are not compared, nor how
many frames are inlined.
"""
import re
import subprocess
import sys


def shape(line):
    """LINE without what depends on the machine."""
    line = re.sub(r"\b[0-9a-f]{40}\b|[0-9a-f]{2}/[0-9a-f]{38}", "ID", line)
    line = re.sub(r"0x[0-9a-f]+", "HEX", line)
    line = re.sub(r"/[\w./+-]*/(?=\w+\.c(pp)?\b)", "", line)
    line = re.sub(r"\d+(\.\d+)?", "N", line)
    # glibc of Debian 13 has a blank there in backtraces.
    line = line.replace(") [", ")[")
    line = re.sub(r"^(HEX:)? +(\w.* (at|N %))", r"\2", line)
    return re.sub(r"\s+", " ", line).strip().removesuffix(" (inlined)") \
        .removeprefix("HEX: ")


def tour_of(readme):
    """(command, lines that it shows) of each "$ " line in a code block."""
    with open(readme, encoding="utf-8") as file:
        text = file.read()
    if "\n## A tour\n" in text:
        text = text.partition("\n## A tour\n")[2].partition("\n## ")[0]
    commands, block = [], None
    for line in text.split("\n"):
        if line.startswith("```"):
            block = None if block else line
        elif block == "```" and line.startswith("$ "):
            commands.append((line[2:], []))
        # What root does, "# apt-get install ...", is not run.
        elif block == "```" and commands and not line.startswith("# "):
            commands[-1][1].append(line)
    return commands


def main():
    readme, folder = sys.argv[1:]
    commands = tour_of(readme)
    mark = "--- end of command, status "
    script = "".join(f"{command}\necho '{mark}'$?\n"
                     for command, _ in commands)
    said = subprocess.run(["sh"], input=script, cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    parts = said.stdout.split(mark)
    bad = 0
    rest = parts[0]
    for (command, wanted), after in zip(commands, parts[1:]):
        status, _, following = after.partition("\n")
        lines = {shape(line) for line in rest.split("\n")}
        if status != "0":
            print(f"$ {command}\n{rest}exit status {status}")
            bad += 1
        for line in wanted:
            if shape(line) not in lines:
                print(f"$ {command}\nnot printed: {line}\n"
                      f"as a shape:  {shape(line)}\nbut:\n{rest}")
                bad += 1
                break
        rest = following
    if len(commands) < 1 or len(parts) != len(commands) + 1:
        print(f"{len(commands)} commands, {len(parts) - 1} of them run")
        bad += 1
    return 1 if bad else 0


sys.exit(main())
