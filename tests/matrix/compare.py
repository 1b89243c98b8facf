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
import collections
import json
import os
import posixpath
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import images  # noqa: E402

Frame = collections.namedtuple("Frame", "function file line")

MANGLED = re.compile(r"_Z|_R|\?")


def frame(function, path, line):
    path = "" if path in (None, "", "??") else posixpath.normpath(path)
    path = re.sub("^//", "/", path)
    function = "" if function in (None, "??") else function
    # The cold part of f in strict DWARF 2; gsym says f, as other versions do.
    function = function.removeprefix("__second_sect_of_")
    return Frame(function, path, int(line or 0) if path else 0)


def run(command, addresses, may_fail=False):
    text = "".join(f"{a:#x}\n" for a in addresses)
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, text=True)
    if done.returncode and not may_fail:
        sys.exit(f"compare: {command[0]}: exit status {done.returncode}\n"
                 + done.stderr[-1000:])
    return done.stdout.splitlines()


def ask_llvm(program, path, addresses, *options):
    lines = run([program, f"--obj={path}", "--output-style=JSON", "--inlines",
                 "--no-demangle", "--functions=linkage", *options], addresses)
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
        return same_stack(truth, found, program.aliases(address))
    if aliases:
        return same_stack([Frame(aliases[0], row.file, row.line)], found,
                          aliases)
    if not found:
        return True
    if program.in_stub(address):
        return found[0].function.startswith("symbol stub for: ") or \
            found[0].function.endswith("@plt")
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
    program = images.image(options.program)
    addresses = [a for start, end in program.code for a in range(start, end)]
    step = -(-len(addresses) // options.at_most)
    addresses = addresses[::step]
    wrong, disputed = compare(options, program, addresses)
    print(f"{len(addresses)} addresses, {wrong} wrong, {disputed} disputed")
    # At least 99.99 % of the answers have to be right.
    return 1 if wrong * 10000 > len(addresses) else 0


if __name__ == "__main__":
    sys.exit(main())
