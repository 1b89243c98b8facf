# SPDX-License-Identifier: MIT
"""The programs that print backtraces, for bench/producers.

Each function with @producer yields rows; a new producer is one more function.
A row is made with producer.c, producer.rs or producer.go of testdata/logs/src,
whose functions leaf, middle and main are on the stack.
"""
import dataclasses
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import typing

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCES = os.path.join(TOP, "testdata", "logs", "src")
FLAGS = ["-g", "-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls",
         "-Wl,--build-id"]
PRODUCERS = []


@dataclasses.dataclass
class Row:
    """One kind of log: how its program is built, and how it is printed."""
    name: str
    version: str
    get: typing.Callable = None     # the log, of the path of the program
    mark: str = ""                  # the word in the line of leaf
    build: typing.Callable = None   # make the program of a source at a path
    options: tuple = ()             # of gsym-markup
    source: str = "producer.c"
    target: str = "producer"        # the file that is built
    skipped: str = ""               # why it cannot be run here
    named: bool = False             # the log has the places itself
    frames: int = 3                 # of leaf, middle and main, in this order
    recorded: str = ""              # a log of testdata/logs with its answers


def producer(function):
    PRODUCERS.append(function)
    return function


def run(command, **more):
    """What COMMAND writes to standard output and standard error."""
    more["env"] = dict(os.environ, **more.get("env", {}))
    return subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True,
                          errors="replace", timeout=300, check=False,
                          stdin=subprocess.DEVNULL, **more).stdout


def version_of(*command):
    found = re.search(r"\d+\.\d+(\.\d+)*", run(list(command)))
    return found.group(0) if found else "?"


def compiled(*flags, compiler="cc"):
    """Build a program of C with FLAGS."""
    def build(source, path):
        return run([compiler, *FLAGS, *flags, "-o", path, source, "-lpthread"],
                   cwd=os.path.dirname(path))
    return build


def library(*flags, hook=""):
    """Build a library of C, and of the text HOOK, which sets hook()."""
    def build(source, path):
        folder = os.path.dirname(path)
        shutil.copy(os.path.join(SOURCES, "library.c"), folder)
        with open(os.path.join(folder, "hook.c"), "w",
                  encoding="utf-8") as text:
            text.write(hook)
        return run(["cc", *FLAGS, "-shared", "-fPIC", *flags, "-o", path,
                    "library.c", "hook.c", "-lpthread"], cwd=folder)
    return build


def hooked(hook, *flags):
    """Build a program of C and of the text HOOK in C++, which sets hook()."""
    def build(source, path):
        folder = os.path.dirname(path)
        with open(os.path.join(folder, "hook.cpp"), "w",
                  encoding="utf-8") as text:
            text.write(hook)
        return run(["cc", *FLAGS, "-c", source], cwd=folder) + run(
            ["c++", *FLAGS, "-o", path, "hook.cpp", "producer.o", *flags,
             "-lpthread"], cwd=folder)
    return build


def plain(how, *before, **env):
    """Run the program, behind the words BEFORE, with the word HOW."""
    return lambda path: run([*before, path, how], env=env)


def needs(name, program, package):
    """A row that says that PROGRAM is missing; None if it is there."""
    if shutil.which(program):
        return None
    return Row(name, "", skipped="%s is not installed (%s)"
               % (program, package))


@producer
def glibc():
    version = version_of("ldd", "--version")
    yield Row("glibc, PIE", version, plain("symbols"), "SYMBOLS", compiled())
    yield Row("glibc, without PIE", version, plain("symbols"), "SYMBOLS",
              compiled("-no-pie", "-fno-pie"))
    yield Row("glibc, -rdynamic", version, plain("symbols_fd"), "FD",
              compiled("-rdynamic"))


