# SPDX-License-Identifier: MIT
"""Programs in which every line stores a constant of its own, for the script
truth beside this file.

program(language, seed) gives a Program: the texts of its units, and the truth,
which tells of each constant the functions and lines that may answer for it.

A function stores its constants itself.  An inlined function adds numbers below
STEP to the KEY that its caller gives it.  After inlining, the sum is a constant
that belongs to one call alone.  So a constant tells the whole chain of callers.

Every function has the word qNq in its name, with a number N of its own.  The
word survives the mangling of all languages.
"""

import collections
import random
import re

FIRST_OWN = 0x5e110000      # constants that functions store themselves
FIRST_KEY = 0x5d110000      # keys of inlined calls
STEP = 64
WORD = re.compile(r"q\d+q")

Frame = collections.namedtuple("Frame", "function file line")


class Program:
    def __init__(self, language):
        self.language = language
        self.units = {}         # name of a file: its lines
        self.truth = collections.defaultdict(list)  # constant: chains
        self.functions = set()  # names of all functions
        self.roots = set()      # constants that have to be in the code
        self.sums = set()       # those that a compiler has to add up first
        self.lines = {}         # (file, line): the function that has the line

    def chains(self, constant):
        return self.truth.get(constant, ())


class Writer:
    """Writes a unit line by line, and the truth with it."""

    def __init__(self, program, dice, language):
        self.program, self.dice, self.say = program, dice, language
        self.number = 0
        self.own, self.key = FIRST_OWN, FIRST_KEY
        self.inlined = {}       # function: [(offset, chain inside it)]
        self.singles = {}       # function: [(constant, chain inside it)]
        self.file, self.lines = "", []

    # ------------------------------------------------------------- text

    def open(self, name):
        self.file = name
        self.lines = self.program.units.setdefault(name, [])

    def put(self, text):
        self.lines.extend(text.splitlines() or [""])

    def frame(self, function):
        """The frame of the line that is written next."""
        return Frame(function, self.file, len(self.lines) + 1)

    def name(self, kind):
        self.number += 1
        name = f"{kind}_q{self.number}q"
        self.program.functions.add(name)
        return name

    def next_own(self):
        self.own += 1
        # In front of a displacement, the opcode of movl would look like it.
        if self.own & 0xffff == 0x05c7:
            self.own += 1
        return self.own

    # -------------------------------------------------------- functions

    def close(self, function, start):
        """The end of FUNCTION, whose first line is START."""
        self.put(self.say.close())
        for line in range(start, len(self.lines) + 1):
            self.program.lines[self.file, line] = function

    def place(self, function, live, shared=None):
        """A line of FUNCTION that stores its own constant."""
        value = self.next_own() if shared is None else shared
        self.program.truth[value].append([self.frame(function)])
        if live:
            self.program.roots.add(value)
        self.put("\t" + self.say.place(f"{value:#x}"))

    def call_inlined(self, function, inner, live, shared=None):
        """A line of FUNCTION that calls the inlined function INNER."""
        here = self.frame(function)
        key = shared or self.next_key()
        for offset, chain in self.inlined[inner]:
            self.program.truth[key + offset].append(chain + [here])
            if self.say.instances:
                self.program.truth[key + offset] += [
                    chain[:i] for i in range(1, len(chain) + 1)]
            if live:
                self.program.sums.add(key + offset)
        self.put("\t" + self.say.call_inlined(inner, f"{key:#x}"))

    def add_inlined(self, kind, inner=None):
        """An inlined function, which calls INNER between its own lines."""
        name, start = self.name(kind), len(self.lines) + 1
        self.put(self.say.open_inlined(name))
        found = self.inlined[name] = []
        offset = 1
        for i in range(3):
            if i == 1 and inner:
                here = self.frame(name)
                found += [(16 + o, chain + [here])
                          for o, chain in self.inlined[inner]]
                self.put("\t" + self.say.call_inlined(inner, "k + 16"))
                continue
            found.append((offset, [self.frame(name)]))
            self.put("\t" + self.say.place(f"k + {offset}"))
            offset += 1
        self.close(name, start)
        return name

    def add_single(self, live):
        """An inlined function for one call, with constants of its own."""
        name, start = self.name("single"), len(self.lines) + 1
        self.put(self.say.open_single(name))
        found = self.singles[name] = []
        for _ in range(2):
            value = self.next_own()
            found.append((value, [self.frame(name)]))
            if live:
                self.program.roots.add(value)
            self.put("\t" + self.say.place(f"{value:#x}"))
        self.close(name, start)
        return name

    def call_single(self, function, name):
        """The call of the function NAME of add_single in FUNCTION."""
        here = self.frame(function)
        for value, chain in self.singles[name]:
            self.program.truth[value].append(chain + [here])
            if self.say.instances:
                self.program.truth[value].append(chain)
        self.put("\t" + self.say.call_inlined(name, "0"))

    def add_template(self, inner):
        """A template, whose argument is the key."""
        name, start = self.name("template"), len(self.lines) + 1
        self.put("template <unsigned k>\nNOINLINE void "
                 f"{name}(void)\n{{")
        found = self.inlined[name] = []
        found.append((1, [self.frame(name)]))
        self.put("\tPLACE(k + 1);")
        here = self.frame(name)
        found += [(16 + o, chain + [here]) for o, chain in self.inlined[inner]]
        self.put(f"\t{inner}(k + 16);")
        self.close(name, start)
        return name

    def call_template(self, name):
        """A call of an instance of its own of the template NAME."""
        key = self.next_key()
        for offset, chain in self.inlined[name]:
            self.program.truth[key + offset].append(chain)
        self.put(f"\t{name}<{key:#x}>();")

    def add_function(self, kind, calls=(), inner=(), long=0, live=True,
                     cold=None, static=False, templates=()):
        """A function with 3 to 6 lines of its own, which calls CALLS and the
        inlined functions INNER.  LONG is a number of further bytes.  Its rare
        branch calls COLD."""
        single = self.add_single(live) if inner else None
        name, start = self.name(kind), len(self.lines) + 1
        self.put(self.say.open(name, kind, static))
        for _ in range(self.dice.randrange(2, 4)):
            self.place(name, live)
        for one in inner:
            self.call_inlined(name, one, live)
            self.place(name, live)
        if single:
            self.call_single(name, single)
        if cold and self.say.branch:
            self.put("\t" + self.say.branch)
            self.place(name, live)
            if inner:
                self.call_inlined(name, inner[0], live)
            self.place(name, live)
            self.put("\t" + self.say.call(cold))
            self.put("\t" + self.say.end_branch)
        if self.say.loop and self.dice.randrange(2):
            self.put("\t" + self.say.loop)
            self.place(name, live)
            if inner:
                self.call_inlined(name, inner[-1], live)
            self.put("\t" + self.say.end_loop)
        while long > 0:
            self.place(name, live)
            if self.say.fill and long > 512:
                self.put("\t" + self.say.fill)
                long -= 512
            long -= self.say.bytes
        for one in calls:
            self.put("\t" + self.say.call(one))
        for one in templates:
            self.call_template(one)
        self.place(name, live)
        self.close(name, start)
        return name

    def add_equal(self, kind, inner, value, key, live=True):
        """A function with the code of all that have the same VALUE and KEY, so
        that a linker may fold them."""
        name, start = self.name(kind), len(self.lines) + 1
        self.put(self.say.open(name, kind, False))
        self.place(name, live, shared=value)
        self.call_inlined(name, inner, live, key)
        self.close(name, start)
        return name

    def next_key(self):
        self.key += STEP
        return self.key


