#!/bin/sh
# SPDX-License-Identifier: MIT
# Where GSYM files are looked for by build ID: every place alone, with files of
# all kinds in it, and the order of the places.  gsym-markup and gsym-lookup
# --build-id use the same store.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
id=00112233445566778899aabbccddeeff01234567
rest=${id#00}
address=
# A library with one function, $1, and the build ID $2; its GSYM file $1.gsym.
library()
{
	echo "int $1(int x) { return x * 3 + 1; }" >"$1.c"
	# shellcheck disable=SC2086
	${CC:-cc} -g -shared -fPIC "$3" -o "$1.so" "$1.c" \
		2>../stderr || { cat ../stderr; skip 'no library'; }
	gsym-create --quiet -o "$1.gsym" "$1.so" || fail "$1.gsym"
	# All libraries are the same but for the name of the function.
	at=$(nm "$1.so" | sed -n "s/^0*\([0-9a-f]*\) T $1\$/\1/p")
	[ "${address:-$at}" = "$at" ] || fail "$1 lies elsewhere"
	address=$at
}
for i in 1 2 3 4 5 6 7; do
	library "place$i" "" -Wl,--build-id=0x$id
done
library wrong "" -Wl,--build-id=0xffeeddccbbaa99887766554433221100ffeeddcc
library none "" -Wl,--build-id=none
gsym-create --quiet --embed=place4.so -o place4.embedded place4.so ||
	fail '--embed'
gsym-create --quiet --embed=wrong.so -o wrong.embedded wrong.so || fail embed
gsym-create --quiet --embed=none.so -o none.embedded none.so || fail embed

cat >log <<EOL
{{{module:7:lib:elf:$id}}}
{{{mmap:0x10000000:0x100000:load:7:rx:0x0}}}
{{{bt:0:0x$(printf %x $((0x10000000 + 0x$address))):pc}}}
{{{bt:1:0x$(printf %x $((0x10000000 + 0x$address))):pc}}}
{{{pc:0x$(printf %x $((0x10000000 + 0x$address)))}}}
EOL

# Without the option it would be /usr/lib/debug, where tests put nothing.
options="--gsym-file-directory=g1 --gsym-file-directory=g2
--debug-file-directory=d1 --debug-file-directory=d2"
HOME=$PWD/home
mkdir -p home
where='
g1/.build-id/00/REST.debug.gsym
g1/REST.debug.gsym
g2/.build-id/00/REST.debug.gsym
d1/.build-id/00/REST.debug.gsym
d1/.build-id/00/REST.debug
d2/.build-id/00/REST.debug.gsym
home/.cache/gsym/'"$release"'/.build-id/00/REST.debug.gsym'

filter()
{
	# shellcheck disable=SC2086
	timeout 20 gsym-markup $options "$@" log >out 2>err ||
		fail "status $?: $(cat err)"
}
look()
{
	# shellcheck disable=SC2086
	timeout 20 gsym-lookup --build-id=$id $options "$@" "0x$address" \
		>looked 2>look.err
}
# The file with the function NAME is used.  There are NOTES messages of the
# store, and no others.
answers()
{
	name=$1 notes=$2 what=$3
	shift 3
	filter "$@"
	[ "$(grep -c " $name /.*(lib+0x$address)\$" out)" = 2 ] &&
		grep -q "^$name\[" out || fail "$what: $(cat out err)"
	[ "$(wc -l <err)" = "$notes" ] || fail "$what: $(cat err)"
	look "$@" || fail "$what: gsym-lookup: $(cat look.err)"
	grep -q "$name at" looked || fail "$what: gsym-lookup: $(cat looked)"
	[ "$(wc -l <look.err)" = "$notes" ] || fail "$what: $(cat look.err)"
}
# No file is used.  There is one message for all elements, and NOTES messages of
# the store.
missing()
{
	notes=$1 what=$2
	shift 2
	filter "$@"
	[ "$(grep -c "(lib+0x$address)\$" out)" = 2 ] &&
		grep -q "^lib+0x$address\$" out || fail "$what: $(cat out err)"
	[ "$(grep -c '^gsym-markup: note: ' err)" = "$notes" ] &&
		[ "$(wc -l <err)" = $((notes + 1)) ] || fail "$what: $(cat err)"
	grep -qF "error: no symbols for module #0x7 \"lib\"; BuildID=$id" err ||
		fail "$what: $(cat err)"
	look "$@"
	[ $? = 2 ] || fail "$what: gsym-lookup: $(cat looked)"
	grep -q "there is no GSYM file for the build ID $id" look.err &&
		[ "$(wc -l <look.err)" = $((notes + 1)) ] ||
		fail "$what: gsym-lookup: $(cat look.err)"
}
clean() { rm -rf g1 g2 d1 d2 home/.cache; }
missing 0 'no file at all'
# In llvm-symbolizer's style the answers do not depend on the cache.
mkdir -p home/.cache/gsym/$release/.build-id/00
cp place7.gsym "home/.cache/gsym/$release/.build-id/00/$rest.debug.gsym"
filter --quiet
grep -q 'place7 /' out || fail 'the cache is not searched'
filter --quiet --compat=llvm
grep -q 'place7' out && fail "--compat=llvm reads the cache: $(cat out)"
filter --quiet --compat=llvm --convert
grep -q 'place7' out || fail '--convert does not read the cache'
clean

# A log that is followed: missing files are looked for again after ten seconds.
# The rest of this script runs meanwhile.
mkdir late
cp log followed
gsym-markup -f --gsym-file-directory=late followed >late.out 2>late.err &
follower=$!
trap 'kill $follower 2>/dev/null; rm -rf "$scratch"' EXIT

# Each place alone.
for place in $where; do
	path=$(echo "$place" | sed "s/REST/$rest/")
	good=place1.gsym bad=wrong.gsym bare=none.gsym name=place1
	case $place in
	*.debug) good=place4.embedded bad=wrong.embedded bare=none.embedded
		name=place4 ;;
	esac
	clean
	mkdir -p "$(dirname "$path")"
	cp $good "$path"
	answers $name 0 "$place"
	rm "$path"
	ln -s "$PWD/$good" "$path"
	answers $name 0 "$place, a link"
	rm "$path"
	ln -s nowhere "$path"
	missing 0 "$place, a link to nowhere"
	rm "$path"
	mkdir "$path"
	missing 0 "$place, a folder"
	rmdir "$path"
	mkfifo "$path"
	missing 0 "$place, a pipe"
	rm "$path"
	cp $bad "$path"
	missing 1 "$place, another build ID"
	grep -q "note: '$path' is not used: it has another build id\|note: '$PWD/$path' is not used: it has another build id" err || fail "$place: $(cat err)"
	answers wrong 0 "$place, another build ID, --no-verify" --no-verify
	cp $bare "$path"
	missing 1 "$place, no build ID"
	grep -q 'is not used: it has no build id' err || fail "$place: $(cat err)"
	# The file is truncated.  A truncated ELF file has no sections, so there is
	# no message about it.
	head -c 100 $good >"$path"
	case $place in
	*.debug) missing 0 "$place, cut off" ;;
	*) missing 1 "$place, cut off" ;;
	esac
	: >"$path"
	case $place in
	*.debug) missing 0 "$place, empty" ;;
	*) missing 1 "$place, empty" ;;
	esac
