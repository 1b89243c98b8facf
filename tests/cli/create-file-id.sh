#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-create --install: a store finds a program by the ID that profiles of
# OpenTelemetry give to its file, also a program without a build ID.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
[ -x "$top_builddir/gsym-create" ] || skip 'gsym-create is not built'
for tool in nm objcopy strip sha256sum; do
	need $tool
done
ldd "$top_builddir/gsym-create" 2>/dev/null | grep -q nettle ||
	skip 'gsym-create was built without nettle'

# The ID by the tools of the system: SHA-256 of both ends and of the size.
id_of()
{
	size=$(stat -c %s "$1")
	# printf of 8 bytes in octal.
	octal=$(printf '%016x' "$size" | sed 's/../\\x&/g')
	{
		head -c 4096 "$1"
		tail -c 4096 "$1"
		env printf '%b' "$octal"
	} | sha256sum | cut -c1-32
}
place()
{
	echo "store/.build-id/$(echo "$1" | cut -c1-2)/$(echo "$1" | cut -c3-)"
}

id=0123456789abcdef0123456789abcdef01234567
printf 'int twice(int x) { return 2 * x; }
int main(void) { return twice(0); }\n' >p.c
${CC:-cc} -g -O0 -Wl,--build-id=none -o none p.c &&
	${CC:-cc} -g -O0 -Wl,--build-id=0x$id -o with p.c || skip 'the compiler makes no program'
cp with stripped
strip stripped
objcopy --only-keep-debug with with.debug

# Without a build ID the file's ID is the program's, and both files are there.
gsym-create -q --install=store none || fail 'no build ID'
none=$(place "$(id_of none)")
[ -f "$none.debug.gsym" ] && [ ! -L "$none.debug.gsym" ] || fail 'none: no file'
gsym-dump "$none.debug.gsym" | grep -q "$(id_of none)" ||
	fail 'the GSYM file has another ID'

gsym-create --identify none | grep -q "\"uuid\":\"$(id_of none)\"" ||
	fail "--identify: $(gsym-create --identify none)"

# With a build ID the ID of the file is an alias.
gsym-create -q --install=store with || fail 'with a build ID'
with=$(place "$(id_of with)")
own=../../.build-id/01/23456789abcdef0123456789abcdef01234567
[ "$(readlink "$with.debug.gsym")" = "$own.debug.gsym" ] || fail 'no alias'
[ "$(readlink "$with.debug")" = "$own.debug" ] || fail 'no alias of the stub'
printf '%s 0x%s k\n' "$(id_of with)" "$(nm with | sed -n 's/ T twice//p')" \
	>asked
gsym-lookup --keys --stream --gsym-file-directory=store <asked >out ||
	fail '--stream'
grep -q '"function":"twice"' out || fail 'the alias finds nothing'

# A stripped program without functions leads to what is there.
gsym-create --install=store stripped 2>err || fail "stripped: $(cat err)"
grep -q 'has no functions; the ID of its file leads to' err ||
	fail "stripped: $(cat err)"
alone=$(place "$(id_of stripped)")
[ "$(readlink "$alone.debug.gsym")" = "$own.debug.gsym" ] &&
	[ "$(readlink "$alone.debug")" = "$own.debug" ] ||
	fail 'no alias of a stripped program'
gsym-create --json --install=store stripped 2>err >json
[ "$(cat json)" = '{"input":"stripped","outcome":"empty"}' ] ||
	fail "--json: $(cat json)"
# Where nothing is there, no folder is made either.
gsym-create -q --install=nothing stripped 2>err &&
	fail 'a program without functions is installed'
[ ! -e nothing ] || fail "folders of no links: $(find nothing)"

# A link that cannot be made is a warning, with path and reason.
rm -r "${alone%/*}"
: >"${alone%/*}"
gsym-create --install=store with 2>err || fail 'another link cannot be made'
gsym-create --install=store stripped 2>err &&
	fail 'a program without functions and links'
grep -q "^gsym-create: warning: cannot link '$alone.debug.gsym': Not a dir" \
	err || fail "no warning: $(cat err)"
rm "${alone%/*}"
mkdir -p "$alone.debug.gsym"
gsym-create --install=store stripped 2>err
grep -q "cannot link '$alone.debug.gsym': it is no symbolic link" err ||
	fail "a folder in the place of a link: $(cat err)"
rm -r "${alone%/*}"

# A stub is no file that runs.
[ -f store/.build-id/01/*67.debug ] || fail 'no stub'
find store >before
gsym-create -q --install=store store/.build-id/01/*67.debug ||
	fail 'a stub with symbols'
find store | cmp before - || fail "a stub has an alias: $(find store -type l)"

# A debug file is no file that runs.
gsym-create -q --install=debug with.debug || fail 'a debug file'
[ -z "$(find debug -type l)" ] || fail 'a debug file has an alias'

# A folder: the stripped program has nothing to convert, but runs.
mkdir folder
cp stripped with.debug folder
for replace in better never always; do
	for run in 1 2; do
		gsym-create -q -r --replace=$replace --install=tree-$replace \
			folder || fail "folder: $replace $run"
	done
	found=tree-$replace/${with#store/}
	link=tree-$replace/$(place "$(id_of stripped)" | sed 's,store/,,')
	[ "$(readlink "$link.debug.gsym")" = "$own.debug.gsym" ] ||
		fail "folder: no alias: $replace"
	[ ! -e "$found.debug.gsym" ] || fail 'an alias of no file'
done

# A link that names another build ID than the file has is no alias.
ln -sf ../../.build-id/99/99.debug.gsym "$with.debug.gsym"
mkdir store/.build-id/99
cp store/.build-id/01/*.gsym store/.build-id/99/99.debug.gsym
gsym-lookup --keys --stream --gsym-file-directory=store <asked >out
! grep -q twice out || fail 'a file with another build ID answers'
# Nor is one that leaves the tree.
cp store/.build-id/01/*.gsym outside.gsym
ln -sf "$PWD/outside.gsym" "$with.debug.gsym"
gsym-lookup --keys --stream --gsym-file-directory=store <asked >out
! grep -q twice out || fail 'a file outside of the tree answers'
exit 0
