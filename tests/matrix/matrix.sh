#!/bin/sh
# SPDX-License-Identifier: MIT
# The programs of this folder, built with every compiler that is installed and
# many options, converted, and compared address by address with what
# llvm-symbolizer makes of their debug info (compare.py).
#
#	tests/matrix/matrix.sh [quick|full]
#
# "quick" (what make check runs) takes a few combinations of each compiler,
# "full" (make check-matrix) all of them: some minutes.  Needs python3 and
# llvm-symbolizer, and is skipped without them.  eu-addr2line, if it is
# installed, gives a second opinion.  KEEP=folder keeps the programs.
. "$(dirname "$0")/lib.sh"
mode=${1:-${MATRIX:-quick}}

# Build both programs with the compilers $1 (C) and $2 (C++); further arguments
# are options.  Options that a compiler does not know are skipped.
try()
{
	cc=$1 cxx=$2
	shift 2
	name=$cases
	[ -n "${KEEP:-}" ] || name=program
	if "$cc" "$@" -o "$work/$name.c.out" "$here/main.c" "$here/shapes.c" \
		"$here/cold.c" "$here/start.S" 2>"$work/said"; then
		judge "$work/$name.c.out" "$work/$name.c.out" "$cc $*"
	else
		refuse "$cc $*"
	fi
	command -v "$cxx" >/dev/null 2>&1 || return
	if "$cxx" -std=c++17 "$@" -o "$work/$name.cc.out" "$here/main.cc" \
		"$here/thunks.cc" "$here/templates.cc" 2>"$work/said"; then
		judge "$work/$name.cc.out" "$work/$name.cc.out" "$cxx $*"
	else
		refuse "$cxx $*"
	fi
}

# Other tools change the debug info of a finished program: they compress it, or
# move it to a file of its own.  Not every reader knows the old compression, so
# the unchanged program is the one to compare with.
changed()
{
	whole=$work/changed.out
	command -v objcopy >/dev/null 2>&1 || return
	"$1" -O2 -g -o "$whole" "$here/main.c" "$here/shapes.c" \
		"$here/cold.c" "$here/start.S" || return
	for how in compress-debug-sections=zlib compress-debug-sections=zstd \
		compress-debug-sections=zlib-gnu only-keep-debug; do
		if objcopy --$how "$whole" "$whole.debug" 2>"$work/said"
		then
			judge "$whole" "$whole.debug" "$1, objcopy --$how"
		else
			refuse "objcopy --$how"
		fi
	done
}

# Debug info that dwz has shrunk: partial units, and a file that two programs
# share.
shrunk()
{
	command -v dwz >/dev/null 2>&1 && command -v "$2" >/dev/null 2>&1 ||
		return
	shrunk=$work/shrunk
	for version in 4 5; do
		"$2" -std=c++17 -O2 -gdwarf-$version -o "$shrunk.orig" \
			"$here/main.cc" "$here/thunks.cc" \
			"$here/templates.cc" || return
		rm -f "$shrunk.common"
		cp "$shrunk.orig" "$shrunk.one"
		if dwz "$shrunk.one" 2>"$work/said"; then
			judge "$shrunk.orig" "$shrunk.one" \
				"$2 -gdwarf-$version, dwz"
		else
			refuse "$2 -gdwarf-$version, dwz"
		fi
		cp "$shrunk.orig" "$shrunk.one"
		cp "$shrunk.orig" "$shrunk.two"
		if dwz -m "$shrunk.common" "$shrunk.one" "$shrunk.two" \
			2>"$work/said" && [ -e "$shrunk.common" ]; then
			judge "$shrunk.orig" "$shrunk.one" \
				"$2 -gdwarf-$version, dwz -m"
		else
			refuse "$2 -gdwarf-$version, dwz -m"
		fi
	done
}

