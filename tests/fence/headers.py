#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The installed headers keep the rules of gsym/types.h.

usage: headers.py TOP [PROGRAM]
       headers.py TOP --passed      prints the structs that may grow
       headers.py TOP --stub        prints a C file that defines all functions

Structs whose comments say "Passed by the library" may grow.  The macros of the
version say what configure.ac says.  With PROGRAM, a C++ program that has an
object of each struct is written to that file.
"""
import glob
import os
import re
import sys

STRUCT = re.compile(r"(?:/\*\*((?:(?!\*/).)*)\*/\s*)?^struct (gsym_\w+) \{",
                    re.S | re.M)
FUNCTION = re.compile(r"GSYM_API\s[^;(]*?\b(gsym_\w+)\([^;]*\);", re.S)


def main():
    top = sys.argv[1]
    folder = os.path.join(top, "libgsym/include/gsym")
    names = sorted(os.path.basename(p) for p in glob.glob(folder + "/*.h"))
    texts = [open(os.path.join(folder, name)).read() for name in names]
    text = "\n".join(texts)
    bad = []
    structs = dict(reversed(found) for found in STRUCT.findall(text))
    passed = [name for name, comment in structs.items()
              if "Passed by the library." in " ".join(comment.split(" *"))]
    plain = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    functions = FUNCTION.findall(plain)
    if sys.argv[2:] == ["--passed"]:
        print("\n".join(sorted(passed)))
        return 0
    if sys.argv[2:] == ["--stub"]:
        for name in names:
            print("#include <gsym/%s>" % name)
        for prototype in re.findall(r"^GSYM_API\s([^;]*);", plain, re.M):
            print("%s\n{\n\t__builtin_trap();\n}" % prototype)
        return 0
    version = re.search(r"^AC_INIT\(\[gsym\], \[(\d+)\.(\d+)\.(\d+)",
                        open(os.path.join(top, "configure.ac")).read(), re.M)
    for part, number in zip(("MAJOR", "MINOR", "PATCH"), version.groups()):
        line = "#define GSYM_VERSION_%s %s\n" % (part, number)
        if line not in text:
            bad.append("gsym/types.h lacks: " + line.strip())
    if len(functions) < 100 or len(structs) < 40 or len(passed) < 5:
        bad.append("only %d functions and %d structs were found" %
                   (len(functions), len(structs)))
    print("\n".join(bad) if bad else "%d functions, %d structs" %
          (len(functions), len(structs)))
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w") as program:
            for name in names:
                program.write("#include <gsym/%s>\n" % name)
            program.write("int main()\n{\n\tstatic_assert("
                          "sizeof(GSYM_VERSION) > 0, \"\");\n")
            for at, name in enumerate(sorted(structs)):
                program.write("\tstatic %s o%d;\n\t(void)&o%d;\n" %
                              (name, at, at))
            program.write("}\n")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
