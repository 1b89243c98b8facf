#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-create --install keeps the better of two files of one program, so that a
# store does not depend on the order, the number of processes, or on whether
# --recursive or single calls made it.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need strip
need objcopy
need readelf
compile prog -Wl,--build-id -O2 -rdynamic
mkdir in
cp prog in/full
strip -o in/stripped prog
strip --only-keep-debug -o in/debug prog
objcopy --strip-debug prog in/symbols
head -c $(($(wc -c <prog) / 2)) prog >in/damaged
echo text >in/text

# Install the files $2... of in/ into the store $1, one by one.
install()
{
	store=$1
	shift
	for file; do
		timeout 60 gsym-create -q -j1 --debug-file-directory= \
			--install="$store" "in/$file" 2>err
	done
}
# The store $1 holds the same files as the store "want".
same()
{
	diff -r want "$1" || fail "$1: another store"
}

install want full debug symbols stripped
[ "$(find want -type f | wc -l)" -eq 2 ] || fail "$(find want)"
gsym=$(find want -type f -name '*.gsym')
gsym-dump --statistics --json "$gsym" >facts || fail 'no statistics'
gsym-dump --verify "$gsym" >log || fail "$(cat log)"
# All orders of four files; the fifth one comes first, last or between them.
n=0
for a in full stripped symbols damaged; do
	for b in full stripped symbols damaged; do
		for c in full stripped symbols damaged; do
			for d in full stripped symbols damaged; do
				[ "$(printf '%s\n' $a $b $c $d | sort -u |
					wc -l)" -eq 4 ] || continue
				n=$((n + 1))
				case $((n % 3)) in
				0) install one$n debug $a $b $c $d ;;
				1) install one$n $a $b debug $c $d ;;
				2) install one$n $a $b $c $d debug ;;
				esac
				same one$n
			done
		done
	done
done
[ $n -eq 24 ] || fail "$n orders"

# The program headers beside it are those of the program, whichever file came
# first, and those of the debug file, which has other offsets, are not used.
loads()
{
	readelf -lW "$1" 2>/dev/null | grep -E '^  (LOAD|LOOS\+0x773796d)'
}
loads prog >loads
echo '  LOOS+0x773796d' >>loads
loads "${gsym%.gsym}" | sed 's/\(LOOS+0x773796d\).*/\1/' | cmp - loads ||
	fail 'the program headers of the stub are not those of the program'

# A program is read once: there is no memory for a second copy.
if [ -z "${GSYM_SANITIZE:-}" ]; then
	head -c 134217728 /dev/zero >zeros
	objcopy --add-section .zeros=zeros prog large
	(ulimit -v 200000 && gsym-create -q -j1 --install=large-store large) ||
		fail 'no memory for one copy of a program'
	loads large-store/.build-id/*/*.debug >got
	[ "$(wc -l <got)" = "$(wc -l <loads)" ] ||
		fail 'no memory for program headers, and no message'
	rm -rf zeros large large-store
fi
install only-debug debug
debug=$(find only-debug -type f -name '*.debug')
[ -f "$debug" ] && ! loads "$debug" >none ||
	fail "a debug file alone: $(cat none)"
loads in/debug | cmp -s - loads && fail 'the debug file has these offsets, too'
for order in 'debug stripped' 'stripped debug'; do
	# shellcheck disable=SC2086 # two files
	install "split-${order% *}" $order
done
diff -r split-debug split-stripped || fail 'split: another store'
loads "$(find split-debug -type f -name '*.debug')" |
	sed 's/\(LOOS+0x773796d\).*/\1/' | cmp - loads ||
	fail 'split: the program headers are not those of the program'

# The file with symbols is the one with more symbols.
nm "${gsym%.gsym}" | grep -q ' t .*frame_dummy$' ||
	fail 'symbols of the stripped program were installed'
# Of files with the same contents, the hash tells which one stays.
for order in 'v1 v2' 'v2 v1'; do
	for version in $order; do
		gsym-create -q --format=$version --install="hash-${order% *}" \
			in/full || fail "$version"
	done
done
diff -r hash-v1 hash-v2 || fail 'the last one of two equal files stays'

# A GSYM file of 197 KB with the build ID of $gsym, whose 32768 functions share
# one record with 32764 rows.
shared()
{
	printf '\114\200\2\0' >offsets
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
		cat offsets offsets >more && mv more offsets
	done
	# The header, with the build ID in the end.
	printf 'MYSG\1\0\1\24\0\20\0\0\0\0\0\0\0\200\0\0\104\200\2\0\7\0\0\0'
	tail -c +29 "$gsym" | head -c 20
	head -c 32768 /dev/zero
	cat offsets
	# Two files, the strings, and a byte to align the record.
	printf '\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\3\0\0\0\0f\0a.c\0\0'
	# The function f of 16 bytes with a table of 32768 bytes of lines.
	printf '\20\0\0\0\1\0\0\0\1\0\0\0\0\200\0\0\0\12\1'
	head -c 32764 /dev/zero | tr '\0' '\4'
	printf '\0\0\0\0\0\0\0\0\0'
}

# A better file is not replaced because there is no memory for all its bytes,
# and a sparse file, which may have any size, is no better file.
case ${GSYM_SANITIZE:-} in
'')
	for kind in long sparse; do
		install $kind full
		there=$(find $kind -type f -name '*.gsym')
		cp "$there" before
		chmod u+w "$there"
		case $kind in
		long) head -c 100000000 /dev/zero >>"$there" ;;
		sparse) dd if=/dev/null of="$there" bs=1 seek=2000000000 2>err ;;
		esac
		gsym-create -q -j1 --debug-file-directory= --max-memory=60 \
			--install=$kind in/symbols 2>err ||
			fail "$kind: $(cat err)"
		case $kind in
		long) [ "$(wc -c <"$there")" -gt 100000000 ] ;;
		sparse) [ "$(wc -c <"$there")" -lt 100000000 ] ;;
		esac || fail "$kind: $(wc -c <"$there")"
		rm -r $kind
	done ;;
