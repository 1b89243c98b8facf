#!/bin/sh
# SPDX-License-Identifier: MIT
# The sources of function names in gsym-xray, and their order.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
XDG_CACHE_HOME=$scratch/cache
export XDG_CACHE_HOME
data=$top_srcdir/testdata/xray
id=a62f5dd8262a905dde103e9911a2ab731be61951

# Print number, name and place of each function in the trace of "calls".
places()
{
	gsym-xray account -f csv --sort=id "$@" "$data/traces/calls-fdr.xray" \
		2>err | sed 1d | cut -d, -f1,15-
}

places -m "$data/bin/calls" >wanted
[ -s err ] && fail "a warning: $(cat err)"
grep -q '^2,"spin","./calls.c:[1-9][0-9]*"$' wanted || fail 'no names'

# A GSYM file; and one of another program, which gives a warning.
places -m "$data/bin/calls" -g "$data/maps/calls.gsym" >got
cmp wanted got || fail 'names of the GSYM file'
[ -s err ] && fail "a warning: $(cat err)"
places -m "$data/bin/calls" -g "$data/maps/shapes.gsym" >got
grep -q "shapes.gsym' and '.*calls' have different build IDs" err ||
	fail 'no word about another build'
places -q -m "$data/bin/calls" -g "$data/maps/shapes.gsym" >got
[ -s err ] && fail 'a warning in spite of -q'
gsym-xray account -g "$data/maps/calls.gsym" x 2>err && fail '-g without -m'
grep -q 'needs --instr-map' err || fail 'no word about the map'

# By build ID: in a folder of GSYM files, in a folder of debug files, in the
# cache.  The program has neither debug info nor symbols.
need objcopy
objcopy --strip-all "$data/bin/calls" calls || fail 'objcopy'
rm -r "$XDG_CACHE_HOME"
places -m calls --debug-file-directory=nowhere >got
grep -q '^2,"@([0-9a-f]*)",""$' got || fail "names from nowhere: $(cat got)"
place=.build-id/${id%"${id#??}"}
mkdir -p "$place" "$XDG_CACHE_HOME/gsym/$release/$place"
gsym-create -q -o made.gsym "$data/bin/calls" >/dev/null || fail 'gsym-create'
cp made.gsym "$place/${id#??}.debug.gsym"
for option in --gsym-file-directory=. --debug-file-directory=.; do
	places -m calls $option >got
	cmp wanted got || fail "no names by $option"
	[ -s err ] && fail "$option: $(cat err)"
done
mv "$place/${id#??}.debug.gsym" "$XDG_CACHE_HOME/gsym/$release/$place"
places -m calls >got
cmp wanted got || fail 'no names from the cache'
# A file with another build ID is not used.
cp "$data/maps/shapes.gsym" "$place/${id#??}.debug.gsym"
places -m calls --gsym-file-directory=. >got
cmp wanted got || fail 'names of another build'
grep -q 'is not used' err || fail 'no word about the file that was left'
rm -r "$XDG_CACHE_HOME"

# --fetch, also for the second side of diff, before the debug info is read.
: >runs
cat >command <<END
#!/bin/sh
[ "\$1" = $id ] || exit 1
echo "\$1" >>"$PWD/runs"
cp "$PWD/made.gsym" "\$2"
END
chmod +x command
gsym-create -q -o made.gsym "$data/bin/calls" || fail 'gsym-create'
places -m calls --fetch="$PWD/command" >got
cmp wanted got || fail "no names by --fetch: $(cat err)"
[ "$(cat runs)" = "$id" ] || fail "--fetch: $(cat runs)"
places -m calls >got
cmp wanted got || fail 'a fetched file does not stay in the cache'
rm -r "$XDG_CACHE_HOME"
gsym-xray diff -f json -m "$data/bin/shapes" --after-map=calls \
	--fetch="$PWD/command" "$data/traces/shapes-threads.xray" \
	"$data/traces/calls-fdr.xray" >got 2>err
grep -q '"spin' got || fail "diff without names: $(cat got err)"
[ "$(wc -l <runs)" -eq 2 ] || fail "diff: $(cat runs)"
rm -r "$XDG_CACHE_HOME"
# A failure, and a limit, are reported; the debug info is read then.
cp "$data/bin/calls" full
places -m full --debug-file-directory=nowhere --fetch=false >got
cmp wanted got || fail '--fetch=false: no names'
rm -r "$XDG_CACHE_HOME"
[ ! -s err ] || fail "a file that does not exist: $(cat err)"
printf '#!/bin/sh\nsleep 100\n' >command
places -m full --debug-file-directory=nowhere --fetch="$PWD/command" \
	--fetch-timeout=1 >got
cmp wanted got || fail '--fetch-timeout: no names'
rm -r "$XDG_CACHE_HOME"
grep -q 'takes too long' err || fail "--fetch-timeout: $(cat err)"
places -q -m full --debug-file-directory=nowhere --fetch="$PWD/missing" >got
[ ! -s err ] || fail "-q: $(cat err)"
rm -r "$XDG_CACHE_HOME"
# A signal ends the command and its children, and leaves no output.
cat >command <<END
#!/bin/sh
sleep 100 &
echo \$! >child
wait
END
mkdir written
gsym-xray account -o written/out -m full --debug-file-directory=nowhere \
	--fetch="$PWD/command" "$data/traces/calls-fdr.xray" 2>err &
