# SPDX-License-Identifier: MIT
"""Code and symbols of ELF, Mach-O and PE files, for the scripts beside this one.

image(path) gives an Image: the ranges of its code, and the symbols there.  An
Image can write a copy of its file in which a symbolizer finds no symbols.
Needs only the standard library.
"""

import bisect
import collections
import itertools
import lzma
import struct

Symbol = collections.namedtuple("Symbol", "start end name sized")

MACHINES = {2: "sparc", 3: "i386", 8: "mips", 18: "sparc", 20: "ppc",
            21: "ppc64", 22: "s390", 40: "arm", 43: "sparc64", 62: "x86-64",
            93: "arc", 94: "xtensa", 183: "arm64", 243: "riscv",
            258: "loongarch"}


class Image:
    """What all formats have in common.  A format sets code and symbols."""

    def __init__(self, data):
        self.data = data
        self.code, self.symbols = [], []
        self.format, self.machine = "", ""
        self.sections = []          # of a format's own kind
        self.relocatable = False
        self.barriers = []          # starts of functions without a symbol
        self.stubs = []             # ranges of stubs of calls into libraries
        self.debug_map = False      # symbols name objects with debug info

    def index(self):
        """Prepare the searches, when code and symbols are complete."""
        self.symbols = sorted(set(self.symbols))
        self.starts = [s.start for s in self.symbols]
        self.reach = list(itertools.accumulate(
            (s.end if s.sized else 0 for s in self.symbols), max))
        self.barriers = sorted(set(self.barriers))

    def covering(self, address):
        """Names of the innermost sized symbols around ADDRESS."""
        names, start = [], None
        i = bisect.bisect_right(self.starts, address) - 1
        while i >= 0 and self.reach[i] > address:
            symbol = self.symbols[i]
            if start is not None and symbol.start != start:
                break
            if symbol.sized and address < symbol.end:
                start = symbol.start
                names.append(symbol.name)
            i -= 1
        return names[::-1]

    def labels(self, address):
        """Names of the labels that ADDRESS follows."""
        i = bisect.bisect_right(self.starts, address) - 1
        if i < 0:
            return []
        start = self.starts[i]
        group = self.symbols[bisect.bisect_left(self.starts, start):i + 1]
        if any(s.sized for s in group) or not any(
                low <= start and address < high for low, high in self.code):
            return []
        if bisect.bisect_right(self.barriers, address) != \
                bisect.bisect_right(self.barriers, start):
            return []
        return [s.name for s in group]

    def aliases(self, address):
        """Names that the function at ADDRESS may have beside that of its DIE.
        Symbols of Mach-O and PE have no size: there the nearest one counts."""
        return self.covering(address) if self.format == "ELF" else \
            self.labels(address)

    def in_stub(self, address):
        return any(start <= address < end for start, end in self.stubs)

    def name_at(self, start):
        end = self.data.index(b"\0", start)
        return self.data[start:end].decode("utf-8", "replace")

    def has_debug_info(self):
        return any(name in self.section_names() for name in (
            ".debug_info", ".zdebug_info", "__debug_info", "__zdebug_info"))


