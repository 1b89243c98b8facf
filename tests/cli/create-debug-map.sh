#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-create on a Mach-O program whose debug info is in its dSYM folder, or in
# the objects that its debug map names.  The outputs are the same.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
cp -R "$top_srcdir/testdata/macho/linked" here || exit 99
cp -R "$top_srcdir/testdata/macho/shapes.dSYM" . || exit 99
chmod -R u+w .
inside=prog.dSYM/Contents/Resources/DWARF

# The folder beside the program.
gsym-create -o dsym here/prog 2>err || fail "$(cat err)"
grep -qx "  debug info of here/$inside/prog" err || fail "$(cat err)"
grep -q 'functions: 4 from debug info, 0 from symbols' err ||
	fail "$(cat err)"
gsym-lookup dsym 0x34a >answer || fail 'no answer'
printf '%s\n' '0x34a: clamp(int) + 10 at /src/main.cc:24 (inlined)' \
	'       start + 26 at /src/main.cc:31' | diff - answer || fail 'lookup'
mkdir Some.app Some.app/MacOS
mv here/prog.dSYM moved

# The dSYM folder of the app folder, --debug-file, --debug-file-directory.
cp here/prog Some.app/MacOS
cp -R moved Some.app.dSYM
gsym-create -q -o out Some.app/MacOS/prog || fail 'in a folder'
cmp out dsym || fail 'in a folder: it differs'
ln -s Some.app/MacOS/prog link
gsym-create -q -o out link || fail 'by a link'
cmp out dsym || fail 'by a link: it differs'
rm -r Some.app.dSYM link
for file in moved moved/Contents/Resources/DWARF/prog; do
	gsym-create -q --debug-file=$file -o out here/prog || fail "$file"
	cmp out dsym || fail "$file: it differs"
done
mkdir tree
mv moved tree/prog.dSYM
gsym-create -q --debug-file-directory=tree -o out here/prog || fail 'tree'
cmp out dsym || fail 'tree: it differs'

# Without a dSYM folder, the objects.
for threads in 1 4; do
	gsym-create -j $threads -o out here/prog 2>err || fail "$(cat err)"
	cmp out dsym || fail "objects, $threads threads: they differ"
	grep -qx '  debug info of 2 objects' err || fail "$(cat err)"
done
for option in --merged-functions --dwarf-callsites --data-symbols; do
	gsym-create -q $option --debug-file=tree/prog.dSYM -o one here/prog ||
		fail "$option"
	gsym-create -q --verify $option -o two here/prog || fail "$option"
	cmp one two || fail "$option: they differ"
done
gsym-create --json -o out here/prog >json || fail '--json'
grep -q '"objects":2' json || fail "$(cat json)"
grep -q '"warnings":\[\]' json || fail "$(cat json)"
(cd here && gsym-create -q -o ../out prog) || fail 'in its folder'
cmp out dsym || fail 'in its folder: it differs'

# Paths of objects are relative to the folder of the program, or to that of
# --oso-prepend-path.
mkdir -p gone objects
cp here/prog gone
gsym-create -q --oso-prepend-path=here -o out gone/prog || fail 'a prefix'
cmp out dsym || fail 'a prefix: it differs'
gsym-lookup two 0x1004 >answer || fail 'no data'
echo '0x1004: start::total at /src/main.cc:29' | diff - answer || fail 'data'
rm -r one two out json answer err

# A missing object is a warning, and only its functions lack debug info.
show gsym-create -o out gone/prog
show gsym-create --strict -o out gone/prog
show gsym-create --oso-prepend-path=gone --json -o out here/prog
cp here/libmore.a gone
show gsym-create -o out gone/prog
head -c 1000 here/libmore.a >gone/libmore.a
printf '!<arch>\n' >gone/main.object
show gsym-create -o out gone/prog
head -c 500 here/main.object >gone/main.object
cp here/main.object gone/libmore.a
show gsym-create -o out gone/prog

# dSYM folders and debug files of other programs.
mkdir -p gone/$inside
show gsym-create -o out gone/prog
cp shapes.dSYM/Contents/Resources/DWARF/shapes gone/$inside
cp here/main.object here/libmore.a gone
show gsym-create -o out gone/prog
cmp out dsym || fail 'another dSYM: it differs'
show gsym-create --debug-file=shapes.dSYM -o out2 here/prog
show gsym-create --debug-file=here -o out2 here/prog
show gsym-create --debug-file=nothing -o out2 here/prog
show gsym-create --debug-file=here/main.object -o out2 here/prog
show gsym-create --debug-file=shapes.dSYM -o out2 tree/prog.dSYM
[ ! -e out2 ] || fail 'out2 was written'
finish
