#!/bin/sh
# SPDX-License-Identifier: MIT
# Addresses as nm, /proc/kallsyms and others print them: each is found.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
bytes work work.gsym
need nm
compile prog
gsym-create -q prog || fail "status $?"

# nm pads addresses with zeros.
nm prog | sed -n 's/^\([0-9a-f]*\) [Tt] \(work\|main\|_start\)$/\1 \2/p' >functions
[ "$(wc -l <functions)" = 3 ] || fail "functions: $(cat functions)"
cut -d ' ' -f 1 functions | gsym-lookup --json prog.gsym >answers ||
	fail "status $?"
sed 's/.*"function":"\([^"]*\)".*/\1/' answers >got
cut -d ' ' -f 2 functions | cmp - got || fail "wrong: $(cat answers)"

# Without the padding, one by one and as a stream.
sed 's/^0*//; s/ .*//' functions | gsym-lookup --hex --json prog.gsym >got ||
	fail "--hex: $?"
cmp answers got || fail '--hex'

# By name: the addresses are those of nm.
cut -d ' ' -f 2 functions | gsym-lookup --json prog.gsym >got || fail 'names'
cmp answers got || fail 'names'

# Thousands of lines are sorted first, and answered as lines of their own.
i=0
while [ $i -lt 300 ]; do
	printf '000000000040100e\n40100e\nwork\n4198414\n0x40100e x\nwork+0xe\n'
	i=$((i + 1))
done >many
gsym-lookup --no-inlines work.gsym <many >answers 2>err
[ $? = 2 ] || fail "many: $(cat err)"
printf '%s\n' '0x40100e: work + 14 at /src/ex.c:2' \
	'0x40100e: work + 14 at /src/ex.c:2' '0x401000: work at /src/ex.c:6' \
	'0x40100e: work + 14 at /src/ex.c:2' \
	"0x40100e x: not an address: text after '0x40100e'" \
	'0x40100e: work + 14 at /src/ex.c:2' >six
i=0
while [ $i -lt 300 ]; do
	cat six
	i=$((i + 1))
done | cmp - answers || fail 'many'

# Many addresses, none in the file: one note.
for threads in 1 3; do
	sed -n 's/^4198414$/401000/p' many | sed 'p;p;p;p;p' |
		gsym-lookup --num-threads=$threads work.gsym >answers 2>err ||
		fail "$?"
	grep -c '' err | grep -qx 1 && grep -q 'be hexadecimal (--hex)' err ||
		fail "no note: $(cat err)"
done

# Readable names, as answers have them; and a name that is near.
gsym-create -q -o shapes.gsym "$top_srcdir/testdata/macho/shapes.dylib" ||
	fail "shapes: $?"
for name in 'shapes::Shape::area() const' 'shapes::Shape::area' \
	_ZNK6shapes5Shape4areaEv; do
	gsym-lookup shapes.gsym "$name+4" >answers 2>err || fail "$name: $?"
	grep -q '^0x4b4: shapes::Shape::area() const + 4' answers ||
		fail "$name: $(cat answers err)"
	gsym-dump --function="$name" shapes.gsym | grep -q '^.0x4b0, 0x4e0) ' ||
		fail "gsym-dump: $name"
done
gsym-lookup shapes.gsym shapes::are wrok >answers 2>err
[ $? = 2 ] || fail "near: $(cat answers err)"
cat >wanted <<'END'
gsym-lookup: note: no function has the name 'shapes::are'; near: shapes::Shape::area() const
gsym-lookup: note: no function has the name 'wrok'; near: work
gsym-lookup: inputs that are no addresses: 2
END
cmp wanted err || fail "near: $(cat err)"
exit 0
