#!/bin/sh
# SPDX-License-Identifier: MIT
# The Mach-O files of testdata against LLVM's own symbolizer: both have to give
# the same functions, files and lines for each byte of the code.  Symbols of
# Mach-O have no size, so that LLVM counts the bytes between two functions as
# part of the first one; ours ends where the debug info says.
set -u
: "${top_srcdir:?}"
cd "${top_builddir:?}" || exit 99
. "$(dirname "$0")/../support/tools.sh"
need_llvm llvm-symbolizer
symbolizer=$llvm
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
data=$top_srcdir/testdata/macho
bad=0

# Print the answers of both as lines of "address function file:line, function
# file:line".  LLVM knows no functions in stubs. $1: file; $2: architecture; $3:
# first address; $4: end
compare()
{
	./gsym-create -q --arch "$2" -o "$tmp/x.gsym" "$1" || exit 1
	at=$(($3))
	while [ $at -lt $(($4)) ]; do
		printf '0x%x\n' $at
		at=$((at + 1))
	done >"$tmp/addresses"
	$symbolizer --obj="$1" --default-arch="$2" --no-demangle \
		--output-style=LLVM <"$tmp/addresses" |
		awk 'BEGIN { RS = ""; FS = "\n" }
		{
			for (i = 1; i < NF; i += 2) {
				sub(/:[0-9]*$/, "", $(i + 1))
				printf "%s %s, ", $i, $(i + 1)
			}
			print ""
		}' >"$tmp/theirs"
	./gsym-lookup --no-demangle --json "$tmp/x.gsym" <"$tmp/addresses" |
		awk '{
			n = split($0, frames, /\{"function":"/)
			for (i = 2; i <= n; i++) {
				name = file = line = frames[i]
				sub(/".*/, "", name)
				sub(/.*"file":"/, "", file)
				sub(/".*/, "", file)
				sub(/.*"line":/, "", line)
				sub(/[^0-9].*/, "", line)
				if (file == "")
					file = "??"
				printf "%s %s:%s, ", name, file, line
			}
			print ""
		}' >"$tmp/ours"
	[ -s "$tmp/theirs" ] || { echo "$1: no answers"; exit 1; }
	paste -d ' ' "$tmp/addresses" "$tmp/theirs" >"$tmp/a"
	paste -d ' ' "$tmp/addresses" "$tmp/ours" >"$tmp/b"
	gaps=$(grep -cx '0x[0-9a-f]* ' "$tmp/b")
	grep -vx '0x[0-9a-f]* ' "$tmp/b" | diff "$tmp/a" - | grep -v '^[0-9]' |
		awk -v gaps="$gaps" '
		/^</ { theirs++ }
		/^>/ { print; ours++ }
		END {
			if (!ours && theirs == gaps && gaps < 40)
				exit 0
			print ours + 0, "of ours,", theirs, "of theirs,",
				gaps, "gaps"
			exit 1
		}' || {
		echo "in $1, $2"
		bad=1
	}
}

dsym=$data/shapes.dSYM/Contents/Resources/DWARF/shapes
compare "$dsym" x86_64 0x4b0 0x575
compare "$dsym" arm64 0x4c0 0x594
compare "$data/shapes.dylib" x86_64 0x4b0 0x575
compare "$data/arm64.macho" arm64 0 0xc0
compare "$data/i386.macho" i386 0 0x9c
compare "$data/armv7.macho" armv7 0 0x72
exit $bad
