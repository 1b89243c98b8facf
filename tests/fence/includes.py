#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check every include of libgsym and tools against the table of rooms.

usage: includes.py TOP

TOP is the top folder of the project.  The table is in TOP/tests/fence/rooms.md,
under "| Room |".  Prints a line for each include that the table does not allow, for
each room that the table lacks, and for each room that uses a room above its
own.  Then checks itself: each include of TOP/tests/fence/forbidden.txt has to
be one of those.  Exits with 1 if anything is wrong.
"""
import collections
import os
import re
import sys

# Headers of C and POSIX.  Each group includes the group before it.
PLAIN = """assert ctype errno inttypes limits stdalign stdarg stdbool stddef
stdint string""".split()
MEMORY = PLAIN + "stdlib stdio".split()
FILES = MEMORY + "fcntl unistd sys/mman sys/stat sys/types".split()
SYSTEM = FILES + """dlfcn poll pthread sched setjmp signal stdatomic
sys/file sys/resource sys/wait time""".split()
GROUPS = {"plain": PLAIN, "memory": MEMORY, "files": FILES, "system": SYSTEM}

INCLUDE = re.compile(r'^\s*#\s*include(?:_next)?\s*(\S.*?)\s*$')
GENERATED = {"config.h"}


class Room:
    def __init__(self, row):
        name, _, below, outside, _ = row
        self.path = name.strip("` ")
        self.name = self.path.removeprefix("libgsym/")
        tokens = re.findall(r"`([^`]+)`", below)
        self.public = {t for t in tokens if t.startswith("gsym/")}
        self.uses = [t if t.startswith("tools/") else "libgsym/" + t
                     for t in tokens if not t.startswith("gsym/")]
        self.below = [t.rpartition("/")[2] for t in self.uses]
        self.outside = collections.defaultdict(set)
        for part in filter(None, map(str.strip, outside.split(";"))):
            if part in GROUPS:
                self.outside["*"] |= {name + ".h" for name in GROUPS[part]}
                continue
            headers = re.findall(r"`<([^`>]+)>`", part)
            files = re.findall(r"in `([^`]+)`", part) or ["*"]
            if not headers:
                sys.exit(f"rooms.md: {self.path}: cannot read '{part}'")
            for pattern in files:
                self.outside[pattern] |= set(headers)

    def may_include(self, file, target):
        """True if FILE of this room may include <TARGET>."""
        for pattern, headers in self.outside.items():
            matches = re.fullmatch(pattern.replace(".", r"\.")
                                   .replace("*", ".*"), file)
            if matches and target in headers:
                return True
        return False


def read_rooms(top):
    rooms = []
    with open(os.path.join(top, "tests/fence/rooms.md"), encoding="utf-8") as file:
        lines = iter(file)
        for line in lines:
            if line.startswith("| Room |"):
                break
        next(lines)
        for line in lines:
            if not line.startswith("|"):
                break
            rooms.append(Room(re.split(r"(?<!\\)\|", line.strip())[1:-1]))
    return rooms


def problem_of(rooms, room, file, text, top):
    """The reason why FILE of ROOM may not include TEXT, or None."""
    if text[0] not in '"<' or text[-1] not in '">':
        return "not the plain name of a header"
    target = text[1:-1]
    if target in GENERATED or target in room.public:
        return None
    if target.startswith("gsym/") and not room.may_include(file, target):
        return "an installed header that the room does not list"
    if text[0] == "<":
        return (None if room.may_include(file, target)
                else "a header from outside that the room does not list")
    allowed = [room.name.removeprefix("tools/")] + room.below
    folder, _, name = target.rpartition("/")
    if folder not in allowed:
        return "no header of a room that the room lists"
    home = ("tools" if room.path.startswith("tools/") and
            folder not in ("base", "second") else "libgsym")
    if not os.path.exists(os.path.join(top, home, target)):
        return "no file"
    return None


def check_arrows(rooms):
    """Problems of rooms that use a room above, or one that does not exist."""
    seen = []
    for room in rooms:
        for path in room.uses:
            if path in [r.path for r in seen]:
                yield f"{room.path}: uses '{path}', which is above it"
            elif path not in [r.path for r in rooms]:
                yield f"{room.path}: uses '{path}', which is no room"
        seen.append(room)


def sources(top):
    for home in "libgsym", "tools":
        for folder, _, files in sorted(os.walk(os.path.join(top, home))):
            for file in sorted(files):
                if file.endswith((".c", ".h")):
                    yield os.path.relpath(folder, top), file


def check_caught(top, rooms, by_path):
    """Print the includes of tests/fence/forbidden.txt that nothing is said
    about.  Returns whether there are none."""
    caught = missed = 0
    with open(os.path.join(top, "tests/fence/forbidden.txt"),
              encoding="utf-8") as lines:
        for line in lines:
            if not line.strip() or line.startswith("#"):
                continue
            path, include = line.split(None, 1)
            if not os.path.isfile(os.path.join(top, path)):
                print(f"forbidden.txt: there is no file {path}")
                missed += 1
                continue
            folder, file = os.path.split(path)
            match = INCLUDE.match(f"#include {include}")
            if match and problem_of(rooms, by_path[folder], file,
                                    match.group(1), top):
                caught += 1
            else:
                print(f"not caught: {path}: #include {include.strip()}")
                missed += 1
    print(f"{caught} forbidden includes caught, {missed} missed")
    return not missed and caught > 20


def main():
    top = sys.argv[1] if len(sys.argv) == 2 else sys.exit(__doc__)
    rooms = read_rooms(top)
    by_path = {room.path: room for room in rooms}
    problems = list(check_arrows(rooms))
    count = 0
    for folder, file in sources(top):
        room = by_path.get(folder)
        if not room:
            problems.append(f"{folder}/{file}: a room that is not in the "
                            "table of tests/fence/rooms.md")
            continue
        with open(os.path.join(top, folder, file), encoding="utf-8") as text:
            for number, line in enumerate(text, 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                count += 1
                text_of = re.sub(r"\s*/\*.*", "", match.group(1))
                why = problem_of(rooms, room, file, text_of, top)
                if why:
                    problems.append(f"{folder}/{file}:{number}: "
                                    f"{text_of}: {why}")
    print("\n".join(problems) if problems else
          f"{count} includes of {len(rooms)} rooms are as the table says")
    if not check_caught(top, rooms, by_path):
        return 1
    return 1 if problems else 0


sys.exit(main())
