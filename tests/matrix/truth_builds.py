# SPDX-License-Identifier: MIT
"""How the programs of the script truth are built: the matrix of compilers,
linkers, and what builds use.

builds(bin) gives all Builds.  BIN is a folder with links to the linkers, by the
names under which gcc looks for them.  small(builds) chooses the quick ones.

A command is a string without quotes.  In it stands for
    UNIT, OBJECT    one unit, and its object; such a command is run for each unit
    OBJECTS         all objects
    DWOS            the files that -gsplit-dwarf writes beside the objects
    BIN             the folder with the linkers
    {clang}         the newest program of LLVM of that name (clang-22)
    {zig}           zig, of PATH or of the Python package ziglang
"""

import dataclasses
import importlib.util
import itertools
import os
import re
import shutil
import sys

VERSIONS = ["-22", "-21", "-20", "-19", ""]
LINKERS = {"bfd": "ld.bfd", "gold": "ld.gold", "lld": "ld.lld",
           "mold": "mold"}
S = "-ffunction-sections -fdata-sections"
GC = "-Wl,--gc-sections"
START = "-e start_q1q"
# In .debug_ranges two zeros would end the list.
ZERO = "-Wl,-z,dead-reloc-in-nonalloc=.debug_info=0 " \
       "-Wl,-z,dead-reloc-in-nonalloc=.debug_line=0"
BARE = "-nostdlib -static -no-pie " + START

FIRMWARE = """\
ENTRY(start_q1q)
SECTIONS
{
	. = 0;
	.text : { KEEP(*(.vectors)) *(.text .text.*) }
	.rodata : { *(.rodata .rodata.*) }
	. = 0x20000000;
	.data : { *(.data .data.*) }
	.bss : { *(.bss .bss.*) }
	/DISCARD/ : { *(.note.*) *(.comment) *(.eh_frame) *(.ARM.exidx*) }
}
"""


@dataclasses.dataclass
class Build:
    name: str
    language: str
    compile: str            # makes OBJECT of UNIT
    steps: list             # makes the program of OBJECTS
    group: str              # what the build tries, for the table
    program: str = "program"        # whose code is searched
    convert: str = "program"        # arguments of gsym-create
    complete: bool = True   # every constant of a used function is found
    fault: str = ""         # what other tools do wrong to the debug info
    lines_fault: bool = False       # they give live code dropped lines

    @property
    def folds(self):
        """Whether the compiler adds up the constants of inlined calls."""
        return "-O0" not in self.compile + self.steps[0]

    def needs(self):
        """Names of the programs that the commands begin with."""
        return [c.split()[0] for c in [self.compile, *self.steps] if c]


def newest(name):
    """The newest program NAME of LLVM, else NAME itself."""
    if name == "zig" and not shutil.which(name) and \
            importlib.util.find_spec("ziglang"):
        return f"{sys.executable} -m ziglang"
    return next((name + v for v in VERSIONS if shutil.which(name + v)), name)


def fill(command, folder):
    """COMMAND with the names of programs, as a list of words."""
    command = re.sub(r"\{([\w.+-]+)\}", lambda m: newest(m.group(1)), command)
    return command.replace("BIN", folder).split()


def missing(build, folder):
    """Why this machine cannot try BUILD: a program is missing."""
    for command in build.needs():
        program = fill(command, folder)[0]
        if not shutil.which(program):
            return f"{program} is not installed"
    linker = re.search(r"-fuse-ld=(\w+)", " ".join(build.steps))
    if linker and not os.path.exists(
            os.path.join(folder, "ld." + linker.group(1))):
        return f"{LINKERS[linker.group(1)]} is not installed"
    return None


def link_linkers(folder):
    """Links ld.NAME in FOLDER to the linkers that are installed."""
    os.makedirs(folder, exist_ok=True)
    for name, program in LINKERS.items():
        found = shutil.which(newest(program))
        if found:
            os.symlink(found, os.path.join(folder, "ld." + name))


# ------------------------------------------------------------ C and C++ on ELF

