#!/bin/sh
# SPDX-License-Identifier: MIT
# Contents of GSYM files that options of gsym-create add: call sites, data and
# folded functions of real programs.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"

# The address of symbol $2 in $1.
address()
{
	nm "$1" | sed -n "s/^0*\([0-9a-f]*\) [Tt] $2\$/0x\1/p"
}

# Names of stubs in the PLT, with and without symbols, as objdump has them.
cat >stubs.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	puts(argv[0]);
	return argc > 1 ? atoi(argv[1]) : atexit(0);
}
EOF
if type objdump strip >/dev/null 2>&1 && [ "$(uname -m)" = x86_64 ]; then
	for flags in none,lazy none,now full,lazy full,now; do
		${CC:-cc} -O1 -fcf-protection=${flags%,*} -Wl,-z,${flags#*,} \
			-o stubs stubs.c >log 2>&1 ||
			fail "cannot compile: $(cat log)"
		# One symbol is left: stubs alone are no functions.
		strip -K main -o stripped stubs
		for program in stubs stripped; do
			objdump -d -j .plt -j .plt.sec -j .plt.got $program |
				sed -n 's/^0*\([0-9a-f]*\) <\([a-z_]*@plt\)>:/0x\1: \2/p' \
				>wanted
			grep -q ': puts@plt' wanted || continue
			gsym-create -q -o stubs.gsym $program
			sed 's/:.*//' wanted | xargs gsym-lookup stubs.gsym |
				cmp - wanted || fail "stubs: $flags, $program"
		done
		gsym-create -q --no-plt -o stubs.gsym stubs || fail '--no-plt'
		gsym-dump --functions stubs.gsym >functions
		! grep '@plt' functions || fail '--no-plt: it has stubs'
		strip -o stripped stubs
		gsym-create -q -o stubs.gsym stripped 2>err
		[ $? = 2 ] && grep -q 'it has no functions' err ||
			fail "stubs alone: $(cat err)"
		part_passed "names of stubs, $flags"
	done
else
	part_skipped 'names of stubs' 'needs x86-64, objdump and strip'
fi

# Functions that no symbol names, and a symbol that reached into one.
cat >frames.c <<'EOF'
__attribute__((noinline, used)) static int hidden(int a) { return a * 3; }
int shown(int a) { return hidden(a) + 1; }
EOF
if type objdump strip readelf >/dev/null 2>&1; then
	${CC:-cc} -O1 -fno-inline -shared -fPIC -fasynchronous-unwind-tables \
		-o frames frames.c >log 2>&1 || fail "cannot compile: $(cat log)"
	hidden=$(address frames hidden)
	size=$(readelf -sW frames | sed -n 's/.*: [0-9a-f]* *\([0-9]*\) .* hidden$/\1/p')
	strip -o stripped frames
	gsym-create -q -o frames.gsym stripped || fail 'frames'
	gsym-dump --functions frames.gsym >functions
	! grep '??$' functions || fail 'functions without a name'
	gsym-create -q --eh-frame -o frames.gsym stripped || fail '--eh-frame'
	gsym-dump --functions frames.gsym >functions
	grep -q "^ *$hidden *$size .* ??\$" functions ||
		fail "--eh-frame: $hidden, $size: $(cat functions)"
	grep -q ' shown$' functions || fail '--eh-frame: no symbols'
	[ "$(gsym-lookup frames.gsym $((hidden + 1)))" = \
		"$(printf '0x%x: ?? + 1' $((hidden + 1)))" ] ||
		fail "--eh-frame: $(gsym-lookup frames.gsym $((hidden + 1)))"
	# With debug info there are other functions.
	${CC:-cc} -g -O1 -shared -fPIC -o debug frames.c >log 2>&1 ||
		fail "cannot compile: $(cat log)"
	gsym-create -q --eh-frame -o debug.gsym debug || fail 'with debug info'
	gsym-dump --functions debug.gsym >functions
	! grep '??$' functions || fail 'with debug info'
	# A program without any symbol.
	printf 'int main(void) { return 0; }\n' >bare.c
	${CC:-cc} -fasynchronous-unwind-tables -o bare bare.c && strip bare ||
		fail 'cannot compile'
	gsym-create -q -o bare.gsym bare 2>err
	[ $? = 2 ] || fail 'a program without symbols'
	gsym-create -q --eh-frame -o bare.gsym bare || fail 'bare'
	gsym-dump --verify bare.gsym >log || fail "$(cat log)"
	part_passed 'functions of .eh_frame'
else
	part_skipped 'functions of .eh_frame' 'needs objdump, strip, readelf'
fi

# Call sites, also in blocks, in inlined functions and through pointers.
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
		# A call returns to the instruction after it.
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
	part_passed "call sites of DWARF $version"
done

# Call sites of a YAML file, in the form of llvm-gsymutil.
cat >sites.yaml <<'END'
functions:
  - name: main
    callsites:
      - return_offset: 0x0d
        match_regex: ["^aa$", "bb.*"]
        flags: [InternalCall, ExternalCall]
      - return_offset: 8
  - name: leaf
END
refused()
{
	gsym-create -q --callsites-yaml-file=bad.yaml -o bad.gsym calls 2>err
	[ $? = 2 ] && [ ! -e bad.gsym ] && grep -q "$1" err ||
		fail "not refused for $1: $(cat err)"
}
if gsym-create -q --callsites-yaml-file sites.yaml -o yaml.gsym calls 2>err; then
	gsym-dump --function=main yaml.gsym >dump
	grep -q '^    +13 internal external: ^aa\$, bb\.\*' dump && grep -q '^    +8:' dump ||
		fail "--callsites-yaml-file: $(cat dump)"
	sed 's/leaf/nobody/' sites.yaml >bad.yaml
	gsym-create -q --callsites-yaml-file=bad.yaml -o x.gsym calls ||
		fail 'a function without call sites is refused'
	sed 's/main/nobody/' sites.yaml >bad.yaml &&
		refused "cannot use 'bad.yaml': .*'nobody'"
	sed 's/0x0d/0xdddd/' sites.yaml >bad.yaml && refused 'main'
	sed 's/0x0d/bytes/' sites.yaml >bad.yaml && refused 'line 4'
	sed 's/0x0d/015/' sites.yaml >bad.yaml &&
		refused 'line 4: a number with a leading 0'
	sed 's/Internal/Eternal/' sites.yaml >bad.yaml && refused 'line 6'
	sed 's/flags/flag/' sites.yaml >bad.yaml && refused 'line 6'
	sed 's/\["^aa/[["^aa/' sites.yaml >bad.yaml && refused 'line'
	echo '[1, 2' >bad.yaml && refused 'line'
	echo '[1, 2]' >bad.yaml && refused 'mapping'
	: >bad.yaml && refused 'mapping'
	# Deep nesting would take libyaml minutes.
	for text in '[' '[\n' '- ' '{ a: ' '? '; do
		awk -v text="$text" 'BEGIN {
			for (i = 0; i < 200000; i++) printf text
		}' >bad.yaml
		refused 'nested too deeply'
	done
	# So would many anchors.
	awk 'BEGIN { for (i = 0; i < 100000; i++) print "- &a" i " x" }' \
		>bad.yaml && refused 'too many anchors'
	printf '{functions: %s}' '[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]' >bad.yaml &&
		refused 'mapping is expected'
	rm bad.yaml && refused 'cannot open'
	# From a pipe.
	gsym-create -q --callsites-yaml-file=/dev/stdin -o pipe.gsym calls \
		<sites.yaml || fail 'a pipe'
	cmp pipe.gsym yaml.gsym || fail 'a pipe'
	{ cat sites.yaml; awk 'BEGIN { for (i = 0; i < 9999; i++)
		print "# a comment of some length" }'; } |
		gsym-create -q --callsites-yaml-file=/dev/stdin -o pipe.gsym \
			calls || fail 'a longer pipe'
	cmp pipe.gsym yaml.gsym || fail 'a longer pipe'
	# Without functions the input is wrong, not the YAML file.
	echo 'int data = 5;' >none.c
	${CC:-cc} -c -o none.o none.c >log 2>&1 || fail "$(cat log)"
	echo 'functions: []' >empty.yaml
	gsym-create -q --callsites-yaml-file=empty.yaml none.o 2>err
	[ $? = 2 ] && grep -q "'none.o': it has no functions" err ||
		fail "no functions: $(cat err)"
	part_passed 'call sites of YAML'
