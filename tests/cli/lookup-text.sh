#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-lookup's text output, and the options that change it.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
bytes work work.gsym
bytes odd odd.gsym

say '# inlined calls, lines, misses'
show gsym-lookup work.gsym 0x40100e 0x401012 0x401013 0x401000 4198442 0x401043
show gsym-lookup work.gsym 0x401044 0 0xffffffffffffffff
show gsym-lookup --no-inlines work.gsym 0x40100e
show gsym-lookup --no-inlines --inlines work.gsym 0x40100e
show gsym-lookup --basenames work.gsym 0x40100e

say '# addresses'
show gsym-lookup work.gsym 4198414 40100e 0040100e 000000000040100E
show gsym-lookup work.gsym 401013 00401013 0000000000401013 00000401013
show gsym-lookup --hex work.gsym 401013 0401013 0x401013
show gsym-lookup work.gsym 0x40100g 089 '' -- -1
show gsym-lookup work.gsym 0x10000000000000000 18446744073709551616
show gsym-lookup --adjust-vma=0x10000 work.gsym 0x41100e
show gsym-lookup --adjust-vma=0xffffffffffff0000 work.gsym 0x3f100e
show gsym-lookup --return-addresses work.gsym 0x401013 0
show gsym-lookup --return-addresses --adjust-vma 0x1000 work.gsym 0x402013
show gsym-lookup --adjust-vma=55550000 --hex work.gsym 55951013
show gsym-lookup --adjust-vma=7ff0000 work.gsym 83f1013

say '# names of functions'
show gsym-lookup work.gsym work work+0x13 work+19 _start _start+0
show gsym-lookup --hex work.gsym work+13
show gsym-lookup --adjust-vma=0x10000 work.gsym work+0x13
show gsym-lookup --return-addresses work.gsym work+0x13
show gsym-lookup work.gsym nobody nobody+1 work+ +1 work+x
say '# a name of hexadecimal digits, unless it is an address in the file'
sed 's/_start/aced0a/' work.gsym >aced.gsym
show gsym-lookup aced.gsym aced0a aced0a+2 40100e facade
show gsym-lookup --hex aced.gsym aced0a
show gsym-dump --function=aced0a aced.gsym
say '# several functions of one name'
sed 's/_start/work\x00x/' work.gsym >twice.gsym
show gsym-lookup twice.gsym work+2
show gsym-lookup twice.gsym work+1 work 'work x'

say '# text after the address'
show gsym-lookup work.gsym '0x40100e (prog)' '40100e work' 0x40100e, 40100e:
show gsym-lookup work.gsym 'work+0x13 (prog)' work+0x13/0x28 'work x' 3dfx_init
show gsym-lookup --json work.gsym '0x40100e "x"'

say '# the size of the function'
show gsym-lookup work.gsym work+0x13/0x14 work+0x13/0x15 work+0x13/ work/0x14
show gsym-lookup work.gsym work+0x28/0x28 work+0x13/0x28 work+19/40
show gsym-lookup --json work.gsym work+0x13/0x28 work+0x13/0x29
# Of three functions with one name those that have the size answer.
if [ -x "$top_builddir/gsym-create" ]; then
	cat >same.sym <<'END'
MODULE Linux x86_64 000000000000000000000000000000000 x
FUNC 100 20 0 same
FUNC 200 20 0 same
FUNC 300 40 0 same
FUNC 400 20 0 many
FUNC 500 20 0 many
FUNC 600 20 0 many
END
	gsym-create -q -o same.gsym same.sym || fail 'same.sym'
	gsym-lookup same.gsym same+0x20/0x20 >out 2>err
	grep -qx 'same+0x20/0x20: the offset is not below the size 0x20' out ||
		fail "$(cat out)"
	gsym-lookup --json same.gsym same+0x1/0x20 >out || fail 'same'
	[ "$(grep -c '"address":"0x[12]01"' out)" = 2 ] || fail "$(cat out)"
	# No more functions answer than the limit allows.
	if [ -x "$top_builddir/gsym-lookup-tiny" ]; then
		GSYM_TINY_LIMITS=1 "$top_builddir/gsym-lookup-tiny" \
			--json same.gsym many+0x1/0x20 >out 2>err
		[ "$(grep -c '"address"' out)" = 2 ] || fail "$(cat out)"
		grep -q "more than 2 functions have the name and the size" err ||
			fail "$(cat err)"
	fi
fi

say '# no address lies in the file'
show gsym-lookup work.gsym 0x555555555000 0x10
show gsym-lookup --quiet work.gsym 0x10
show gsym-lookup work.gsym 401000
show gsym-lookup --adjust-vma=0x1000 work.gsym 0x401000
show gsym-lookup --json --adjust-vma=0x10000 work.gsym 401000
show gsym-lookup work.gsym 0x555555555000 0x401000
printf 'MODULE Linux x86_64 0 holes\nFUNC 1000 10 0 f\n1000 10 1 0\nFUNC 2000 10 0 g\n2000 10 1 0\nFILE 0 a.c\n' >holes.sym
gsym-create -q -o holes.gsym holes.sym || fail 'holes'
show gsym-lookup holes.gsym 0x1800 0x1010
show gsym-lookup holes.gsym 0x1800 0x3000

say '# names'
show gsym-lookup odd.gsym 0x1005 0x1009 0x100b
show gsym-lookup --no-demangle odd.gsym 0x1005
show gsym-lookup --no-demangle -C odd.gsym 0x1005
show gsym-lookup odd.gsym 0x1012 0x5000

say '# merged functions and call sites'
show gsym-lookup --merged-functions odd.gsym 0x1005
for filter in '^_Z1c' Bad '[bc]'; do
	show gsym-lookup --merged-functions --call-sites \
		--merged-functions-filter="$filter" odd.gsym 0x1008
done
show gsym-lookup --merged-functions --merged-functions-filter=a1b \
	--merged-functions-filter='1ci$' odd.gsym 0x1008
show gsym-lookup --strict --merged-functions --merged-functions-filter=nothing \
	odd.gsym 0x1008
show gsym-lookup --call-sites odd.gsym 0x1008 0x100c 0x1009
show gsym-lookup --call-sites --return-addresses odd.gsym 0x1008
show gsym-lookup --call-sites --merged-functions --no-demangle odd.gsym 0x1008

say '# strict'
show gsym-lookup --strict work.gsym 0x40100e
show gsym-lookup --strict work.gsym 0x40100e 1
show gsym-lookup --strict work.gsym x 1 0x401000
finish
