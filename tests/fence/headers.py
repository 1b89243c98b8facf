#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The installed headers keep the rules of gsym/types.h.

usage: headers.py TOP [PROGRAM]
       headers.py TOP --growing     prints the structs that grow
       headers.py TOP --stub        prints a C file that defines all functions

Each struct with fields says whether it grows, is frozen, or is passed by the
library.  A function that takes a struct that grows takes its size, and
test_sized.c calls it.  The macros of the version say what configure.ac says.
With PROGRAM, a C++ program that has an object of each struct, and checks on
64-bit machines that structs that grow end without padding, is written to that
file.
"""
import glob
import os
import re
import sys

KINDS = ("Grows", "Frozen", "Passed by the library")

# The library filled these parameters in, and the function reads members of the
# first release alone, so it needs no size.
HANDLES = {
    ("gsym_lines", "function"), ("gsym_inlines", "function"),
    ("gsym_inline_range", "node"), ("gsym_merged_at_sized", "function"),
    ("gsym_call_site_at_sized", "function"),
    ("gsym_call_site_find_sized", "function"),
    ("gsym_call_site_pattern", "site"), ("gsym_lookup_merged_sized", "match"),
}

STRUCT = re.compile(r"(?:/\*\*((?:(?!\*/).)*)\*/\s*)?^struct (gsym_\w+) \{",
                    re.S | re.M)
FUNCTION = re.compile(r"GSYM_API\s[^;(]*?\b(gsym_\w+)\(([^;]*)\);", re.S)
INLINE = re.compile(r"^static inline [^;{]*?\b(gsym_\w+)\(", re.S | re.M)


def structs(text):
    for comment, name in STRUCT.findall(text):
        words = re.sub(r"\s+\*?\s*", " ", comment or "")
        yield name, [k for k in KINDS
                     if re.search(r"(^|[.;] )%s[.;]" % k, words)]


def last_member(plain, name):
    """The name of the last member of struct NAME."""
    at = plain.index("{", re.search(r"^struct %s \{" % name, plain,
                                    re.M).start())
    depth, end = 1, at + 1
    while depth:
        depth += {"{": 1, "}": -1}.get(plain[end], 0)
        end += 1
    body = plain[at + 1:end - 1].rstrip().rstrip(";")
    member = re.split(r"[;}]", body)[-1]
    pointer = re.search(r"\(\*(\w+)\)", member)
    return pointer[1] if pointer else re.findall(
        r"(\w+)(?:\[\w*\])*\s*(?=,|$)", member)[-1]


def main():
    top = sys.argv[1]
    folder = os.path.join(top, "libgsym/include/gsym")
    names = sorted(os.path.basename(p) for p in glob.glob(folder + "/*.h"))
    texts = [open(os.path.join(folder, name)).read() for name in names]
    text = "\n".join(texts)
    bad, kind = [], {}
    for name, kinds in structs(text):
        kind[name] = kinds[0] if kinds else None
        if len(kinds) != 1:
            bad.append("struct %s: its comment has to say one of: %s" %
                       (name, ", ".join(k + "." for k in KINDS)))
    plain = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    inline = set(INLINE.findall(plain))
    functions = dict(FUNCTION.findall(plain))
    if sys.argv[2:] == ["--growing"]:
        print("\n".join(sorted(n for n in kind if kind[n] == "Grows")))
        return 0
    if sys.argv[2:] == ["--stub"]:
        for name in names:
            print("#include <gsym/%s>" % name)
        for prototype in re.findall(r"^GSYM_API\s([^;]*);", plain, re.M):
            print("%s\n{\n\t__builtin_trap();\n}" % prototype)
        return 0
    for name, parameters in functions.items():
        parameters = [" ".join(p.split()) for p in parameters.split(",")]
        sized = 0
        for at, parameter in enumerate(parameters):
            match = re.match(r"(?:const )?struct (\w+) \*+(\w+)$", parameter)
            if not match or kind.get(match[1]) != "Grows" or \
                    (name, match[2]) in HANDLES:
                continue
            sized += 1
            if at + 1 == len(parameters) or \
                    not re.match(r"size_t \w+_size$", parameters[at + 1]):
                bad.append("%s: no size after %s" % (name, match[2]))
        if name.endswith("_sized") != bool(sized):
            bad.append("%s: the name ends in _sized if a struct in it grows, "
                       "and only then" % name)
        if sized and name.endswith("_sized") and \
                name[:-len("_sized")] not in inline:
            bad.append("%s: there is no inline function %s" %
                       (name, name[:-len("_sized")]))
    tested = open(os.path.join(top, "tests/unit/public/test_sized.c")).read()
    bad += ["test_sized.c does not call " + name for name in functions
            if name.endswith("_sized") and name + "(" not in tested]
    version = re.search(r"^AC_INIT\(\[gsym\], \[(\d+)\.(\d+)\.(\d+)",
                        open(os.path.join(top, "configure.ac")).read(), re.M)
    for part, number in zip(("MAJOR", "MINOR", "PATCH"), version.groups()):
        line = "#define GSYM_VERSION_%s %s\n" % (part, number)
        if line not in text:
            bad.append("gsym/types.h lacks: " + line.strip())
    if len(functions) < 100 or len(kind) < 40:
        bad.append("only %d functions and %d structs were found" %
                   (len(functions), len(kind)))
    print("\n".join(bad) if bad else "%d functions, %d structs" %
          (len(functions), len(kind)))
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w") as program:
            for name in names:
                program.write("#include <gsym/%s>\n" % name)
            program.write("int main()\n{\n\tstatic_assert("
                          "sizeof(GSYM_VERSION) > 0, \"\");\n")
            for at, name in enumerate(sorted(kind)):
                program.write("\tstatic %s o%d;\n\t(void)&o%d;\n" %
                              (name, at, at))
                if kind[name] == "Grows":
                    last = last_member(plain, name)
                    program.write("\tstatic_assert(sizeof(void *) < 8 || "
                                  "offsetof(%s, %s) + sizeof(o%d.%s) == "
                                  "sizeof(o%d), \"padding at the end of "
                                  "%s\");\n" %
                                  (name, last, at, last, at, name))
            program.write("}\n")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