GNU, CLANG = ("gcc", "g++"), ("{clang}", "{clang++}")
ALL = GNU + CLANG
BFD, GOLD, LLD, MOLD = "bfd", "gold", "lld", "mold"
EVERY = (BFD, GOLD, LLD, MOLD)

# Name, options of the compiler, options of the linker, compilers, linkers.
PLAIN = [
    ("plain", "-O2 -g", "", ALL, EVERY),
    ("plain -O0", "-O0 -g", "", ALL, (BFD, LLD)),
    ("plain -O3", "-O3 -g", "", ALL, (BFD, LLD)),
    ("plain DWARF 2", "-O2 -gdwarf-2", "", ALL, (BFD, LLD)),
    ("plain DWARF 3", "-O2 -gdwarf-3", "", ALL, (BFD, LLD)),
    ("plain DWARF 4", "-O2 -gdwarf-4", "", ALL, (BFD, LLD)),
    ("PIE", "-O2 -g -fPIE", "-pie", ALL, EVERY),
    ("no PIE", "-O2 -g -fno-pie", "-no-pie", ALL, EVERY),
    ("static", "-O2 -g", "-static", ALL, EVERY),
    ("shared", "-O2 -g -fPIC", "-shared", ALL, EVERY),
    ("compressed", "-O2 -g -gz=zlib", "", ALL, (BFD, LLD)),
]
DROPPED = [
    ("-O0", f"-O0 -g {S}", GC, ALL, EVERY),
    ("-O1", f"-O1 -g {S}", GC, ALL, (BFD, LLD)),
    ("-Os", f"-Os -g {S}", GC, ALL, (BFD, LLD)),
    ("DWARF 2", f"-O2 -gdwarf-2 {S}", GC, ALL, EVERY),
    ("DWARF 3", f"-O2 -gdwarf-3 {S}", GC, ALL, EVERY),
    ("DWARF 4", f"-O2 -gdwarf-4 {S}", GC, ALL, EVERY),
    ("DWARF 5", f"-O2 -gdwarf-5 {S}", GC, ALL, EVERY),
    ("DWARF64", f"-O2 -gdwarf-5 -gdwarf64 {S}", GC, ALL, (BFD, LLD)),
    ("aranges", f"-O2 -gdwarf-4 -gdwarf-aranges {S}", GC, CLANG, EVERY),
    ("type units", f"-O2 -g -fdebug-types-section {S}", GC, ALL, (BFD, LLD)),
    ("no PIE", f"-O2 -g -fno-pie {S}", f"-no-pie {GC}", ALL, EVERY),
    ("static", f"-O2 -g {S}", f"-static {GC}", ALL, EVERY),
    ("shared", f"-O2 -g -fPIC -fvisibility=hidden {S}", f"-shared {GC}", ALL,
     EVERY),
    ("cold parts", f"-O2 -g -freorder-blocks-and-partition {S}", GC, GNU,
     EVERY),
    ("whole units -O3", "-O3 -g", GC, ALL, EVERY),
    ("packed relocations", f"-O2 -g -fPIE {S}",
     f"-pie {GC} -Wl,-z,pack-relative-relocs", ALL, EVERY),
    ("tombstone 0", f"-O2 -g {S}",
     f"{GC} {ZERO}", ALL, (LLD,)),
    ("tombstone 0 DWARF 4", f"-O2 -gdwarf-4 {S}",
     f"{GC} {ZERO}", ALL, (LLD,)),
    ("tombstone -1", f"-O2 -g {S}",
     f"{GC} -Wl,-z,dead-reloc-in-nonalloc=.debug_*=0xffffffffffffffff", ALL,
     (LLD,)),
    ("relocations kept", f"-O2 -g {S}", f"{GC} -Wl,-q", ALL, EVERY),
    ("kernel", f"-O2 -g -mcmodel=kernel -fno-pie -DFREESTANDING {S}",
     f"{BARE} {GC} -Wl,-Ttext=0xffffffff81000000", ALL, (BFD, GOLD)),
    ("kernel", f"-O2 -g -mcmodel=kernel -fno-pie -DFREESTANDING {S}",
     f"{BARE} {GC} -Wl,--image-base=0xffffffff81000000", ALL, (LLD,)),
    ("frame entries", f"-O2 -g -fno-asynchronous-unwind-tables {S}", GC, ALL,
     (BFD, LLD)),
]
FOLDED = [
    (f"icf={how}", f"-O2 -g {S}", f"{GC} -Wl,--icf={how}", ALL,
     (GOLD, LLD, MOLD)) for how in ("all", "safe")
] + [
    ("icf=all, plain", f"-O2 -g {S}", "-Wl,--icf=all", ALL,
     (GOLD, LLD, MOLD)),
    ("icf=all DWARF 4, plain", f"-O2 -gdwarf-4 {S}", "-Wl,--icf=all", ALL,
     (GOLD, LLD, MOLD)),
    ("icf=all DWARF 4", f"-O2 -gdwarf-4 {S}", f"{GC} -Wl,--icf=all", ALL,
     (GOLD, LLD, MOLD)),
]
OPTIMISED = [
    ("LTO", f"-O2 -g -flto {S}", GC, ALL, EVERY),
    ("LTO, plain", "-O2 -g -flto", "", ALL, EVERY),
    ("ThinLTO", f"-O2 -g -flto=thin {S}", GC, CLANG, EVERY),
    ("block sections", f"-O2 -g -fbasic-block-sections=all {S}", GC, CLANG,
     EVERY),
    ("block sections DWARF 4",
     f"-O2 -gdwarf-4 -fbasic-block-sections=all {S}", GC, CLANG, EVERY),
    ("lines alone, plain", "-O2 -g1", "", ALL, (BFD, LLD)),
    ("lines alone", f"-O2 -g1 {S}", GC, ALL, EVERY),
]
AT_ZERO = [
    ("-Ttext=0", "", f"{BARE} -Wl,-Ttext=0 {GC}"),
    ("-Ttext=0, plain", "", f"{BARE} -Wl,-Ttext=0"),
    ("vectors", "-DVECTORS", f"{BARE} -Wl,-T,firmware.ld {GC}"),
    ("-Ttext=0x100", "", f"{BARE} -Wl,-Ttext=0x100 {GC}"),
]
NO_SYMBOLS = "objcopy -w -N * program"