else
	grep -q 'built without libyaml' err ||
		fail "--callsites-yaml-file: $(cat err)"
	part_skipped 'call sites of YAML' 'built without libyaml' \
		'(Debian: libyaml-dev)'
fi

# Data: variables with the lines of their declarations.  Functions do not
# change.
cat >data.c <<'END'
int global = 5;
static int array[10] = { 1 };
int bss[100];
int use(int n)
{
	static int counter = 7;

	counter += n + array[n];
	return counter + global + bss[n];
}
int main(int argc, char **argv)
{
	(void)argv;
	return use(argc);
}
END
${CC:-cc} -g -O1 -o data data.c >log 2>&1 || fail "cannot compile: $(cat log)"
gsym-create -q -o plain.gsym data || fail "plain: $?"
gsym-create --verify --data-symbols -o data.gsym data 2>err ||
	fail "--data-symbols: $(cat err)"
grep -q '^  data: [1-9]' err || fail "no data in the summary: $(cat err)"
nm data | sed -n 's/^0*\([0-9a-f]*\) [bBdDrR] \(.*\)$/\2 0x\1/p' >symbols
for wanted in global:1 array:2 bss:3 counter:6; do
	name=${wanted%:*}
	at=$(sed -n "s/^$name[.0-9]* //p" symbols)
	gsym-lookup plain.gsym "$at" | grep -q ': ??$' ||
		fail "$name, unasked"
	gsym-lookup data.gsym $((at + 2)) |
		grep -q ": $name[.0-9]* + 2 at .*data.c:${wanted#*:}\$" ||
		fail "$name: $(gsym-lookup data.gsym "$at")"
