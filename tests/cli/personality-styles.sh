#!/bin/sh
# SPDX-License-Identifier: MIT
# Every style of answers of gsym-addr2line and gsym-symbolizer, to the byte.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
. "$top_srcdir/tests/cli/personality-lib.sh"
cp "$data/bin/shapes" "$data/bin/shapes.o" . || exit 99
gsym-create -q --data-symbols -o data.gsym shapes || fail 'gsym-create'
gsym-create -q shapes || fail 'gsym-create'
PATH=$links:$PATH
asked='11ec main main+4 10 123c , ffffffffffffffff'

for options in '' -f -fi -afip -fipC -p -fs; do
	# shellcheck disable=SC2086
	show addr2line $options -e shapes $asked
	# shellcheck disable=SC2086
	show llvm-addr2line $options -e shapes $asked
done
show addr2line -afe shapes.o 4
show addr2line -af -j .text.startup -e shapes.o 4
show addr2line -af -j .text -e shapes 17c
for options in '' '--functions=none' '--functions=short' '-a -p' \
	'--output-style=GNU' '--no-inlines' '--no-demangle --verbose' \
	'--basenames --verbose -p'; do
	# shellcheck disable=SC2086
	show llvm-symbolizer $options -e shapes 0x11ec main 0x10 0x123c
done
show llvm-symbolizer --output-style=JSON -e shapes 0x11ec main 0x10 nosuch
show llvm-symbolizer --output-style=JSON -p -e shapes 0x123c nosuch
show llvm-symbolizer --output-style=GNU --verbose -e shapes 0x123c
show llvm-symbolizer --adjust-vma=0x1000 -e shapes 0x21ec
show llvm-symbolizer --relative-address -e shapes 0x11ec

# Variables: by the symbol table, and by the GSYM data.
show_with 'DATA shapes 0x4034\nDATA shapes 0x11ec\nDATA shapes 0x10\n' \
	llvm-symbolizer
show_with 'DATA data.gsym 0x4034\nCODE data.gsym 0x4034\n' llvm-symbolizer
show_with 'DATA shapes 0x4034\nDATA shapes 0x10\nFRAME shapes 0x11ec\n' \
	llvm-symbolizer --output-style=JSON
show_with 'FRAME shapes 0x11ec\n' llvm-symbolizer

# Lines that are wrong, and modules that are none.
show_with 'CODE\n\nshapes 11ec\nnothing 0x10\nnothing 0x11\nBUILDID:00 1\n' \
	llvm-symbolizer
show_with 'CODE\n\nshapes 11ec\nnothing 0x10\nBUILDID:00 1\nshapes -x\n' \
	llvm-symbolizer --output-style=JSON

# Source code around the line.
mkdir -p src
seq 1 30 >src/code.c
cat >object.c <<'END'
#line 12 "src/code.c"
int answer(void) { return 42; }
END
${CC:-cc} -g -c object.c || fail 'cannot compile'
show llvm-symbolizer --print-source-context-lines=3 --basenames -e object.o 0
printf '\tindented\t\033\r\n' >src/code.c
sed -i 's/12/1/' object.c
${CC:-cc} -g -c object.c || fail 'cannot compile'
show llvm-symbolizer --print-source-context-lines=1 --basenames -e object.o 0
show llvm-symbolizer --print-source-context-lines=1 --basenames -e object.o \
	--output-style=JSON 0

# Without inlined calls LLVM's own style has the outer function.
show llvm-addr2line --output-style=LLVM -fe shapes 11ec

# Options of a file, of the environment, and of GSYM_LOOKUP_OPTS.
echo '-f -e "shapes" 11ec' >words
show addr2line @words
LLVM_ADDR2LINE_OPTS='-f -s'
export LLVM_ADDR2LINE_OPTS
show llvm-addr2line -e shapes 11ec
# Every option of the help pages is in the manual and in the completion.
for name in addr2line llvm-symbolizer; do
	$name --help >help 2>err || fail "$name --help: $?"
	[ ! -s err ] || fail "$name --help writes to standard error"
	awk 'length > 80 { print; bad = 1 } END { exit bad }' help ||
		fail "the help of $name is too wide"
	sed -n 's/^ *\(-. \)\{0,1\} *--\([a-z][a-z-]*\).*/\2/p' help >options
	[ "$(wc -l <options)" -gt 12 ] || fail "no options in the help of $name"
	while read -r option; do
		grep -q -e "--$option\>" \
			"$top_srcdir/completions/gsym-addr2line" ||
			fail "$option is not completed"
		grep -q "Fl -$option" "$top_srcdir/man/gsym-addr2line.1" ||
			fail "$option is not in gsym-addr2line(1)"
	done <options
done
show addr2line --version
show llvm-symbolizer --version
finish