def elf(group, name, options, cc, linker, compile, link, after=(), **more):
    """A Build of one compiler and one linker for this machine."""
    language = "c++" if "++" in cc else "c"
    use = f"-B BIN -fuse-ld={linker}" if cc in GNU else \
        f"--ld-path=BIN/ld.{linker} -fuse-ld={linker}"
    shown = cc.strip("{}")
    return Build(
        f"{shown} {linker} {name}", language,
        f"{cc} {options} {compile} -c UNIT -o OBJECT",
        [f"{cc} {options} {compile} {use} OBJECTS {link} -o program", *after],
        group, **more)


def rows(group, table, prefix=""):
    for name, compile, link, compilers, linkers in table:
        for cc, linker in itertools.product(compilers, linkers):
            if cc in GNU and linker == LLD and "-flto" in compile:
                continue        # lld reads LLVM's bitcode alone
            yield elf(group, prefix + name, "", cc, linker, compile, link)


def changed():
    """Programs that another tool changes after the linker."""
    kinds = (("plain", "-O2", ""), ("gc", f"-O2 {S}", GC))
    faults = {4: "BOLT leaves the cold parts of gcc out of the ranges",
              5: "BOLT joins equal entries of gcc's tables of files, and leaves "
                 "the cold parts of gcc out of the ranges"}
    for cc, linker, (how, options, gc) in itertools.product(ALL, EVERY, kinds):
        def one(group, name, compile, link="", after=(), **more):
            return elf(group + ("" if gc else ", plain"), f"{how} {name}", "",
                       cc, linker, f"{options} {compile}", f"{gc} {link}",
                       after, **more)

        for version in (4, 5):
            dwarf = f"-gdwarf-{version}"
            split = dwarf + " -gsplit-dwarf"
            yield one("dwz", f"dwz DWARF {version}", dwarf,
                      after=["dwz program"])
            yield one("split DWARF", f"split DWARF {version}", split)
            yield one("split DWARF", f"dwp DWARF {version}", split, after=[
                "{llvm-dwp} -e program -o program.dwp", "rm DWOS"])
        yield one("no symbols", "no symbols", "-g", after=[NO_SYMBOLS])
        yield one("no symbols", "debug file", "-g", after=[
            "objcopy --only-keep-debug program program.debug"],
            convert="program.debug")
        for version in (4, 5):
            yield one("BOLT", f"BOLT DWARF {version}", f"-gdwarf-{version}",
                      "-Wl,-q", [
                          "{llvm-bolt} program -o bolted "
                          "--update-debug-sections --split-functions "
                          "--reorder-blocks=ext-tsp --split-strategy=all"],
                      program="bolted", convert="bolted",
                      fault="; ".join(
                          [faults[version]] * (cc in GNU) +
                          ["BOLT reads lines of live code from sequences of "
                           "dropped code"] * bool(gc)), lines_fault=bool(gc))


