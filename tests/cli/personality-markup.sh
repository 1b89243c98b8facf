#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-symbolizer --filter-markup runs the gsym-markup beside it, and hands on
# the options that gsym-markup knows.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
. "$top_srcdir/tests/cli/personality-lib.sh"
[ -x "$top_builddir/gsym-create" ] || skip 'gsym-create is not built'
need nm
compile prog -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567
start=$(nm prog | sed -n 's/^0*\([0-9a-f]*\) T work$/\1/p')
gsym-create -q --install store prog || fail '--install'
{
	echo '{{{reset}}}'
	echo '{{{module:0:prog:elf:0123456789abcdef0123456789abcdef01234567}}}'
	echo '{{{mmap:0x10000000:0x100000:load:0:rx:0x0}}}'
	echo "words {{{pc:0x$(printf %x $((0x10000000 + 0x$start)))}}}"
	echo "{{{symbol:_ZN3geo4stepEi}}}"
} >log

# As gsym-markup itself, with colour and without.
for colour in auto always never; do
	"$sym" --filter-markup --color=$colour --gsym-file-directory=store <log \
		>got 2>err || fail "$colour: status $?: $(cat err)"
	gsym-markup --compat=llvm --color=$colour --gsym-file-directory store \
		<log >wanted 2>err.wanted
	cmp wanted got || fail "$colour: $(cat got)"
	cmp err.wanted err || fail "$colour: $(cat err)"
done
grep -q 'work\[' got || fail "no name: $(cat got)"
grep -q 'geo::step(int)' got || fail "no readable name: $(cat got)"

# As LLVM does.
if theirs=$(llvm_tool llvm-symbolizer 22); then
	"$theirs" --filter-markup --color=never --gsym-file-directory=store \
		--debug-file-directory="$PWD" <log >wanted 2>err
	"$sym" --filter-markup --color=never --gsym-file-directory=store \
		<log >got 2>err
	sed -n '/^words/!p' wanted >rest.wanted
	sed -n '/^words/!p' got | diff rest.wanted - ||
		fail "not as $theirs: $(cat got)"
fi

# What is handed on: a program of that name shows its arguments.
mkdir fake
cp "$top_builddir/gsym-lookup" fake/llvm-symbolizer || exit 99
cat >fake/gsym-markup <<'END'
#!/bin/sh
echo "$@"
END
chmod +x fake/gsym-markup
first='--compat=llvm --color=auto'
handed()
{
	wanted=$1
	shift
	same "$*" "$(fake/llvm-symbolizer --filter-markup "$@")" "$wanted"
}
handed "$first --convert"
handed "$first" --fallback=none
handed "$first" --fallback=symbols,none
handed "$first --convert" --fallback=symbols,convert
handed "$first --no-verify --convert" --no-verify
handed "$first --no-demangle --convert" -demangle=false
handed "$first --debuginfod --convert" --debuginfod
handed "--compat=llvm --color=always --convert" --color
handed "--compat=llvm --color=never --convert" --color=never
folders='--gsym-file-directory a --gsym-file-directory b'
handed "$first $folders --debug-file-directory c --convert" \
	--gsym-file-directory=a --gsym-file-directory b \
	--debug-file-directory=c
exit 0
