#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-create --merged-functions and --dwarf-callsites on real programs.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"

# The address of symbol $2 in $1.
address()
{
	nm "$1" | sed -n "s/^0*\([0-9a-f]*\) [Tt] $2\$/0x\1/p"
}

# Call sites: those in blocks, in inlined functions and through pointers, too.
cp "$top_srcdir/tests/cli/calls.c" . || exit 99
for version in 4 5; do
	${CC:-cc} -O2 -g -gdwarf-$version -o calls calls.c >log 2>&1 ||
		fail "cannot compile: $(cat log)"
	gsym-create --json -o plain.gsym calls >summary || fail "plain: $?"
	grep -q '"call_sites":0,' summary ||
		fail 'call sites that nobody asked for'
	gsym-create --verify --dwarf-callsites -o calls.gsym calls 2>err ||
		fail "--dwarf-callsites: $(cat err)"
	gsym-dump --verify calls.gsym >/dev/null || fail 'it does not verify'
	gsym-dump --function=caller calls.gsym | grep '^    +' >sites
	[ "$(grep -c ': leaf$' sites)" = 3 ] ||
		fail "DWARF $version: $(cat sites)"
	if type objdump >/dev/null 2>&1 && [ "$(uname -m)" = x86_64 ]; then
		# What stands behind each call is where it returns to.
		start=$(($(address calls caller)))
		objdump -d --no-show-raw-insn calls |
			sed -n '/<caller>:/,/^$/p' |
			sed -n '/call.*leaf/{n;s/^ *\([0-9a-f]*\):.*/0x\1/p;}' |
			while read -r at; do
				echo "+$((at - start))"
			done >wanted
		sed -n 's/^ *\(+[0-9]*\): leaf$/\1/p' sites | cmp - wanted ||
			fail "DWARF $version: other addresses"
	fi
done

# Folded functions, by a linker that can.
cp "$top_srcdir/tests/cli/folded.c" . || exit 99
found=
for linker in gold lld; do
	${CC:-cc} -g -O1 -fno-inline -ffunction-sections -fuse-ld=$linker \
		-Wl,--icf=all -o folded folded.c >log 2>&1 || continue
	at=$(address folded first)
	[ -n "$at" ] && [ "$at" = "$(address folded third)" ] || continue
	found="$found $linker"
	gsym-create --verify --merged-functions -o folded.gsym folded 2>err ||
		fail "--merged-functions: $(cat err)"
	grep -q 'merged functions: 2' err || fail "$linker: $(cat err)"
	gsym-lookup --merged-functions folded.gsym "$at" >answer
	for name in first second third; do
		grep -q "$name" answer || fail "$linker: no $name: $(cat answer)"
	done
	# lld gives the debug info of what it folds no address.
	[ $linker = lld ] && continue
	grep -q 'first at .*:5$' answer && grep -q 'second at .*:9$' answer &&
		grep -q 'third at .*:13$' answer ||
		fail "$linker: wrong lines: $(cat answer)"
	gsym-create -q -o plain.gsym folded || fail 'plain'
	[ "$(gsym-lookup --merged-functions plain.gsym "$at" | wc -l)" = 1 ] ||
		fail 'merged functions that nobody asked for'
	gsym-create -q -j1 --merged-functions -o one.gsym folded || fail '-j1'
	cmp one.gsym folded.gsym || fail 'the output depends on threads'
done
[ -n "$found" ] || skip 'no linker that folds functions'
exit 0
