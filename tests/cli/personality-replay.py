#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Replay what clients sent to addr2line and llvm-symbolizer.

usage: personality-replay.py probes|batches|dialogs DATA LINKS SCRATCH

DATA is testdata/personalities.  LINKS is a folder with the programs addr2line,
llvm-addr2line and llvm-symbolizer.  SCRATCH is an empty folder.  Prints what
differs from the answers of the real programs, with the reason.  Exits with 1
if a difference has no reason, or if a dialog stops.
"""
import difflib
import lzma
import os
import re
import select
import shutil
import subprocess
import sys

# Seconds that a client waits for an answer.  Only a failing test takes as long.
PATIENCE = 30

# Why lines of the real program are missing from our answers ("-"), or come in
# addition ("+"): the transcripts, the side, the line, the reason.
VARIABLES = "variables have their own names, and lines of declaration"
BEYOND = "an address after the program is unknown"
REPEATED = "a line that is no address is repeated, as by LLVM up to 17"
FIRST = "the first answer of binutils 2.40 names the outer function"
PLACES = ("a line that is no address is not address 0; sections of objects "
          "do not overlap")
LOCALS = "GSYM has no local variables"
STUBS = "a stub of the PLT has a name"
REASONS = [
    (r"probe/addr2line", "-", r"(0x\w+: )?(_Z4heapi|heap\(int\))"
     r"( at /t/shapes.cpp:11)?", FIRST),
    (r"probe/addr2line", "+", r"(0x\w+: )?step( at /t/shapes.cpp:11)?", FIRST),
    (r"probe/addr2line", "-", r"(0x\w+: )?data_start( at .*)?|\?\?:\?|"
     r"(/t/)?shapes.cpp:5", VARIABLES),
    (r"probe/(llvm-)?addr2line", "+", r"(0x\w+: )?table( at .*)?|"
     r"(/t/)?shapes.cpp:5", VARIABLES),
    (r"probe/llvm-addr2line", "-", r"(0x\w+: )?table at \?\?:0", VARIABLES),
    (r"probe/", "-", r"(0x\w+: )?_end( at .*)?|.*\"_end\".*|"
     r"  Function start address: 0x4048", BEYOND),
    (r"probe/", "+", r"(0x\w+: )?\?\?( at .*)?|.*\"0xffffffffffffffff\".*",
     BEYOND),
    (r"probe/llvm-addr2line", "+", r",|zz|-1||10000000000000000", REPEATED),
    (r"probe/llvm-addr2line", "-", r"(\?\?( at )?)?(\?\?:0)?", REPEATED),
    (r"probe/llvm-addr2line14", "-", r"main\+4|_Z4heapi\+0x1c",
     "names are looked up, as by LLVM 22"),
    (r"probe/llvm-addr2line14", "+", r"main|_Z4heapi|/t/shapes.cpp:(34|11)",
     "names are looked up, as by LLVM 22"),
    (r"probe/llvm-addr2line-nodebug", "+", r"main|_Z4heapi|\?\?:0",
     "names of the symbol table are looked up, too"),
    (r"perf/", "-", r"\?\?:0", STUBS),
    (r"perf/", "+", r"\?\?:\?|\w+@plt", STUBS),
    (r"probe/addr2line-object", "-", r"_Z4heapi|/t/shapes.cpp:(19|20)|0x0+4?",
     PLACES),
    (r"probe/addr2line-object", "+", r"main|0x0+7[04]|\?\?(:0)?|"
     r"/t/shapes.cpp:34", PLACES),
    (r"probe/llvm-symbolizer", "-", r"(0x121[05]: )?stack_|n|buf|q|"
     r"/t/shapes.cpp:2[789]|(-?\d+|\?\?) \d+ \?\?|.*\"Frame\".*|", LOCALS),
    (r"probe/llvm-symbolizer", "+",
     r"(0x121[05]: )?\?\?|.*\"Frame\":\[\].*|", LOCALS),
    (r"probe/llvm-symbolizer22-short", "-", r"\?\?|step",
     "names of the symbol table are shown as well"),
    (r"probe/llvm-symbolizer22-short", "+", r"_fini|heap",
     "names of the symbol table are shown as well"),
    (r"asan_symbolize/addr2line", "+", r".*(heap|walk|step).*|"
     r"/t/shapes.cpp:\d+",
     "binutils 2.40 misses inlined frames in DWARF 5 of clang"),
    (r"sanitizer/asan-addr2line", "+", r".*(heap|walk|step).*|"
     r"/t/shapes.cpp:\d+",
     "binutils 2.40 misses inlined frames in DWARF 5 of clang"),
]


def normal(text, root):
    """Lines without what GSYM has not: columns, discriminators, the line where
    a function begins; without qualification and blanks of names."""
    lines = []
    for line in text.replace(root, "/t/").split("\n"):
        line = re.sub(r" \(discriminator \d+\)", "", line)
        line = line.replace("geo::", "")
        line = re.sub(r"(:\d+):\d+$", r"\1:0", line)
        line = re.sub(r'"(Column|StartLine)":\d+', r'"\1":0', line)
        line = re.sub(r'"StartFileName":"[^"]*"', '"StartFileName":""', line)
        line = re.sub(r"Column: \d+", "Column: 0", line)
        if not line.startswith(("  Function start filename",
                                "  Function start line")):
            lines.append(line)
    return lines


def loose(line):
    """A line for comparisons.  Of a name only the innermost word counts: GSYM
    data have qualified names, or linkage names, where the debug info has both,
    and names are spelled with other blanks."""
    if re.search(r":\d|:\?|^\{|^\[|^ | at ", line):
        return line
    if line.startswith("_Z"):
        return last_word(line)
    line = line.replace("operator()", "operator")
    while re.search(r"[<(][^<>()]*[>)]", line):
        line = re.sub(r"[<(][^<>()]*[>)]", "", line)
    return re.sub(r".*[: ](?=\w)", "", line).strip()


def last_word(name):
    """The innermost word of a linkage name without template arguments."""
    words, rest = [], re.sub(r"^_ZN?[KRO]*(St)?", "", name)
    while (number := re.match(r"\d+", rest)):
        end = number.end() + int(number.group(0))
        words.append(rest[number.end():end])
        rest = rest[end:]
    if rest.startswith("cl"):
        return "operator"
    return words[-1] if words else name


def blocks(a, b):
    """Blocks of lines that differ, as the opcodes of difflib."""
    if len(a) == len(b):
        return [("replace", n, n + 1, n, n + 1) for n in range(len(a))
                if a[n] != b[n]]
    matcher = difflib.SequenceMatcher(None, a, b, False)
    return [x for x in matcher.get_opcodes() if x[0] != "equal"]


def is_first(real, ours, at):
    """Whether line AT of REAL names the outer function, where ours names the
    inlined one: then the outer one comes again in the same answer."""
    return (loose(real[at]) in map(loose, real[at + 1:at + 24]) and
            ours != loose(real[at]) and not re.search(r":\d|\?\?", ours))


def reason(title, side, line):
    for where, which, pattern, why in REASONS:
        if re.match(where, title) and which == side and \
                re.fullmatch(pattern, line):
            return why
    return None


def differences(title, real, ours):
    """The lines that only one has, as (side, line, index)."""
    a, b = [loose(x) for x in real], [loose(x) for x in ours]
    found = []
    for _, i, j, k, m in blocks(a, b):
        if "llvm" not in title and j - i == m - k and all(
                is_first(a, b[k + n], i + n) for n in range(j - i)):
            found += [("first", real[n], n) for n in range(i, j)]
            continue
        found += [("-", real[n], n) for n in range(i, j)]
        found += [("+", ours[n], n) for n in range(k, m)]
    # A line that moved is the same line.
    for side, line, n in list(found):
        twin = [x for x in found if x[0] == "+" and x[1] == line]
        if side == "-" and twin:
            found.remove((side, line, n))
            found.remove(twin[0])
    return found


def compare(title, real, ours, seen):
    """Print the differences.  Returns the number of those without reason."""
    bad = 0
    for side, line, _ in differences(title, real, ours):
        why = FIRST if side == "first" else reason(title, side, line)
        if why is None:
            print(f"{title}: UNEXPLAINED {side} {line[:150]}")
            bad += 1
        elif why not in seen:
            print(f"{title}: {why}")
            seen.add(why)
    return bad


def read(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def names_of(folder):
    return sorted(f[:-5] for f in os.listdir(folder) if f.endswith(".argv"))


class Replay:
    def __init__(self, data, links, scratch):
        self.data, self.links, self.scratch = data, links, scratch
        self.root = os.path.join(scratch, "t") + "/"
        shutil.copytree(os.path.join(data, "bin"), self.root)
        os.makedirs(self.root + "odd dir")
        shutil.copy(self.root + "shapes", self.root + "odd dir/sha pes")
        with lzma.open(self.root + "hot.xz") as file:
            with open(self.root + "hot", "wb") as to:
                shutil.copyfileobj(file, to)

    def command(self, base):
        argv = read(base + ".argv").split("\n")[:-1]
        tool = re.sub(r"-\d+$", "", os.path.basename(argv[0]))
        return [os.path.join(self.links, tool)] + [
            self.root + a[3:] if a.startswith("/t/") else a
            for a in argv[1:]]

    def environment(self, name):
        """shapes, shapes.nodebug and shapes.stripped have one build ID: what
        one client put into the cache would answer for the next one."""
        return {**os.environ, "XDG_CACHE_HOME":
                os.path.join(self.scratch, "cache", name.replace("/", "-"))}

    def batch(self, folder, name):
        base = os.path.join(self.data, folder, name)
        command = self.command(base)
        text = read(base + ".stdin").replace("/t/", self.root)
        done = subprocess.run(command, input=text.encode(),
                              capture_output=True, cwd=self.root,
                              timeout=4 * PATIENCE, check=False,
                              env=self.environment(folder + "/" + name))
        status = int(read(base + ".rc") or 0)
        title = f"{folder}/{name}"
        if done.returncode != status:
            print(f"{title}: status {done.returncode}, not {status}")
            return 1
        if any(x in command for x in ("--help", "--version", "--bogus")):
            return 0
        return compare(title, normal(read(base + ".stdout"), "/t/"),
                       normal(done.stdout.decode(), self.root), set())

    def batches(self, folders):
        bad = count = 0
        for folder in folders:
            for name in names_of(os.path.join(self.data, folder)):
                base = os.path.join(self.data, folder, name)
                if not os.path.exists(base + ".dialog"):
                    count += 1
                    bad += self.batch(folder, name)
        print(f"{count} batches")
        return bad

    def folders(self):
        for home, _, files in sorted(os.walk(self.data)):
            if any(f.endswith(".argv") for f in files):
                yield os.path.relpath(home, self.data)

    def dialogs(self):
        bad = count = 0
        for folder in self.folders():
            for name in names_of(os.path.join(self.data, folder)):
                base = os.path.join(self.data, folder, name)
                if os.path.exists(base + ".dialog"):
                    for split in ("whole", "halves"):
                        count += 1
                        bad += self.dialog(folder, name, split)
        print(f"{count} dialogs")
        return bad

    def dialog(self, folder, name, split):
        base = os.path.join(self.data, folder, name)
        title = f"{folder}/{name}"
        with subprocess.Popen(self.command(base), stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, cwd=self.root,
                              env=self.environment(title)) as child:
            client = Client(child)
            bad = 0
            seen = set()
            names_modules = "symbolizer" in child.args[0]
            for sent, wanted in exchanges(read(base + ".dialog")):
                own = "/t/" in sent or not names_modules
                client.send(sent.replace("/t/", self.root) if own else
                            re.sub(r'"[^"]*"', '"/nothing"', sent), split)
                got = client.lines([""] if names_modules else wanted[-2:],
                                   len(wanted) if own else 0)
                if got is None:
                    print(f"{title}: no answer to {sent!r}")
                    child.kill()
                    return 1
                if own and split == "whole":
                    bad += compare(title, normal("\n".join(wanted), "/t/"),
                                   normal("\n".join(got), self.root), seen)
            child.stdin.close()
            rest = child.stdout.read()
            if rest or child.wait() != 0:
                print(f"{title}: {rest!r} after the end, status "
                      f"{child.returncode}")
                bad += 1
        return bad


def exchanges(text):
    sent, wanted = [], []
    for line in text.split("\n"):
        if line.startswith("> "):
            if wanted:
                yield "\n".join(sent) + "\n", wanted
                sent, wanted = [], []
            sent.append(line[2:])
        elif line.startswith("< "):
            wanted.append(line[2:])
    if wanted:
        yield "\n".join(sent) + "\n", wanted


class Client:
    """One end of the pipes of a co-process."""
    def __init__(self, child):
        self.child = child
        self.buffer = b""

    def send(self, text, split):
        data = text.encode()
        half = len(data) // 2 if split == "halves" else len(data)
        for part in (data[:half], data[half:]):
            if part:
                self.child.stdin.write(part)
                self.child.stdin.flush()

    def lines(self, end, count):
        """COUNT lines, and more up to lines like END, by which clients know the
        end of an answer.  None if they do not come."""
        while True:
            lines = [x.decode() for x in self.buffer.split(b"\n")]
            for n in range(max(count, len(end)), len(lines)):
                if lines[n - len(end):n] == end or end[-1] not in ("", "??:0"):
                    self.buffer = "\n".join(lines[n:]).encode()
                    return lines[:n]
            ready, _, _ = select.select([self.child.stdout], [], [], PATIENCE)
            more = os.read(self.child.stdout.fileno(), 65536) if ready else b""
            if not more:
                return None
            self.buffer += more


def main():
    what, data, links, scratch = sys.argv[1:]
    replay = Replay(os.path.abspath(data), os.path.abspath(links),
                    os.path.abspath(scratch))
    if what == "probes":
        bad = replay.batches(["probe"])
    elif what == "batches":
        bad = replay.batches([f for f in replay.folders() if f != "probe"])
    else:
        bad = replay.dialogs()
    return 1 if bad else 0


sys.exit(main())
