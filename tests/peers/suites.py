# SPDX-License-Identifier: MIT
"""The suites: which checkout each needs, and how it is run."""

import bisect
import bz2
import glob
import os
import re
import shutil
import subprocess

import lit


def system_tools():
    """Folders of the newest LLVM of the system that has each tool."""
    folders = glob.glob("/usr/lib/llvm-[0-9]*/bin")
    return sorted(folders, key=lambda f: -int(f.split("-")[1].split("/")[0]))


class Llvm:
    folder = "llvm-project"
    source = "github.com/llvm/llvm-project"
    # What neither the machine nor our programs have.
    refused = ["system-windows", "diasdk", "darwin", "asserts", "debuginfod"]

    @staticmethod
    def environments(work, options):
        """With our programs before LLVM's in the PATH, the same with another
        FileCheck, and without both."""
        bin_ = os.path.join(work, "bin")
        os.mkdir(bin_)
        for name in ("llvm-symbolizer", "llvm-addr2line"):
            os.symlink(f"{options.build}/gsym-lookup", f"{bin_}/{name}")
        for name in ("llvm-gsymutil", "llvm-xray"):
            os.symlink(f"{options.here}/{name}", f"{bin_}/{name}")
        path = os.pathsep.join(options.tools + [os.environ["PATH"]])
        environment = {
            "PATH": path, "HOME": work, "XDG_CACHE_HOME": f"{work}/cache",
            "LC_ALL": "C", "GSYM_BUILD": options.build,
            "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", ""),
        }
        for name, program in (("GSYMUTIL", "llvm-gsymutil"),
                              ("FILECHECK", "FileCheck")):
            environment[name] = shutil.which(program, path=path) or "false"
        return [dict(environment, PATH=os.pathsep.join(folders + [path]))
                for folders in ([bin_], [bin_, f"{options.here}/loose"], [])]

    def run(self, checkout, work, options, judge):
        environments = self.environments(work, options)
        for path, name in lit.find(checkout):
            if options.only not in name:
                continue
            for line in lit.run_test(path, name, f"{work}/t", environments,
                                     self.refused):
                judge.result(self.group(line), line.name, line.status,
                             f"{line.command}\n{line.said}")

    @staticmethod
    def group(line):
        for folder in lit.FOLDERS:
            if line.test.startswith(folder + "/"):
                return folder
        return line.test


class Addr2line:
    """A suite of a program that is called as addr2line is."""

    @staticmethod
    def run_one(work, options, arguments, folder):
        """What gsym-lookup as addr2line writes."""
        program = f"{work}/addr2line"
        if not os.path.lexists(program):
            os.symlink(f"{options.build}/gsym-lookup", program)
        done = subprocess.run(
            [program, *arguments], cwd=folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
            encoding="utf-8", errors="replace", env={
                "PATH": os.environ["PATH"], "HOME": work, "LC_ALL": "C",
                "XDG_CACHE_HOME": f"{work}/cache"})
        return done.stdout

    def judge(self, judge, group, name, got, want):
        """Compare the texts GOT and WANT, and show the first lines that
        differ."""
        lines = zip(got.splitlines() + ["(end)"], want.splitlines() + ["(end)"])
        pair = next((p for p in lines if p[0] != p[1]), ("", ""))
        judge.result(group, name, "passed" if got == want else "failed",
                     f"ours: {pair[0]}\nit wants: {pair[1]}")


