# SPDX-License-Identifier: MIT
"""What the programs of bench/ share: the tools of a build, fixed jobs for them,
and the count of the instructions of a job."""
import lzma
import os
import re
import shutil
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def fail(text):
    """End with a message that begins with the name of the program."""
    sys.exit("bench/%s: %s" % (os.path.basename(sys.argv[0]), text))


def data(name):
    return os.path.join(TOP, "testdata", name)


def need_tools(build, *tools):
    """End unless the folder BUILD has all TOOLS."""
    for tool in tools:
        if not os.access(os.path.join(build, tool), os.X_OK):
            fail("%s was not built in %s; run ./quickstart, or name a folder "
                 "with --build" % (tool, build))


def need_programs(**packages):
    """End unless the programs that PACKAGES names, each with its package of
    Debian, are installed; "_" stands for "-" in names of programs."""
    for name, package in packages.items():
        program = name.replace("_", "-")
        if not shutil.which(program):
            fail("%s is not installed (Debian: %s)" % (program, package))


class Build:
    """The tools of the folder FOLDER."""

    def __init__(self, folder):
        self.folder, self.starts = os.path.abspath(folder), {}
        self.environ = dict(os.environ, LC_ALL="C",
                            LD_LIBRARY_PATH=os.path.join(self.folder,
                                                         ".libs"))

    def tool(self, name):
        """The program NAME; not the script that libtool may put before it."""
        for folder in (os.path.join(self.folder, ".libs"), self.folder):
            path = os.path.join(folder, name)
            if os.access(path, os.X_OK):
                with open(path, "rb") as file:
                    if file.read(4) == b"\x7fELF":
                        return path
        return fail("%s was not built in %s; run ./quickstart, or name a "
                    "folder with --build" % (name, self.folder))

    def instructions(self, name, arguments, stdin=os.devnull):
        """Instructions of a run of the tool NAME, as valgrind counts them."""
        with open(stdin, "rb") as source:
            done = subprocess.run(
                ["valgrind", "--tool=callgrind",
                 "--callgrind-out-file=/dev/null", self.tool(name),
                 *arguments], stdin=source, stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE, text=True, errors="replace",
                env=self.environ, check=False)
        found = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode or not found:
            fail("%s %s:\n%s" % (name, " ".join(arguments), done.stderr))
        return int(found.group(1))

    def count(self, job):
        """Instructions of JOB, without those of the dynamic linker."""
        name, arguments, stdin = job
        if name not in self.starts:
            self.starts[name] = self.instructions(name, ["--version"])
        return (self.instructions(name, arguments, stdin) -
                self.starts[name])


def small_jobs(build, work):
    """The jobs of bench/guard, {name: (tool, arguments, standard input)}, whose
    files BUILD makes in the folder WORK."""
    def path(name):
        return os.path.join(work, name)

    with lzma.open(data("personalities/bin/hot.xz")) as packed:
        with open(path("hot"), "wb") as file:
            file.write(packed.read())
    subprocess.run([build.tool("gsym-create"), "--quiet", "-o",
                    path("shapes.gsym"), data("xray/bin/shapes")],
                   env=build.environ, check=True)
    with open(path("addresses"), "w", encoding="utf-8") as file:
        for i in range(20000):
            file.write("%#x\n" % (0x401000 + i * 7919 % 0x12000))
    convert = ["--quiet", "-j1", "-o", path("out")]

    def create(*arguments):
        return "gsym-create", convert + list(arguments), os.devnull

    return {
        "convert C++": create(data("xray/bin/shapes")),
        "convert C++, all content": create(
            "--merged-functions", "--dwarf-callsites", "--data-symbols",
            path("hot")),
        "convert C++ with libdwarf": create("--reader=libdwarf",
                                            data("xray/bin/dso_main")),
        "convert Go's table": create(data("go/gosample-amd64")),
        "convert Breakpad": create(data("breakpad/long_name.sym")),
        "look addresses up": ("gsym-lookup", [path("shapes.gsym")],
                              path("addresses")),
        "verify a file": ("gsym-dump", ["--verify", path("shapes.gsym")],
                          os.devnull),
        "filter a log": ("gsym-markup", [data("logs/mixed/mixed.log")],
                         os.devnull),
    }


def log_jobs(build, work):
    """Jobs of gsym-markup --logs, of the logs of testdata/logs repeated."""
    kernel = os.path.join(work, "vmlinux.gsym")
    subprocess.run([build.tool("gsym-create"), "--quiet", "-o", kernel,
                    data("logs/kernel/vmlinux.sym")], env=build.environ,
                   check=True)
    jobs = {}
    for kind, name, options in (
            ("kernel", "kernel/hung", ["--kernel=" + kernel]),
            ("glibc", "glibc/trace", ["--symbols=" + data("logs/gcc")]),
            ("sanitizers", "sanitizer/asan-uaf",
             ["--gsym-file-directory=" + data("logs/ids")]),
            ("text", "ordinary/text", ["--symbols=" + data("logs/gcc")])):
        path = os.path.join(work, kind + ".log")
        with open(data("logs/%s.log" % name), "rb") as log:
            text = log.read()
        with open(path, "wb") as log:
            log.write(text * (1 + 500000 // len(text)))
        jobs["--logs, " + kind] = (
            "gsym-markup", ["--logs", "--debug-file-directory=none",
                            *options, path], os.devnull)
    return jobs
