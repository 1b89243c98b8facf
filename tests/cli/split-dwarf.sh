#!/bin/sh
# SPDX-License-Identifier: MIT
# Split DWARF of every installed compiler: with .dwo files, with a package, and
# with files missing.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"

here=$top_srcdir/tests/matrix
tried=0

# Convert $1 to $2.gsym; the readers have to agree.
convert()
{
	gsym-create --verify --json -o "$2.gsym" "$1" >summary 2>err ||
		fail "$name: $2: $(cat err)"
}

# $1: the compiler; $2: the version of DWARF; the rest: options.
try()
{
	name="$*"
	compiler=$1 version=$2
	shift 2
	rm -rf build && mkdir -p build/hidden && cd build || exit 99
	for source in main.c shapes.c cold.c; do
		"$compiler" "$@" -O2 -g -gdwarf-"$version" -c \
			"$here/$source" 2>/dev/null || {
			cd ..
			return
		}
	done
	"$compiler" -O2 -c "$here/start.S" && "$compiler" -o whole ./*.o || {
		cd ..
		return
	}
	rm ./*.o
	for source in main.c shapes.c cold.c; do
		"$compiler" "$@" -O2 -g -gdwarf-"$version" -gsplit-dwarf -c \
			"$here/$source" || exit 99
	done
	"$compiler" -O2 -c "$here/start.S"
	"$compiler" -o program ./*.o || exit 99
	[ -e main.dwo ] || {
		cd ..
		return
	}
	tried=$((tried + 1))

	# The functions are those of the program without split DWARF.
	convert whole whole
	convert program program
	grep -q '"warnings":\[\]' summary || fail "$name: $(cat summary)"
	for gsym in whole program; do
		gsym-dump --functions $gsym.gsym |
			sed 's/^ *[0-9]* *0x[0-9a-f]*//' >$gsym.list
	done
	cmp whole.list program.list || fail "$name: other functions"

	# Program and .dwo files have been moved.
	mkdir moved && cp program ./*.dwo moved
	mv ./*.dwo hidden
	convert moved/program moved
	cmp program.gsym moved.gsym || fail "$name: beside the program"
	rm -r moved

	# A package, by each tool that can make one.
	for dwp in $(llvm_tool llvm-dwp) dwp; do
		type "$dwp" >/dev/null 2>&1 || continue
		(cd hidden && timeout 20 "$dwp" -e ../program -o ../package) \
			>/dev/null 2>&1 || continue
		gsym-create --verify --dwp=package -o packed.gsym program \
			2>err || fail "$name: $dwp: $(cat err)"
		cmp program.gsym packed.gsym || fail "$name: $dwp, --dwp"
		mv package program.dwp
		convert program packed
		cmp program.gsym packed.gsym || fail "$name: $dwp"
		rm program.dwp
	done
	gsym-create -q --dwp=nothing -o none.gsym program 2>err &&
		fail "$name: a package that is not there"

	# One file is missing; then each file has the name of another one.
	mv hidden/cold.dwo hidden/shapes.dwo .
	gsym-create --verify --json -o part.gsym program >summary 2>err ||
		fail "$name: one file missing: $(cat err)"
	grep -q '"kind":"missing-file","count":1,"first":"[^"]*: main.dwo was not found"' summary ||
		fail "$name: one file missing: $(cat summary)"
	gsym-create -q --strict -o strict.gsym program 2>err &&
		fail "$name: --strict takes a missing file"
	mv cold.dwo main.dwo
	mv shapes.dwo cold.dwo
	gsym-create --verify --json -o part.gsym program >summary 2>err ||
		fail "$name: wrong files: $(cat err)"
	grep -q '"kind":"missing-file","count":3,.* holds another unit' \
		summary || fail "$name: wrong files: $(cat summary)"
	cd ..
}

for compiler in gcc clang-22 clang-19 clang; do
	type "$compiler" >/dev/null 2>&1 || continue
	try "$compiler" 4
	try "$compiler" 5
	try "$compiler" 4 -fdebug-types-section
	try "$compiler" 5 -fdebug-types-section
	try "$compiler" 5 -gz=zlib
done
# Many .dwo files: that of a unit is closed before others are opened.
type gcc >/dev/null 2>&1 && {
	rm -rf build && mkdir build && cd build || exit 99
	i=0
	while [ $i -lt 60 ]; do
		echo "int f$i(int n) { return n + $i; }" >f$i.c
		i=$((i + 1))
	done
	echo 'int main(void) { return 0; }' >main.c
	gcc -g -gsplit-dwarf -c ./*.c && gcc -o many ./*.o || exit 99
	gsym-create --strict -q -j1 -o one.gsym many || fail 'many units'
	(ulimit -n 48 && gsym-create --strict -q -j12 -o twelve.gsym many) ||
		fail 'many units with few descriptors'
	cmp one.gsym twelve.gsym || fail 'many units: other bytes'
	cd ..
}
[ $tried -gt 0 ] || skip 'neither gcc nor clang splits DWARF (Debian: gcc, clang)'
exit 0
