#!/bin/sh
# SPDX-License-Identifier: MIT
# --path-prefix-map: other paths of source files, when a file is made and when
# it is looked up in; "auto" stands for what builds leave.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need nm

mkdir -p one/src two/src
for folder in one two; do
	printf 'int main(void) { return 0; }\n' >$folder/src/m.c
	(cd $folder && ${CC:-cc} -g -O0 -Wl,--build-id=0x0102030405060708 \
		-o prog src/m.c) || fail "cannot build $folder"
done
address=0x$(nm one/prog | sed -n 's/ T main$//p')

# The path of the source of main in the file $1; the rest: options.
path_in()
{
	file=$1
	shift
	gsym-lookup "$@" "$file" "$address" 2>err |
		sed 's/.* at \(.*\):1$/\1/'
}
# $1: what the path is; the rest: options of gsym-create.
made()
{
	want=$1
	shift
	gsym-create -q --verify -o out.gsym "$@" one/prog ||
		fail "$*: status $?"
	[ "$(path_in out.gsym)" = "$want" ] ||
		fail "$*: $(path_in out.gsym), not $want"
}

top=$PWD
made "$top/one/src/m.c"
made ./src/m.c --path-prefix-map="$top/one=."
made src/m.c --path-prefix-map="$top/one/="
made /m.c --path-prefix-map="$top/one/src="
made m.c --path-prefix-map="$top/one/src/="
made n.c --path-prefix-map="$top/one/src/m=n"
made b/src/m.c --path-prefix-map="$top=a" --path-prefix-map="$top/one=b"
made a/one/src/m.c --path-prefix-map="$top/one=b" --path-prefix-map="$top=a"
made "$top/one/src/m.c" --path-prefix-map=src=x
made src/m.c --path-prefix-map=auto
made src/m.c --path-prefix-map="$top/one/=/x/" --path-prefix-map=auto
made /x/src/m.c --path-prefix-map=auto --path-prefix-map="$top/one/=/x/"
for bad in =x '' x automatic; do
	gsym-create -q --path-prefix-map="$bad" -o x.gsym one/prog 2>err &&
		fail "'$bad' is accepted"
	grep -q "not OLD=NEW" err || fail "$(cat err)"
done

# A folder that no map can name stays as it is.
mkdir a=b
cp -r one/src a=b
(cd a=b && ${CC:-cc} -g -O0 -o prog src/m.c)
gsym-create -q --path-prefix-map=auto -o out.gsym a=b/prog
[ "$(gsym-lookup out.gsym "0x$(nm a=b/prog | sed -n 's/ T main$//p')" |
	sed 's/.* at \(.*\):1$/\1/')" = "$top/a=b/src/m.c" ] ||
	fail 'a folder with ='

# The same bytes from two folders.
for folder in one two; do
	gsym-create -q --path-prefix-map=auto -o $folder.gsym $folder/prog &&
		gsym-create -q --path-prefix-map="$top/$folder=/src" \
			--segment-size=100000 -o $folder.seg $folder/prog ||
		fail $folder
done
cmp one.gsym two.gsym || fail 'auto: not the same bytes'
cmp one.seg-* two.seg-* || fail 'not the same bytes'

# The units of crates that Cargo has fetched are more than those of the project:
# its own folder goes all the same.
crates=.cargo/registry/src/index-1/crate-1.0
mkdir -p $crates
objects=
for name in a b c; do
	echo "void $name(void) { }" >$crates/$name.c
	(cd $crates && ${CC:-cc} -g -O0 -c $name.c) || fail "$name.c"
	objects="$objects $crates/$name.o"
done
# shellcheck disable=SC2086
(cd one && ${CC:-cc} -g -O0 -c src/m.c) &&
	${CC:-cc} -o crates one/m.o $objects || fail crates
gsym-create -q --verify --path-prefix-map=auto -o out.gsym crates || fail crates
gsym-dump --files out.gsym >files
grep -q '  src/m\.c$' files && grep -q '  crate-1\.0/c\.c$' files ||
	fail "crates: $(cat files)"

# What Bazel leaves, and of a GSYM file.
(cd one && PWD=/proc/self/cwd ${CC:-cc} -g -O0 -o bazel src/m.c)
gsym-create -q -o plain.gsym one/bazel
address=0x$(nm one/bazel | sed -n 's/ T main$//p')
if [ "$(path_in plain.gsym)" = /proc/self/cwd/src/m.c ]; then
	[ "$(path_in plain.gsym --path-prefix-map=auto)" = src/m.c ] ||
		fail "auto: $(path_in plain.gsym --path-prefix-map=auto)"
	gsym-create -q --path-prefix-map=auto -o auto.gsym plain.gsym
	[ "$(path_in auto.gsym)" = src/m.c ] || fail "$(path_in auto.gsym)"
fi

# At lookup: a file, a program, a store, and the tools that replace others.
gsym-create -q -o prog.gsym one/prog
gsym-create -q --install=store one/prog
address=0x$(nm one/prog | sed -n 's/ T main$//p')
map=--path-prefix-map=$top/one=/home
[ "$(path_in prog.gsym $map)" = /home/src/m.c ] || fail "$(path_in prog.gsym $map)"
[ "$(path_in one/prog $map --gsym-file-directory=store)" = /home/src/m.c ] ||
	fail "a store: $(cat err)"
[ "$(gsym-addr2line $map -e prog.gsym "$address")" = /home/src/m.c:1 ] ||
	fail "$(gsym-addr2line $map -e prog.gsym "$address")"
gsym-symbolizer $map --obj=prog.gsym "$address" | grep -q '^/home/src/m.c:1' ||
	fail "$(gsym-symbolizer $map --obj=prog.gsym "$address")"
cat >log <<EOF
{{{reset}}}
{{{module:0:prog:elf:0102030405060708}}}
{{{mmap:0x100000:0x1000000:load:0:rx:0x0}}}
{{{bt:0:$(printf '0x%x' $((address + 0x100000))):pc}}}
EOF
gsym-markup --gsym-file-directory=store $map log >out 2>err ||
	fail "gsym-markup: $(cat err)"
grep -q '/home/src/m.c:1' out || fail "gsym-markup: $(cat out err)"
gsym-lookup --path-prefix-map=x prog.gsym "$address" 2>err &&
	fail 'x is accepted'
exit 0
