#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-addr2line and gsym-symbolizer answer every line, whatever it holds, and
# whoever does not read their answers.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
. "$top_srcdir/tests/cli/personality-lib.sh"
cp "$data/bin/shapes" shapes || exit 99
# gsym-create makes the data that all others use.
gsym-create -q shapes || fail 'gsym-create'

# The lines of the answers to standard input.
# $1: words; $2: their number; then the command.
count()
{
	what=$1 wanted=$2
	shift 2
	"$@" >out 2>err || fail "$what: status $?"
	same "$what" "$(wc -l <out)" "$wanted"
	[ "$(wc -c <err)" -le 4096 ] || fail "$what: $(wc -c <err) bytes of messages"
}

# Bytes by chance, the same in each run.
awk 'BEGIN { srand(7); for (i = 0; i < 100000; i++) printf "%c",
	int(rand() * 256) }' >random
printf '\nCODE \0shapes 0x11ec\n"\0\nshapes 0x\0\n11\0ec\n' >>random
lines=$(wc -l <random)
count 'random bytes, addr2line' "$lines" "$a2l" -e shapes <random
count 'random bytes, names' $((2 * lines)) "$a2l" -fe shapes <random
count 'random bytes, LLVM' $((3 * lines)) "$sym" <random
count 'random bytes, JSON' "$lines" "$sym" --output-style=JSON <random
count 'random bytes, one module' $((3 * lines)) "$sym" -e shapes <random
count 'random bytes, GNU' $((2 * lines)) "$sym" --output-style=GNU <random
command -v python3 >/dev/null && {
	"$sym" --output-style=JSON <random >out 2>err
	python3 -c 'import json, sys
for line in open("out", encoding="utf-8"): json.loads(line)' ||
		fail 'that is no JSON'
}

# Lines without an end, and very long ones.
printf '11ec' >input
count 'no line feed' 2 "$a2l" -fe shapes <input
printf 'CODE shapes 0x11ec' >input
count 'no line feed, LLVM' 7 "$sym" <input
head -c 3000000 /dev/zero | tr '\0' a >input
count 'one long line' 1 "$a2l" -e shapes <input
count 'one long line, LLVM' 3 "$sym" <input
printf '\n11ec\n' >>input
count 'and one more' 2 "$a2l" -e shapes <input
same 'its answer' "$(tail -1 out)" /t/shapes.cpp:11
printf '11ec\r\n\r\n' >input
count 'CR LF' 2 "$a2l" -e shapes <input
same 'answer to CR LF' "$(head -1 out)" /t/shapes.cpp:11
count 'nothing' 0 "$a2l" -e shapes </dev/null

# Names of modules.
long=$(printf '%0200d' 0)
mkdir -p "$long/$long" 'a b' "a'b" 'a"b' 'a:b' || exit 99
for folder in "$long/$long" 'a b' "a'b" 'a:b'; do
	cp shapes shapes.gsym "$folder" || exit 99
	printf 'CODE "%s/shapes" 0x11ec\n' "$folder" >input
	count "module in $folder" 7 "$sym" <input
	same "module in $folder" "$(head -1 out)" geo::step
done
cp shapes shapes.gsym 'a"b'
printf "CODE 'a\"b/shapes' 0x11ec\n" >input
count 'a quote' 7 "$sym" <input

# Many modules, missing and not, and the same one under many names.
i=0
while [ $i -lt 50 ]; do
	ln -s shapes m$i
	ln -s shapes.gsym m$i.gsym
	i=$((i + 1))
done
awk 'BEGIN { for (i = 0; i < 20000; i++)
	printf "CODE m%d 0x11ec\nCODE missing%d 0x11ec\n", i % 50, i }' >input
count 'many modules' $((20000 * (7 + 3))) "$sym" <input

# Questions that nobody waits for: more than a pipe holds.
{
	i=0
	while [ $i -lt 20 ]; do
		seq -f '%08.0f' 4096 5119
		i=$((i + 1))
	done
} >input
cat input | "$a2l" -fie shapes | wc -l >through.pipe
"$a2l" -fie shapes <input | wc -l >from.file
same 'through a pipe' "$(cat through.pipe)" "$(cat from.file)"

# Names with control characters, and a last function without an end.
printf 'MODULE Linux x86_64 0123456789ABCDEF0123456789ABCDEF0 odd
FILE 0 /s/a.c\nFUNC 1000 10 0 o\033dd\n1000 10 5 0\nPUBLIC 2000 0 last\n' >odd.sym
gsym-create -q -o odd.gsym odd.sym || fail 'gsym-create odd.sym'
printf '1000\n2fff\n20000\nffffffffffffff00\n' | "$a2l" -fe odd.gsym >out
same 'odd names' "$(tr '\n' ' ' <out)" \
	'o\x1bdd /s/a.c:5 last ??:? ?? ??:0 ?? ??:0 '

# Nobody reads the answers, or the messages; files are closed.
"$a2l" -e shapes <input 2>err | head -1 >out
same 'a reader that ends' "$(wc -c <err)" 0
"$a2l" -e shapes 11ec 2>&- >out
same 'no standard error' "$(cat out)" /t/shapes.cpp:11
"$a2l" -e shapes <&- >out
same 'no standard input' "$? $(wc -c <out)" '0 0'
"$sym" <random 2>&- >out || fail 'no standard error, LLVM'

# An empty name of a file.
for program in "$a2l" "$a2l --all" "$sym"; do
	# shellcheck disable=SC2086 # options
	$program -e '' </dev/null >out 2>err
	[ $? = 1 ] && grep -q "'': No such file" err || fail "-e '': $(cat err)"
done

# A damaged file: answers, and one note.
head -c 300 shapes.gsym >cut.gsym
cp shapes cut
seq -f '%.0f' 4096 4600 >input
"$a2l" -e cut --no-verify <input >out 2>err || fail "damage: status $?"
same 'damage' "$(wc -l <out)" 505
[ "$(wc -l <err)" -le 1 ] || fail "damage: $(cat err)"
exit 0
