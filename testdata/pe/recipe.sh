#!/bin/sh
# SPDX-License-Identifier: MIT
# Make the files of this folder: mingw's gcc 12, zig 0.17.1 (ZIG), clang and lld
# 22.
set -eu
cd "$(dirname "$0")"
link="-nostdlib -shared -Wl,--no-insert-timestamp -Wl,-e,0"
# The assembler of mingw writes slashes, clang backslashes.
x86_64-w64-mingw32-gcc-posix -gdwarf-4 -O0 -fpreprocessed $link \
	"-fdebug-prefix-map=$PWD=C:\\src" paths.i -o gcc.dll
cp paths.i paths.c
"$ZIG" cc -target x86_64-windows-gnu -gdwarf-5 -O0 -fno-sanitize=all \
	'-fdebug-compilation-dir=C:\src' -c paths.c -o paths.obj
x86_64-w64-mingw32-gcc-posix $link paths.obj -o clang.dll
rm -f paths.c paths.obj

# A program whose debug info is in a PDB alone.
echo 'int f(int x) { return x + 1; }' >pdb.c
clang-22 --target=x86_64-pc-windows-msvc -O1 -g -gcodeview -c -o pdb.obj pdb.c
lld-link-22 /debug /entry:f /nodefaultlib /subsystem:console /noimplib \
	/timestamp:0 /pdbaltpath:pdb.pdb /out:pdb.exe pdb.obj
rm -f pdb.c pdb.obj pdb.pdb

# A library whose functions and inlined calls are in a split unit.  Its build ID
# is the GUID of a PDB that does not exist.
(
	cd split
	x86_64-w64-mingw32-gcc-posix -gdwarf-5 -O2 -gsplit-dwarf \
		"-fdebug-prefix-map=$PWD=/src" -c split.c -o split.o
	x86_64-w64-mingw32-gcc-posix -nostdlib -shared \
		-Wl,--no-insert-timestamp -Wl,-e,0 -Wl,--build-id \
		split.o -o split.dll
	rm split.o
)
chmod -x split/split.dll

# gcc.dll without its debug info, which linked.debug has.
mkdir -p linked
x86_64-w64-mingw32-objcopy --only-keep-debug gcc.dll linked/linked.debug
x86_64-w64-mingw32-strip gcc.dll -o linked/linked.dll
(
	cd linked
	x86_64-w64-mingw32-objcopy --add-gnu-debuglink=linked.debug linked.dll
)
# A library with a build ID and no .gnu_debuglink, and its debug file.
x86_64-w64-mingw32-gcc-posix -gdwarf-5 -O2 "-fdebug-prefix-map=$PWD=/src" \
	-nostdlib -shared -Wl,--no-insert-timestamp -Wl,-e,0 -Wl,--build-id \
	split/split.c -o linked/identified.dll
x86_64-w64-mingw32-objcopy --only-keep-debug linked/identified.dll \
	linked/identified.debug
x86_64-w64-mingw32-strip linked/identified.dll
chmod -x linked/*