class Elf(Image):
    def __init__(self, data):
        super().__init__(data)
        self.wide = data[4] == 2
        self.order = ">" if data[5] == 2 else "<"
        kind, number = self.fields("HH", 16)
        self.relocatable = kind == 1
        self.format = "ELF"
        self.arm = number == 40
        self.machine = MACHINES.get(number, str(number))
        self.read_sections()
        self.stubs = [(s[3], s[3] + s[5]) for s, name in zip(
            self.sections, self.section_names())
            if name.startswith(".plt") or name == ".iplt"]
        self.code = [(s[3], s[3] + s[5]) for s in self.sections
                     if s[2] & 6 == 6 and s[5]]
        self.symbols = list(self.read_symbols())
        self.add_minidebuginfo()
        self.index()

    def fields(self, layout, at):
        return struct.unpack_from(self.order + layout, self.data, at)

    def read_sections(self):
        at, = self.fields("Q" if self.wide else "I", 40 if self.wide else 32)
        _, count, names = self.fields("HHH", 58 if self.wide else 46)
        self.header = struct.Struct(
            self.order + ("IIQQQQIIQQ" if self.wide else "10I"))
        self.headers_at = at
        if not at:
            return
        # Numbers that do not fit are in the first section header.
        first = self.header.unpack_from(self.data, at)
        count, names = count or first[5], first[6] if names == 0xffff else names
        # name type flags address offset size link info align entsize
        self.sections = [
            self.header.unpack_from(self.data, at + i * self.header.size)
            for i in range(count)]
        self.names_at = self.sections[names][4] if count else 0

    def section_names(self):
        return [self.name_at(self.names_at + s[0]) for s in self.sections]

    def content(self, name):
        for section, found in zip(self.sections, self.section_names()):
            if found == name and section[1] != 8:
                return self.data[section[4]:section[4] + section[5]]
        return b""

    def read_symbols(self):
        layout = struct.Struct(self.order + ("IBBHQQ" if self.wide else "IIIBBH"))
        for section in self.sections:
            if section[1] not in (2, 11):
                continue
            names = self.sections[section[6]][4]
            table = self.data[section[4]:section[4] + section[5]]
            for fields in layout.iter_unpack(table):
                if self.wide:
                    name, info, _, number, value, size = fields
                else:
                    name, value, size, info, _, number = fields
                symbol = self.symbol(name and names + name, info & 15, number,
                                     value, size)
                if symbol:
                    yield symbol

    def symbol(self, name_at, kind, number, value, size):
        if not 0 < number < len(self.sections) or kind not in (0, 2, 10):
            return None
        if self.sections[number][2] & 6 != 6 or not name_at:
            return None
        name = self.name_at(name_at)
        # Mapping symbols ($x, $d) tell code from data, and name nothing.
        if not kind and name.startswith("$"):
            return None
        if self.arm and kind:
            value &= ~1         # Thumb
        return Symbol(value, value + size, name.split("@")[0],
                      kind != 0 and size > 0)

    def add_minidebuginfo(self):
        """Symbols of .gnu_debugdata, an ELF file compressed with xz."""
        packed = self.content(".gnu_debugdata")
        if packed:
            self.symbols += Elf(lzma.decompress(packed)).symbols

    def write_without_symbols(self, path):
        """A copy in which the symbol tables have another type."""
        data = bytearray(self.data)
        hidden = [i for i, name in enumerate(self.section_names())
                  if self.sections[i][1] in (2, 11) or name == ".gnu_debugdata"]
        for i in hidden:
            at = self.headers_at + i * self.header.size
            struct.pack_into(self.order + "I", data, at + 4, 1)
            if self.sections[i][1] not in (2, 11):
                struct.pack_into(self.order + "I", data, at, 0)
        with open(path, "wb") as stream:
            stream.write(data)