esac

# A file of the store that is damaged, of another program, a link, or would be
# too much work is replaced; the file that the link leads to is not.
for kind in cut other link shared; do
	install $kind full stripped symbols debug
	there=$kind/${gsym#*/}
	case $kind in
	cut) head -c 300 "$gsym" >"$there" ;;
	other)
		compile prog2 -Wl,--build-id -DOTHER -O2
		gsym-create -q -o "$there" prog2 || fail 'prog2' ;;
	link)
		cp "$gsym" precious
		rm "$there"
		ln -s "$PWD/precious" "$there" ;;
	shared)
		shared >"$there"
		gsym-lookup "$there" 0x1000 >out 2>err
		grep -q 'f at a.c:1$' out ||
			fail "no file with a shared record: $(cat out err)" ;;
	esac
	install $kind full debug
	same $kind
done
cmp precious "$gsym" || fail 'a link was followed'
[ ! -L "link/${gsym#*/}" ] || fail 'a link stays'
# A debug file beside the GSYM file is no stub: it stays.
stub=debugs/${gsym#*/}
stub=${stub%.gsym}
mkdir -p "${stub%/*}"
cp in/debug "$stub"
install debugs full
cmp in/debug "$stub" || fail 'a debug file was replaced'

# --recursive, and processes that work at the same time.
gsym-create -r -q --debug-file-directory= --install=all in 2>err
same all
gsym-create -r --debug-file-directory= --install=all in 2>err
grep -q ': 0 converted, 1 kept, 3 the same as others, 1 failed' err ||
	fail "again: $(cat err)"
same all
for round in 1 2 3 4 5; do
	for file in stripped debug full symbols damaged stripped full debug; do
		gsym-create -q -j1 --debug-file-directory= \
			--install="many$round" "in/$file" 2>/dev/null &
	done
	gsym-create -r -q --debug-file-directory= --install="many$round" \
		in 2>/dev/null &
	wait
	same "many$round"
done

# --replace: always, never.
install always full
gsym-create -q --debug-file-directory= --replace=always --install=always \
	in/stripped 2>err || fail "--replace=always: $(cat err)"
gsym-create -q --debug-file-directory= -o stripped.gsym in/stripped
cmp stripped.gsym "always/${gsym#*/}" || fail '--replace=always'
gsym-create -q --debug-file-directory= --replace=never --install=always \
	in/full 2>err || fail "--replace=never: $(cat err)"
cmp stripped.gsym "always/${gsym#*/}" || fail '--replace=never'
gsym-create -r --debug-file-directory= --replace=never --install=always in \
	2>err
grep -q ': 0 converted, 1 kept' err || fail "-r --replace=never: $(cat err)"
gsym-create -q --replace=never -o x in/full 2>err && fail '--replace alone'
grep -q 'needs --install' err || fail "$(cat err)"

# The summary says that the file is kept.
gsym-create --debug-file-directory= --install=all in/stripped 2>err ||
	fail "kept: $(cat err)"
grep -q 'kept, because it is not worse: all/' err || fail "$(cat err)"
gsym-create --json --debug-file-directory= --install=all in/stripped >out ||
	fail 'kept'
grep -q '"outcome":"kept"' out || fail "$(cat out)"

# Failures as JSON.
failure()
{
	want=$1
	shift
	gsym-create -q --json "$@" >out 2>err
	[ $? = 2 ] || fail "$want: status"
	grep -q "^{\"input\":\".*\",\"outcome\":\"$want\",\"error\":\".*\"}\$" \
		out || fail "$want: $(cat out err)"
	[ "$(wc -l <out)" -eq 1 ] || fail "$want: $(cat out)"
}
printf 'int only_data = 5;\n' >data.c
${CC:-cc} -c -o data.o data.c || fail 'data.o'
compile plain.o -c
failure empty -o x data.o
failure no-build-id --install=no plain.o
failure format -o x in/text
failure damaged -o x in/damaged
failure io -o x missing
failure io -o missing/x prog

# --manifest: a line for each input.
gsym-create -r -q --debug-file-directory= --install=listed \
	--manifest=manifest in 2>err
same listed
[ "$(wc -l <manifest)" -eq 5 ] || fail "manifest: $(cat manifest)"
for file in full stripped symbols debug damaged; do
	grep -q "^{\"input\":\"in/$file\",\"outcome\":\"[a-z]*\"" manifest ||
		fail "manifest: no $file"
done
grep -q '"input":"in/damaged","outcome":"damaged","error":"' manifest ||
	fail "manifest: $(grep damaged manifest)"
grep -q '"outcome":"converted","hash":"[0-9a-f]\{32\}","milliseconds":[0-9]*,"output":"listed/' \
	manifest || fail "manifest: $(cat manifest)"
gsym-create -q --manifest=manifest -o x prog || fail 'a single input'
[ "$(wc -l <manifest)" -eq 6 ] || fail 'a single input adds no line'
gsym-create -q --manifest=manifest -o x data.o 2>err
tail -n 1 manifest | grep -q '"input":"data.o","outcome":"empty","error"' ||
	fail "$(tail -n 1 manifest)"
gsym-create -q --manifest=no/manifest -o x prog 2>err && fail 'no manifest'
exit 0