# Split DWARF: the units stay in the files that the compiler made.
split()
{
	here_too=$work/split
	for version in 4 5; do
		rm -rf "$here_too"
		mkdir "$here_too"
		if (cd "$here_too" &&
			"$1" -O2 -gdwarf-$version -gsplit-dwarf -c \
				"$here/main.c" "$here/shapes.c" \
				"$here/cold.c" "$here/start.S" &&
			"$1" -o program ./*.o) 2>"$work/said"; then
			judge "$here_too/program" "$here_too/program" \
				"$1 -gdwarf-$version -gsplit-dwarf"
		else
			refuse "$1 -gdwarf-$version -gsplit-dwarf"
		fi
		command -v "$2" >/dev/null 2>&1 || continue
		rm -f "$here_too"/*
		if (cd "$here_too" &&
			"$2" -std=c++17 -O2 -gdwarf-$version -gsplit-dwarf \
				-fdebug-types-section -c "$here/main.cc" \
				"$here/thunks.cc" "$here/templates.cc" &&
			"$2" -o program ./*.o) 2>"$work/said"; then
			judge "$here_too/program" "$here_too/program" \
				"$2 -gdwarf-$version -gsplit-dwarf"
		else
			refuse "$2 -gdwarf-$version -gsplit-dwarf"
		fi
	done
}

# One program of another language: source $1, compiler $2, then options.
language()
{
	source=$1 compiler=$2
	shift 2
	command -v "$compiler" >/dev/null 2>&1 || return
	if "$compiler" "$@" "$work/language" "$here/$source" 2>"$work/said"
	then
		judge "$work/language" "$work/language" "$compiler $*"
	else
		refuse "$compiler $*"
	fi
}

languages()
{
	for level in 0 2; do
		language main.f90 gfortran -g -O$level -J "$work" -o
		language main.d gdc -g -O$level -fno-druntime -o
		language main.d ldc2 -g -O$level -betterC "-od=$work" -of
		language main.rs rustc -g -C opt-level=$level -o
	done
	language main.rs rustc -g -C opt-level=3 -C lto=fat -o
}

quick()
{
	try "$1" "$2" -O0 -gdwarf-4
	try "$1" "$2" -O2 -gdwarf-5
	try "$1" "$2" -O3 -gdwarf-3 -gz=zlib
	try "$1" "$2" -O2 -g -flto
	try "$1" "$2" -Os -gdwarf-2 -fno-pie -no-pie
	changed "$1"
	shrunk "$1" "$2"
	split "$1" "$2"
}

full()
{
	for level in -O0 -Og -O1 -O2 -O3 -Os; do
		for version in 2 3 4 5; do
			try "$1" "$2" $level -gdwarf-$version
		done
	done
	try "$1" "$2" -O2 -gdwarf-4 -gdwarf64
	try "$1" "$2" -O2 -gdwarf-5 -gdwarf64
	try "$1" "$2" -O2 -g -gz=zlib
	try "$1" "$2" -O2 -g -gz=zstd
	changed "$1"
	shrunk "$1" "$2"
	split "$1" "$2"
	try "$1" "$2" -O2 -g -m32
	try "$1" "$2" -O0 -gdwarf-3 -m32
	try "$1" "$2" -O2 -g -flto
	try "$1" "$2" -O3 -gdwarf-4 -flto
	try "$1" "$2" -O2 -g1
	try "$1" "$2" -O2 -gline-tables-only
	try "$1" "$2" -O2 -g -no-pie -fno-pie
	try "$1" "$2" -O2 -g -static
	try "$1" "$2" -O2 -g -fPIC -fno-plt
	try "$1" "$2" -O2 -g -fno-asynchronous-unwind-tables
	try "$1" "$2" -O2 -gdwarf-4 -fdebug-types-section
	try "$1" "$2" -O2 -gdwarf-5 -fdebug-types-section
	try "$1" "$2" -O2 -g -ffunction-sections -Wl,--gc-sections
	try "$1" "$2" -O2 -g -gno-column-info
	try "$1" "$2" -O2 -g -fno-inline
	try "$1" "$2" -O3 -g -funroll-loops
	try "$1" "$2" -O2 -g -fbasic-block-sections=all
	try "$1" "$2" -O2 -g -fsplit-machine-functions
	for linker in gold lld; do
		try "$1" "$2" -O2 -g -fuse-ld=$linker -ffunction-sections \
			-Wl,--gc-sections
		try "$1" "$2" -O2 -g -fuse-ld=$linker -ffunction-sections \
			-Wl,--icf=all
	done
}

# Use each compiler once, by the first of its names that is installed.
[ "$mode" = full ] || [ "$mode" = quick ] || {
	echo "usage: matrix.sh [quick|full]" >&2
	exit 2
}
compilers=$(first gcc gcc-14 gcc-12)
compilers="$compilers $(first clang clang-22 clang-21 clang-20 clang-19 \
	clang-16 clang-14)"
for cc in $compilers; do
	case $cc in
	gcc*) cxx=g++${cc#gcc} ;;
	*) cxx=clang++${cc#clang} ;;
	esac
	$mode "$cc" "$cxx"
done
[ "$mode" = quick ] || languages
finish