# ------------------------------------------------------------------ languages

class C:
    """C and C++.  The macros are in HEADER."""
    instances = False       # calls that are inlined have a copy as well
    fill = "FILL;"
    bytes = 10              # of the code of a line
    branch = "if (RARELY(sink == 77)) {"
    loop = "for (unsigned i = 0; i < sink; i++) {"
    end_branch = end_loop = "}"

    def place(self, value):
        return f"PLACE({value});"

    def call(self, name):
        return f"{name}();"

    def call_inlined(self, name, key):
        return f"{name}({key});"

    def open(self, name, kind, static):
        first = {"cold": "COLD ", "comdat": "inline ",
                 "deadcomdat": "inline "}.get(kind, "")
        return (f"{'static ' if static else ''}{first}NOINLINE "
                f"void {name}(void)\n{{")

    def open_inlined(self, name):
        return f"INLINE void {name}(unsigned k)\n{{"

    open_single = open_inlined

    def close(self):
        return "}"


HEADER = """\
#ifndef TRUTH_H
#define TRUTH_H
extern volatile unsigned sink;
#if defined(__i386__) || defined(__x86_64__) || defined(__wasm__)
#define PLACE(k) sink = (k)
#else
#define PLACE(k) __asm__ volatile (".long %c0" : : "i" (k))
#endif
#ifdef __wasm__
#define FILL sink = 1
#else
/* gcc takes the lines of assembly for its length. */
#define FILL_32 ".skip 8\\n.skip 8\\n.skip 8\\n.skip 8\\n"
#define FILL_128 FILL_32 FILL_32 FILL_32 FILL_32
#define FILL __asm__ volatile (FILL_128 FILL_128 FILL_128 FILL_128)
#endif
#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif
#define INLINE static inline __attribute__((always_inline))
#define COLD __attribute__((cold))
#define RARELY(what) __builtin_expect(!!(what), 0)
#ifdef __cplusplus
#define EXTERN_C extern "C"
#else
#define EXTERN_C
#endif
#ifdef _WIN32
#define EXPORT EXTERN_C
#else
#define EXPORT EXTERN_C __attribute__((visibility("default")))
#endif
"""

