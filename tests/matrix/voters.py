# SPDX-License-Identifier: MIT
"""The programs that the script vote asks about addresses.

Each voter answers for all addresses of a file at once, with the frames of
compare.py, the innermost first.  No frame means that it names no function.
"""

import os
import re
import shutil
import subprocess
import tempfile

import compare

NOWHERE = "/nonexistent"        # instead of the debug files of this machine
LLVM_VERSIONS = ("-22", "-21", "-20", "-19", "")

GDB_SCRIPT = """\
import gdb, json

def answer(address):
    block, names = gdb.block_for_pc(address), []
    while block is not None and not block.is_global and not block.is_static:
        if block.function is not None:
            names.append(block.function.linkage_name)
        block = block.superblock
    row = gdb.find_pc_line(address)
    return {"names": names, "line": row.line if row.symtab else 0,
            "file": row.symtab.filename if row.symtab else "",
            "symbol": gdb.execute("info symbol %d" % address, to_string=True)}

with open(OUTPUT, "w") as out:
    for text in open(INPUT):
        try:
            out.write(json.dumps(answer(int(text, 16))) + "\\n")
        except (gdb.error, RuntimeError):
            out.write("{}\\n")
"""


def newest(name):
    """The newest program NAME of LLVM; None if there is none."""
    return next((name + v for v in LLVM_VERSIONS if shutil.which(name + v)),
                None)


def named(frames):
    """FRAMES, without those that say nothing."""
    return [f for f in frames if f.function or f.file]


def ask_llvm(program, path, addresses, work):
    answers = compare.ask_llvm(program, path, addresses,
                               f"--debug-file-directory={NOWHERE}")
    return {address: named(frames) for address, frames in answers.items()}


def ask_elfutils(program, path, addresses, work):
    answers = compare.ask_elfutils(program, path, addresses)
    return {address: named(frames) for address, frames in answers.items()}


def ask_addr2line(program, path, addresses, work):
    answers, frames, name = {}, [], None
    for line in compare.run([program, "-a", "-f", "-i", "-e", path], addresses,
                            True):
        if re.fullmatch("0x[0-9a-f]+", line):
            frames = answers[int(line, 16)] = []
            name = None
        elif name is None:
            name = line
        else:
            file, _, number = line.split(" (disc")[0].rpartition(":")
            frames.append(compare.frame(name, file, int(number)
                                        if number.isdigit() else 0))
            name = None
    return {address: named(frames) for address, frames in answers.items()}


def ask_gsymutil(program, path, addresses, work):
    """The file of llvm-gsymutil, which it reads itself."""
    gsym = os.path.join(work, "llvm.gsym")
    subprocess.run([program, "--convert", path, "-o", gsym, "--quiet",
                    "--num-threads=1"], stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=True, timeout=1200)
    text = "".join(f"{a:#x} {gsym}\n" for a in addresses)
    done = subprocess.run([program, "--addresses-from-stdin"], input=text,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=True, text=True, errors="replace")
    answers, frames = {}, []
    for line in done.stdout.splitlines():
        start = re.match(r"(0x[0-9a-f]{8,16}): (.*)", line)
        if start:
            frames = answers[int(start.group(1), 16)] = []
            line = start.group(2)
        found = re.match(r"\s*(.*?)(?: \+ \d+)?(?: @ (.*):(\d+))?"
                         r"(?: \[inlined\])?$", line)
        if found.group(1) and not line.startswith("error:"):
            frames.append(compare.frame(*found.groups()))
    return answers