class Gimli(Addr2line):
    """Its tests list all rows of a program (--all), and ours has one row for
    several of one place: so it is asked for the addresses that are listed."""
    folder = "addr2line"
    source = "github.com/gimli-rs/addr2line, and object-testfiles beside it"

    @staticmethod
    def addresses(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            return re.findall(r"^0x[0-9a-f]+", file.read(), re.M)

    def run(self, checkout, work, options, judge):
        inputs = os.path.join(checkout, "testinput")
        if not os.path.isdir(f"{inputs}/dwarf"):
            inputs = os.path.join(checkout, "..", "object-testfiles")
        outputs = os.path.join(checkout, "testoutput")
        base = f"{inputs}/dwarf/base-gcc-g2"
        runs = [(f"dwarf/{name}", f"{inputs}/dwarf/{name}",
                 ["-afi"] + self.addresses(f"{outputs}/dwarf/{name}"))
                for name in sorted(os.listdir(f"{outputs}/dwarf"))]
        listed = self.addresses(f"{outputs}/flags/base-a")
        for name in sorted(os.listdir(f"{outputs}/flags")):
            flags = name.removeprefix("base")
            if re.fullmatch("-[aipsf]+", flags):
                runs.append((f"flags/{name}", base, [flags] + listed))
            elif name.endswith("-issue-352"):
                runs.append((f"flags/{name}", f"{inputs}/dwarf/base-gcc-split",
                             ["-afi", "0x1060"]))
        for name, path, flags in runs:
            if options.only not in name:
                continue
            if not os.path.exists(path):
                judge.result("addr2line of gimli", name, "not run",
                             f"there is no {path}")
                continue
            with open(f"{outputs}/{name}", encoding="utf-8",
                      errors="replace") as file:
                want = file.read()
            got = self.run_one(work, options, ["--exe", path, *flags], work)
            self.judge(judge, "addr2line of gimli", name, got, want)


class Elfutils(Addr2line):
    """Commands of eu-addr2line in scripts, each with its output behind it."""
    folder = "elfutils"
    source = "the sources of elfutils, from sourceware.org/elfutils"
    command = re.compile(r"^testrun_compare \S*/src/addr2line (.*?) *"
                         r"<< *\\?EOF\n(.*?)^EOF$", re.M | re.S)

    def run(self, checkout, work, options, judge):
        for path in sorted(glob.glob(f"{checkout}/tests/run-addr2line-*.sh")):
            with open(path, encoding="utf-8") as file:
                script = re.sub(r"\\\n", "", file.read())
            for name in re.findall(r"^testfiles (.*)", script, re.M):
                for file in name.split():
                    with open(f"{checkout}/tests/{file}.bz2", "rb") as packed, \
                            open(f"{work}/{file}", "wb") as plain:
                        plain.write(bz2.decompress(packed.read()))
            for i, found in enumerate(self.command.findall(script)):
                name = f"{os.path.basename(path)} {i + 1}"
                if options.only not in name:
                    continue
                if "$" in found[0]:
                    judge.result("eu-addr2line", name, "not run",
                                 "it needs eu-strip")
                    continue
                got = self.run_one(work, options, found[0].split(), work)
                self.judge(judge, "eu-addr2line", name, got, found[1])


class Claims:
    """A set of ranges, of which those that were added first are kept."""

    def __init__(self):
        self.starts, self.ends = [], []

    def has(self, address):
        i = bisect.bisect_right(self.starts, address)
        return i > 0 and address < self.ends[i - 1]

    def add(self, start, end):
        """Add what is not there yet of START to END."""
        while start < end:
            i = bisect.bisect_right(self.starts, start)
            if i and start < self.ends[i - 1]:
                start = self.ends[i - 1]
                continue
            stop = min([end] + self.starts[i:i + 1])
            self.starts.insert(i, start)
            self.ends.insert(i, stop)
            start = stop


class Breakpad:
    """Line records of the .sym files that Breakpad's tests read: at the first
    address of each, file and line of the innermost call are those of the
    record."""
    folder = "breakpad"
    source = "github.com/google/breakpad"

    line = re.compile(r"([0-9a-f]+) ([0-9a-f]+) (\d+) (\d+)\s*$")
    function = re.compile(r"FUNC (?:m )?([0-9a-f]+) ([0-9a-f]+) ")

    def records(self, path):
        """[(address, file, line)] of the lines that count: within the function
        that they are of, where no earlier function or line has claimed the
        address."""
        files, found, claimed, lines = {}, [], Claims(), Claims()
        start = end = 0
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            for text in file:
                words = text.rstrip("\r\n").split(" ", 2)
                if words[0] == "FILE" and len(words) == 3:
                    files[words[1]] = words[2]
                function = self.function.match(text)
                record = self.line.match(text)
                if function:
                    claimed.add(start, end)
                    lines = Claims()
                    start = int(function.group(1), 16)
                    end = start + int(function.group(2), 16)
                elif record:
                    address, size = (int(w, 16) for w in record.groups()[:2])
                    if size and start <= address < end and \
                            not claimed.has(address) and \
                            not lines.has(address):
                        found.append((address, record.group(4),
                                      int(record.group(3))))
                    lines.add(address, address + size)
        return [(a, files.get(f, "??"), n) for a, f, n in found]

    @staticmethod
    def answers(options, gsym, addresses):
        """{address: (file, line)} of the innermost calls."""
        done = subprocess.run(
            [f"{options.build}/as_llvm", gsym], check=False,
            input="".join(f"{a:#x}\n" for a in addresses),
            stdout=subprocess.PIPE, encoding="utf-8", errors="surrogateescape")
        found = {}
        for block in done.stdout.split("\n\n"):
            place = re.match(r"(0x\w+): .*? @ (.*):(\d+)(?: \[inlined\])?$",
                             block.split("\n")[0])
            if place:
                found[int(place.group(1), 16)] = (place.group(2),
                                                  int(place.group(3)))
        return found

    def run(self, checkout, work, options, judge):
        for path in sorted(glob.glob(f"{checkout}/**/*.sym", recursive=True)):
            name = os.path.relpath(path, checkout)
            records = self.records(path) if options.only in name else []
            if not records:
                continue
            gsym = f"{work}/out.gsym"
            made = subprocess.run(
                [f"{options.build}/gsym-create", "-q", "-o", gsym, path],
                check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                encoding="utf-8", errors="replace")
            found = {} if made.returncode else \
                self.answers(options, gsym, [r[0] for r in records])
            good = [found.get(r[0]) == r[1:] for r in records]
            wrong = [f"{r[0]:#x}: {found.get(r[0])}, not {r[1:]}"
                     for r, same in zip(records, good) if not same]
            judge.result(".sym files of breakpad", name,
                         "failed" if wrong else "passed",
                         f"{len(wrong)} of {len(records)} records\n"
                         + made.stdout + "\n".join(wrong[:10]))
            judge.rows["their line records"]["passed"] += sum(good)
            judge.rows["their line records"][
                "by design" if name in judge.expected else "failed"
            ] += len(wrong)


SUITES = {"llvm": Llvm(), "gimli": Gimli(), "elfutils": Elfutils(),
          "breakpad": Breakpad()}
