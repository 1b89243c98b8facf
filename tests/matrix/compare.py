#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare what gsym-lookup says about a program with its DWARF.

    compare.py [options] PROGRAM GSYM

Every address of the executable sections is looked up (or every Nth, with
--at-most), with llvm-symbolizer on the program and with gsym-lookup on the
GSYM file.  The stacks have to agree in functions, files and lines.

llvm-symbolizer works on a copy without symbol tables, as it would prefer even
a far away symbol to the debug info.  The symbols are compared by this script:
  - If the debug info has a function, its stack is expected.  The outermost
    frame may have the name of a symbol instead, if that symbol is one of the
    innermost that cover the address (aliases, f.cold).
  - Else, if a sized symbol covers the address, that symbol is expected, with
    the line that the line table has at the address.
  - Else, if a label comes before the address, either that label or no
    function is expected.
  - Else no function is expected.

An address where eu-addr2line (if it is installed) agrees with gsym-lookup is
disputed: it is listed, but is no failure.  Needs only the standard library.
"""

import argparse
import bisect
import collections
import json
import os
import posixpath
import re
import struct
import subprocess
import sys
import tempfile

Frame = collections.namedtuple("Frame", "function file line")
Symbol = collections.namedtuple("Symbol", "start end name sized")

MANGLED = re.compile(r"_Z|_R|\?")


class Program:
    """Executable sections and symbols of an ELF file."""

    def __init__(self, path):
        with open(path, "rb") as stream:
            self.data = stream.read()
        if self.data[:4] != b"\x7fELF":
            sys.exit(f"compare: {path}: no ELF file")
        self.wide = self.data[4] == 2
        self.order = ">" if self.data[5] == 2 else "<"
        at, = self.fields("Q" if self.wide else "I", 40 if self.wide else 32)
        _, count, _ = self.fields("HHH", 58 if self.wide else 46)
        self.header = struct.Struct(
            self.order + ("IIQQQQIIQQ" if self.wide else "10I"))
        self.headers_at = at
        # name type flags address offset size link info align entsize
        self.sections = [
            self.header.unpack_from(self.data, at + i * self.header.size)
            for i in range(count)]
        self.code = [(s[3], s[3] + s[5]) for s in self.sections
                     if s[2] & 6 == 6 and s[5]]
        self.symbols = sorted(set(self.read_symbols()))
        self.starts = [s.start for s in self.symbols]
        # Between two neighbouring points the same symbols cover every address.
        self.points = sorted({s.start for s in self.symbols} |
                             {s.end for s in self.symbols})
        self.covers = {}

    def fields(self, layout, at):
        return struct.unpack_from(self.order + layout, self.data, at)

    def read_symbols(self):
        layout = struct.Struct(self.order + ("IBBHQQ" if self.wide else "IIIBBH"))
        for section in self.sections:
            if section[1] not in (2, 11):
                continue
            names = self.sections[section[6]][4]
            table = self.data[section[4]:section[4] + section[5]]
            for fields in layout.iter_unpack(table):
                if self.wide:
                    name, info, _, number, value, size = fields
                else:
                    name, value, size, info, _, number = fields
                kind = info & 15
                if not 0 < number < len(self.sections) or kind not in (0, 2, 10):
                    continue
                if self.sections[number][2] & 6 != 6 or not name:
                    continue
                end = self.data.index(b"\0", names + name)
                text = self.data[names + name:end].decode("utf-8", "replace")
                yield Symbol(value, value + size, text.split("@")[0],
                             kind != 0 and size > 0)

    def write_without_symbols(self, path):
        """A copy in which the symbol tables are called something else."""
        data = bytearray(self.data)
        for i, section in enumerate(self.sections):
            if section[1] in (2, 11):
                struct.pack_into(self.order + "I", data,
                                 self.headers_at + i * self.header.size + 4, 1)
        with open(path, "wb") as stream:
            stream.write(data)

    def covering(self, address):
        """Names of the innermost sized symbols around ADDRESS."""
        i = bisect.bisect_right(self.points, address)
        if i not in self.covers:
            inside = [s for s in self.symbols
                      if s.sized and s.start <= address < s.end]
            latest = max((s.start for s in inside), default=None)
            self.covers[i] = [s.name for s in inside if s.start == latest]
        return self.covers[i]

    def labels(self, address):
        """Names of the labels that ADDRESS follows."""
        i = bisect.bisect_right(self.starts, address) - 1
        if i < 0:
            return []
        start = self.starts[i]
        group = [s for s in self.symbols if s.start == start]
        if any(s.sized for s in group) or not any(
                low <= start and address < high for low, high in self.code):
            return []
        return [s.name for s in group]


def frame(function, path, line):
    path = "" if path in (None, "", "??") else posixpath.normpath(path)
    path = re.sub("^//", "/", path)
    function = "" if function in (None, "??") else function
    return Frame(function, path, int(line or 0) if path else 0)


def run(command, addresses, may_fail=False):
    text = "".join(f"{a:#x}\n" for a in addresses)
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, text=True)
    if done.returncode and not may_fail:
        sys.exit(f"compare: {command[0]}: exit status {done.returncode}\n"
                 + done.stderr[-1000:])
    return done.stdout.splitlines()


def ask_llvm(program, path, addresses):
    lines = run([program, f"--obj={path}", "--output-style=JSON", "--inlines",
                 "--no-demangle", "--functions=linkage"], addresses)
    if len(lines) != len(addresses):
        sys.exit(f"compare: {program}: {len(lines)} answers")
    return {address: [frame(f["FunctionName"], f["FileName"], f["Line"])
                      for f in json.loads(line).get("Symbol", ())]
            for address, line in zip(addresses, lines)}


def ask_gsym(program, path, addresses):
    answers = [json.loads(line)
               for line in run([program, "--json", path], addresses)]
    return {int(a["address"], 0): [frame(f.get("function"), f.get("file"),
                                         f.get("line")) for f in a["frames"]]
            for a in answers}


def ask_elfutils(program, path, addresses):
    answers, frames, function = {}, [], None
    # eu-addr2line exits with an error if an address is in no section.
    for line in run([program, "-a", "-f", "-i", "-e", path], addresses, True):
        if line.startswith("0x"):
            frames = answers[int(line, 16)] = []
            function = None
        elif function is None:
            function = line.split(" inlined at ")[0]
        else:
            place = re.match(r"(.*?):(\d+|\?\?|0)(?::\d+)?(?: .*)?$", line)
            name, number = place.groups() if place else ("", "0")
            frames.append(frame(function, name,
                                number if number.isdigit() else 0))
            function = None
    return answers


def same_function(truth, found, aliases):
    return (truth == found or found in aliases or
            (truth and not MANGLED.match(truth) and
             found.endswith("::" + truth)))


def same_stack(truth, found, aliases):
    if len(truth) != len(found):
        return False
    last = len(truth) - 1
    return all(t[1:] == f[1:] and
               same_function(t.function, f.function, aliases if i == last else ())
               for i, (t, f) in enumerate(zip(truth, found)))


def agree(program, address, truth, found):
    """Whether FOUND is right, given the frames of the debug info."""
    aliases = program.covering(address)
    row = truth[0] if truth and truth[0].file else Frame("", "", 0)
    if any(f.function for f in truth):
        return same_stack(truth, found, aliases)
    if aliases:
        return same_stack([Frame(aliases[0], row.file, row.line)], found,
                          aliases)
    if not found:
        return True
    labels = program.labels(address)
    return bool(labels) and same_stack(
        [Frame(labels[0], row.file, row.line)], found, labels)


def show(frames):
    return " < ".join(f"{f.function or '??'} {f.file or '??'}:{f.line}"
                      for f in frames) or "nothing"


def compare(options, program, addresses):
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "program")
        program.write_without_symbols(copy)
        truth = ask_llvm(options.symbolizer, copy, addresses)
    found = ask_gsym(options.lookup, options.gsym, addresses)
    wrong = [a for a in addresses
             if not agree(program, a, truth[a], found.get(a, []))]
    disputed = []
    if options.second and wrong:
        second = ask_elfutils(options.second, options.program, wrong)
        disputed = [a for a in wrong
                    if same_stack(second.get(a, []), found.get(a, []),
                                  program.covering(a))]
    shown = 0
    for address in wrong:
        if shown == options.show:
            break
        shown += 1
        kind = "disputed" if address in disputed else "wrong"
        print(f"  {address:#x} {kind}\n    debug info: {show(truth[address])}\n"
              f"    gsym:       {show(found.get(address, []))}")
    return len(wrong) - len(disputed), len(disputed)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("gsym")
    parser.add_argument("--lookup", default="gsym-lookup")
    parser.add_argument("--symbolizer", default="llvm-symbolizer")
    parser.add_argument("--second", help="eu-addr2line, if it is to be asked")
    parser.add_argument("--at-most", type=int, default=100000, metavar="N")
    parser.add_argument("--show", type=int, default=5, metavar="N",
                        help="differences to print")
    options = parser.parse_args()
    program = Program(options.program)
    addresses = [a for start, end in program.code for a in range(start, end)]
    step = -(-len(addresses) // options.at_most)
    addresses = addresses[::step]
    wrong, disputed = compare(options, program, addresses)
    print(f"{len(addresses)} addresses, {wrong} wrong, {disputed} disputed")
    # At least 99.99 % of the answers have to be right.
    return 1 if wrong * 10000 > len(addresses) else 0


sys.exit(main())