@producer
def strace():
    def traced(path):
        log = os.path.join(os.path.dirname(path), "strace")
        run(["strace", "-k", "-o", log, "-e", "trace=write,writev", path,
             "symbols_fd"])
        with open(log, encoding="utf-8", errors="replace") as text:
            return text.read()

    missing = needs("strace -k", "strace", "Debian: strace")
    if missing:
        yield missing
        return
    version = version_of("strace", "-V")
    for name, flags in (("PIE", ()), ("-rdynamic", ("-rdynamic",)),
                        ("without PIE", ("-no-pie", "-fno-pie"))):
        yield Row("strace -k, " + name, version, traced, "FD",
                  compiled(*flags))


def waiting(path, command):
    """The output of COMMAND, which looks at a program while it waits, and the
    lines of its memory."""
    child = subprocess.Popen([path, "wait"], stdout=subprocess.DEVNULL)
    time.sleep(0.5)
    with open("/proc/%d/maps" % child.pid, encoding="utf-8") as maps:
        memory = maps.read()
    text = run([word.replace("PID", str(child.pid)) for word in command])
    child.send_signal(signal.SIGTERM)
    child.wait()
    return text, memory


@producer
def gdb():
    def debugged(path):
        text, memory = waiting(path, ["gdb", "-q", "-batch", "-nx", "-ex",
                                      "bt", "-p", "PID"])
        return memory + text

    yield needs("gdb with maps", "gdb", "Debian: gdb") or Row(
        "gdb with maps", version_of("gdb", "--version"), debugged, "WAIT",
        compiled(), ("--logs=maps",))


@producer
def eu_stack():
    def stacked(*flags):
        return lambda path: "".join(reversed(waiting(
            path, ["eu-stack", *flags, "-p", "PID"])))

    missing = needs("eu-stack", "eu-stack", "Debian: elfutils")
    if missing:
        yield missing
        return
    version = version_of("eu-stack", "--version")
    yield Row("eu-stack -b", version, stacked("-b"), "WAIT", compiled())
    yield Row("eu-stack with maps", version, stacked(), "WAIT", compiled(),
              ("--logs=maps",))


@producer
def valgrind():
    yield needs("valgrind with maps", "valgrind", "Debian: valgrind") or Row(
        "valgrind with maps", version_of("valgrind", "--version"),
        plain("segv", "valgrind", PRODUCER_MAPS="1"), "SEGV", compiled(),
        ("--logs=maps",))


def sanitizer(compiler, label, kind, how, more=()):
    settings = {"UBSAN_OPTIONS": "symbolize=0:print_stacktrace=1"}
    for word in ("ASAN", "TSAN", "MSAN", "HWASAN"):
        settings[word + "_OPTIONS"] = "symbolize=0"
    return Row("%s -fsanitize=%s" % (label, kind),
               version_of(compiler, "--version"), plain(how, **settings),
               how.upper(), compiled("-fsanitize=" + kind, *more,
                                     compiler=compiler))


KINDS = (("address", "overflow"), ("undefined", "shift"), ("thread", "segv"))


@producer
def gcc_sanitizers():
    for kind, how in KINDS:
        yield sanitizer("cc", "gcc", kind, how)
    for form in ("#%n %f %s:%l:%c %M", "%n %p %M"):
        row = sanitizer("cc", "gcc", "address", "overflow")
        row.name = "gcc, stack_trace_format '%s'" % form
        row.get = plain("overflow", ASAN_OPTIONS="symbolize=0:"
                        "stack_trace_format='%s'" % form)
        yield row


@producer
def clang_sanitizers():
    for number in (14, 19, 22):
        compiler = "clang-%d" % number
        missing = needs("clang %d, sanitizers" % number, compiler, "Debian: "
                        "%s, libclang-rt-%d-dev" % (compiler, number))
        if missing:
            yield missing
            continue
        for kind, how in (*KINDS, ("memory", "unset"),
                          ("hwaddress", "overflow")):
            # Without this flag it needs a processor that ignores tags.
            yield sanitizer(
                compiler, "clang", kind, how,
                ("-fsanitize-hwaddress-experimental-aliasing",)
                if kind == "hwaddress" and os.uname().machine == "x86_64"
                else ())


