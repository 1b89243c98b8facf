#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-create --depfile, -MD and -MF: a rule for make that names all files that
# the output was made of.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need objcopy
need strip

# The prerequisites in the rule of the file $1 for the target $2, one a line.
rule()
{
	tr -d '\\\n' <"$1" >line
	echo >>line
	grep -q "^$2:" line || fail "$1: $(cat "$1")"
	sed 's/^[^:]*://' line | tr -s ' ' '\n' | sed '/^$/d'
}
# $1: the depfile; $2: the target; the rest: the prerequisites.
holds()
{
	file=$1 target=$2
	shift 2
	rule "$file" "$target" >got
	printf '%s\n' "$@" | LC_ALL=C sort >want
	diff want got || fail "$file"
}

compile prog -Wl,--build-id
gsym-create -q -MD -o out.gsym prog || fail '-MD'
holds out.gsym.d out.gsym prog
gsym-create -q -MF some.d prog || fail '-MF'
holds some.d prog.gsym prog

# A debug file, and a library of symbols.
objcopy --only-keep-debug prog prog.debug
strip --strip-all -o stripped prog
objcopy --add-gnu-debuglink=prog.debug stripped
cp prog symbols
gsym-create -q --depfile=x.d --symtab-file=symbols -o out.gsym stripped ||
	fail '--depfile'
holds x.d out.gsym stripped ./prog.debug symbols
gsym-create -q --depfile=i.d --install=store stripped || fail '--install'
holds i.d "$(find store -type f -name '*.gsym')" stripped ./prog.debug
gsym-create -q --depfile --install=store stripped 2>err &&
	fail '--depfile needs a file'

# Characters that make reads otherwise.
cp prog 'a b$c#d'
gsym-create -q -MF y.d -o out.gsym 'a b$c#d' || fail 'odd names'
printf 'out.gsym: \\\n  a\\ b$$c\\#d\n' | cmp - y.d || fail "$(cat y.d)"

cp prog 'a\ b'
gsym-create -q -MF y.d -o o:t.gsym 'a\ b' || fail 'odd names'
printf '%s\n' 'o\:t.gsym: \' '  a\\\ b' | cmp - y.d || fail "$(cat y.d)"
# make and Ninja take these names: the target is made once, and again when the
# program is newer.
for name in 'a b' 'a$b' 'a#b' 'a:b' 'a\ b' 'a  b' 'a\\ b'; do
	cp prog "./$name"
	printf 'all: odd.gsym\nodd.gsym:\n\ttouch $@\n-include odd.d\n' >odd.mk
	printf '%s\n' 'rule r' '  command = cp odd.d odd.n; touch $out' \
		'  depfile = odd.n' 'build odd.gsym: r' >odd.ninja
	gsym-create -q -MF odd.d -o odd.gsym "./$name" || fail "$name"
	for tool in 'make -f odd.mk' 'ninja -f odd.ninja'; do
		command -v "${tool%% *}" >/dev/null || continue
		touch -t 200101010000 "./$name"
		env -u MAKEFLAGS $tool >text 2>&1 || fail "$name: $(cat text)"
		env -u MAKEFLAGS $tool >text 2>&1 || fail "$name: $(cat text)"
		! grep -q touch text || fail "$tool, $name: $(cat text)"
		touch -t 203701010000 "./$name"
		env -u MAKEFLAGS $tool >text 2>&1 || fail "$name: $(cat text)"
		grep -q touch text || fail "$tool, $name: $(cat text odd.d)"
	done
done

# A failure leaves the depfile, also one that comes once the output is written.
cp x.d before
gsym-create -q --depfile=x.d -o out.gsym err 2>/dev/null && fail 'no program'
cmp before x.d || fail 'a failure changes the depfile'
gsym-create -q --depfile=absent/x.d -o out.gsym prog 2>err &&
	fail 'a folder that does not exist'
grep -q 'absent/x\.d' err || fail "$(cat err)"

# In a sandbox: the depfile may lie in another folder than the output.
mkdir rules
gsym-create -q -o before.gsym prog
gsym-create -q --sandbox=try --depfile=rules/s.d -o out.gsym prog 2>err ||
	fail "--sandbox: $(cat err)"
cmp before.gsym out.gsym || fail '--sandbox: other bytes'
holds rules/s.d out.gsym prog

# Split DWARF, and make: the second run makes nothing, and a .dwo file that is
# newer makes the output anew.
printf 'int one(void) { return 1; }\n' >one.c
printf 'int one(void);\nint main(void) { return one(); }\n' >two.c
${CC:-cc} -g -gsplit-dwarf -c one.c two.c 2>err || skip "$(cat err)"
[ -e one.dwo ] || skip 'the compiler writes no .dwo files'
${CC:-cc} -o split one.o two.o || fail 'split'
gsym-create -q -MF z.d split || fail '-MF'
grep -q 'one\.dwo' z.d && grep -q 'two\.dwo' z.d || fail "$(cat z.d)"
rm split.gsym
if command -v make >/dev/null; then
	cat >Makefile <<'EOF'
all: split.gsym
split.gsym: split
	gsym-create -q --require=debug-info -MD -o $@ $<
	echo made >>log
-include split.gsym.d
EOF
	for want in 1 1 2; do
		env -u MAKEFLAGS make >text 2>&1 || fail "make: $(cat text)"
		[ "$(wc -l <log)" = $want ] || fail "make $want: $(cat text)"
		[ "${again:-}" ] && touch -t 203512312359 one.dwo
		again=yes
	done
fi
exit 0