done

# All places at once: the file in the first place is used.
clean
n=0
for place in $where; do
	n=$((n + 1))
	path=$(echo "$place" | sed "s/REST/$rest/")
	mkdir -p "$(dirname "$path")"
	case $place in
	*.debug)
		gsym-create --quiet --embed=place$n.so -o "$path" place$n.so ;;
	*)	cp place$n.gsym "$path" ;;
	esac
done
n=0
for place in $where; do
	n=$((n + 1))
	path=$(echo "$place" | sed "s/REST/$rest/")
	answers place$n 0 "all from $place on"
	# A file with another build ID is skipped, with a message.
	cp wrong.gsym "$path"
	[ $n = 7 ] || answers place$((n + 1)) 1 "$place does not fit"
	rm "$path"
done
missing 0 'all gone'

# XDG_CACHE_HOME comes before HOME, and has to be absolute.
clean
mkdir -p home/.cache/gsym/$release/.build-id/00 xdg/gsym/$release/.build-id/00
cp place1.gsym home/.cache/gsym/$release/.build-id/00/$rest.debug.gsym
cp place2.gsym xdg/gsym/$release/.build-id/00/$rest.debug.gsym
answers place1 0 'the home folder'
XDG_CACHE_HOME=$PWD/xdg
export XDG_CACHE_HOME
answers place2 0 XDG_CACHE_HOME
XDG_CACHE_HOME=xdg
answers place1 0 'a relative XDG_CACHE_HOME'
unset XDG_CACHE_HOME HOME
missing 0 'no home'
HOME=$scratch/work/home
export HOME
clean

