#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-create --require: a program that has lost its debug info, or a part of it,
# is an error that names what is missing; --strict; missing .dwo files are told
# with --quiet, too.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need strip
need objcopy
need readelf

# $1: the end of the message; the rest: options and the program.
refused()
{
	text=$1
	shift
	rm -f out.gsym
	gsym-create -q -o out.gsym "$@" 2>err
	[ $? = 2 ] || fail "$*: accepted"
	grep -q -e "$text" err || fail "$*: $(cat err)"
	[ "$(grep -cv '^gsym-create: try ' err)" = 1 ] || fail "$*: more than a line: $(cat err)"
	[ ! -e out.gsym ] || fail "$*: a file was written"
}
accepted()
{
	gsym-create -q -o out.gsym "$@" 2>err || fail "$*: $(cat err)"
	[ ! -s err ] || fail "$*: $(cat err)"
}

cat >m.c <<'EOF'
static inline __attribute__((always_inline)) int twice(volatile int *v)
{
	*v += 1;
	return *v * 2;
}
int main(int c, char **v)
{
	(void)v;
	return twice(&c);
}
EOF
build()
{
	out=$1
	shift
	${CC:-cc} -Wl,--build-id "$@" m.c -o "$out" || fail "cannot build $out"
}
build full -O2 -g
build bare -O2 -g0
build noid -O2 -g -Wl,--build-id=none
build flat -O0 -g1 -fno-inline
strip --strip-debug -o poor full
all=debug-info,lines,inlines,symbols,build-id

accepted --strict --require=$all full
accepted bare
accepted --require=symbols,build-id bare
refused "'bare': it has no debug info" --require=debug-info bare
refused 'it has no lines' --require=symbols --require=lines bare
refused 'it has no inlined calls' --require=inlines bare
refused "'bare': it has no debug info" --strict bare
if objcopy -s --keep-section='.debug*' full nosyms 2>err &&
	readelf -S nosyms | grep -q '\.debug_info'; then
	refused 'it has no symbols' --require=symbols nosyms
fi
refused 'it has no build ID' --require=build-id noid
refused 'it has no lines' --require=lines --no-lines full
refused "'debug_info' is not debug-info, lines" --require=debug_info full
for none in '' lines, ,lines lines,,symbols; do
	refused "'' is not debug-info, lines" --require="$none" full
done
accepted --require=debug-info --no-lines full
gsym-create -q --no-lines --no-inlines -o names.gsym full || fail 'names'
refused 'it has no debug info' --require=debug-info names.gsym
gsym-create -q -o whole.gsym full || fail 'whole'
accepted --require=debug-info,lines,inlines,build-id,symbols whole.gsym
gsym-create --json -q --require=lines -o out.gsym bare >json 2>err
grep -q '"outcome":"incomplete"' json || fail "$(cat json)"

# An installed file stays.
gsym-create -q --install=store --require=debug-info full 2>err || fail "--install: $(cat err)"
cp "$(find store -type f -name '*.gsym')" before
gsym-create -q --install=store --replace=always --require=debug-info \
	--debug-file-directory= poor 2>err && fail "--install: $(cat err)"
cmp before "$(find store -type f -name '*.gsym')" || fail 'not the old file'

# --recursive: the others are converted.
mkdir in
cp full bare in
gsym-create -q -r --output-dir=tree --require=debug-info in 2>err
[ $? = 2 ] || fail "--recursive: $(cat err)"
grep -q 'it has no debug info' err || fail "--recursive: $(cat err)"
[ -e tree/full.gsym ] && [ ! -e tree/bare.gsym ] || fail "$(find tree)"

# --max-size.
{
	echo 'MODULE Linux x86_64 0 large'
	awk 'BEGIN { for (i = 1; i < 40000; i++)
		printf "FUNC %x 10 0 a_function_with_a_long_name_%d\n", i * 16, i }'
} >large.sym
refused 'more than 1 MiB' --max-size=1 large.sym
accepted --max-size=4 large.sym
sed 's/a_function_with/n::S<int>::f/; 2i FILE 0 /src/lib/a.c
/ 10 0 /a 10 1 7 0' large.sym >lines.sym
refused "the folder '/src/lib' has [0-9]*, the template 'n::S<>::f_a_long_" \
	--max-size=1 lines.sym

# Split DWARF.
${CC:-cc} -g -O2 -gsplit-dwarf -c -o m.o m.c 2>err || skip "$(cat err)"
[ -e m.dwo ] || skip 'the compiler writes no .dwo files'
${CC:-cc} m.o -o split || fail 'split'
accepted --require=debug-info,lines split
mv m.dwo kept
refused 'debug info.*m\.dwo was not found' \
	--require=debug-info split
refused 'a file is missing: .*m\.dwo was not found' --strict split
gsym-create -q -o out.gsym split 2>err || fail 'a missing .dwo is an error'
grep -q 'm\.dwo was not found' err || fail "--quiet: $(cat err)"
sed 's/twice/thrice/g' m.c >n.c
(mkdir other && cd other && cp ../n.c m.c &&
	${CC:-cc} -g -O1 -gsplit-dwarf -c -o m.o m.c)
cp other/m.dwo m.dwo
refused 'm\.dwo holds another unit' --require=debug-info split
exit 0