class Pe(Image):
    EXECUTABLE = 0x20000000

    def __init__(self, data):
        super().__init__(data)
        self.coff_at = struct.unpack_from("<I", data, 0x3c)[0] + 4
        machine, count, _, self.symbols_at, self.symbols_count, size, _ = \
            struct.unpack_from("<HHIIIHH", data, self.coff_at)
        self.format = "PE"
        self.machine = {0x14c: "i386", 0x8664: "x86-64", 0x1c4: "arm",
                        0xaa64: "arm64"}.get(machine, hex(machine))
        optional = self.coff_at + 20
        wide, = struct.unpack_from("<H", data, optional)
        self.base, = struct.unpack_from(
            *(("<Q", data, optional + 24) if wide == 0x20b else
              ("<I", data, optional + 28)))
        self.exports_at = optional + (112 if wide == 0x20b else 96)
        # name, size in memory, address, size in file, offset, ..., flags
        self.sections = [
            struct.unpack_from("<8sIIII12xI", data, optional + size + 40 * i)
            for i in range(count)]
        self.code = [(self.base + s[2], self.base + s[2] + s[1])
                     for s in self.sections if s[5] & self.EXECUTABLE]
        self.symbols = list(self.read_symbols()) + list(self.read_exports())
        self.read_functions()
        self.index()

    def offset(self, address):
        """Where the byte at ADDRESS, counted from the base, is in the file."""
        for section in self.sections:
            if section[2] <= address < section[2] + section[3]:
                return address - section[2] + section[4]
        return len(self.data)

    def words(self, kind, address, count):
        return struct.unpack_from(f"<{count}{kind}", self.data,
                                  self.offset(address))

    def read_exports(self):
        table, _ = struct.unpack_from("<II", self.data, self.exports_at)
        if not table:
            return
        count, named, functions, names, numbers = self.words(
            "I", table + 20, 5)
        functions = self.words("I", functions, count)
        for name, number in zip(self.words("I", names, named),
                                self.words("H", numbers, named)):
            at = self.base + self.clear(functions[number])
            if any(start <= at < end for start, end in self.code):
                yield Symbol(at, at, self.name_at(self.offset(name)), False)

    def names_start(self):
        return self.symbols_at + 18 * self.symbols_count

    def section_names(self):
        names = []
        for section in self.sections:
            name = section[0].rstrip(b"\0").decode("latin-1")
            if name.startswith("/") and name[1:].isdigit():
                name = self.name_at(self.names_start() + int(name[1:]))
            names.append(name)
        return names

    def read_symbols(self):
        i = 0
        while i < self.symbols_count:
            name, value, number, form, kind, more = struct.unpack_from(
                "<8sIhHBB", self.data, self.symbols_at + 18 * i)
            i += 1 + more
            if not 0 < number <= len(self.sections) or kind not in (2, 3, 6):
                continue
            section = self.sections[number - 1]
            # Symbols of sections are static, and more is said about them.
            if not section[5] & self.EXECUTABLE or \
                    kind == 3 and more and not form & 0x20:
                continue
            text = self.name_at(self.names_start() + struct.unpack_from(
                "<I", name, 4)[0]) if name[:4] == b"\0\0\0\0" else \
                name.rstrip(b"\0").decode("utf-8", "replace")
            at = self.base + section[2] + value
            yield Symbol(at, at, text, False)
            # The C names of i386 have a "_" in front.
            if self.machine == "i386" and text.startswith("_"):
                yield Symbol(at, at, text[1:], False)

    def read_functions(self):
        """Starts of the functions in .pdata end the label before them."""
        step = {"x86-64": 12, "arm64": 8, "arm": 8}.get(self.machine)
        for section, name in zip(self.sections, self.section_names()):
            if name != ".pdata" or not step:
                continue
            table = self.data[section[4]:section[4] + min(section[1], section[3])]
            for at in range(0, len(table) - step + 1, step):
                start, = struct.unpack_from("<I", table, at)
                if start and not self.is_part(table, at):
                    self.barriers.append(self.base + self.clear(start))

    def clear(self, address):
        """ADDRESS without bit 0, which stands for Thumb in programs for ARM."""
        return address & ~1 if self.machine == "arm" else address

    def is_part(self, table, at):
        """Whether the entry of .pdata is for a part of another's function."""
        if self.machine != "x86-64":
            return False
        unwind = self.offset(struct.unpack_from("<I", table, at + 8)[0])
        return unwind < len(self.data) and bool(self.data[unwind] >> 3 & 4)

    def write_without_symbols(self, path):
        """A copy in which all symbols are in no section, without exports, and
        without the name of a PDB, as a symbolizer ends if it is missing."""
        data = bytearray(self.data)
        struct.pack_into("<II", data, self.exports_at, 0, 0)
        struct.pack_into("<II", data, self.exports_at + 6 * 8, 0, 0)
        i = 0
        while i < self.symbols_count:
            at = self.symbols_at + 18 * i
            i += 1 + data[at + 17]
            struct.pack_into("<h", data, at + 12, -2)
        with open(path, "wb") as stream:
            stream.write(data)