def ask_gdb(program, path, addresses, work):
    """The blocks of gdb.  Where it has none, its symbol."""
    asked, told = os.path.join(work, "asked"), os.path.join(work, "told")
    script = os.path.join(work, "ask.py")
    with open(asked, "w", encoding="ascii") as out:
        out.writelines(f"{address:#x}\n" for address in addresses)
    with open(script, "w", encoding="ascii") as out:
        out.write(f"INPUT, OUTPUT = {asked!r}, {told!r}\n" + GDB_SCRIPT)
    subprocess.run([program, "-nx", "-batch", "-iex", "set auto-load off",
                    "-iex", "set debuginfod enabled off",
                    "-iex", f"set debug-file-directory {NOWHERE}",
                    "-x", script, path], stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=True, timeout=1200)
    with open(told, encoding="utf-8") as stream:
        return {address: gdb_frames(compare.json.loads(line))
                for address, line in zip(addresses, stream)}


def gdb_frames(told):
    names = told.get("names") or re.findall(r"^(.*?)(?: \+ \d+)? in section ",
                                            told.get("symbol", ""))
    places = [(told.get("file"), told.get("line"))] + [("", 0)] * len(names)
    return [compare.frame(name, *place) for name, place in zip(names, places)]


def ask_symbols(program, path, addresses, work):
    """The innermost sized symbol, else the nearest label.  PROGRAM is the Image
    of the file."""
    answers = {}
    for address in addresses:
        names = program.covering(address) or program.labels(address)
        answers[address] = [compare.frame(names[0], "", 0)] if names else []
    return answers


# Name, program, how it is asked, and whether it knows inlined calls and lines.
VOTERS = (
    ("llvm-symbolizer", newest("llvm-symbolizer"), ask_llvm, True),
    ("llvm-gsymutil", newest("llvm-gsymutil"), ask_gsymutil, True),
    ("addr2line", shutil.which("addr2line"), ask_addr2line, True),
    ("eu-addr2line", shutil.which("eu-addr2line"), ask_elfutils, True),
    ("gdb", shutil.which("gdb"), ask_gdb, True),
)


def installed():
    """Name, program, function to ask, whether it knows calls and lines."""
    return [voter for voter in VOTERS if voter[1]]


def missing():
    return [voter[0] for voter in VOTERS if not voter[1]]


def ask_all(image, path, addresses):
    """The answers of each voter that reads the file, and who does not."""
    answers, refused = {}, []
    with tempfile.TemporaryDirectory() as work:
        for name, program, ask, _ in installed():
            try:
                found = ask(program, path, addresses, work)
            except (OSError, SystemExit, ValueError,
                    subprocess.SubprocessError):
                refused.append(name)
                continue
            answers[name] = {a: found.get(a, []) for a in addresses}
    answers["symbols"] = ask_symbols(image, path, addresses, None)
    return answers, refused


# ------------------------------------------------------------------------ names

PARTS = re.compile(r"(\.(cold|part|constprop|isra|lto_priv|llvm|localalias|"
                   r"__part|warm|hot|unlikely|str|eh)\b[.\w]*|\.\d+|@.*)+$")


def plain_names(names):
    """A dictionary from each of NAMES to the name without scopes, arguments
    and suffixes, which all voters agree on."""
    names = sorted(names)
    cut = [PARTS.sub("", name) for name in names]
    program = newest("llvm-cxxfilt") or shutil.which("c++filt")
    if program:
        done = subprocess.run([program], input="\n".join(cut) + "\n",
                              stdout=subprocess.PIPE, check=False, text=True)
        shown = done.stdout.splitlines()
        cut = shown if len(shown) == len(cut) else cut
    return {name: base(text) for name, text in zip(names, cut)}


def base(name):
    """The last part of the demangled NAME, without arguments."""
    name = re.sub(r"::h[0-9a-f]{16}$", "", name)
    found = re.search(r"operator\W+(?=\()|operator.*?(?=\()|operator\W+$", name)
    if found:
        return found.group().strip()
    name = name.replace("(anonymous namespace)", "{anonymous}")
    while True:
        # Pairs of brackets from the inside out.
        less = re.sub(r"<[^<>]*>|\([^()]*\)|\[[^][]*\]", "", name)
        if less == name:
            break
        name = less
    words = name.replace(" const", "").split("::")[-1].split()
    return words[-1] if words else name
