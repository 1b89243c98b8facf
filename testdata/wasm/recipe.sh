#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the modules in this folder: clang 22, wasm-ld 19, llvm-objcopy 22.
#
#   prog.wasm        DWARF 4, names, a build ID
#   plain.wasm       without names and exports: llvm-symbolizer 22 takes the
#                    addresses of both for file offsets, so its answers about
#                    this module alone can be compared
#   plain.expected   what llvm-symbolizer says about each address of plain.wasm
#   stripped.wasm    code and names alone; it names its debug file
#   debug/stripped.debug.wasm  the debug file
#   prog5.wasm       DWARF 5
#   split/split.wasm  prog5.wasm with split units: split/prog.dwo,
#                    split/other.dwo, and the package split/split.dwp
set -eu
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
flags="--target=wasm32 -O1 -ffile-prefix-map=$PWD=/src -ffile-prefix-map=$tmp=/src"

make_program()
{
	output=$1
	version=$2
	shift 2
	# shellcheck disable=SC2086 # words
	clang-22 $flags "-gdwarf-$version" "$@" -c prog.c -o "$tmp/prog.o"
	# shellcheck disable=SC2086 # words
	clang-22 $flags "-gdwarf-$version" "$@" -c other.cc -o "$tmp/other.o"
	wasm-ld-19 --no-entry --no-gc-sections \
		--build-id=0x0123456789abcdef0123456789abcdef \
		"$tmp/prog.o" "$tmp/other.o" -o "$output"
}

make_program prog.wasm 4
make_program prog5.wasm 5
make_program "$tmp/plain.wasm" 4 -DPLAIN
llvm-objcopy-22 --remove-section=name "$tmp/plain.wasm" plain.wasm
i=0
while [ $i -lt 320 ]; do
	printf '0x%x\n' $i
	i=$((i + 1))
done | llvm-symbolizer-22 --no-demangle --obj=plain.wasm >plain.expected
mkdir -p debug
cp prog.wasm debug/stripped.debug.wasm
llvm-strip-22 --strip-debug prog.wasm -o "$tmp/stripped.wasm"
# The section's contents: the length of the name, and the name.
printf '\031debug/stripped.debug.wasm' >"$tmp/name"
llvm-objcopy-22 --add-section=external_debug_info="$tmp/name" \
	"$tmp/stripped.wasm" stripped.wasm
# Units name their files as the compiler wrote them; -ffile-prefix-map changes the
# folder.
mkdir -p split
cp prog.c other.cc inner.h "$tmp"
(
	cd "$tmp"
	for source in prog.c other.cc; do
		# shellcheck disable=SC2086 # words
		clang-22 $flags -gdwarf-5 -gsplit-dwarf -c $source \
			-o "${source%.*}.o"
	done
	wasm-ld-22 --no-entry --no-gc-sections prog.o other.o -o split.wasm
	llvm-dwp-22 prog.dwo other.dwo -o split.dwp
)
cp "$tmp/split.wasm" "$tmp/prog.dwo" "$tmp/other.dwo" "$tmp/split.dwp" split
chmod -x split/*
chmod -x *.wasm debug/*.wasm