class MachO(Image):
    CPUS = {7: "i386", 12: "arm", 18: "ppc", 0x1000007: "x86-64",
            0x100000c: "arm64"}
    INSTRUCTIONS = 0x80000400

    def __init__(self, data):
        super().__init__(data)
        self.order = ">" if data[:3] == b"\xfe\xed\xfa" else "<"
        magic, cpu, _, kind, count = struct.unpack_from(
            self.order + "IIIII", data, 0)
        self.wide = magic == 0xfeedfacf
        self.format, self.machine = "Mach-O", self.CPUS.get(cpu, hex(cpu))
        self.relocatable = kind == 1
        self.tables = []            # offsets of the commands of symbols
        at = 32 if self.wide else 28
        for _ in range(count):
            command, size = struct.unpack_from(self.order + "II", data, at)
            if command in (0x19, 1):
                self.read_segment(at)
            elif command in (2, 11):
                self.tables.append(at)
            at += size
        self.code = [(s[2], s[2] + s[3]) for s in self.sections
                     if s[8] & self.INSTRUCTIONS and s[3]]
        self.stubs = [(s[2], s[2] + s[3]) for s in self.sections
                      if s[8] & 0xff == 8]
        self.symbols = list(self.read_symbols())
        self.index()

    def read_segment(self, at):
        count, = struct.unpack_from(self.order + "I", self.data,
                                    at + (64 if self.wide else 48))
        # name, segment, address, size, offset, align, relocations, flags
        layout = struct.Struct(self.order + (
            "16s16sQQIIIII12x" if self.wide else "16s16sIIIIIII8x"))
        first = at + (72 if self.wide else 56)
        self.sections += [
            layout.unpack_from(self.data, first + i * layout.size)
            for i in range(count)]

    def section_names(self):
        return [s[0].rstrip(b"\0").decode("latin-1") for s in self.sections]

    def read_symbols(self):
        layout = struct.Struct(self.order + ("IBBHQ" if self.wide else "IBBHI"))
        for at in self.tables:
            command, _, first, count, names, _ = struct.unpack_from(
                self.order + "6I", self.data, at)
            if command != 2:
                continue
            for i in range(count):
                name, kind, number, _, value = layout.unpack_from(
                    self.data, first + i * layout.size)
                self.debug_map |= kind == 0x66
                if kind & 0xe0 or kind & 0xe != 0xe or not name:
                    continue
                section = self.sections[number - 1]
                if not section[8] & self.INSTRUCTIONS:
                    continue
                text = self.name_at(names + name)
                yield Symbol(value, value, text, False)
                if text.startswith("_"):
                    yield Symbol(value, value, text[1:], False)

    def write_without_symbols(self, path):
        """A copy whose commands of symbol tables are of an unknown kind."""
        data = bytearray(self.data)
        for at in self.tables:
            struct.pack_into(self.order + "I", data, at, 0x7f)
        with open(path, "wb") as stream:
            stream.write(data)


MAGICS = ((b"\x7fELF", Elf), (b"MZ", Pe), (b"\xcf\xfa\xed\xfe", MachO),
          (b"\xce\xfa\xed\xfe", MachO), (b"\xfe\xed\xfa\xce", MachO),
          (b"\xfe\xed\xfa\xcf", MachO))


def image(path):
    """The Image of the file at PATH; ValueError if its format is unknown."""
    with open(path, "rb") as stream:
        data = stream.read()
    for magic, kind in MAGICS:
        if data.startswith(magic):
            try:
                return kind(data)
            except (struct.error, IndexError) as error:
                raise ValueError(f"{path}: cannot be read: {error}") from error
    raise ValueError(f"{path}: no ELF, Mach-O or PE file")


def slices(path):
    """Kind of CPU, offset and size of each program in a universal file."""
    with open(path, "rb") as stream:
        head = stream.read(4096)
    magic, count = struct.unpack_from(">II", head) if len(head) > 8 else (0, 0)
    # Class files of Java begin with the same magic, then their version.
    if magic not in (0xcafebabe, 0xcafebabf) or count > 20:
        return []
    layout = struct.Struct(">IIIII" if magic == 0xcafebabe else ">IIQQII")
    rows = (layout.unpack_from(head, 8 + i * layout.size) for i in range(count))
    return [(row[0], row[2], row[3]) for row in rows]