PRINT_ON_ERROR = "_ZN4llvm3sys28PrintStackTraceOnErrorSignalENS_9StringRefEb"


@producer
def llvm():
    """The handler of LLVM's programs."""
    hook = """#include <cstddef>
extern "C" void print(const char *, size_t, bool) __asm__("%s");
__attribute__((constructor)) void set() { print("", 0, false); }
""" % PRINT_ON_ERROR
    for number in (14, 19, 22):
        folder = "/usr/lib/llvm-%d/lib" % number
        files = [file for file in (
            os.path.join(folder, "libLLVM-%d.so" % number),
            "/usr/lib/x86_64-linux-gnu/libLLVM.so.%d.1" % number)
            if os.path.exists(file)]
        if not files:
            yield Row("LLVM's handler of crashes", str(number), skipped="no "
                      "libLLVM (Debian: libllvm%d)" % number)
            continue
        # Newer versions of the handler print addresses alone.
        maps = number > 14
        yield Row("LLVM's handler of crashes" + (", with maps" if maps else ""),
                  str(number), plain("segv", LLVM_DISABLE_SYMBOLIZATION="1",
                                     **{"PRODUCER_MAPS": "1"} if maps else {}),
                  "SEGV", hooked(hook, files[0], "-Wl,-rpath," + folder),
                  ("--logs=maps",) if maps else ())


@producer
def jvm():
    def crashed(path):
        folder = os.path.dirname(path)
        log = os.path.join(folder, "hs_err.log")
        with open(os.path.join(folder, "Load.java"), "w",
                  encoding="utf-8") as text:
            text.write("public class Load { public static void main(String[] "
                       "a) { System.load(a[0]); } }\n")
        run(["java", "-XX:ErrorFile=" + log, "Load.java", path], cwd=folder,
            env={"PRODUCER": "segv"})
        with open(log, encoding="utf-8", errors="replace") as text:
            return text.read()

    missing = needs("JVM, hs_err", "javac", "Debian: default-jdk-headless")
    if missing:
        yield missing
        return
    for name, flags in (("", ("-fvisibility=hidden",)),
                        (", names exported", ())):
        yield Row("OpenJDK, hs_err" + name, version_of("java", "-version"),
                  crashed, "SEGV", library(*flags), target="libproducer.so")


def libraries_of(program):
    """The folders of LD_LIBRARY_PATH, and those beside PROGRAM."""
    return os.path.dirname(os.path.dirname(os.path.realpath(program)))


@producer
def mariadb():
    """The server loads the library as a plugin."""
    def crashed(path):
        folder = os.path.dirname(path)
        server = shutil.which("mariadbd")
        messages = os.path.join(libraries_of(server), "share/mysql/english")
        os.mkdir(os.path.join(folder, "data"))
        return run([server, "--no-defaults", "--user=root",
                    "--datadir=" + folder + "/data", "--plugin-dir=" + folder,
                    "--plugin-load-add=" + os.path.basename(path),
                    "--lc-messages-dir=" + messages,
                    "--socket=" + folder + "/socket", "--skip-networking"],
                   env={"PRODUCER": "segv"})

    missing = needs("MariaDB", "mariadbd", "Debian: mariadb-server-core")
    if missing:
        yield missing
        return
    version = version_of("mariadbd", "--version")
    for name, flags in (("", ("-fvisibility=hidden",)),
                        (", names exported", ())):
        yield Row("MariaDB" + name, version, crashed, "SEGV",
                  library(*flags), target="libproducer.so")


