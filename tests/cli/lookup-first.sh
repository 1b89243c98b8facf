#!/bin/sh
# SPDX-License-Identifier: MIT
# The first answer for a large program: gsym-create --only-for converts what an
# address needs.  The answer is that of the whole file, for each address of
# programs of several kinds.  gsym-lookup then has the whole converted behind.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
[ -x "$top_builddir/gsym-create" ] || skip 'gsym-create is not built'
for tool in gcc nm objcopy; do
	need $tool
done

# Three units: inlined calls, a cold part, an alias; a function that another
# one encloses; labels without size after and between functions.
cat >one.c <<'END'
extern int two(int);
static inline int half(int n) { return n & 1 ? two(n) : n / 2; }
__attribute__((noinline)) int one(int n) { return half(n) + half(n + 3); }
extern int alias(int) __attribute__((alias("one")));
int main(int argc, char **argv) { (void)argv; return one(argc) + two(argc); }
END
cat >two.c <<'END'
static int table[8];
__attribute__((noinline, cold)) static int rare(int n) { return table[n & 7]; }
int two(int n)
{
	for (int i = 0; i < n; i++)
		table[i & 7] += i;
	return n > 100 ? rare(n) : table[n & 7];
}
END
cat >three.s <<'END'
	.text
	.globl outer
	.type outer, @function
outer:	.nops 5
	.globl inner
	.type inner, @function
inner:	.nops 7
	.size inner, .-inner
	.nops 3
	.size outer, .-outer
label:	.nops 9
next:	.nops 4
	.section .note.GNU-stack,"",@progbits
END

