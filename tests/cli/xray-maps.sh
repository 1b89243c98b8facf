#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-xray's instrumentation maps: as text, from Mach-O files, and from
# programs without section names.  A map that does not match the trace gives a
# warning.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
data=$top_srcdir/testdata/xray
calls=$data/traces/calls-fdr.xray

# The map as text has the sleds of the program, and is accepted in its place.
for map in "$data"/maps/*.yaml; do
	program=$(basename "$map" | sed 's/\.[a-z-]*\.yaml$//')
	gsym-xray -q extract "$data/bin/$program" >of-program ||
		fail "sleds of $program"
	sed 's/ # .*//' of-program >plain
	gsym-xray -q extract of-program >of-text || fail "our map of $program"
	cmp plain of-text || fail "our map of $program"
	# Without the names: llvm-xray writes other names.
	sed 's/, function-name: .*, v/, v/; s/, function-name: .* }/ }/' \
		plain >wanted
	gsym-xray -q extract "$map" |
		sed 's/, function-name: .*, v/, v/; s/, function-name: .* }/ }/' |
		cmp wanted - || fail "llvm-xray's map of $program"
done
account()
{
	gsym-xray account --sort=id -f csv "$@" "$calls" || fail "account $*"
}
account -m "$data/bin/calls" -g "$data/maps/calls.gsym" >wanted 2>&1
grep -q '"scaled","./calls.c:16"' wanted || fail 'no names'
account -m "$data/maps/calls.llvm-extract.yaml" -g "$data/maps/calls.gsym" \
	>got 2>&1
cmp wanted got || fail 'a map as text gives other names'
# A map that extract wrote has names, but no lines.
gsym-xray -q extract "$data/bin/calls" >calls.yaml
account -m calls.yaml >got 2>&1
grep -q '"scaled",""' got || fail 'no names from text'
printf -- '- { id: 1, function: 1, kind: enter }\n' >bad.yaml
gsym-xray account -m bad.yaml "$calls" >out 2>err
[ $? = 2 ] || fail 'a bad map is accepted'
grep -q "bad.yaml.*line 1 of the map: a kind of sled" err || fail "$(cat err)"
echo hello >bad.txt
gsym-xray account -m bad.txt "$calls" >out 2>err
[ $? = 2 ] && grep -q "'bad.txt' is neither" err || fail "$(cat err)"

