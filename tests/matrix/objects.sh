#!/bin/sh
# SPDX-License-Identifier: MIT
# Relocatable objects of every machine that clang compiles for.  Each is
# converted, and compared address by address, in all sections, with what
# llvm-symbolizer says about a twin: the same object, linked so that its
# sections have the addresses that gsym-create gives them (twin.py).  Needs lld,
# and what matrix.sh needs.
. "$(dirname "$0")/lib.sh"

linker=$(first ld.lld ld.lld-22 ld.lld-21 ld.lld-20 ld.lld-19)
clang=$(first clang clang-22 clang-21 clang-20 clang-19)
gcc=$(first gcc gcc-14 gcc-12)
[ -n "$linker" ] || skip 'lld is not installed (Debian: lld)'

# Compare the object $1 with its twin; the case is called $2.
object()
{
	if "$here/twin.py" "$linker" "$1" "$work/twin" >"$work/said" 2>&1; then
		judge "$work/twin" "$1" "$2"
	else
		refuse "$2"
	fi
}

# As object, but options give each section an address from $3 on.
placed()
{
	if "$here/twin.py" --at "$3" "$linker" "$1" "$work/twin" \
		>"$work/bases"; then
		# shellcheck disable=SC2046
		judge "$work/twin" "$1" "$2" $(cat "$work/bases")
	else
		refuse "$2"
	fi
}

# Compile source $1 with the command that the other arguments are.
try()
{
	source=$1
	shift
	if "$@" -c -o "$work/o.o" "$here/$source" 2>"$work/said"; then
		object "$work/o.o" "$* $source"
	else
		refuse "$* $source"
	fi
}

# Try C and C++ with the compilers $1 and $2.
compiler()
{
	for options in '-O2 -g' '-O0 -gdwarf-4 -ffunction-sections' \
		'-O2 -gdwarf-5 -ffunction-sections -gz=zlib' \
		'-O3 -gdwarf-5 -fdebug-types-section -ffunction-sections' \
		'-O2 -gdwarf-4 -fdebug-types-section -fno-pic'; do
		# shellcheck disable=SC2086
		try cold.c "$1" $options
		# shellcheck disable=SC2086
		command -v "$2" >/dev/null 2>&1 &&
			for source in templates.cc thunks.cc; do
				try $source "$2" -std=c++17 $options
			done
	done
	# An object that "ld -r" made of several units, and an object whose
	# sections were loaded at other addresses.
	for source in cold shapes; do
		"$1" -O2 -g -ffunction-sections -c -o "$work/$source.o" \
			"$here/$source.c" 2>"$work/said" || return
	done
	if "$linker" -r -o "$work/half.o" "$work/cold.o" "$work/shapes.o" \
		2>"$work/said"; then
		object "$work/half.o" "$1, ld -r"
	else
		refuse "$1, ld -r"
	fi
	placed "$work/cold.o" "$1, --section-base" 0x7fffc0201000
	placed "$work/cold.o" "$1, --section-base" 0x12340
}

targets='i386-linux-gnu aarch64-linux-gnu aarch64_be-linux-gnu
arm-linux-gnueabihf thumbv7m-none-eabi s390x-linux-gnu
powerpc64-linux-gnu powerpc64le-linux-gnu powerpc-linux-gnu riscv64-linux-gnu
riscv32-linux-gnu mips-linux-gnu mipsel-linux-gnu mips64-linux-gnuabi64
mips64el-linux-gnuabi64 loongarch64-linux-gnu'

for cc in $gcc $clang; do
	case $cc in
	gcc*) compiler "$cc" "g++${cc#gcc}" ;;
	*) compiler "$cc" "clang++${cc#clang}" ;;
	esac
done
[ -z "$clang" ] || for target in $targets; do
	# By default branches on LoongArch are aligned by the linker, which
	# shortens code for that even with --no-relax.
	fixed=
	[ "$target" != loongarch64-linux-gnu ] || fixed=-mno-relax
	for version in 4 5; do
		try shapes.c "$clang" --target=$target $fixed -Os \
			-gdwarf-$version
		try shapes.c "$clang" --target=$target $fixed -O1 \
			-gdwarf-$version -ffunction-sections
	done
done
finish