# Compare the answers for every address of the file $1, $2 apart.
compare()
{
	file=$1
	text=$(readelf -SW "$file" | sed -n 's/^ *\[ *[0-9]*\] \.text  *[A-Z]* *\([0-9a-f]*\) [0-9a-f]* \([0-9a-f]*\).*/\1 \2/p')
	at=$((0x${text% *}))
	end=$((at + 0x${text#* }))
	gsym-create -q -o whole.gsym "$file" || fail "$file: status $?"

	small=
	while [ $at -lt $end ]; do
		address=$(printf '0x%x' $at)
		gsym-lookup --json whole.gsym $address >wanted 2>/dev/null
		if gsym-create -q --only-for=$address -o part.gsym "$file" \
			2>err; then
			gsym-lookup --json part.gsym $address >out 2>/dev/null
		else
			grep -q 'has no function' err ||
				fail "$file, $address: $(cat err)"
			printf '{"address":"%s","frames":[]}\n' $address >out
		fi
		cmp -s wanted out || fail "$file, $address: $(cat wanted out)"
		[ "$(wc -c <part.gsym)" -ge "$(wc -c <whole.gsym)" ] ||
			small=yes
		at=$((at + $2))
	done
}

gcc -g -O2 -no-pie -o plain one.c two.c three.s || fail 'gcc'
compare plain 2
[ "$small" ] || fail 'no file is smaller than the whole'
# Without .debug_aranges the unit DIEs tell the addresses.
objcopy --remove-section=.debug_aranges plain bare || fail 'objcopy'
compare bare 3
# Without symbols the debug info alone answers.
objcopy --strip-unneeded --keep-section='.debug*' plain stripped &&
	compare stripped 5
for kind in '-gdwarf-4 -fdebug-types-section' -flto -gsplit-dwarf \
	-gdwarf-2; do
	# shellcheck disable=SC2086 # several options
	gcc -g -O2 -no-pie $kind -o other one.c two.c three.s 2>log || {
		echo "left out: gcc $kind"
		continue
	}
	compare other 7
done
compare_two()
{
	gsym-create -q --only-for="$1" --only-for="$2" -o part.gsym plain ||
		fail "two addresses: status $?"
	gsym-create -q -o whole.gsym plain
	gsym-lookup whole.gsym "$1" "$2" >wanted
	gsym-lookup part.gsym "$1" "$2" >out
	cmp wanted out || fail 'two addresses'
}
one=0x$(nm plain | sed -n 's/^0*\([0-9a-f]*\) T one$/\1/p')
two=0x$(nm plain | sed -n 's/^0*\([0-9a-f]*\) T two$/\1/p')
compare_two "$one" "$two"

# A file that lacks functions is not installed or embedded.
for option in --install=store --embed=plain; do
	gsym-create -q --only-for="$one" $option -o x.gsym plain 2>err
	[ $? = 2 ] && grep -q -e --only-for err || fail "$option: $(cat err)"
done
gsym-create -q --only-for=x -o x.gsym plain 2>/dev/null
[ $? = 2 ] || fail '--only-for=x'
set --
while [ $# -lt 65 ]; do
	set -- "$@" --only-for="$one"
done
gsym-create -q "$@" -o x.gsym plain 2>err
[ $? = 2 ] && grep -q 'more than 64' err || fail "65 addresses: $(cat err)"

# gsym-lookup, for which each program is a large one.
tiny=$top_builddir/gsym-lookup-tiny
[ -x "$tiny" ] || {
	echo 'left out: gsym-lookup-tiny is not built'
	exit 0
}
GSYM_TINY_LIMITS=1
export GSYM_TINY_LIMITS
mkdir bin
ln -s "$tiny" bin/gsym-lookup
ln -s "$top_builddir/gsym-create" bin/gsym-create
gcc -g -O2 -no-pie -Wl,--build-id=0x00112233445566778899aabbccddeeff \
	-o prog one.c two.c three.s || fail 'gcc'
one=0x$(nm prog | sed -n 's/^0*\([0-9a-f]*\) T one$/\1/p')
two=0x$(nm prog | sed -n 's/^0*\([0-9a-f]*\) T two$/\1/p')
kept=$XDG_CACHE_HOME/gsym/$release/.build-id/00/112233445566778899aabbccddeeff.debug.gsym
gsym-create -q -o whole.gsym prog
gsym-lookup whole.gsym "$one" "$two" >wanted
bin/gsym-lookup prog "$one" "$two" >out 2>err || fail "prog: $(cat err)"
cmp wanted out || fail "prog: $(cat out err)"
grep -q "of 'prog' only what the addresses need was converted, and another process converts the whole" err ||
	fail "the note: $(cat err)"
until_true test -e "$kept" || fail 'the cache has no file'
gsym-lookup --json "$kept" "$one" >out || fail 'the file of the cache'
gsym-lookup --json whole.gsym "$one" >wanted
cmp wanted out || fail 'the file of the cache answers otherwise'
bin/gsym-lookup prog "$one" >out 2>err || fail "the second run: $(cat err)"
[ ! -s err ] || fail "the second run: $(cat err)"

# A conversion of the whole that has failed is not begun again for a day.  While
# it runs, no file that the caller has open is open in it.
failed=${kept%.debug.gsym}.failed
rm -rf "$XDG_CACHE_HOME"
mkdir fails
# The tool runs the gsym-create that is beside it.
cp "$tiny" fails/gsym-lookup
cat >fails/gsym-create <<END
#!/bin/sh
case "\$*" in
*--only-for*) exec "$top_builddir/gsym-create" "\$@" ;;
esac
echo whole >>"$PWD/wholes"
while [ ! -e "$PWD/go" ]; do
	sleep 0.1
done
exit 2
END
chmod +x fails/gsym-create
# shellcheck disable=SC2016 # for the inner shell
timeout 60 sh -c '{ fails/gsym-lookup prog "$1" 9>&1 >out 2>err; } | cat' \
	sh "$one" || fail 'a descriptor is open behind'
grep -q 'and another process converts the whole' err ||
	fail "before the failure: $(cat err)"
# A signal ends the process behind.
behind()
{
	for process in /proc/[0-9]*; do
		[ "$(readlink "$process/exe")" != "$PWD/fails/gsym-lookup" ] ||
			echo "${process#/proc/}"
	done 2>/dev/null
}
until_true test -e wholes
pid=$(behind)
[ "$pid" ] || fail 'no process behind'
kill -TERM $pid
ended()
{
	[ -z "$(behind)" ]
}
until_true ended || fail 'the process behind goes on'
[ ! -e "$failed" ] || fail 'a conversion that was ended counts as failed'
fails/gsym-lookup prog "$one" >out 2>err || fail "$(cat err)"
grep -q 'and another process converts the whole' err ||
	fail "after the signal: $(cat err)"
: >go
until_true test -e "$failed" || fail 'the failure is not noted'
fails/gsym-lookup prog "$one" >out 2>err || fail "$(cat err)"
grep -q 'what the addresses need was converted;' err ||
	fail "after the failure: $(cat err)"
touch -d '2 days ago' "$failed"
fails/gsym-lookup prog "$one" >out 2>err || fail "$(cat err)"
grep -q 'and another process converts the whole' err ||
	fail "two days after the failure: $(cat err)"
begun_twice()
{
	[ "$(wc -l <wholes)" = 3 ]
}
until_true begun_twice || fail "begun: $(wc -l <wholes)"
recent()
{
	[ -n "$(find "$failed" -mmin -10)" ]
}
until_true recent || fail 'the second failure is not noted'

# The callers of a stack are looked up one byte before their addresses.
for option in --stack --return-addresses; do
	rm -rf "$XDG_CACHE_HOME"
	for address in "$one" "$two"; do
		gsym-lookup $option whole.gsym "$one" "$address" >wanted
		bin/gsym-lookup $option prog "$one" "$address" >out 2>err ||
			fail "$option: $(cat err)"
		cmp wanted out || fail "$option: $(cat out err)"
		until_true test -e "$kept"
		rm -rf "$XDG_CACHE_HOME"
	done
done

# Addresses that are not code need the whole.
rm -rf "$XDG_CACHE_HOME"
bin/gsym-lookup prog 0x1 "$one" >out 2>err
grep -q 'was converted, and the result is in the cache' err ||
	fail "an address that is no code: $(cat err)"

# Names need the whole, and so do addresses on standard input.
for how in operand input; do
	rm -rf "$XDG_CACHE_HOME"
	case $how in
	operand) bin/gsym-lookup prog one >out 2>err ;;
	input) echo "$one" | bin/gsym-lookup prog >out 2>err ;;
	esac
	grep -q 'was converted, and the result is in the cache' err ||
		fail "$how: $(cat err)"
done

# As addr2line and llvm-symbolizer.
for personality in addr2line llvm-symbolizer; do
	rm -rf "$XDG_CACHE_HOME"
	gsym-lookup --personality=$personality -f -e prog "$one" "$two" \
		>wanted 2>err || fail "$personality, the whole: $(cat err)"
	rm -rf "$XDG_CACHE_HOME"
	bin/gsym-lookup --personality=$personality -f -e prog "$one" "$two" \
		>out 2>err || fail "$personality: $(cat err)"
	cmp wanted out || fail "$personality: $(cat out err)"
	until_true test -e "$kept" || fail "$personality: no file"
done