done
gsym-dump --functions plain.gsym | sed 1,2d >wanted
gsym-dump --functions data.gsym | sed 1,2d | grep -Fxf wanted | cmp - wanted ||
	fail 'data disturb code'
part_passed 'data'

# Folded functions, with each linker that can fold.
cp "$top_srcdir/tests/cli/folded.c" . || exit 99
for linker in gold lld; do
	part="functions folded by $linker"
	${CC:-cc} -g -O1 -fno-inline -ffunction-sections -fuse-ld=$linker \
		-Wl,--icf=all -o folded folded.c >log 2>&1 || {
		# Debian 12 has gold in binutils.
		part_skipped "$part" "$linker does not link here" \
			"(Debian: $([ $linker = lld ] || echo binutils-)$linker)"
		continue
	}
	at=$(address folded first)
	[ -n "$at" ] && [ "$at" = "$(address folded third)" ] || {
		part_skipped "$part" "this $linker does not fold functions"
		continue
	}
	gsym-create --verify --merged-functions -o folded.gsym folded 2>err ||
		fail "--merged-functions: $(cat err)"
	grep -q 'merged functions: 2' err || fail "$linker: $(cat err)"
	gsym-lookup --merged-functions folded.gsym "$at" >answer
	for name in first second third; do
		grep -q "$name" answer || fail "$linker: no $name: $(cat answer)"
	done
	# In lld's debug info functions that were folded have no address.
	[ $linker = lld ] && {
		part_passed "$part"
		continue
	}
	# On i386 the first instruction loads the argument, at the line of the
	# brace.
	grep -q 'first at .*:[45]$' answer &&
		grep -q 'second at .*:[89]$' answer &&
		grep -q 'third at .*:1[23]$' answer ||
		fail "$linker: wrong lines: $(cat answer)"
	gsym-create -q -o plain.gsym folded || fail 'plain'
	[ "$(gsym-lookup --merged-functions plain.gsym "$at" | wc -l)" = 1 ] ||
		fail 'merged functions that nobody asked for'
	gsym-create -q -j1 --merged-functions -o one.gsym folded || fail '-j1'
	cmp one.gsym folded.gsym || fail 'the output depends on threads'
	part_passed "$part"
done
parts_finish
