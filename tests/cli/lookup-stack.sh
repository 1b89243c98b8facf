#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-lookup --stack: functions that lld folded are told apart by the call
# sites of their callers, which llvm-gsymutil does with two calls and a pattern.
. "${top_srcdir:?}/tests/support/tools.sh"
for lld in "" /usr/lib/llvm-*/bin; do
	[ ! -x "$lld/ld.lld" ] || PATH=$PATH:$lld
done
need ld.lld lld
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
build=${top_builddir:?}
cd "$work" || exit 99
fail()
{
	echo "$*"
	exit 1
}
cat >prog.c <<'END'
__attribute__((noinline)) int one(volatile int *p) { return *p + 7; }
__attribute__((noinline)) int two(volatile int *p) { return *p + 7; }
int main(int argc, char **argv)
{
	volatile int n = argc;
	int a = one(&n) * 3;
	(void)argv;
	return a - two(&n) * 5;
}
END
${CC:-gcc} -g -O1 -ffunction-sections -fno-ipa-icf -c prog.c 2>err &&
	${CC:-gcc} -fuse-ld=lld -Wl,--icf=all -o prog prog.o 2>err ||
	{ echo "cannot link with lld --icf=all: $(head -1 err)"; exit 77; }
"$build/gsym-create" -q --merged-functions --dwarf-callsites -o prog.gsym prog ||
	fail 'gsym-create'
main=$(nm prog | sed -n 's/^0*\([0-9a-f]*\) T main$/\1/p')
one=$(nm prog | sed -n 's/^0*\([0-9a-f]*\) T one$/\1/p')
two=$(nm prog | sed -n 's/^0*\([0-9a-f]*\) T two$/\1/p')
[ "$one" = "$two" ] || { echo 'lld folded nothing'; exit 77; }
"$build/gsym-dump" --function=main prog.gsym >dump
# The return address of the call of $1.
return_of()
{
	offset=$(sed -n "s/^ *+\([0-9]*\)[^:]*: $1\$/\1/p" dump)
	printf '0x%x\n' $((0x$main + offset))
}
for name in one two; do
	return=$(return_of $name)
	"$build/gsym-lookup" --stack prog.gsym "0x$one" "$return" >out ||
		fail "--stack: $?"
	head -1 out | grep -q ": $name\b" || fail "not $name: $(cat out)"
	grep -q 'of 2 functions, the one that is called' out ||
		fail "no choice: $(cat out)"
	sed -n '3p' out | grep -q ': main' || fail "no main: $(cat out)"
	"$build/gsym-lookup" --stack --json prog.gsym "0x$one" "$return" >out
	grep -q "\"function\":\"$name\".*\"functions\":2,\"fitting\":1}" out ||
		fail "JSON: $(cat out)"
	if command -v llvm-gsymutil-22 >/dev/null; then
		llvm-gsymutil-22 --address="0x$one" --merged-functions \
			--merged-functions-filter="^$name\$" prog.gsym >peer
		grep -q "$name" peer || fail "the peer has no $name: $(cat peer)"
	fi
done
# Lines of --stream are answered alike.
mkdir -p store/.build-id/aa
cp prog.gsym store/.build-id/aa/bb.debug.gsym
for name in one two; do
	return=$(return_of $name)
	"$build/gsym-lookup" --stack --json prog.gsym "0x$one" "$return" |
		sed 's/"address":"[^"]*",/"status":"ok",/' | paste -s -d , |
		sed 's/.*/{"stack":[&],"status":"ok"}/' >want
	echo "aabb 0x$one,$return" | "$build/gsym-lookup" --stream --stack \
		--no-verify --gsym-file-directory=store | cmp - want ||
		fail "--stream: not $(cat want)"
done
# Without a caller, or with one that has no such call site, the choice stays.
alone=$("$build/gsym-lookup" prog.gsym "0x$one" | sed 's/^[^ ]* \([a-z]*\).*/\1/')
for caller in '' "0x$main"; do
	# shellcheck disable=SC2086 # no caller is no argument
	"$build/gsym-lookup" --stack prog.gsym "0x$one" $caller >out
	head -1 out | grep -q ": $alone\b" || fail "changed: $(cat out)"
	sed -n '2p' out | grep -q '^ *one of 2 functions$' ||
		fail "not marked: $(cat out)"
done
# Stacks of standard input end with an empty line.
printf '0x%s\n%s\n\n0x%s\n%s\n' "$one" "$(return_of one)" "$one" \
	"$(return_of two)" | "$build/gsym-lookup" --stack prog.gsym >out
grep -c 'the one that is called' out | grep -qx 2 || fail "input: $(cat out)"
grep -q ": one\b" out && grep -q ": two\b" out || fail "input: $(cat out)"
"$build/gsym-lookup" --stack --call-sites prog.gsym 0x1 2>err
[ $? = 2 ] || fail 'a contradiction was accepted'
echo "one and two at 0x$one, told apart"