# The build ID of the log is longer, in upper case, or shorter than the one of
# the file.
mkdir -p g1
long=${id}89abcdef
cp place1.gsym "g1/${long#00}.debug.gsym"
sed "s/$id/$(echo $long | tr a-f A-F)/" log >long.log
gsym-markup --gsym-file-directory=g1 long.log >out 2>err
grep -q 'place1\[' out || fail "a longer build ID: $(cat out err)"
cp place1.gsym g1/112233445566.debug.gsym
sed "s/$id/00112233445566/" log >short.log
gsym-markup --gsym-file-directory=g1 short.log >out 2>err
grep -q 'it has another build id' err || fail "7 bytes are too few: $(cat err)"
cp place1.gsym g1/11223344556677.debug.gsym
sed "s/$id/0011223344556677/" log >short.log
gsym-markup --gsym-file-directory=g1 short.log >out 2>err
grep -q 'place1\[' out || fail "8 bytes are enough: $(cat out err)"
clean

# Missing files are looked for again after a reset, and not before.  Messages
# about files are not repeated.
mkfifo pipe
mkdir -p g1
cp wrong.gsym g1/$rest.debug.gsym
gsym-markup --gsym-file-directory=g1 >out 2>err <pipe &
pid=$!
exec 3>pipe
cat log >&3
until_true grep -q '#1 ' out
cp log again.log
mkdir -p g1/.build-id/00
cp place1.gsym g1/.build-id/00/$rest.debug.gsym
sed -n 3p log >&3
echo '{{{reset}}}' >&3
cat log >&3
exec 3>&-
wait $pid
[ "$(grep -c ' place1 /' out)" = 2 ] || fail "after a reset: $(cat out err)"
[ "$(grep -c '#0  *0x[0-9a-f]* (lib' out)" = 2 ] || fail "before it: $(cat out)"
[ "$(wc -l <err)" = 2 ] || fail "messages of both: $(cat err)"

# The default debug folder, if a mount namespace can replace it.
if [ -d /usr/lib/debug ] &&
	unshare -rm mount -t tmpfs none /usr/lib/debug 2>/dev/null; then
	unshare -rm sh -c "mount -t tmpfs none /usr/lib/debug &&
		mkdir -p /usr/lib/debug/.build-id/00 &&
		cp place1.gsym /usr/lib/debug/.build-id/00/$rest.debug.gsym &&
		gsym-markup log && gsym-lookup --build-id=$id 0x$address" \
		>out 2>err
	[ "$(grep -c place1 out)" = 4 ] || fail "/usr/lib/debug: $(cat out err)"
else
	echo 'not tried: the default folder'
fi

# The log that is followed.
grep -q '#1 ' late.out || fail "following: $(cat late.out late.err)"
grep -q place1 late.out && fail 'following: before it was there'
mkdir -p late/.build-id/00
cp place1.gsym late/.build-id/00/$rest.debug.gsym
tries=0
until grep -q place1 late.out; do
	[ $tries -lt 100 ] || fail "not looked for again: $(cat late.out)"
	sed -n 3p log >>followed
	sleep 0.3
	tries=$((tries + 1))
done
kill $follower
wait $follower || fail 'following: status'
[ "$(wc -l <late.err)" = 1 ] || fail "following: $(cat late.err)"
exit 0
