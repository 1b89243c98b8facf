# SPDX-License-Identifier: MIT
"""Suites that are no command lines: tests of libraries in Go and Rust, which
hold tables of what an address is.  The addresses are looked up."""

import glob
import os
import re
import shutil
import struct
import subprocess

from suites import Addr2line


def ask(work, options, path, addresses):
    """{address: frames} by gsym-lookup as addr2line -fi of the program PATH.
    Frames are (function, file, line), the outermost first."""
    text = Addr2line.run_one(
        work, options, ["-afi", "-e", path] + [f"{a:#x}" for a in addresses],
        work)
    found = {}
    for block in re.split(r"^(?=0x[0-9a-f]+$)", text, flags=re.M):
        lines = block.splitlines()
        if not re.fullmatch("0x[0-9a-f]+", lines[0] if lines else ""):
            continue
        frames = []
        for name, place in zip(lines[1::2], lines[2::2]):
            place = re.sub(r" \(discriminator \d+\)$", "", place)
            file, _, line = place.rpartition(":")
            frames.insert(0, (name, file, line.replace("?", "0")))
        found[int(lines[0], 16)] = frames
    return found


def image_base(path):
    """The address that symbolic counts addresses of the program PATH from."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:5] == b"\x7fELF\2":
        at, = struct.unpack_from("<Q", data, 32)
        size, count = struct.unpack_from("<HH", data, 54)
        segments = [struct.unpack_from("<IIQQ", data, at + i * size)
                    for i in range(count)]
        return min([s[3] for s in segments if s[0] == 1] or [0])
    if data[:4] == b"\xcf\xfa\xed\xfe":
        at = data.find(b"__TEXT\0")
        return struct.unpack_from("<Q", data, at + 16)[0]
    if data[:2] == b"MZ":
        at = struct.unpack_from("<I", data, 60)[0] + 24
        if data[at:at + 2] == b"\x0b\2":
            return struct.unpack_from("<Q", data, at + 24)[0]
        return struct.unpack_from("<I", data, at + 28)[0]
    return 0


def one_name(name):
    """NAME, but constructors and destructors of whole objects and those of base
    classes, which often share their code, have one name."""
    return re.sub(r"([CD])[12](?=E)", r"\1x", name)


def base_name(path):
    return re.split(r"[/\\]", path)[-1]


class Table:
    """Lines of a table, each of which is a result of a suite."""

    def __init__(self, judge, group, name):
        self.judge, self.group, self.name = judge, group, name
        self.wrong, self.count = [], 0

    def check(self, address, got, want):
        self.count += 1
        if got != want:
            self.wrong.append(f"{address:#x}: {got}, not {want}")

    def end(self):
        """Count each line, and show the first that differ."""
        if not self.count:
            return
        row = self.judge.rows["lines of " + self.group]
        row["passed"] += self.count - len(self.wrong)
        row["by design" if self.name in self.judge.expected
            else "failed"] += len(self.wrong)
        self.judge.result(
            self.group, self.name, "failed" if self.wrong else "passed",
            f"{len(self.wrong)} of {self.count} lines\n"
            + "\n".join(self.wrong[:10]))


class Go:
    """The test of cmd/addr2line, and the line tables in that of debug/dwarf.
    The test program of the former is compiled, and the address of its test has
    to be the line that the test wants."""
    folder = "go"
    source = "github.com/golang/go, or link the folder of \"go env GOROOT\""
    rows = re.compile(r"\{Address: (0x[0-9a-f]+), (?:File: (\w+), Line: (\d+)"
                      r"|EndSequence: true)")

    def run(self, checkout, work, options, judge):
        self.run_addr2line(checkout, work, options, judge)
        folder = f"{checkout}/src/debug/dwarf"
        with open(f"{folder}/line_test.go", encoding="utf-8") as file:
            text = file.read()
        names = dict(re.findall(r'(\w+) +:?= &LineFile\{Name: "([^"]+)"\}',
                                text))
        for test in re.split(r"^func (?=Test)", text, flags=re.M):
            path = re.search(r'testLineTable\(.*"(testdata/[^"]+)"', test)
            name = "debug/dwarf " + test.split("(")[0]
            if path and options.only in name:
                table = Table(judge, "debug/dwarf of Go", name)
                self.run_lines(f"{folder}/{path.group(1)}", test, names, table,
                               work, options)

    def run_lines(self, path, test, names, table, work, options):
        """Each row that is the last one of its address."""
        want = {}
        for address, file, line in self.rows.findall(test):
            if file:
                want[int(address, 16)] = (base_name(names[file]), line)
        found = ask(work, options, path, want)
        for address, place in want.items():
            frames = found.get(address) or [("", "", "")]
            table.check(address,
                        (base_name(frames[-1][1]), frames[-1][2]), place)
        table.end()

    @staticmethod
    def run_addr2line(checkout, work, options, judge):
        group, name = "cmd/addr2line of Go", "cmd/addr2line"
        go = shutil.which("go")
        if options.only not in name:
            return
        with open(f"{checkout}/src/cmd/addr2line/addr2line_test.go",
                  encoding="utf-8") as file:
            text = file.read()
        symbol = re.search(r'symName = "(.*)"', text).group(1)
        line = re.search(r'want := "(\d+)"', text).group(1)
        program = f"{work}/addr2line_test"
        built = go and subprocess.run(
            [go, "test", "-c", "-o", program, "cmd/addr2line"], check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=dict(os.environ, GOFLAGS="-mod=mod"), cwd=work)
        if not go or built.returncode:
            judge.result(group, name, "not run",
                         built.stdout if go else "there is no go")
            return
        names = subprocess.run([go, "tool", "nm", program], check=True,
                               stdout=subprocess.PIPE, text=True).stdout
        address = re.search(rf"^ *(\w+) T {re.escape(symbol)}$", names,
                            re.M).group(1)
        for given in (address, "0x" + address):
            got = Addr2line.run_one(work, options, ["-f", "-e", program, given],
                                    work).splitlines() + ["", ""]
            good = got[0] == symbol and got[1].endswith(
                f"/addr2line_test.go:{line}")
            judge.result(group, f"{name} {given}",
                         "passed" if good else "failed", "\n".join(got))


class Symbolic:
    """Snapshots of its tests that list functions: of symbolic-debuginfo with
    lines and inlined calls, of symbolic-symcache with names alone."""
    folder = "symbolic"
    source = "github.com/getsentry/symbolic"
    fixture = re.compile(r'fixture\(\s*"([^"]+)"|snapshot!\(\s*"([^"]+)"')
    function = re.compile(r"( *)> (0x[0-9a-f]+): (.*) \(0x[0-9a-f]+\)$")
    line = re.compile(r"( *)(0x[0-9a-f]+): (.*):(\d+)(?: \(.*\))?$")
    symbol = re.compile(r" *([0-9a-f]+) (\S.*)$")

    def snapshots(self, checkout):
        """(name, path of the snapshot, path of the input)."""
        for test in sorted(glob.glob(f"{checkout}/symbolic-*/tests/*.rs")):
            stem, path = test[:-3], None
            with open(test, encoding="utf-8") as file:
                text = file.read()
            for found in self.fixture.findall(text):
                path = found[0] or path
                snap = os.path.join(
                    os.path.dirname(stem), "snapshots",
                    f"{os.path.basename(stem)}__{found[1]}.snap")
                if found[1] and "functions" in found[1] or \
                        found[1] == "overlapping_funcs":
                    yield (f"{os.path.relpath(stem, checkout)} {found[1]} "
                           f"{path}", snap,
                           f"{checkout}/symbolic-testutils/fixtures/{path}")

    def run(self, checkout, work, options, judge):
        for name, snap, path in self.snapshots(checkout):
            if options.only not in name or path.endswith(".symc"):
                continue
            if not os.path.exists(snap) or not os.path.exists(path):
                judge.result("snapshots of symbolic", name, "not run",
                             f"there is no {snap} or {path}")
                continue
            if path.endswith(".zst"):
                packed, path = path, f"{work}/unpacked"
                subprocess.run(["zstd", "-dqfo", path, packed], check=True)
            with open(snap, encoding="utf-8") as file:
                text = file.read().split("---\n", 2)[2]
            table = Table(judge, "snapshots of symbolic", name)
            rows = list(self.read_functions(text)) or \
                list(self.read_names(text))
            base = image_base(path)
            rows = [(base + r[0], r[1], r[2]) for r in rows]
            found = ask(work, options, path, [r[0] for r in rows])
            for address, depth, want in rows:
                frames = found.get(address, [])
                got = frames[depth] if depth < len(frames) else ("", "", "")
                got = (one_name(got[0]), base_name(got[1]), got[2])
                want = (one_name(want[0]),) + want[1:]
                # Without a linkage name ours has the namespace, too.
                if got[0].endswith("::" + want[0]):
                    got = want[:1] + got[1:]
                table.check(address, got[:len(want)], want)
            table.end()

    def read_functions(self, text):
        """(address, depth, (function, file, line)) of each line."""
        names = {}
        for line in text.splitlines():
            function = self.function.match(line)
            place = self.line.match(line)
            if function:
                names[len(function.group(1)) // 2] = function.group(3)
            elif place:
                depth = len(place.group(1)) // 2 - 1
                yield (int(place.group(2), 16), depth,
                       (names[depth], base_name(place.group(3)),
                        place.group(4)))

    def read_names(self, text):
        """(address, 0, (function,)) of each function."""
        for line in text.splitlines():
            found = self.symbol.match(line)
            if found:
                yield int(found.group(1), 16), 0, (found.group(2),)


SUITES = {"go": Go(), "symbolic": Symbolic()}
