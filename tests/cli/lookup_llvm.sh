#!/bin/sh
# SPDX-License-Identifier: MIT
# A file that llvm-gsymutil makes of one of our own libraries gives the same
# answers here as there.  One difference is intended: where a function has a
# line table without a row for the address, llvm-gsymutil gives an error and
# we give the function.
set -u
cd "${top_builddir:?}" || exit 99
gsymutil=
for name in llvm-gsymutil-22 llvm-gsymutil; do
	command -v $name >/dev/null 2>&1 && { gsymutil=$name; break; }
done
[ -n "$gsymutil" ] || { echo 'llvm-gsymutil is not installed'; exit 77; }
[ -e .libs/libgsym.so ] || { echo 'no shared library was built'; exit 77; }
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT

$gsymutil --convert=.libs/libgsym.so --num-threads=1 -o "$tmp/lib.gsym" \
	>"$tmp/log" 2>&1 || { echo 'llvm-gsymutil cannot convert'; exit 77; }

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
sed -n 's/: error: .* is not in the line table$//p' "$tmp/theirs" >"$tmp/rowless"
for which in theirs ours; do
	awk -F: 'BEGIN { RS = ""; ORS = "\n\n" }
		FILENAME != ARGV[2] { split($0, list, "\n")
			for (i in list) skip[list[i]]; next }
		!($1 in skip)' "$tmp/rowless" "$tmp/$which" >"$tmp/$which.kept"
done
mv "$tmp/theirs.kept" "$tmp/theirs"
mv "$tmp/ours.kept" "$tmp/ours"
diff -u "$tmp/theirs" "$tmp/ours" >"$tmp/diff" || {
	head -40 "$tmp/diff"
	exit 1
}
grep -q 'inlined' "$tmp/ours" || { echo 'nothing was inlined'; exit 1; }
echo "$count addresses"
