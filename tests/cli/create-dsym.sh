#!/bin/sh
# SPDX-License-Identifier: MIT
# At build time on a Mac: gsym-create finds the dSYM folder of a program beside it,
# in an archive of Xcode and by Spotlight, and takes the names of stubs from the
# program.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
data=$top_srcdir/testdata/macho
cp "$data/shapes.dylib" . && cp -R "$data/shapes.dSYM" beside.dSYM || exit 99
chmod -R u+w .
mkdir bin home

# Convert shapes.dylib, with the options "$@", to $out; the messages are in err.
convert()
{
	PATH=$PWD/bin:$PATH gsym-create -o out "$@" shapes.dylib 2>err ||
		fail "$*: $(cat err)"
}

# $1: whether the output has lines of the dSYM.
has_debug_info()
{
	grep -aq 'shapes\.cc' out && found=yes || found=no
	[ $found = "$1" ] || fail "debug info: $found; $(cat err)"
}

# A fake mdfind that notes its arguments and prints the file "answer".
cat >bin/mdfind <<END
#!/bin/sh
echo "\$*" >>"$PWD/asked"
cat "$PWD/answer"
END
chmod +x bin/mdfind

# Spotlight knows nothing.
: >answer
convert
has_debug_info no
uuid=4C4C44C1-5555-3144-A15D-4C6FB6A042CE
echo "com_apple_xcode_dsym_uuids == $uuid" | cmp - asked || fail "$(cat asked)"
rm asked

# Spotlight knows the folder, or the archive that the folder is in.
mkdir -p 'home/App 1.xcarchive/dSYMs'
mv beside.dSYM 'home/App 1.xcarchive/dSYMs/other.dSYM'
printf '%s\n' /nowhere/shapes.dSYM \
	"$PWD/home/App 1.xcarchive/dSYMs/other.dSYM" >answer
convert -v
has_debug_info yes
grep -q "other.dSYM.*': used" err || fail "$(cat err)"
mv out want
echo "$PWD/home/App 1.xcarchive" >answer
convert
cmp want out || fail 'the archive has another dSYM'

# What Spotlight says is checked: another program's dSYM, a file, a failure.
echo "$data/linked/prog.dSYM" >answer
convert -v
has_debug_info no
grep -q 'its UUID is' err || fail "$(cat err)"
echo "$PWD/shapes.dylib" >answer
convert
has_debug_info no
echo "$PWD/home/App 1.xcarchive" >answer
sed -i '$a exit 1' bin/mdfind
convert
has_debug_info no
sed -i '$d' bin/mdfind

# No program is run in the sandbox, or if a folder was named, or is there; and
# none of a folder that PATH names from the present one on.
rm asked
for folder in bin ./bin; do
	PATH=$folder:$PATH gsym-create -q -o out shapes.dylib || fail "$folder"
done
(cd bin && PATH=.::$PATH gsym-create -q -o ../out ../shapes.dylib) ||
	fail 'the present folder'
[ ! -e asked ] || fail "a mdfind of the present folder was asked: $(cat asked)"
[ ! -e bin/asked ] || fail 'mdfind of the present folder was asked'
PATH=$PWD/bin:$PATH gsym-create -q --sandbox=try -o out shapes.dylib ||
	fail 'in the sandbox'
convert --debug-file="home/App 1.xcarchive/dSYMs/other.dSYM"
cmp want out || fail 'a named dSYM is not the same'
cp -R 'home/App 1.xcarchive/dSYMs/other.dSYM' shapes.dylib.dSYM
convert
cmp want out || fail 'the dSYM beside the program is not the same'
[ ! -e asked ] || fail "mdfind was asked: $(cat asked)"
rm -r shapes.dylib.dSYM

# A dSYM has no names of stubs; the program with its UUID has.
dsym="home/App 1.xcarchive/dSYMs/other.dSYM"
stub='symbol stub for: elsewhere'
gsym-create -q --arch=x86_64 -o plain "$dsym" || fail 'dSYM'
! gsym-dump --functions plain | grep -q "$stub" || fail 'a stub without the program'
gsym-create --arch=x86_64 --stubs-file=shapes.dylib --json -v -o out "$dsym" \
	>json 2>err || fail "--stubs-file: $(cat err)"
grep -q "file with stubs 'shapes.dylib': used" err || fail "$(cat err)"
grep -q '"stubs_file":"shapes.dylib"' json || fail "$(cat json)"
gsym-dump --functions out | grep -q "$stub" || fail 'no stub'
# Nothing else changed.
gsym-dump --functions plain >plain.txt
gsym-dump --functions out | diff plain.txt - | grep '^[<>]' |
	grep -v "$stub" | grep -q . && fail 'not only stubs were added'
gsym-create -q --verify --arch=x86_64 --stubs-file=shapes.dylib -o out \
	"$dsym" || fail '--verify with stubs'

# Other programs are refused, and nothing is written.
rm out
refused()
{
	gsym-create -q --arch="$1" --stubs-file="$2" -o out "$dsym" 2>err &&
		fail "$2 was taken"
	grep -q "$3" err || fail "$2: $(cat err)"
	[ ! -e out ] || fail "$2: an output"
}
refused x86_64 "$data/linked/prog" 'another UUID'
refused arm64 shapes.dylib "no architecture 'arm64'"
refused x86_64 "$top_builddir/gsym-dump" 'architecture mismatch'
gsym-create -q --stubs-file="$dsym" -o out "$top_builddir/gsym-dump" 2>err &&
	fail 'stubs for an ELF file'
grep -q 'files of its format have no file with stubs' err || fail "$(cat err)"
[ ! -e out ] || fail 'an output with stubs of another format'
refused x86_64 missing 'file with stubs: cannot open'
gsym-create -q --recursive --output-dir=o --stubs-file=x home 2>/dev/null &&
	fail '--recursive takes --stubs-file'

# --symtab-file with universal files: each architecture has its own symbols.
file=$dsym/Contents/Resources/DWARF/shapes
gsym-create -q --symtab-file="$file" -o both "$dsym" || fail 'universal symbols'
for arch in x86_64 arm64; do
	gsym-create -q --arch=$arch -o one "$dsym" && cmp one both.$arch ||
		fail "universal symbols: $arch"
done
gsym-create -q --symtab-file=shapes.dylib -o two "$dsym" 2>err &&
	fail 'arm64 took the symbols of x86_64'
grep -q 'symbol table file' err || fail "$(cat err)"

# The build phase of Xcode.
mkdir -p products/App.app/Contents/MacOS store
cp shapes.dylib products/App.app/Contents/MacOS/App
build_phase()
{
	PATH=$top_builddir:$PATH DWARF_DSYM_FOLDER_PATH=$1 \
		DWARF_DSYM_FILE_NAME=other.dSYM TARGET_BUILD_DIR=$PWD/products \
		EXECUTABLE_PATH=App.app/Contents/MacOS/App ARCHS=x86_64 \
		GSYM_STORE=$PWD/store \
		sh "$top_srcdir/examples/xcode-build-phase" >said 2>&1 ||
		fail "the build phase: $(cat said)"
}
build_phase "${dsym%/*}"
made=$(find store -name '*.gsym')
[ -s "$made" ] || fail "the build phase made no file: $(cat said)"
gsym-dump --functions "$made" | grep -q "$stub" || fail 'no stub in the store'
build_phase /nowhere
grep -q '^warning: there is no' said || fail "$(cat said)"
exit 0