@producer
def ceph():
    """The monitor loads the library to compute erasure codes."""
    def crashed(path):
        folder = os.path.dirname(path)
        # Nothing is sent: the monitor ends before it listens.
        monitor = ["ceph-mon", "-c", "/dev/null", "-i", "a", "--fsid",
                   "00000000-0000-4000-8000-000000000001", "--mon-host",
                   "127.0.0.1:16789", "--mon-data", folder + "/mon",
                   "--keyring", "/dev/null", "--erasure-code-dir", folder,
                   "--osd-erasure-code-plugins", "producer", "--run-dir",
                   folder, "--admin-socket=", "--log-file=", "--crash-dir=",
                   "--log-to-stderr", "true", "--err-to-stderr", "true"]
        for who in ("cluster", "service", "client"):
            monitor += ["--auth-%s-required" % who, "none"]
        os.mkdir(os.path.join(folder, "mon"))
        run(monitor + ["--mkfs"])
        return run(monitor + ["-d"], env={"PRODUCER": "segv"})

    missing = needs("Ceph", "ceph-mon", "Debian: ceph-mon")
    if missing:
        yield missing
        return
    version = version_of("ceph-mon", "--version")
    for name, flags in (("", ("-fvisibility=hidden",)),
                        (", names exported", ())):
        yield Row("Ceph" + name, version, crashed, "SEGV", library(*flags),
                  target="libec_producer.so")


@producer
def pytorch():
    """A program that prints c10::get_backtrace(), as PyTorch's errors do."""
    hook = """#include <cstdio>
#include <string>
namespace c10 { std::string get_backtrace(size_t, size_t, bool); }
extern "C" int (*hook)(void);
static int report()
{
	fputs(c10::get_backtrace(0, 64, false).c_str(), stderr);
	return 0;
}
__attribute__((constructor)) void set() { hook = report; }
"""
    files = []
    for folder in (*os.environ.get("LD_LIBRARY_PATH", "").split(":"),
                   "/usr/lib/x86_64-linux-gnu",
                   *(os.path.join(path, "torch/lib") for path in sys.path)):
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            if re.fullmatch(r"libc10\.so(\.\d+\.\d+)?", name):
                files.append(os.path.join(folder, name))
    if not files:
        yield Row("PyTorch", "", skipped="no libc10.so (Debian: libtorch1.13; "
                  "PyPI: torch)")
    for file in files:
        folder = os.path.dirname(file)
        version = re.search(r"\.so\.(.*)", file)
        if not version:
            with open(os.path.join(folder, "../version.py"),
                      encoding="utf-8") as text:
                version = re.search(r"__version__ = '([^'+]*)", text.read())
        for name, flags in (("", ()), (", -rdynamic", ("-rdynamic",))):
            yield Row("PyTorch, c10" + name,
                      version.group(1) if version else "?", plain("hook"),
                      "HOOK", hooked(hook, file, "-Wl,-rpath," + folder,
                                     *flags))


@producer
def python():
    """Python prints frames of C from 3.14 on."""
    interpreter = shutil.which("python3.14")
    if not interpreter:
        yield Row("Python, faulthandler", "", skipped="python3.14 is not "
                  "installed; older ones print no frames of C")
        return
    script = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"
    yield Row("Python, faulthandler", version_of(interpreter, "--version"),
              lambda path: run([interpreter, "-X", "faulthandler", "-c",
                                script, path], env={"PRODUCER": "segv"}),
              "SEGV", library("-fvisibility=hidden"), target="libproducer.so")


@producer
def node():
    """A library ends Node by an error of its own."""
    hook = """extern int (*hook)(void);
void napi_fatal_error(const char *, unsigned long, const char *,
		      unsigned long);
static int report(void)
{
	napi_fatal_error("producer", 8, "ends", 4);
	return 0;
}
__attribute__((constructor(101))) static void set(void) { hook = report; }
"""
    script = "process.dlopen({exports: {}}, process.argv[1])"
    yield needs("Node with maps", "node", "Debian: nodejs") or Row(
        "Node with maps", version_of("node", "--version"),
        lambda path: run(["node", "-e", script, path],
                         env={"PRODUCER": "hook", "PRODUCER_MAPS": "1"}),
        "HOOK", library("-fvisibility=hidden", hook=hook), ("--logs=maps",),
        target="libproducer.so")