def at_zero():
    for cc, linker in itertools.product(ALL, EVERY):
        for name, define, link in AT_ZERO:
            compile = f"-O2 -g -ffreestanding -DFREESTANDING -fno-pie " \
                      f"-fno-stack-protector {define} {S}"
            if linker == LLD and "-Ttext" in link:
                link += " -Wl,--image-base=0"
            yield elf("at 0", f"at 0 {name}", "", cc, linker, compile, link)
            if "plain" not in name:
                yield elf("at 0", f"at 0 {name}, no symbols", "", cc, linker,
                          compile, link, [NO_SYMBOLS])


def objects():
    """As kernel modules: one relocatable object."""
    for cc, linker in itertools.product(ALL, ("bfd", "gold", "lld")):
        for name, compile in (("ld -r", "-O2 -g"), ("ld -r, sections",
                                                    f"-O2 -g {S}")):
            build = elf("ld -r", name, "", cc, linker, compile + " -fno-pie",
                        "")
            build.steps = [f"BIN/ld.{linker} -r OBJECTS -o program"]
            yield build


# ------------------------------------------------------------ other machines

def machines():
    """gcc and clang for other machines, without a C library."""
    bare = f"-O2 -g -ffreestanding -DFREESTANDING {S}"
    for machine, gcc, target in (
            ("i386", "gcc -m32", "i386-linux-gnu"),
            ("arm64", "aarch64-linux-gnu-gcc", "aarch64-linux-gnu"),
            ("ARM", "arm-linux-gnueabihf-gcc -marm", "armv7-linux-gnueabihf"),
            ("Thumb", "arm-none-eabi-gcc -mthumb -mcpu=cortex-m3",
             "thumbv7m-none-eabi"),
            ("Thumb hf", "arm-linux-gnueabihf-gcc -mthumb",
             "thumbv7-linux-gnueabihf"),
            ("riscv64", None, "riscv64-linux-gnu"),
            ("loongarch64", None, "loongarch64-linux-gnu"),
            ("mipsel", None, "mipsel-linux-gnu"),
            ("mips64el", None, "mips64el-linux-gnuabi64"),
            ("ppc64le", None, "powerpc64le-linux-gnu")):
        lld = "BIN/ld.lld OBJECTS -o program"
        for version, define, link, name in (
                (5, "", f"{START} --gc-sections", "gc"),
                (4, "", f"{START} --gc-sections", "gc DWARF 4"),
                (5, "", START, "plain"),
                (5, "", f"{START} -Ttext=0 --gc-sections BASE", "at 0"),
                (5, "-DVECTORS", "-T firmware.ld --gc-sections", "vectors"),
                (5, "", f"{START} --gc-sections --icf=all", "icf=all")):
            options = f"{bare} -gdwarf-{version} {define}"
            if gcc:
                whole = ",".join(["", *link.replace("BASE", "").split()])
                yield Build(f"{gcc.split()[0]} {machine} bfd {name}", "c",
                            f"{gcc} {options} -fno-pie -c UNIT -o OBJECT",
                            [f"{gcc} -nostdlib -static -no-pie OBJECTS -Wl"
                             f"{whole} -o program"], machine)
            yield Build(f"clang {machine} lld {name}", "c",
                        f"{{clang}} --target={target} {options} -fno-pie -c "
                        "UNIT -o OBJECT",
                        [f"{lld} {link}".replace("BASE", "--image-base=0")],
                        machine)


