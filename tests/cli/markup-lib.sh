# SPDX-License-Identifier: MIT
# What the tests of gsym-markup share, besides lib.sh.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
unset XDG_CACHE_HOME
HOME=$scratch/work
export HOME
markup_data=$top_srcdir/testdata/markup
shape_id=5ba9e0010203040506070809

# The address of the symbol $1 of the library, plus $2, as decimal number.
address_of()
{
	value=$(nm libshape.so | sed -n "s/^0*\([0-9a-f]*\) . $1\$/\1/p")
	[ -n "$value" ] || fail "no symbol $1"
	echo $((0x$value + ${2:-0}))
}

# libshape.so, and below the folder "debug" its GSYM file and symbols.
make_shape()
{
	need g++
	need objcopy
	cp "$markup_data/shape.cpp" .
	g++ -O2 -g -shared -fPIC -Wl,--build-id=0x$shape_id \
		-ffile-prefix-map="$PWD"=/src/demo -o libshape.so shape.cpp \
		2>../stderr || { cat ../stderr; skip 'no libshape.so'; }
	mkdir -p debug/.build-id/5b
	file=debug/.build-id/5b/${shape_id#5b}.debug
	gsym-create --quiet -o $file.gsym libshape.so || fail 'no GSYM file'
	objcopy --only-keep-debug libshape.so $file && strip -g $file ||
		fail 'no symbols'
}

# The cases of cases.txt as files below the folder "cases".  Places in the
# library are written @area+5@, and are mapped at 0x10000.
split_cases()
{
	area=$(address_of _ZN3geo5Shape4areaEiPFvPKcPvS3_E)
	entry=$(address_of shape_entry)
	bias=$(address_of '.*bias.*')
	mkdir cases
	while IFS= read -r line; do
		case $line in
		'== '*)
			case=cases/${line#== }
			: >"$case"
			continue ;;
		*@*@*) line=$(printf '%s\n' "$line" | place) ;;
		esac
		printf '%b' "$line" >>"$case"
	done <"$markup_data/cases.txt"
}

place()
{
	awk -v area="$area" -v entry="$entry" -v bias="$bias" '
	{
		while (match($0, /@[a-z]+[+]?[0-9]*@/)) {
			name = substr($0, RSTART + 1, RLENGTH - 2)
			plus = 0
			if (split(name, part, "+") > 1)
				plus = part[2]
			at = part[1] == "area" ? area : part[1] == "entry" ? entry : bias
			$0 = substr($0, 1, RSTART - 1) \
				sprintf("0x%x", 65536 + at + plus) \
				substr($0, RSTART + RLENGTH)
		}
		print
	}'
}