@producer
def rust():
    def build(source, path):
        return run(["rustc", "-g", "-C", "opt-level=1", "-o", path, source],
                   cwd=os.path.dirname(path))

    yield needs("Rust with maps", "rustc", "Debian: rustc") or Row(
        "Rust, RUST_BACKTRACE=full, with maps",
        version_of("rustc", "--version"),
        lambda path: run([path], env={"RUST_BACKTRACE": "full",
                                      "PRODUCER_MAPS": "1"}),
        "LEAF", build, ("--logs=maps",), source="producer.rs")


@producer
def golang():
    def build(source, path):
        folder = os.path.dirname(path)
        return run(["go", "build", "-o", path, source], cwd=folder,
                   env={"GOCACHE": os.path.join(folder, "cache")})

    yield needs("Go", "go", "Debian: golang-go") or Row(
        "Go", version_of("go", "version"), plain("x"), "LEAF", build,
        source="producer.go", named=True)


@producer
def perf():
    def scripted(path):
        data = os.path.join(os.path.dirname(path), "perf.data")
        # The access to address 0 in leaf is a page fault.
        run(["perf", "record", "-q", "-e", "page-faults", "-c", "1", "-g",
             "-o", data, path, "segv"])
        stacks = run(["perf", "script", "-i", data]).split("\n\n")
        return "".join(stack + "\n\n" for stack in stacks if "leaf" in stack)

    yield needs("perf script", "perf", "Debian: linux-perf") or Row(
        "perf script, -rdynamic", version_of("perf", "--version"), scripted,
        "SEGV", compiled("-rdynamic"))


@producer
def kernel_fault():
    def logged(path):
        # Only the last line is of this run.
        run([path, "segv"])
        lines = [line for line in run(["dmesg"]).splitlines()
                 if "producer[" in line and "segfault at" in line]
        return lines[-1] + "\n" if lines else ""

    yield needs("Linux, segfault at", "dmesg", "Debian: util-linux") or Row(
        "Linux, segfault at", os.uname().release.split("-")[0], logged,
        "SEGV", compiled(), frames=1)


# What needs another system: logs of testdata/logs, and the options for them, in
# which LOGS is that folder.
RECORDED = [
    ("Android, logcat", "recorded", "android/logcat-apk",
     "--gsym-file-directory=LOGS/ids"),
    ("Android, tombstone", "recorded", "android/tombstone-arm",
     "--symbols=LOGS/arm"),
    ("Android, Play console", "recorded", "android/play-console",
     "--gsym-file-directory=LOGS/ids"),
    ("systemd-coredump", "recorded", "systemd/coredump",
     "--gsym-file-directory=LOGS/ids"),
    ("ClickHouse", "addresses by hand", "clickhouse/trace",
     "--symbols=LOGS/gcc"),
    ("ESP-IDF", "addresses by hand", "backtrace/esp",
     "--module=LOGS/nopie/shapes.gsym"),
    ("ESP-IDF, registers of RISC-V", "addresses by hand", "backtrace/riscv",
     "--module=LOGS/nopie/shapes.gsym"),
    ("Seastar", "addresses by hand", "backtrace/seastar",
     "--symbols=LOGS/gcc --module=LOGS/nopie/shapes.gsym"),
    ("Seastar, a line each", "addresses by hand", "seastar/lines",
     "--symbols=LOGS/gcc --module=LOGS/nopie/shapes.gsym"),
    ("folly with maps", "addresses by hand", "maps/folly",
     "--logs=maps --symbols=LOGS/gcc"),
    ("minidump-stackwalk, functions without lines", "addresses by hand",
     "generic/stackwalk", "--symbols=LOGS/gcc"),
    ("minidump-stackwalk --json --pretty, three lines a frame", "0.27.0",
     "stackwalk/pretty", "--symbols=LOGS/gcc"),
]


@producer
def recorded():
    """What needs another system: the logs of testdata/logs."""
    for name, version, log, options in RECORDED:
        yield Row(name, version, recorded=log,
                  options=tuple(options.split()))