def wasm():
    bare = f"-O2 -ffreestanding -DFREESTANDING {S}"
    for version, cc in itertools.product((4, 5), CLANG):
        compile = f"{cc} --target=wasm32 {bare} -gdwarf-{version} " \
                  "-c UNIT -o OBJECT"
        language = "c++" if "++" in cc else "c"
        name = f"{cc.strip('{}')} wasm DWARF {version}"
        link = "{wasm-ld} --no-entry --export=start_q1q OBJECTS -o program"
        yield Build(name + " gc", language, compile, [link], "wasm")
        yield Build(name + " plain", language, compile,
                    [link + " --no-gc-sections"], "wasm, plain",
                    fault="wasm-ld keeps all copies of a COMDAT function, and "
                    "the debug info of one" if language == "c++" else "")
        for level in ("-O0", "-O1", "-O3"):
            yield Build(f"{name} wasm-opt {level}", language, compile,
                        [link, f"wasm-opt -g {level} program -o optimised"],
                        "wasm-opt", program="optimised", convert="optimised",
                        complete=False)


def macho():
    for target, arch in (("x86_64-apple-macos11", "x86_64"),
                         ("arm64-apple-macos11", "arm64")):
        for version, cc in itertools.product((4, 5), CLANG):
            language = "c++" if "++" in cc else "c"
            compile = f"{cc} --target={target} -O2 -gdwarf-{version} " \
                      "-ffreestanding -DFREESTANDING -fno-stack-protector " \
                      "-c UNIT -o OBJECT"
            link = f"{{ld64.lld}} -arch {arch} -platform_version macos 11 11 " \
                   f"-e _start_q1q -undefined dynamic_lookup OBJECTS -o program"
            for how, options in (("plain", ""), ("dead_strip", "-dead_strip"),
                                 ("icf=all", "-dead_strip --icf=all")):
                name = f"{cc.strip('{}')} Mach-O {arch} DWARF {version} {how}"
                yield Build(name + " debug map", language, compile,
                            [f"{link} {options}"], "Mach-O")
                yield Build(name + " dsymutil", language, compile,
                            [f"{link} {options}", "{dsymutil} program"],
                            "Mach-O",
                            convert="--debug-file=program.dSYM program")


def pe():
    bare = f"-O2 -ffreestanding -DFREESTANDING -fno-stack-protector {S}"
    for cc in ("x86_64-w64-mingw32-gcc", "x86_64-w64-mingw32-g++"):
        for how, options in (("plain", ""), ("gc", GC)):
            yield Build(f"{cc} {how}", "c++" if "++" in cc else "c",
                        f"{cc} -O2 -g {S} -c UNIT -o OBJECT",
                        [f"{cc} OBJECTS {options} -o program.exe"], "PE",
                        program="program.exe", convert="program.exe")
    for version, (how, options) in itertools.product(
            (4, 5), (("plain", "--no-gc-sections"), ("gc", "--gc-sections"))):
        yield Build(f"clang PE lld DWARF {version} {how}", "c",
                    "{clang} --target=x86_64-windows-gnu -gdwarf-"
                    f"{version} {bare} -c UNIT -o OBJECT",
                    [f"BIN/ld.lld -m i386pep {START} {options} OBJECTS -o "
                     "program"], "PE")
        opt = "-opt:ref,icf" if how == "gc" else "-opt:noref"
        yield Build(f"clang PE lld-link DWARF {version} {how}", "c",
                    "{clang} --target=x86_64-pc-windows-msvc -gdwarf-"
                    f"{version} {bare} -c UNIT -o OBJECT",
                    [f"{{lld-link}} -entry:start_q1q -subsystem:console "
                     f"-nodefaultlib -debug:dwarf {opt} OBJECTS -out:program"],
                    "PE")