MAIN = """\
volatile unsigned sink;
#ifndef FREESTANDING
int main(void)
{
	start_q1q();
	return 0;
}
#endif
#ifdef VECTORS
__attribute__((section(".vectors"), used))
void (*const vectors[16])(void) = { 0, start_q1q, start_q1q };
#endif
"""


def write_c(program, dice, plus):
    """Four units and a header.  Unused functions stand before, between and
    behind the used ones, and unit 2 has nothing else."""
    w = Writer(program, dice, C())
    suffix = "cc" if plus else "c"
    start = w.name("start")
    w.open("truth.h")
    w.put(HEADER)
    inmost = w.add_inlined("inmost")
    header = w.add_inlined("header", inmost)
    comdats, templates = [], []
    if plus:
        for kind in ("comdat", "deadcomdat"):
            live = kind == "comdat"
            comdats.append(w.add_function(kind, inner=[inmost], live=live))
        templates = [w.add_template(inmost), w.add_template(header)]
    # The functions of the other units.
    declarations = len(w.lines)
    w.put("#endif")
    live = []
    everywhere = w.next_own(), w.next_key()

    def unit(number):
        w.open(f"unit{number}.{suffix}")
        w.put('#include "truth.h"')
        own = w.add_inlined("inner")
        return w.add_inlined("outer", own), own

    def dead(kind, **more):
        return w.add_function("dead" + kind, live=False, **more)

    outer, own = unit(0)
    dead("first", long=8192, inner=[outer])
    for number in (1, 3):
        outer, own = unit(number)
        cold = w.add_function("cold", inner=[own])
        dead("short", inner=[header])
        static = w.add_function("static", inner=[header], static=True)
        live.append(w.add_function("live", calls=[static], inner=[outer],
                                   cold=cold))
        dead("long", inner=[outer, own], long=71680 if number == 1 else 3000)
        for _ in range(dice.randrange(2, 5)):
            live.append(w.add_function(
                "live", calls=comdats[:1],
                inner=dice.sample([outer, own, header, inmost], 2),
                cold=cold if dice.randrange(2) else None,
                templates=templates[:1]))
        # Two functions of this unit, and one like those of another unit.
        value, key = w.next_own(), w.next_key()
        live += [w.add_equal("twin", header, value, key) for _ in range(2)]
        live.append(w.add_equal("remote", header, *everywhere))
        helper = dead("helper", inner=[own], static=True)
        dead("last", calls=[helper] + comdats[1:], inner=[header],
             templates=templates[1:])
    outer, own = unit(2)
    dead("unit", inner=[outer], long=20000)
    dead("unit", inner=[header, own])
    w.open(f"unit0.{suffix}")
    outer = "outer_q" + min(
        (n for n in w.inlined if n.startswith("outer")),
        key=lambda n: int(n[7:-1]))[7:]
    live.append(w.add_function("big", inner=[outer, header], long=5000))
    w.put(f"EXPORT void {start}(void);\nNOINLINE void {start}(void)\n{{")
    w.place(start, True)
    w.call_inlined(start, header, True)
    for name in live:
        w.put(f"\t{name}();")
    w.place(start, True)
    w.put("}")
    w.put(MAIN)
    prototypes = [f"void {n}(void);" for n in live]
    program.units["truth.h"][declarations:declarations] = prototypes
    program.units["truth.h"].append("")


class Rust(C):
    fill = None
    branch = "if get() == 77 {"
    loop = "for _i in 0..get() {"

    def open(self, name, kind, static):
        cold = "#[cold] " if kind == "cold" else ""
        return (f"{cold}#[inline(never)] #[no_mangle]\n"
                f"pub extern \"C\" fn {name}() {{")

    def open_inlined(self, name):
        return f"#[inline(always)]\nfn {name}(k: u32) {{"

    open_single = open_inlined

    def place(self, value):
        return ("unsafe { core::ptr::write_volatile(&raw mut SINK, "
                f"{value}) }};")


