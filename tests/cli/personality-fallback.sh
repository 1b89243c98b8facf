#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-symbolizer --fallback=exec never takes an answer of llvm-symbolizer for
# that to another line, whatever llvm-symbolizer does.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
. "$top_srcdir/tests/cli/personality-lib.sh"
cp "$data/bin/shapes" shapes || exit 99
tiny=$links/tiny/llvm-symbolizer
mkdir "$links/tiny"
ln -s "$top_builddir/gsym-lookup-tiny" "$tiny" || exit 99
[ -x "$tiny" ] || skip 'gsym-lookup-tiny is not built: make gsym-lookup-tiny'

# A stand-in for llvm-symbolizer, which misbehaves as the line says that follows
# the word CODE.  "wrong" is what must not be in any answer.
cat >odd <<'END'
#!/bin/sh
trap '' PIPE
[ -z "$BANNER" ] || printf '%b' "$BANNER"
[ -z "$STUBBORN" ] || trap '' TERM
answer()
{
	case "$*" in
	*--output-style=JSON*) printf '{"Address":"%s","N":"%s"}\n' $1 $2 ;;
	*) printf '%s\n%s\n??:0:0\n\n' $1 $2 ;;
	esac
}
mode=$MODE
# The first line is a mark, and then comes one behind each line.
read -r word module address
answer $address start "$@"
n=0
while read -r word module address; do
	n=$((n + 1))
	case $n$mode in
	3late) sleep 4 ;;
	3blank) printf '\n' ;;
	3blank-after)
		answer $address right "$@"
		printf '\n'
		continue
		;;
	3two) answer 0x2 wrong "$@" ;;
	3double) answer $address wrong "$@" ;;
	3none) continue ;;
	3cut)
		printf '%s\nwrong\n' $address
		continue
		;;
	3drop)
		read -r word module address
		answer $address right "$@"
		answer 0x3 wrong "$@"
		continue
		;;
	3huge)
		head -c 100000 /dev/zero | tr '\0' x
		;;
	3endless) yes wrong ;;
	3dies) exit ;;
	3kill) kill -9 $$ ;;
	3stdin) exec <&- ;;
	3stdout)
		exec >&-
		sleep 2
		;;
	3other)
		answer 0x9 wrong "$@"
		continue
		;;
	3early)
		answer $address right "$@"
		read -r word module address
		answer $address right "$@"
		answer 0x3 wrong "$@"
		continue
		;;
	3shift)
		# From now on each answer is that to the line before.
		old=$address
		answer 0x77 wrong "$@"
		while read -r word module address; do
			answer "$old" wrong "$@"
			old=$address
		done
		;;
	esac
	answer $address right "$@"
done
END
chmod +x odd
GSYM_REAL_SYMBOLIZER=$PWD/odd
export GSYM_REAL_SYMBOLIZER MODE BANNER STUBBORN

# Ask three times in the mode $1.  $2: the three answers, "right", or "none" for
# an unknown place, a pattern; $3: how many messages, a pattern: what comes late
# is noticed with the line or with the next one.
ask()
{
	MODE=$1
	for style in LLVM JSON; do
		printf 'CODE shapes 0x1\nCODE shapes 0x2\nCODE shapes 0x3\n' |
			GSYM_TINY_LIMITS=2 timeout 50 "$tiny" --fallback=exec \
				--output-style=$style >out 2>err ||
			fail "$1, $style: status $?: $(cat out err)"
		! grep -q wrong out || fail "$1, $style: $(cat out)"
		if [ $style = LLVM ]; then
			got=$(sed -n '/^right$/p; s/^??$/none/p' out)
		else
			got=$(sed 's/.*right.*/right/; /right/!s/.*/none/' out)
		fi
		# shellcheck disable=SC2254,SC2086
		case $(echo $got) in
		$2) ;;
		*) fail "$1, $style: '"$got"', not '$2'" ;;
		esac
		# shellcheck disable=SC2254
		case $(grep -c . err) in
		$3) ;;
		*) fail "$1, $style: $(cat err)" ;;
		esac
	done
}

