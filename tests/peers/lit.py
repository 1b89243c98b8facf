# SPDX-License-Identifier: MIT
"""Run the tests of a checkout of llvm-project, line by line.

LLVM's tests have lines "RUN: COMMAND".  Each is run by itself, so that a line
that fails does not hide those behind it.  A line counts if it names one of our
programs, or checks what an earlier line wrote.  All others make the inputs.
"""

import os
import re
import subprocess

FOLDERS = [
    "llvm/test/tools/llvm-symbolizer",
    "llvm/test/tools/llvm-gsymutil",
    "llvm/test/tools/llvm-xray",
    "llvm/test/DebugInfo",
]
OURS = ["llvm-symbolizer", "llvm-addr2line", "llvm-gsymutil", "llvm-xray"]
# "PREFIX-llvm-symbolizer" is not the program, nor is a part of a path.
NAMED = re.compile(r"(?<![\w/.%-])(" + "|".join(OURS) + r")(?![\w.-])")
CHECKS = re.compile(r"(?<![\w/.-])(FileCheck|count|diff|cmp|grep)(?![\w.-])")
OTHER = re.compile(r"(?<![\w/.%-])(llvm-[a-z0-9-]+|llc|opt|yaml2obj)"
                   r"(?![\w.-])")
RUN = re.compile(r"\bRUN:\s*(.*)")
SECONDS = 60


class Line:
    """A RUN line: its number among those of its test, and what became of
    it."""

    def __init__(self, test, number, command):
        self.test, self.number, self.command = test, number, command
        program = NAMED.search(command)
        self.program = program.group(1) if program else ""
        self.counts = bool(program or CHECKS.search(command) and
                           not OTHER.search(command))
        self.status, self.said = None, ""

    @property
    def name(self):
        return f"{self.test} {self.number}"


def read_lines(path, name):
    """The RUN lines of a test, and the features that it asks for."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    commands, begun = [], ""
    for part in RUN.findall(text):
        part = part.rstrip()
        if part.endswith("\\"):
            begun += part[:-1] + " "
            continue
        commands.append(begun + part)
        begun = ""
    needs = re.findall(r"\bREQUIRES:\s*(.*)", text)
    return [Line(name, i + 1, c) for i, c in enumerate(commands)], needs


def find(checkout):
    """(path, name) of each test that names one of our programs."""
    for folder in FOLDERS:
        for where, folders, files in os.walk(os.path.join(checkout, folder)):
            folders[:] = sorted(f for f in folders if f != "Inputs")
            for file in sorted(files):
                path = os.path.join(where, file)
                if re.search(r"\.(test|s|ll|yaml|txt|cpp|c)$", file):
                    lines, _ = read_lines(path, "")
                    if any(line.program for line in lines):
                        yield path, os.path.relpath(path, checkout)


def substitute(command, path, scratch):
    folder = os.path.dirname(path)
    base = os.path.join(scratch, os.path.basename(path))
    pairs = [
        ("%errc_ENOENT", "'No such file or directory'"),
        ("%errc_EISDIR", "'Is a directory'"),
        ("%errc_EACCES", "'Permission denied'"),
        ("%llc_dwarf", "llc"), ("%python", "python3"),
        ("%basename_t", os.path.basename(path) + ".tmp"),
        ("%/s", path), ("%/S", folder), ("%/p", folder),
        ("%/t", base + ".tmp"), ("%/T", scratch),
    ]
    for old, new in pairs:
        command = command.replace(old, new)
    single = {"s": path, "S": folder, "p": folder, "t": base + ".tmp",
              "T": scratch, "%": "%"}
    return re.sub(r"%([sSptT%])", lambda m: single[m.group(1)], command)


def run_command(command, scratch, environment):
    """"passed" or "failed", and what COMMAND wrote."""
    try:
        done = subprocess.run(
            ["bash", "-c", "set -o pipefail; " + command], cwd=scratch,
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, check=False, timeout=SECONDS,
            encoding="utf-8", errors="replace")
    except subprocess.TimeoutExpired:
        return "failed", "it does not end"
    return "failed" if done.returncode else "passed", done.stdout


def run_line(line, path, scratch, environment):
    return run_command(substitute(line.command, path, scratch), scratch,
                       environment)


def run_lines(path, name, folder, environment, refused):
    """The lines of a test, run in FOLDER in their order.  REFUSED: features
    that the machine lacks."""
    lines, needs = read_lines(path, name)
    scratch = os.path.join(folder, name.replace("/", "-"))
    os.makedirs(scratch, exist_ok=True)
    lacking = [n for n in needs if any(r in n for r in refused)]
    for line in lines:
        if lacking or "%if" in line.command:
            line.status, line.said = "not run", "it needs " + " ".join(
                lacking or ["%if"])
        else:
            line.status, line.said = run_line(line, path, scratch,
                                              environment)
    return lines


def run_test(path, name, folder, environments, refused):
    """The lines that count.  ENVIRONMENTS: with our programs; the same without
    a look at columns; and with the real programs, which have to pass where ours
    fail."""
    lines = run_lines(path, name, folder, environments[0], refused)
    if any(line.status == "failed" for line in lines):
        loose, theirs = (run_lines(path, name, folder + extra, environment,
                                   refused) for extra, environment
                         in zip(("-loose", "-real"), environments[1:]))
        for line, bare, real in zip(lines, loose, theirs):
            if line.status == real.status == "failed":
                line.status = "not run"
                line.said = f"the real program fails, too: {real.said}"
            elif line.status == "failed" and bare.status == "passed":
                line.status = "columns"
            elif line.status == "failed":
                line.said = bare.said
    return [line for line in lines if line.counts]
