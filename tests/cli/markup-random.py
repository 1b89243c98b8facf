#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write a random log in the Symbolizer Markup Format, for comparisons with
llvm-symbolizer.  The same seed gives the same log.

The log has no module IDs from 2^64-2 on and no mmaps of size 0: llvm-symbolizer
22 crashes or is wrong on them.
"""
import random
import sys

WORDS = [b"text", b"a b", b"\t", b"x:y", b"{", b"{{", b"}", b"}}", b"}}}",
         b"{{{", b"\x1b[", b"\x1b", b"\xff\xfe", b"\x00", b"\xc3\xa9", b"%s",
         b"#0", b"[[[", b"", b" "]
TAGS = [b"symbol", b"pc", b"data", b"bt", b"hexdict", b"dumpfile", b"reset",
        b"module", b"mmap", b"unknown", b"BT", b"pc ", b"", b"p\xff"]
NAMES = [b"_Z1fv", b"main", b"_ZN3geo5Shape4areaEi", b"i",
         b"_Zbroken", b"_Z3foov.cold", b"__Z3foov", b"._Z3foov", b"St3foo",
         b"_RNvC6_123foo3bar", b"_ZTV3Foo", b"", b"a}b", b"q\"q", b"\x1b[31m",
         b"_Z1fv.Foo", b"_RNvC6_123foo3bar.llvm.7",
         b"_Z1fSt6vectorIS_IiSaIiEESaIS1_EE", b"_Z3fooIiEvT_", b"_D3fooi",
         b"_ZZ1fvE1x", b"_ZN1AC2Ev.isra.0", b"_ZThn8_N1A1fEv"]
NUMBERS = [b"0", b"00", b"1", b"7", b"007", b"010", b"08", b"0x10", b"0X10",
           b"0b11", b"0o17", b"+1", b" 1", b"1 ", b"", b"0x", b"1a", b"ff",
           b"18446744073709551615", b"18446744073709551616", b"99999"]
MODES = [b"r", b"rw", b"rx", b"rwx", b"RWX", b"w", b"x", b"", b"xr", b"r-x"]
KINDS = [b"ra", b"pc", b"ra", b"pc", b"ra", b"", b"RA", b"from CFI"]


class Log:
    def __init__(self, seed, build_id, base, size):
        self.pick = random.Random(seed)
        self.build_id = build_id
        self.base = base
        self.size = size

    def one(self, choices):
        return self.pick.choice(choices)

    def chance(self, part):
        return self.pick.random() < part

    def address(self):
        draw = self.pick.random()
        if draw < 0.75:
            at = self.base + self.pick.randrange(self.size)
        elif draw < 0.9:
            at = self.one([0, 1, 0xfff, 0x1000, 0x1fff, 0x2000, self.base,
                           self.base - 1, self.base + self.size,
                           2**64 - 1, 2**64 - 0x1000, 2**63])
        else:
            return self.one([b"0", b"000", b"0x", b"", b"1234", b"0X10",
                             b"(nil)", b" 0x10", b"0x10h",
                             b"0x10000000000000000",
                             b"0x0000000000000000000001010"])
        return self.one([b"0x%x", b"0x%X", b"0x%016x"]) % at

    def number(self):
        return self.one(NUMBERS)

    def small(self):
        if self.chance(0.8):
            return b"%d" % self.pick.randrange(4)
        number = self.number()
        return b"3" if number.startswith(b"1844") else number

    def fields(self, tag):
        if tag in (b"module",):
            return [self.small(), self.one(NAMES),
                    b"elf" if self.chance(0.9) else self.one([b"ELF", b""]),
                    self.build_id if self.chance(0.6) else
                    self.one([b"aa", b"ABC", b"", b"x", b"0xab"])]
        if tag == b"mmap":
            size = self.pick.randrange(1, 0x3000)
            if self.chance(0.4):
                return [b"0x%x" % self.base, b"0x%x" % self.size, b"load",
                        self.small(), b"rwx", b"0x0"]
            return [self.address(), b"0x%x" % size,
                    b"load" if self.chance(0.9) else b"anon",
                    self.small(), self.one(MODES), self.address()]
        if tag == b"bt":
            frame = b"%d" % self.pick.randrange(3, 20000) \
                if self.chance(0.8) else self.number()
            fields = [frame, self.address()]
            if self.chance(0.7):
                fields.append(self.one(KINDS))
            return fields
        if tag == b"pc":
            fields = [self.address()]
            if self.chance(0.5):
                fields.append(self.one(KINDS))
            return fields
        if tag == b"data":
            return [self.address()]
        if tag == b"reset":
            return []
        return [self.one(NAMES)]

    def element(self, tag=None):
        tag = tag or self.pick.choices(
            TAGS, [4, 4, 4, 8, 1, 1, 1, 2, 2, 1, 1, 1, 1, 1])[0]
        fields = self.fields(tag)
        if self.chance(0.08) and fields:
            fields.pop()
        while self.chance(0.08):
            fields.append(self.one(WORDS[:4] + NAMES))
        text = b":".join([tag] + fields)
        opener = b"{{{" if self.chance(0.97) else self.one(
            [b"{{", b"{{{{", b"{{{ {{{"])
        closer = b"}}}" if self.chance(0.97) else self.one(
            [b"}}", b"}}}}", b""])
        return opener + text + closer

    def escape(self):
        return b"\x1b[" + self.one(
            [b"0", b"1", b"31", b"34", b"37", b"30", b"", b"01", b"1;31",
             b"39", b"90", b"4", b"0;1", b"38", b"3"]) + b"m"

    def line(self):
        draw = self.pick.random()
        if draw < 0.12:
            text = self.element(b"module")
        elif draw < 0.24:
            text = self.element(b"mmap")
        elif draw < 0.28:
            text = self.element(b"reset")
        else:
            text = b""
        while self.chance(0.75):
            text += self.pick.choices(
                [self.one(WORDS), self.element(), self.escape()],
                [5, 5, 2])[0]
        if draw < 0.28 and self.chance(0.3):
            text = self.one(WORDS) + text
        return text + (b"\r\n" if self.chance(0.1) else b"\n")

    def bytes(self, lines):
        log = b"".join(self.line() for _ in range(lines))
        return log[:-1] if self.chance(0.3) else log


def main():
    seed, build_id, base, size, lines = sys.argv[1:6]
    log = Log(int(seed), build_id.encode(), int(base, 0), int(size, 0))
    sys.stdout.buffer.write(log.bytes(int(lines)))


if __name__ == "__main__":
    main()
