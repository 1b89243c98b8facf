#!/bin/sh
# SPDX-License-Identifier: MIT
# Lookups in a GSYM file of libgsym.so that llvm-gsymutil made give the answers
# of llvm-gsymutil, with two exceptions.  For a function without a line table
# llvm-gsymutil ignores inlined calls, and gsym does not: only the outermost
# frame is compared.  For an address before the first row of a line table
# llvm-gsymutil reports an error, and gsym answers with the function.
set -u
cd "${top_builddir:?}" || exit 99
. "${top_srcdir:?}/tests/support/tools.sh"
# Older ones leave out inlined frames.
need_llvm llvm-gsymutil 19
gsymutil=$llvm
[ -e .libs/libgsym.so ] ||
	skip 'no shared library was built (configure --disable-shared)'
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT

$gsymutil --convert=.libs/libgsym.so --num-threads=1 -o "$tmp/lib.gsym" \
	>"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }

# Every third byte of the code.
set -- $(readelf -SW .libs/libgsym.so |
	sed -n 's/.*\] \.text  *PROGBITS  *\([0-9a-f]*\) [0-9a-f]* \([0-9a-f]*\).*/\1 \2/p')
at=$((0x$1))
end=$((0x$1 + 0x$2))
while [ $at -lt $end ]; do
	printf '0x%x\n' $at
	at=$((at + 3))
done >"$tmp/addresses"
count=$(wc -l <"$tmp/addresses")
[ "$count" -gt 1000 ] || { echo "only $count addresses"; exit 1; }

sed "s|\$| $tmp/lib.gsym|" "$tmp/addresses" |
	$gsymutil --addresses-from-stdin >"$tmp/theirs" || exit 1
./as_llvm "$tmp/lib.gsym" <"$tmp/addresses" >"$tmp/ours" || exit 1
awk '
	# The outermost frame, without its place.
	function outermost(text)
	{
		sub(/.*\n */, "", text)
		sub(/^0x[0-9a-f]*: /, "", text)
		sub(/ @ .*/, "", text)
		return text
	}
	BEGIN { RS = "" }
	FILENAME == ARGV[1] { theirs[$1] = $0; next }
	{
		other = theirs[$1]
		delete theirs[$1]
		if (other ~ / is not in the line table$/)
			next
		if (other ~ / @ | is not in GSYM$/)
			same = other == $0
		else
			same = outermost(other) == outermost($0)
		if (!same && bad++ < 10)
			print "theirs:\n" other "\nours:\n" $0 "\n"
	}
	END {
		for (address in theirs)
			bad++
		exit bad != 0
	}' "$tmp/theirs" "$tmp/ours" || exit 1
grep -q 'inlined' "$tmp/ours" || { echo 'nothing was inlined'; exit 1; }
echo "$count addresses"