RUST_HEAD = """\
#![no_std]
#![no_main]
#![allow(non_upper_case_globals)]
static mut SINK: u32 = 0;
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! { loop {} }
#[inline(always)]
fn get() -> u32 { unsafe { core::ptr::read_volatile(&raw mut SINK) } }
"""


class Zig(C):
    fill = None
    branch = "if (sink_at.* == 77) {"
    loop = "while (sink_at.* != 78) {"

    def open(self, name, kind, static):
        return f"export fn {name}() void {{"

    def call(self, name):
        return f"@call(.never_inline, {name}, .{{}});"

    def open_inlined(self, name):
        return f"inline fn {name}(comptime k: u32) void {{"

    def open_single(self, name):
        return f"inline fn {name}(comptime _: u32) void {{"

    def place(self, value):
        return f"sink_at.* = {value};"


ZIG_HEAD = """\
var sink: u32 = 0;
const sink_at: *volatile u32 = &sink;
"""


class D(C):
    """The constants of D are in assembly, as its volatile stores are functions
    of a library."""
    fill = None
    bytes = 5
    branch = loop = None

    def place(self, value):
        return f'asm {{ "movl %0, %%eax" : : "i" ({value}) : "eax"; }}'

    def call_inlined(self, name, key):
        return f"{name}!({key})();"

    def open(self, name, kind, static):
        return f"pragma(inline, false) extern(C) void {name}()\n{{"

    def open_inlined(self, name):
        return f"pragma(inline, true) void {name}(uint k)()\n{{"

    open_single = open_inlined


class DOfLdc(D):
    """ldc2 gives all assembly of a function the line of its first statement,
    and keeps the instances of templates that it has inlined."""
    instances = True
    bytes = 10

    def place(self, value):
        return f"store(&sink, {value});"


LDC_HEAD = """\
module unit0;
__gshared uint sink;
pragma(LDC_intrinsic, "ldc.bitop.vst") void store(uint* at, uint value);
"""


class Fortran(C):
    fill = None
    branch = "if (sink == 77) then"
    loop = "do while (sink /= 78)"
    end_branch = "end if"
    end_loop = "end do"
    head = "module truth\ninteger, volatile :: sink = 0\ncontains"

    def place(self, value):
        return f"sink = {int(value, 16)}"

    def call(self, name):
        return f"call {name}()"

    def open(self, name, kind, static):
        return f"subroutine {name}()"

    def close(self):
        return "end subroutine"


def write_single(program, dice, language, suffix, head, main):
    """A program of one unit.  MAIN is the text of the main function, with %s
    for the calls."""
    w = Writer(program, dice, language)
    w.open("unit0." + suffix)
    w.put(head)
    inlined = type(language) is not Fortran
    inner = [w.add_inlined("inmost")] if inlined else []
    if inlined:
        inner.append(w.add_inlined("outer", inner[0]))
    w.add_function("deadfirst", inner=inner, long=9000, live=False)
    cold = w.add_function("cold", inner=inner[:1])
    live = [w.add_function("live", inner=inner, cold=cold) for _ in range(4)]
    w.add_function("deadlong", inner=inner, long=72000, live=False)
    live.append(w.add_function("live", inner=inner[:1], cold=cold))
    if not language.branch:
        live.append(cold)
    w.add_function("deadlast", inner=inner, live=False)
    w.put(main % "\n".join("\t" + language.call(name) for name in live))


D_MAIN = "extern(C) int main()\n{\n%s\n\treturn 0;\n}"
SINGLES = {
    "rust": (Rust, "rs", RUST_HEAD, '#[no_mangle]\npub extern "C" fn main() '
             "-> i32 {\n%s\n\t0\n}"),
    "zig": (Zig, "zig", ZIG_HEAD, "pub fn main() void {\n%s\n}"),
    "d": (D, "d", "module unit0;", D_MAIN),
    "d of ldc": (DOfLdc, "d", LDC_HEAD, D_MAIN),
    "fortran": (Fortran, "f90", Fortran.head,
                "end module\nprogram main\n\tuse truth\n%s\nend program"),
}


def program(language, seed):
    """The Program of LANGUAGE that the number SEED stands for."""
    made, dice = Program(language), random.Random(f"{language} {seed}")
    if language in ("c", "c++"):
        write_c(made, dice, language == "c++")
    else:
        kind, *rest = SINGLES[language]
        write_single(made, dice, kind(), *rest)
    return made