BANNER='' STUBBORN=
ask good 'right right right' 0
ask late 'right none none' 1
ask blank 'right none right' 1
ask blank-after 'right none right' 1
ask two 'right none right' 1
ask double 'right none right' 1
ask none 'right none right' 1
ask cut 'right none right' 1
ask drop 'right none none' '[12]'
ask huge 'right none none' 1
ask endless 'right none none' 1
ask dies 'right none none' 1
ask kill 'right none none' 1
ask stdin 'right none none' 1
ask stdout 'right none none' 1
ask other 'right none right' 1
ask early 'right * none' '[12]'
ask shift 'right none none' 1
STUBBORN=1
ask endless 'right none none' 1
ask good 'right right right' 0
STUBBORN=
BANNER='0x1\nwrong\n??:0:0\n\n' ask good 'none none none' 1
BANNER='0x1\n' ask good 'none none none' 1
BANNER='{"Address":"0x1","N":"wrong"}\n' ask good 'none none none' 1

# Names of its files act no more than ours.
cat >named <<'END'
#!/bin/sh
while read -r word module address; do
	case "$*" in
	*JSON*) printf '{"Address":"%s","N":"a\342\200\256\302\233"}\n' $address ;;
	*) printf '%s\na\342\200\256\302\233\033[1m\303\244\n??:0:0\n\n' $address ;;
	esac
done
END
chmod +x named
GSYM_REAL_SYMBOLIZER=$PWD/named
same 'names' "$("$sym" --fallback=exec 'CODE shapes 0x1' | head -1)" \
	"a\\xe2\\x80\\xae\\xc2\\x9b\\x1b[1m$(printf '\303\244')"
same 'names in JSON' \
	"$("$sym" --fallback=exec --output-style=JSON 'CODE shapes 0x1')" \
	'[{"Address":"0x1","N":"a\u202e\u009b"}]'

# The real one: symbols, which older ones do not know, lines of any length, and
# addresses after them.
for real in /usr/bin/llvm-symbolizer /usr/lib/llvm-*/bin/llvm-symbolizer; do
	[ -x "$real" ] || continue
	GSYM_REAL_SYMBOLIZER=$real
	for bytes in 18 1000 1020 1021 1022 1023 1024 1025 2047 5000 100000; do
		zeros=$(printf "%0$((bytes - 16))d" 0)
		{
			echo "CODE shapes 0x${zeros}1d"
			echo 'shapes main'
			echo "shapes $zeros main"
			echo 'DATA shapes 0x1'
			echo 'CODE shapes 0x11ec'
		} >lines
		GSYM_TINY_LIMITS=0 timeout 50 "$tiny" --fallback=exec \
			--no-inlines -s <lines >out 2>err ||
			fail "$real, $bytes: status $?"
		same "$real, $bytes" "$(grep -c '^$' out) $(tail -3 out |
			tr '\n' ' ')" '5 heap(int) shapes.cpp:11:17  '
		! grep -v 'too long' err || fail "$real, $bytes: $(cat err)"
	done
	for options in --pretty-print --addresses --verbose --functions=none \
		--output-style=JSON --functions=short --no-demangle \
		--relative-address --adjust-vma=0x10 '-p -a' '-p --no-inlines'; do
		printf '%s\n' 'CODE shapes 0x11ec' 'DATA shapes 0x4010' \
			'FRAME shapes 0x11ec' '"shapes" 4588' \
			'CODE shapes 0x7fffffffffffffff' >lines
		# shellcheck disable=SC2086
		"$sym" --fallback=exec $options <lines >out 2>err
		[ ! -s err ] || fail "$real $options: $(cat err)"
		# shellcheck disable=SC2086
		"$real" $options <lines >wanted 2>/dev/null
		cmp wanted out || fail "$real $options"
	done
done
exit 0
