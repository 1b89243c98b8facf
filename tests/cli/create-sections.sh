#!/bin/sh
# SPDX-License-Identifier: MIT
# Relocatable objects: sections get addresses, from --section-base or by
# default.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
compile prog
mv prog linked
cat >object.c <<'END'
/* Each function is on one line.  Otherwise the line of the first instruction
 * would depend on the machine. */
int first(int x) { return x + 1; }

__attribute__((section(".init.text")))
int second(int x) { return x * 3; }
END
# shellcheck disable=SC2086
${CC:-cc} -g -O1 -c -o object.o object.c 2>../stderr || fail 'cannot compile'

# Function and line at the address $1, which must be the start of a function:
# other addresses depend on the compiler.
first_line()
{
	gsym-lookup --json object.gsym "$1" | sed -n 's/.*"function":"\([a-z]*\)",.*"line":\([0-9]*\),.*/\1 \2/p'
}

say '# the first executable section is at 0, the others follow'
gsym-create -q object.o -o object.gsym || fail 'cannot convert'
say "$(first_line 0)"

say '# sections where they are at run time'
show gsym-create -q --section-base=.text=0xc0200000 \
	--section-base .init.text=0xc0300000 -o object.gsym object.o
say "$(first_line 0xc0200000)"
say "$(first_line 0xc0300000)"
# The end of the last function depends on the compiler.
say "$(gsym-lookup object.gsym 0 2>&1 | sed 's/ to 0x[0-9a-f]*;/ to END;/')"
if readelf -h object.o | grep -q ELF64; then
	# A kernel lies in the highest 2 GiB of 64-bit addresses.
	gsym-create -q --section-base=.text=0xffffffffc0200000 \
		--section-base .init.text=0xffffffffc0300000 \
		-o object.gsym object.o || fail 'the highest 2 GiB'
	[ "$(first_line 0xffffffffc0200000)" = 'first 3' ] &&
		[ "$(first_line 0xffffffffc0300000)" = 'second 6' ] ||
		fail 'the highest 2 GiB: no functions'
fi

say '# libdwarf reads the same sections'
show gsym-create -q --verify --section-base=.text=0x1000 -o object.gsym object.o
say "$(first_line 0x1000)"

say '# values that are refused'
rm object.gsym
show gsym-create --section-base=.text object.o
show gsym-create --section-base==0x1000 object.o
show gsym-create --section-base=.text= object.o
show gsym-create --section-base=.text=fog object.o
show gsym-create --section-base=.nothing=0x1000 object.o
show gsym-create --section-base=.debug_info=0x1000 object.o
show gsym-create --section-base=.text=0x1000 --section-base=.text=0 object.o
show gsym-create --section-base=.text=0x1000 --section-base=.init.text=0x1000 \
	object.o
show gsym-create --section-base=.text=0xffffffffffffffff object.o
show gsym-create --section-base=.text=0x1000 linked
only linked object.c object.o program.c
finish