# A universal file: the program with sleds is used.
dylib=$data/bin/arch-x86_64.dylib
size=$(wc -c <"$dylib" | tr -d ' ')
octal()
{
	printf '\\%03o\\%03o\\%03o\\%03o' $(($1 >> 24 & 255)) \
		$(($1 >> 16 & 255)) $(($1 >> 8 & 255)) $(($1 & 255))
}
# Write a universal file of the programs $@, for two kinds of one processor.
universal()
{
	printf '\312\376\272\276'
	# shellcheck disable=SC2059
	printf "$(octal $#)"
	for i in $(seq $#); do
		# shellcheck disable=SC2059
		printf "$(octal 0x01000007)$(octal $((5 * i - 2)))$(
			octal $((4096 + size * (i - 1))))$(octal "$size")$(
			octal 12)"
	done
	head -c $((4096 - 8 - 20 * $#)) /dev/zero
	cat "$@"
}
gsym-xray extract "$dylib" >thin || fail 'Mach-O'
grep -q "function-name: h, " thin || fail 'no name from Mach-O'
universal "$dylib" >one
gsym-xray extract one >out || fail 'universal Mach-O'
cmp thin out || fail 'universal Mach-O'
universal "$dylib" "$dylib" >two
gsym-xray extract two >out 2>err
[ $? = 2 ] && grep -q 'several programs' err || fail 'which program?'
# Only the second program has sleds.  The names are those of the second program.
sed 's/xray_instr_map/xray_other_map/; s/_h/_i/g' "$dylib" >other
universal other "$dylib" >two
gsym-xray extract two >out || fail 'the second program'
cmp thin out || fail 'the second program'

# A GSYM file of another program gives a warning; names come from the program.
gsym-create -q -o other.gsym "$data/bin/libdso.so" >log 2>&1 ||
	fail "gsym-create: $(cat log)"
account -m "$data/bin/calls" -g other.gsym >got 2>err
grep -q "'other.gsym' and .* have different build IDs" err || fail "$(cat err)"
grep -q '"scaled","./calls.c:16"' got || fail 'no names of the program'
gsym-create -q -o same.gsym "$data/bin/calls" >log 2>&1
account -m "$data/bin/calls" -g same.gsym >got 2>err
[ -s err ] && fail "a warning for the right GSYM file: $(cat err)"

# A map that does not match the trace. $1: the reason in the message; $2: the
# map.
misfit()
{
	gsym-xray account -m "$2" "$calls" 2>&1 >/dev/null |
		grep "does not match .*calls-fdr.*: $1" >/dev/null ||
		fail "not found out: $1"
	gsym-xray -q account -m "$2" "$calls" 2>&1 >/dev/null | grep . &&
		fail '-q and a warning'
}
misfit 'the map has no such function' "$data/bin/dso_main"
misfit 'no sled of the function logs an argument' "$data/bin/events"
grep -v 'kind: tail-exit' calls.yaml >no-tail.yaml
misfit 'the function has no sled at a tail call' no-tail.yaml
grep -v 'kind: function-exit' calls.yaml >no-exit.yaml
misfit 'the function has no sled at an exit' no-exit.yaml

# The number of a thread is not looked up as that of a function.
gsym-xray convert --to=folded --threads -m "$data/bin/shapes" \
	"$data/traces/shapes-threads.xray" 2>&1 >/dev/null |
	grep 'does not match' && fail 'a thread is taken for a function'

# An index of functions that contradicts the sleds.  Print a column of "readelf
# -SW" for the section $1; $2: the column after the name, 3 is the offset.
section()
{
	readelf -SW "$data/bin/calls" | sed -n "s/.* $1 //p" |
		awk -v n="$2" '{ print $n }'
}
need readelf
cp "$data/bin/calls" changed
at=$((0x$(section xray_fn_idx 3) + 16 + 8))
printf '\007' | dd of=changed bs=1 seek=$at conv=notrunc 2>/dev/null
account -m changed >out 2>err
grep -q "'changed': xray_fn_idx has other sleds for function #2 " err ||
	fail "$(cat err)"

# A sled of unknown kind is left out.  A section after the end of the file is an
# error.
cp "$data/bin/calls" changed
at=$((0x$(section xray_instr_map 3)))
printf '\011' | dd of=changed bs=1 seek=$((at + 32 + 16)) conv=notrunc \
	2>/dev/null
gsym-xray extract changed >out 2>err || fail 'an unknown kind is refused'
grep -q 'kinds that are not known: 1' err || fail "$(cat err)"
gsym-xray -q extract "$data/bin/calls" | wc -l >wanted
[ $(($(wc -l <out) + 1)) = "$(cat wanted)" ] || fail 'an unknown sled is shown'
head -c $((at + 100)) "$data/bin/calls" >changed
gsym-xray extract changed >out 2>err
[ $? = 2 ] && [ -s err ] || fail 'half a map'

# 32768 program headers for the same dynamic section take no more time than one.
# Each entry of the section gives an address of the symbol table.
doubled()
{
	for i in $(seq "$2"); do
		cat "$1" "$1" >twice && mv twice "$1"
	done
}
zeros='\0\0\0\0\0\0\0\0'
printf '\002\0\0\0\004\0\0\0\100\0\034\0\0\0\0\0'"$zeros$zeros"'\0\0\100\0\0\0\0\0'"$zeros$zeros" \
	>segments
doubled segments 15
printf '\006\0\0\0\0\0\0\0\0\020\0\0\0\0\0\0' >dynamic
doubled dynamic 18
{
	printf '\177ELF\002\001\001\0'"$zeros"'\003\0\076\0\001\0\0\0'"$zeros"'\100\0\0\0\0\0\0\0'"$zeros"
	printf '\0\0\0\0\100\0\070\0\0\200\100\0\0\0\0\0'
	cat segments dynamic
} >many
timeout 60 gsym-xray extract many >out 2>err
[ $? = 2 ] && grep -q 'no instrumentation map' err || fail "many: $(cat err)"
# 4096 sections of sleds at the same offset take no more time than one.  The
# same bytes are the names of the sections.
printf '\001\0\0\0\001\0\0\0\003\0\0\0\0\0\0\0'"$zeros" >headers
printf '\100\0\004\0\0\0\0\0\0\0\004\0\0\0\0\0'"$zeros$zeros$zeros" \
	>>headers
doubled headers 12
printf '\0xray_instr_map\0'"$zeros$zeros" >sleds
printf "$zeros$zeros$zeros$zeros" >zero
doubled zero 13
{
	printf '\177ELF\002\001\001\0'"$zeros"'\001\0\076\0\001\0\0\0'"$zeros$zeros"
	printf '\100\0\0\0\0\0\0\0\0\0\0\0\100\0\0\0\0\0\100\0\0\020\001\0'
	cat headers sleds zero
} >many
timeout 60 gsym-xray extract many >out 2>err
[ $? = 2 ] && grep -q 'sections with sleds overlap' err ||
	fail "many sections: $(cat err)"

# Object files, and programs without section headers.
clang=$(command -v clang-19 || command -v clang-22 || command -v clang) ||
	skip 'clang is not installed (Debian: clang)'
cat >o.c <<'END'
#define TRACED __attribute__((xray_always_instrument, noinline))
int g(int);
TRACED int one(int x) { return g(x) + 1; }
TRACED int two(int x) { return g(x) * 3 + g(1); }
TRACED int three(int x) { return g(x) * 5 + g(1); }
END
for target in x86_64-linux-gnu aarch64-linux-gnu armv7-linux-gnueabihf; do
	for how in -g -ffunction-sections; do
		$clang --target=$target -g -O1 $how -fxray-instrument -c o.c \
			-o o.o 2>log ||
			skip "clang does not compile for $target: $(tail -1 log)"
		gsym-xray -q extract o.o >out || fail "$target $how"
		for want in '1.* one, ' '2.* two, ' '3.* three, '; do
			grep "^- { id: $want.* # .*o.c:[345]\$" out >/dev/null ||
				fail "$target $how: $(cat out)"
		done
	done
done
$clang -fuse-ld=lld -shared -nostdlib -fPIC -Wl,-z,start-stop-visibility=default \
	-fxray-instrument -x c - -o visible.so 2>log <<'END'
extern char a[] __asm__("__start_xray_instr_map");
extern char b[] __asm__("__stop_xray_instr_map");
__attribute__((xray_always_instrument)) int one(int x) { return b - a + x; }
__attribute__((xray_always_instrument)) int two(int x) { return b - a - x; }
END
gsym-xray -q extract visible.so | sed 's/ # .*//' >wanted
grep -q 'id: 2,.*two' wanted || fail 'shared object'
# Neither the offset of the section headers nor their number.
cp visible.so bare.so
printf '\0\0\0\0\0\0\0\0' | dd of=bare.so bs=1 seek=40 conv=notrunc 2>/dev/null
printf '\0\0\0\0' | dd of=bare.so bs=1 seek=60 conv=notrunc 2>/dev/null
gsym-xray -q extract bare.so >out || fail 'no sections'
sed 's/function-name: [a-z'"'"']*,/,/' wanted >wanted2
sed 's/function-name: [a-z'"'"']*,/,/' out | cmp wanted2 - ||
	fail "no sections: $(cat out)"
xray=$(llvm_tool llvm-xray) || exit 0
for program in calls shapes dso_main libdso.so; do
	$xray extract -s --no-demangle "$data/bin/$program" >theirs
	gsym-xray -q extract --no-demangle --compat=llvm \
		"$data/bin/$program" | cmp theirs - ||
		fail "llvm-xray has other sleds in $program"
	gsym-xray -q extract "$data/bin/$program" >ours
	$xray account -m ours "$calls" >out 2>err ||
		fail "llvm-xray does not read our map: $(cat err)"
done
exit 0
