#!/bin/sh
# SPDX-License-Identifier: MIT
# No tool writes a control character, or a mark that changes the direction of
# text, which is part of a name.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
. "$top_srcdir/tests/cli/personality-lib.sh"
traces=$top_srcdir/testdata/xray

# One character of each kind, in UTF-8: ESC, DEL, U+009B, U+061C, U+200F, U+202E,
# U+2066; and the byte 0x9b alone.  Characters that are not touched: U+00E4,
# U+4F5B, which has the byte 0x9b, and U+1F600.
marks='\033\177\302\233\330\234\342\200\217\342\200\256\342\201\246\233'
letters='\303\244\344\275\233\360\237\230\200'
# shellcheck disable=SC2059
name() { printf "$1$marks$letters"; }

harmful=$(printf '[\001-\010\013-\037\177]\|\302[\200-\237]\|\330\234\|')
harmful=$harmful$(printf '\342\200[\216\217\252-\256]\|\342\201[\246-\251]\|')
harmful=$harmful$(printf '[\001-\177\246-\256\217][\200-\237]')

# Run the command "$@", and fail if its output or its messages hold a harmful
# character.  $1: what the output has to hold: "utf8", the letters; "text", some
# text; "error": messages that are some text; "any": anything.
calm()
{
	holds=$1
	shift
	"$@" >out 2>err
	[ $? -le 2 ] || fail "$*: status $?"
	for file in out err; do
		# Letters first: their bytes are like those of C1.
		sed "s/$(printf "$letters")//g" $file >rest
		! grep -qae "$harmful" rest ||
			fail "$*: $(grep -ae "$harmful" rest | head -3 | cat -v)"
	done
	case $holds in
	utf8) grep -qae "$(printf "$letters")" out || fail "$*: no letters" ;;
	text) [ -s out ] || fail "$*: no output" ;;
	error) [ -s err ] || fail "$*: no message" ;;
	esac
}

{
	echo 'MODULE Linux x86_64 1234567890ABCDEF1234567890ABCDEF0 prog'
	printf 'FILE 0 /t/%s/%s.c\n' "$(name d)" "$(name c)"
	printf 'INLINE_ORIGIN 0 %s\n' "$(name inlined)"
	printf 'FUNC 1000 20 0 %s;x\n' "$(name work)"
	printf 'INLINE 0 5 0 0 1000 10\n1000 20 7 0\n'
	printf 'PUBLIC 2000 0 %s\n' "$(name public)"
} >names.sym
calm error gsym-create -o names.gsym names.sym
cp names.gsym "$(name file).gsym" && cp names.sym "$(name file).sym" || exit 99

calm text gsym-lookup --style=go names.gsym 0x1001
for format in --no-demangle --demangle --json --basenames --no-inlines; do
	calm utf8 gsym-lookup $format names.gsym 0x1001 0x2000
done
calm utf8 gsym-lookup names.gsym "$(name public)"
calm error gsym-lookup "$(name missing)"
calm error gsym-lookup --what="$(name missing)"
calm utf8 gsym-lookup names.gsym "0x1001 $(name rest)"
id=$(gsym-dump --json names.gsym | sed 's/.*"uuid":"\([0-9a-f]*\)".*/\1/')
folder=store/.build-id/${id%"${id#??}"}
mkdir -p "$folder" && cp names.gsym "$folder/${id#??}.debug.gsym" || exit 99
printf '%s 0x1001\n%s 0x1001\n' "$id" "$(name id)" >lines
for format in json tsv folded; do
	calm utf8 gsym-lookup --stream=$format \
		--no-verify --gsym-file-directory=store <lines
done

for view in --functions --function=0x1001 --files --strings --statistics \
	--header; do
	calm text gsym-dump $view names.gsym
	calm text gsym-dump $view --json names.gsym
done
calm error gsym-dump "$(name missing)"
calm error gsym-dump --function="$(name missing)" names.gsym

printf '%s 0x1001\n"%s.gsym" 0x1001\n%s\n' names.gsym "$(name file)" \
	"$(name request)" >lines
for style in LLVM GNU JSON; do
	calm utf8 "$sym" --output-style=$style --no-demangle <lines
	calm utf8 "$sym" --output-style=$style -e names.gsym 0x1001
	calm any "$sym" --output-style=$style -e "$(name missing)" 0x1001
done
calm utf8 "$sym" --verbose -e names.gsym 0x1001
calm utf8 "$a2l" -fipae names.gsym 1001
calm utf8 "$lla2l" -fiae names.gsym 1001
calm error "$a2l" -e "$(name missing)" 1001
calm error "$a2l" "--$(name option)"
calm error "$sym" "--$(name option)"

calm error gsym-create -o out.gsym "$(name missing)"
calm error gsym-create -o out.gsym "$(name file).sym"
calm error gsym-create -q -o "$(name no)/out.gsym" names.sym
calm text gsym-create --json -o out.gsym "$(name file).sym"

# All functions of a trace.
{
	printf 'MODULE Linux x86_64 %033d calls\n' 0
	printf 'FILE 0 /t/%s.c\n' "$(name c)"
	sed -n 's/^[0-9]*\t0x\([0-9a-f]*\).*/\1/p' \
		"$traces/maps/calls.functions.tsv" | while read -r start; do
		printf 'FUNC %s 1 0 %s;%s|{x}\n%s 1 7 0\n' "$start" \
			"$(name call)" "$start" "$start"
	done
} >calls.sym
gsym-create -q -o calls.gsym calls.sym || fail 'gsym-create'
cp "$traces/traces/calls-fdr.xray" "$(name trace)" || exit 99
xray()
{
	command=$1
	shift
	calm utf8 gsym-xray "$command" -q -m "$traces/bin/calls" \
		-g calls.gsym "$@" "$(name trace)"
}
for format in text csv json; do
	xray account -f $format
done
xray stack
xray stack -f json
xray graph
for format in chrome folded json yaml; do
	xray convert --to=$format
done
xray dump
xray dump -f json
xray diff -f text "$(name trace)"
xray diff -f json --stacks "$(name trace)"
calm utf8 gsym-xray extract -g calls.gsym "$traces/bin/calls"
calm text gsym-xray info "$(name trace)"
calm error gsym-xray info "$(name missing)"
calm error gsym-markup "$(name missing)"
exit 0
