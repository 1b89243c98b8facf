#!/bin/sh
# SPDX-License-Identifier: MIT
# Make the programs and the *.expected files of this folder again, in DIR:
#	recipe.sh DIR
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
clang=${CLANG:-clang-19}
ld=${LD64:-ld64.lld-19}
dsymutil=${DSYMUTIL:-dsymutil-22}
lipo=${LIPO:-llvm-lipo-22}
ar=${AR:-llvm-ar-22}
gsymutil=${GSYMUTIL:-llvm-gsymutil-22}

# $1: target; $2: DWARF version; $3: source; $4: object
compile()
{
	$clang -target "$1" -g "-gdwarf-$2" -O2 -ffreestanding \
		-fno-exceptions -fdebug-prefix-map="$here"=/src \
		-fdebug-compilation-dir=/src -c "$here/$3" -o "$4"
}

# What llvm-gsymutil answers for every third address of file $1 from $2 to the
# end of its section __text.  Behind that end it goes on with the last symbol.
ask()
{
	$gsymutil --convert="$1" --num-threads=1 -o asked.gsym >/dev/null
	# shellcheck disable=SC2046 # two words
	set -- "$1" "$2" $(llvm-objdump-22 -h "$1" |
		awk '$2 == "__text" { print "0x" $3, "0x" $4 }')
	i=$(($2))
	while [ $i -lt $(($3 + $4)) ]; do
		printf '0x%x asked.gsym\n' $i
		i=$((i + 3))
	done | $gsymutil --addresses-from-stdin >"$1.expected"
	rm asked.gsym
}

# A library of two architectures with its debug file, and one half without.
version=4
for arch in x86_64 arm64; do
	compile $arch-apple-macos11 $version shapes.cc shapes.o
	$clang -target $arch-apple-macos11 -c "$here/labels.s" -o labels.o
	$ld -arch $arch -platform_version macos 11 11 -dylib \
		-undefined dynamic_lookup -oso_prefix "$PWD/" \
		-o $arch.dylib shapes.o labels.o
	$dsymutil --flat $arch.dylib -o shapes.$arch
	ask shapes.$arch 0x480
	version=5
done
mkdir -p shapes.dSYM/Contents/Resources/DWARF
$lipo -create shapes.x86_64 -segalign x86_64 8 shapes.arm64 \
	-segalign arm64 8 -output shapes.dSYM/Contents/Resources/DWARF/shapes
mv x86_64.dylib shapes.dylib
ask shapes.dylib 0x480
rm shapes.x86_64 shapes.arm64 arm64.dylib shapes.o labels.o

# Objects, of 64 and of 32 bits.
compile arm64-apple-macos11 5 shapes.cc arm64.macho
ask arm64.macho 0
compile i386-apple-macos10.6 2 shapes.cc i386.macho
ask i386.macho 0
compile armv7-apple-ios7 4 shapes.cc armv7.macho
ask armv7.macho 0

# A program without debug info: its debug map leads to an object and to a
# member of an archive, by paths that begin at the program's folder.  Apple's
# linkers note the times of the objects, lld does not.
mkdir -p linked
compile x86_64-apple-macos11 4 main.cc linked/main.object
compile x86_64-apple-macos11 4 more.cc more.o
rm -f linked/libmore.a
$ar --format=darwin rcsD linked/libmore.a more.o
$ld -arch x86_64 -platform_version macos 11 11 -dylib -dead_strip --icf=all \
	-undefined dynamic_lookup -exported_symbol _start \
	-oso_prefix "$PWD/linked/" -o linked/prog linked/main.object \
	linked/libmore.a
(cd linked && $dsymutil prog)
rm -r linked/prog.dSYM/Contents/Info.plist \
	linked/prog.dSYM/Contents/Resources/Relocations more.o