# ------------------------------------------------------------ other languages

def languages():
    for level, linker in itertools.product((1, 2, 3), EVERY):
        rust = f"rustc -g -C opt-level={level} -C panic=abort"
        link = f"-C link-arg=-BBIN -C link-arg=-fuse-ld={linker} " \
               "-C link-arg=-lc unit0.rs -o program"
        yield Build(f"rustc {linker} opt-level={level}", "rust", "",
                    [f"{rust} {link}"], "Rust")
    yield Build("rustc bfd LTO", "rust", "",
                [f"{rust} -C lto=fat -C link-arg=-lc unit0.rs -o program"],
                "Rust")
    fault = "Zig's own backend writes calls without a file, and the linker " \
            "leaves the code of dropped functions in the program"
    for mode in ("ReleaseFast", "ReleaseSafe", "Debug"):
        for gc in ("--gc-sections", "--no-gc-sections"):
            yield Build(f"zig {mode} {gc}", "zig", "",
                        [f"{{zig}} build-exe -O {mode} -fno-strip {gc} "
                         "--cache-dir BIN/zig --global-cache-dir BIN/zig "
                         "unit0.zig -femit-bin=program"], "Zig",
                        complete=False, fault=fault if mode == "Debug" else "")
    for level, linker in itertools.product((0, 2), EVERY):
        for how, options in (("plain", ""), ("gc", GC)):
            use = f"-B BIN -fuse-ld={linker} {options}"
            yield Build(f"gfortran {linker} -O{level} {how}", "fortran", "",
                        [f"gfortran -g -O{level} -fno-inline {S} {use} unit0.f90 -o "
                         "program"], "Fortran")
            if level:
                yield Build(f"gdc {linker} -O{level} {how}", "d", "",
                            [f"gdc -g -O{level} {S} -fno-druntime {use} "
                             "unit0.d -o program"], "D")
                arguments = " ".join("-Xcc=" + word for word in use.replace(
                    "-B BIN", "-BBIN").split())
                if not options:
                    arguments += " -disable-linker-strip-dead"
                yield Build(f"ldc2 {linker} -O{level} {how}", "d of ldc", "",
                            [f"ldc2 -g -O{level} -betterC {arguments} "
                             "unit0.d -of=program"], "D")


def builds():
    """All combinations."""
    return [*rows("plain", PLAIN), *rows("gc-sections", DROPPED, "gc "),
            *rows("icf", FOLDED), *rows("LTO and others", OPTIMISED),
            *changed(), *at_zero(), *objects(), *machines(), *wasm(),
            *macho(), *pe(), *languages()]


SMALL = [
    "gcc bfd plain", "gcc bfd gc DWARF 5", "gcc bfd gc DWARF 4",
    "gcc bfd at 0 vectors", "gcc bfd at 0 -Ttext=0, no symbols",
    "gcc bfd gc split DWARF 4", "clang lld gc dwp DWARF 5",
    "g++ bfd gc dwz DWARF 5", "g++ bfd gc DWARF 5", "gcc gold icf=all",
    "gcc bfd LTO", "gcc bfd ld -r", "clang lld gc DWARF 5",
    "clang lld block sections", "clang++ lld ThinLTO", "clang mold gc DWARF 4",
    "clang wasm DWARF 5 gc", "clang Thumb lld vectors",
    "clang Mach-O x86_64 DWARF 5 dead_strip debug map",
    "clang PE lld DWARF 4 gc",
]


def small(all_builds):
    """The combinations that the suite tries."""
    return [build for build in all_builds if build.name in SMALL]
