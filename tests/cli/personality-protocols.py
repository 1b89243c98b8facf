#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Speak to addr2line and llvm-symbolizer as clients do that are not installed.

usage: personality-protocols.py PROGRAM LINKS [REAL]

PROGRAM is testdata/personalities/bin/shapes.  LINKS is a folder with our
programs, called addr2line and llvm-symbolizer; REAL is one with real programs,
of which one may be missing.  Each function of CLIENTS does what the
sources of one client do: it starts the program with the client's arguments,
writes what the client writes, reads as much as the client reads, and takes the
answer apart as the client does.  A client that reads more than it gets would
wait for ever, and ends here after PATIENCE seconds.  Prints what differs from
EXPECTED.  The real programs have to be understood in the same way, but for the
namespace of inlined functions, and the first name of binutils 2.40.
"""
import json
import re
import signal
import subprocess
import sys

PATIENCE = 30

# The addresses that are asked: in inlined calls, in a function, in no function.
INLINED, PLAIN, NOWHERE = 0x11ec, 0x1205, 0x10

FILE = "/t/shapes.cpp"
# What clients are to understand: (function, file, line), innermost first.
STEP = ("geo::step", FILE, 11)
WALK = ("geo::walk", FILE, 15)
HEAP, GLOBAL = ("heap(int)", FILE, 22), ("global(int)", FILE, 26)
MANGLED_HEAP, MANGLED_GLOBAL = ("_Z4heapi", FILE, 22), ("_Z6globali", FILE, 26)


class Tool:
    """A program with pipes, as the clients start it."""
    def __init__(self, path, *arguments):
        self.child = subprocess.Popen([path, *arguments], text=True,
                                      stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL)

    def write(self, text):
        self.child.stdin.write(text)
        self.child.stdin.flush()

    def line(self):
        """The next line, without its end.  No client expects the end of the
        output."""
        text = self.child.stdout.readline()
        if not text.endswith("\n"):
            raise ValueError("the output ends with %r" % text)
        return text[:-1]

    def close(self):
        # Most clients kill the program; one that ends by itself must not fail.
        self.child.stdin.close()
        rest = self.child.stdout.read()
        self.child.stdout.close()
        if self.child.wait() != 0 or rest:
            raise ValueError("status %d, %r after the last answer" %
                             (self.child.returncode, rest))


def output_of(path, *arguments):
    """For clients that start a process for each question."""
    return subprocess.run([path, *arguments], capture_output=True, text=True,
                          check=True, stdin=subprocess.DEVNULL).stdout


def place_of(text):
    """FILE:LINE, as most clients take it apart."""
    file, _, line = text.rpartition(":")
    return file, int(re.match(r"\d*", line).group() or 0)


def pytorch(links, program):
    """torch/csrc/profiler/unwind/unwind.cpp: all addresses are written, then
    two lines are read for each.  $TORCH_ADDR2LINE_BINARY is the program."""
    tool = Tool(links + "/addr2line", "-C", "-f", "-e", program)
    tool.write("".join("0x%x\n" % a for a in (INLINED, PLAIN, NOWHERE)))
    frames = []
    for _ in range(3):
        function, place = tool.line(), tool.line()
        file, _, line = place.rpartition(":")
        # std::stoi() throws without a digit.
        number = 0 if line == "?" else int(re.match(r"\d+", line).group())
        frames.append((function, file, number))
    tool.close()
    return frames


def perfetto(links, program):
    """src/profiling/symbolizer/local_symbolizer.cc: one line of JSON for each
    question."""
    tool = Tool(links + "/llvm-symbolizer", "--output-style=JSON")
    frames = []
    for address in INLINED, PLAIN, NOWHERE:
        tool.write('"%s" 0x%x\n' % (program, address))
        for symbol in json.loads(tool.line())["Symbol"]:
            frames.append((symbol["FunctionName"] or "??",
                           symbol["FileName"] or "??", symbol["Line"]))
    tool.close()
    return frames


def syzkaller(links, program):
    """pkg/symbolizer/addr2line.go: an address begins an answer, and the
    address 0xffffffffffffffff, of which three lines are read, ends the last
    one.  Frames without a place are left out."""
    tool = Tool(links + "/addr2line", "-afi", "-e", program)
    frames = []
    for addresses in (INLINED, PLAIN), (NOWHERE,):
        tool.write("".join("0x%x\n" % a for a in addresses) +
                   "0xffffffffffffffff\n")
        text = tool.line()
        for address in addresses:
            if int(text, 0) != address:
                raise ValueError("%r does not begin an answer" % text)
            text = tool.line()
            while not text.startswith("0x"):
                file, line = place_of(tool.line())
                if text != "??" and file != "??":
                    frames.append((text, file, line))
                text = tool.line()
        tool.line()
        tool.line()
    tool.close()
    return frames


def godot(links, program):
    """platform/linuxbsd/crash_handler_linuxbsd.cpp: the addresses are
    arguments, and come before the file; one line for each."""
    said = output_of(links + "/addr2line", "0x%x" % INLINED, "0x%x" % PLAIN,
                     "0x%x" % NOWHERE, "-e", program)
    lines = [line for line in said[:-1].split("\n") if line]
    return [("", *place_of(lines[i])) for i in range(3)]


def seastar(links, program):
    """scripts/addr2line.py: an empty line has to be answered at once; then
    each address is followed by 0x0, whose answer ends the one before."""
    tool = Tool(links + "/addr2line", "-Cfpia", "-e", program)
    end = re.compile(r"(.*0x0000000000000000: \?\? \?\?:0)|"
                     r"(.*0x0: \?\? at \?\?:0)")
    tool.write("\n")
    tool.line()
    frames = []
    for address in INLINED, PLAIN, NOWHERE:
        tool.write("0x%x\n0x0\n" % address)
        text = tool.line().split(": ", 1)[1]
        while not end.fullmatch(text):
            function, _, place = text.rpartition(
                " at " if " at " in text else " ")
            frames.append((function.replace(" (inlined by) ", ""),
                           *place_of(place)))
            text = tool.line()
    tool.close()
    return frames


def boost(links, program):
    """include/boost/stacktrace/detail/addr2line_impls.hpp: a process for the
    name, one for the file, and one for the line.
    BOOST_STACKTRACE_ADDR2LINE_LOCATION is the program."""
    frames = []
    for address in INLINED, PLAIN, NOWHERE:
        def ask(flag, at="0x%x" % address):
            return output_of(links + "/addr2line", flag, program,
                             at).rstrip("\r\n")
        name = ask("-fe").rpartition("\n")[0]
        # The text of a frame has this line, unless it begins with "?".
        pretty = ask("-Cpe")
        if pretty.startswith("?") != (address == NOWHERE):
            raise ValueError("%r of -Cpe" % pretty)
        frames.append((name, *place_of(ask("-e"))))
    return frames


def esp_idf(links, program):
    """esp_idf_panic_decoder/addr2line.py: the program is asked about a copy,
    and the answer to 0xfefefefe ends the one before."""
    tool = Tool(links + "/addr2line", "-fiaC", "-e", program)
    end = re.compile(r"0x0*fefefefe\r?\n\?\?\r?\n\?\?:0\r?\n")
    frames = []
    for address in INLINED, PLAIN, NOWHERE:
        tool.write("0x%08x\n0xfefefefe\n" % address)
        text = ""
        while not end.search(text):
            text += tool.line() + "\n"
        lines = text[:end.search(text).start()].split("\n")[1:-1]
        frames += [(function, *place_of(place))
                   for function, place in zip(lines[::2], lines[1::2])]
    tool.close()
    # Older versions: what has "?? ??:0" is not shown.
    for address in PLAIN, NOWHERE:
        said = output_of(links + "/addr2line", "-pfiaC", "-e", program,
                         "0x%08x" % address)
        if ("?? ??:0" in said) != (address == NOWHERE):
            raise ValueError("%r of -pfiaC" % said)
    return frames


def hwasan(links, program):
    """compiler-rt/lib/hwasan/scripts/hwasan_symbolize: an empty line ends an
    answer.  FRAME asks for the variables on the stack, four lines each."""
    tool = Tool(links + "/llvm-symbolizer", "--inlining", "--functions")
    frames = []
    for address in INLINED, PLAIN, NOWHERE:
        tool.write("CODE %s %d\n" % (program, address))
        while (function := tool.line().rstrip()):
            frames.append((function, *place_of(
                tool.line().rpartition(":")[0])))
    tool.write("FRAME %s %d\n" % (program, NOWHERE))
    if tool.line() != "??" or tool.line() != "":
        raise ValueError("FRAME")
    tool.close()
    return frames


UNKNOWN = ("??", "??", 0)

# A row for each client: what it understands of the three addresses.
EXPECTED = {
    pytorch: [STEP, GLOBAL, UNKNOWN],
    perfetto: [STEP, WALK, HEAP, GLOBAL, UNKNOWN],
    syzkaller: [STEP, WALK, MANGLED_HEAP, MANGLED_GLOBAL],
    godot: [("", *STEP[1:]), ("", *GLOBAL[1:]), ("", *UNKNOWN[1:])],
    seastar: [STEP, WALK, HEAP, GLOBAL, UNKNOWN],
    boost: [STEP, MANGLED_GLOBAL, UNKNOWN],
    esp_idf: [STEP, WALK, HEAP, GLOBAL, UNKNOWN],
    hwasan: [STEP, WALK, HEAP, GLOBAL, UNKNOWN],
}


def too_long(*_):
    raise TimeoutError("no answer in %d seconds" % PATIENCE)


def without_namespace(frames):
    return [(function.replace("geo::", ""), file, line)
            for function, file, line in frames]


def is_as_real(frames, expected):
    """Whether FRAMES of a real program are EXPECTED.  binutils 2.40 names the
    outer function first."""
    first = frames[0][0] in ("heap(int)", "_Z4heapi")
    return without_namespace(frames)[first:] == \
        without_namespace(expected)[first:]


def try_client(client, program, links):
    """The frames; a text if the client stops."""
    signal.alarm(PATIENCE)
    try:
        return client(program=program, links=links)
    except (ValueError, TimeoutError, IndexError, AttributeError,
            subprocess.CalledProcessError) as error:
        return "stops: %s" % error
    finally:
        signal.alarm(0)


def main():
    program, ours, *real = sys.argv[1:]
    bad = 0
    signal.signal(signal.SIGALRM, too_long)
    for client, expected in EXPECTED.items():
        frames = try_client(client, program, ours)
        if frames != expected:
            print("%s: %s\n\tnot %s" % (client.__name__, frames, expected))
            bad += 1
        try:
            frames = try_client(client, program, real[0]) if real else expected
        except FileNotFoundError:
            continue
        if isinstance(frames, str) or not is_as_real(frames, expected):
            print("%s, real program: %s\n\tnot %s" % (client.__name__, frames,
                                                      expected))
            bad += 1
    print("%d protocols" % len(EXPECTED))
    return 1 if bad else 0


sys.exit(main())
