# SPDX-License-Identifier: MIT
"""Find constants in the code of a program, without its debug info.

places(path, constants) gives the address of each constant of CONSTANTS that is
in the code of the program PATH.  The address lies in the instruction that
stores the constant.  Reads ELF, Mach-O, PE and WebAssembly.
"""

import re
import struct

import images


def code_of_elf(image):
    """Address and bytes of each section of code.  Those of an object are laid
    out as gsym-create does (twin.py)."""
    end = 0
    for section, name in zip(image.sections, image.section_names()):
        # BOLT keeps the old code, which nothing calls, under this name.
        if section[2] & 6 != 6 or section[1] == 8 or \
                name.startswith(".bolt.org"):
            continue
        address = section[3]
        if image.relocatable:
            align = section[8] or 1
            address = (end + align - 1) // align * align
            end = address + section[5]
        yield address, image.data[section[4]:section[4] + section[5]]


def code_of_macho(image):
    for s in image.sections:
        if s[8] & image.INSTRUCTIONS:
            yield s[2], image.data[s[4]:s[4] + s[3]]


def code_of_pe(image):
    for s in image.sections:
        if s[5] & image.EXECUTABLE:
            yield image.base + s[2], image.data[s[4]:s[4] + min(s[1], s[3])]


def leb(data, at):
    """A number of LEB128, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def code_of_wasm(data):
    """The code section, whose addresses count from its contents."""
    at = 8
    while at < len(data):
        kind = data[at]
        size, at = leb(data, at + 1)
        if kind == 10:
            yield 0, data[at:at + size]
        at += size


def is_wasm(data):
    return data.startswith(b"\0asm")


def code(path):
    """Address and bytes of each piece of code of the program PATH."""
    with open(path, "rb") as stream:
        data = stream.read()
    if is_wasm(data):
        return list(code_of_wasm(data))
    image = images.image(path)
    return list({"ELF": code_of_elf, "Mach-O": code_of_macho,
                 "PE": code_of_pe}[image.format](image))


def find_words(address, data, constants):
    """Constants of four bytes, little-endian, at any address."""
    tops = bytes({constant >> 24 for constant in constants})
    for found in re.finditer(b"(?s)(?=(...[" + re.escape(tops) + b"]))", data):
        value, = struct.unpack("<I", found.group(1))
        if value in constants:
            yield address + found.start(), value


def find_lebs(address, data, constants):
    """Operands of i32.const.  The place is the store behind it: LLVM gives
    constants without a register the line of another use."""
    for found in re.finditer(b"(?s)\x41(?=([\x80-\xff]{4}[\0-\x7f]))", data):
        value, _ = leb(found.group(1), 0)
        if value in constants:
            yield address + found.end(1), value


def places(path, constants):
    """Sorted (address, constant) of all constants in the code of PATH."""
    with open(path, "rb") as stream:
        find = find_lebs if is_wasm(stream.read(4)) else find_words
    return sorted(place for address, data in code(path)
                  for place in find(address, data, constants))