tool=$!
until_true [ -s child ]
kill -TERM $tool
wait $tool
[ $? -eq 143 ] || fail "SIGTERM: $(cat err)"
[ -z "$(ls -A written)" ] || fail "SIGTERM leaves $(ls -A written)"
child_ends 'SIGTERM: a child of the command lives on'
gsym-xray account --fetch=x --sandbox -m full x 2>err &&
	fail '--fetch with --sandbox'
grep -q 'sandbox runs no command' err || fail "$(cat err)"
gsym-xray account --fetch-size=1 -m full x 2>err && fail '--fetch-size alone'
grep -q 'need --fetch' err || fail "$(cat err)"
rm -rf "$XDG_CACHE_HOME"
# The debug file, without a GSYM file.
objcopy --only-keep-debug "$data/bin/calls" "$place/${id#??}.debug" ||
	fail 'objcopy makes no debug file'
rm "$place/${id#??}.debug.gsym"
places -m calls --debug-file-directory=. >got
cmp wanted got || fail 'no names from a debug file'
[ -s err ] && fail "debug file: $(cat err)"
rm -r .build-id

# GSYM data in a section of the program.
gsym-create -q --embed=calls -o whole "$data/bin/calls" >/dev/null ||
	fail 'gsym-create --embed'
places -m whole --debug-file-directory=nowhere >got
cmp wanted got || fail 'no names from the section'
[ -s err ] && fail "the section: $(cat err)"

# Names that the GSYM file lacks come from the program's symbols.
gsym-create -q -o part.gsym --symtab-file="$data/bin/sled-v2.so" \
	"$data/bin/sled-v2.so" >/dev/null 2>&1 || fail 'gsym-create of sleds'
places -m "$data/bin/calls" -g part.gsym >got
cmp wanted got || fail 'no names beyond the GSYM file'

# A function whose first instruction comes from an inlined call has the line of
# the call, not a line of the inlined function.
cat >inlined.sym <<'END'
MODULE Linux x86_64 000000000000000000000000000000000 calls
FILE 0 /src/longrun.cpp
FILE 1 ./init.h
INLINE_ORIGIN 0 init
FUNC 10290 30 0 spin
INLINE 0 13 0 0 10290 4
10290 4 4 1
10294 2c 15 0
END
gsym-create -q -o inlined.gsym inlined.sym >/dev/null || fail 'gsym-create'
places -q -m "$data/bin/calls" -g inlined.gsym >got
grep -qx '2,"spin","/src/longrun.cpp:13"' got ||
	fail "a function has the line of an inlined call: $(cat got)"

# The objects that --object names have names, too.
gsym-xray -q convert --to=folded --calls -m "$data/bin/dso_main" \
	--object="1=$data/bin/libdso.so" "$data/traces/dso.xray" >got
grep -qx 'app_step;lib_outer;lib_inner 2' got ||
	fail "no names in objects: $(cat got)"
gsym-xray convert --to=folded --calls -m "$data/bin/dso_main" \
	"$data/traces/dso.xray" 2>err >got
grep -q '#16777217' got || fail 'an object that nobody named'
grep -q 'shared object 1 have no names: --object=1=FILE' err ||
	fail "no word about --object: $(cat err)"
gsym-xray info "$data/traces/dso.xray" |
	grep 'in the shared object 1: [1-9][0-9]* (--object=1=FILE' >/dev/null ||
	fail 'info does not name --object'
gsym-xray info --object="1=$data/bin/libdso.so" "$data/traces/dso.xray" |
	grep 'in the shared object 1: [1-9][0-9]*$' >/dev/null ||
	fail 'info names --object in spite of it'

# A program that is not the traced one gives a warning.
gsym-xray account -m "$data/bin/sled-v2.so" "$data/traces/calls-fdr.xray" \
	>got 2>err
grep -q 'does not match' err || fail 'the wrong program passes'
[ "$(grep -c 'does not match' err)" = 1 ] || fail 'told twice'
gsym-xray info -m "$data/bin/sled-v2.so" "$data/traces/calls-fdr.xray" \
	2>&1 >/dev/null | grep -q 'does not match' || fail 'info is content'

# A map with relocations of unknown types has no addresses.
need "${CC:-cc}"
printf '%s\n' .text 'f: .long 0' '.section xray_instr_map,"a"' \
	'.long f, 0, f, 0, f, 0, 0, 0' >map.s
${CC:-cc} -c map.s -o map.o || fail 'no object'
printf '\22\22' | dd of=map.o bs=1 seek=18 conv=notrunc 2>/dev/null
gsym-xray extract map.o >got 2>err && fail "unknown relocations: $(cat got)"
grep -q "^gsym-xray: cannot read 'map.o': xray_instr_map at 0x[0-9a-f]*: \
relocations of types that are not known for machine 4626$" err ||
	fail "unknown relocations: $(cat err)"

# On SystemZ the runtime reports 1 GHz, but the counter has 4096 ticks per
# microsecond.  The map of a big-endian MIPS program, with the machine number of
# SystemZ, is enough here.
cp "$data/bin/arch-mips64be.so" z.so && chmod u+w z.so &&
	printf '\026' | dd of=z.so bs=1 seek=19 conv=notrunc 2>/dev/null
gsym-xray info -m z.so "$data/synthetic/syn-fdr-v5-be.xray" >got 2>err
grep -q 'frequency: 1000000000 Hz, taken as 4096000000 Hz' got ||
	fail "the clock of SystemZ: $(cat got)"
grep -q '^  span: 1220703125 ns' got || fail 'the span on SystemZ'
gsym-xray info -m z.so --frequency=1000 \
	"$data/synthetic/syn-fdr-v5-be.xray" 2>err |
	grep -q 'taken as 1000 Hz' || fail '--frequency on SystemZ'
exit 0
