#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-create, gsym-lookup, gsym-dump and gsym-xray without memory: whichever
# allocation fails, the output is right, or there is a message, status 2 and no
# output file.  tests/cli/markup-malloc.sh does the same for gsym-markup.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
. "$top_srcdir/tests/cli/malloc-lib.sh"
make_failing_malloc
make_shape
gsym=debug/.build-id/5b/${shape_id#5b}.debug.gsym
area=$(address_of _ZN3geo5Shape4areaEiPFvPKcPvS3_E)

# ---- lookups and dumps
printf '%#x\n' "$area" $((area + 28)) 16 >../stdin
walk_malloc lookup gsym-lookup $gsym
walk_malloc 'lookup, JSON' gsym-lookup --json $gsym
walk_malloc 'lookup by name' gsym-lookup $gsym shape_entry+4
walk_malloc 'dump' gsym-dump --header --functions --files --strings \
	--statistics --verify -C $gsym
walk_malloc 'dump of a function' gsym-dump --function=shape_entry -j $gsym

# ---- in place of addr2line and llvm-symbolizer
# An answer without names or "file format not recognized" would be wrong.
mkdir links
for name in addr2line llvm-symbolizer; do
	ln -s "$top_builddir/gsym-lookup" links/$name
done
cp "$top_srcdir/testdata/personalities/bin/shapes" .
gsym-create -q shapes || fail 'gsym-create'
cp shapes bare
printf '11ec\n11d0\n0\n' >../stdin
walk_malloc 'addr2line' links/addr2line --fallback=none -Cfie shapes
walk_malloc 'addr2line, symbols' links/addr2line --fallback=symbols -fe bare
printf 'CODE shapes 0x11ec\nDATA shapes main\nshapes main\n' >../stdin
walk_malloc 'llvm-symbolizer' links/llvm-symbolizer --fallback=symbols
walk_malloc 'llvm-symbolizer, JSON' links/llvm-symbolizer --fallback=none \
	--output-style=JSON

# ---- conversions
# The output file is printed, so that it is compared, too.
cat >convert <<'END'
#!/bin/sh
rm -f out.gsym
LD_PRELOAD=$CREATE_PRELOAD gsym-create --quiet -j1 -o out.gsym "$@"
status=$?
for left in out.gsym .out.gsym.*; do
	[ ! -e "$left" ] || { echo "$left"; cat "$left"; }
done
exit $status
END
chmod +x convert
cp "$top_srcdir/testdata/breakpad/clang_inline.sym" \
	"$top_srcdir/testdata/go/gosample-amd64" .
malloc_preload=CREATE_PRELOAD
walk_malloc 'create' ./convert libshape.so
# A supplementary file must not be missing for lack of memory.
if command -v dwz >/dev/null; then
	awk 'BEGIN { for (i = 0; i < 60; i++)
		printf "struct part_%d { int first_%d; long second_%d; };\n" \
			"static inline long sum_%d(struct part_%d *p)\n" \
			"{ return p->first_%d + p->second_%d; }\n" \
			"long use_%d(struct part_%d *p) { return sum_%d(p); }\n",
			i, i, i, i, i, i, i, i, i, i }' >parts.c
	echo 'int main(void) { return 0; }' >>parts.c
	gcc -g -O2 -o one parts.c && cp one two && dwz -r -m common one two ||
		fail 'dwz'
	readelf -S one | grep -q gnu_debugaltlink || fail 'no file of dwz'
	# The file is found from the place that the link leads to.
	mkdir dwz && mv one common dwz && ln -s dwz/one one || exit 99
	# All calls are tried: one of them finds the file.
	runs=$malloc_runs malloc_runs=1000
	walk_malloc 'create, dwz' ./convert one
	malloc_runs=$runs
fi
# Nor must a debug file be, beside the program that a link leads to.
mkdir linked && echo 'int main(void) { return 0; }' >main.c &&
	gcc -g -Wl,--build-id=none -o linked/prog main.c &&
	objcopy --only-keep-debug linked/prog linked/prog.debug &&
	strip -g linked/prog && (cd linked &&
		objcopy --add-gnu-debuglink=prog.debug prog) &&
	ln -s linked/prog prog || fail 'no debug file'
runs=$malloc_runs malloc_runs=1000
walk_malloc 'create, debug file' ./convert prog
malloc_runs=$runs
walk_malloc 'create, all options' ./convert --merged-functions \
	--dwarf-callsites --data-symbols libshape.so
walk_malloc 'create, Breakpad' ./convert clang_inline.sym
walk_malloc 'create, Go' ./convert gosample-amd64

# ---- traces
malloc_preload=LD_PRELOAD
xray=$top_srcdir/testdata/xray
for command in info account stack graph flame 'convert --to=folded' \
	'convert --to=chrome' dump; do
	# shellcheck disable=SC2086
	walk_malloc "xray $command" gsym-xray -q $command \
		"$xray/traces/calls-fdr.xray" -m "$xray/bin/calls"
done
walk_malloc 'xray extract' gsym-xray -q extract "$xray/bin/calls"
exit 0
