#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-create --embed and --install: GSYM data in ELF files, and beside them.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
compile prog -Wl,--build-id
start=$(nm prog | sed -n 's/^0*\([0-9a-f]*\) T work$/0x\1/p')
id=$(readelf -n prog | sed -n 's/.*Build ID: *//p')
[ -n "$id" ] || skip 'the compiler does not run the linker with --build-id'
gsym-create -q prog || fail "$?"
gsym-lookup prog.gsym "$start" >wanted

# Into a stripped copy, which runs as before and can be looked up.
strip -o stripped prog || fail 'strip'
chmod 750 stripped
gsym-create -q --embed stripped -o inside prog || fail "--embed: $?"
gsym-lookup inside "$start" | cmp - wanted || fail 'lookups'
gsym-dump --verify inside >/dev/null || fail 'it does not verify'
case $(ls -l inside) in -rwxr-x---*) ;; *) fail 'permissions' ;; esac
./stripped >out1 2>&1
status=$?
./inside >out2 2>&1
[ $? = $status ] && cmp out1 out2 || fail 'it does not run as before'
readelf -SW inside | grep -q '\.gsym  *PROGBITS  *0* .*  *0  *0  *16$' ||
	fail "section: $(readelf -SW inside | grep gsym)"
readelf -a inside >/dev/null 2>err
[ ! -s err ] || fail "readelf: $(cat err)"
readelf -lW stripped >wanted.l && readelf -lW inside | cmp - wanted.l ||
	fail 'the program headers'
if type eu-elflint >/dev/null 2>&1 && eu-elflint --gnu-ld -q stripped; then
	eu-elflint --gnu-ld -q inside || fail "eu-elflint: $(eu-elflint inside)"
fi

# Embedding again replaces the section.  The input may be a GSYM file.
gsym-create -q --embed inside -o again prog.gsym || fail "again: $?"
cmp inside again || fail 'the section was not replaced'

# Options and files that are refused.
compile other -Wl,--build-id -DOTHER -O2
gsym-create -q --embed stripped -o none other 2>err
[ $? = 2 ] && grep -q 'its build ID is not that of' err || fail 'another ID'
gsym-create -q --embed stripped -o stripped prog 2>err
[ $? = 2 ] && grep -q 'it is the input' err || fail 'in place'
gsym-create -q --embed program.c -o none prog 2>err
[ $? = 2 ] && grep -q "cannot embed into 'program.c'" err || fail 'no ELF'
gsym-create -q --embed missing -o none prog 2>err
[ $? = 2 ] || fail 'a file that is missing'
# In place: without -o, and without INPUT; strip keeps the section.
cp stripped place
gsym-create -q --embed place prog || fail 'in place, without -o'
cmp place inside || fail 'in place, without -o'
cp prog place
chmod 750 place
gsym-create -q --embed=place || fail 'in place, alone'
[ "$(stat -c %a place)" = 750 ] || fail 'in place: permissions'
strip -s place || fail 'strip'
gsym-lookup place "$start" | grep -q 'program\.c:' || fail 'strip removes it'
[ ! -e none ] || fail 'something was left behind'

# --install.
gsym-create --install tree/deep prog 2>err || fail "--install: $(cat err)"
base=tree/deep/.build-id/$(echo "$id" | sed 's|^..|&/|').debug
grep -q " written to $base.gsym" err || fail "the summary: $(cat err)"
[ "$(find tree -type f | wc -l)" = 2 ] || fail "$(find tree)"
cmp "$base.gsym" prog.gsym || fail 'installed'
gsym-create --identify "$base" | grep -q "$id" || fail 'no build ID in the stub'
nm "$base" | grep -q ' T work$' || fail 'no symbols in the stub'
[ "$(wc -c <"$base")" -lt "$(wc -c <stripped)" ] || fail 'the stub is large'
echo mine >"$base"
gsym-create -q --install tree/deep prog || fail 'again'
[ "$(cat "$base")" = mine ] || fail 'what was there is gone'
rm "$base"
gsym-create -q --install tree/deep prog.gsym || fail 'of a GSYM file'
[ ! -e "$base" ] || fail 'symbols of a GSYM file'
gsym-create -q --install tree/deep prog || fail 'once more'
if symbolizer=$(llvm_tool llvm-symbolizer 22); then
	$symbolizer --build-id="$id" \
		--debug-file-directory="$PWD/tree/deep" "$start" >answer
	grep -q 'program.c:' answer || fail "LLVM: $(cat answer)"
fi
# Symbolic links in the tree are replaced, or refused, but not followed.
rest=${base#tree/deep/.build-id/}
echo precious >victim
mkdir -p "planted/.build-id/${rest%/*}"
ln -s "$PWD/victim" "planted/.build-id/$rest.gsym"
gsym-create -q --install planted prog || fail 'a planted link'
[ "$(cat victim)" = precious ] || fail 'a planted link was followed'
[ ! -h "planted/.build-id/$rest.gsym" ] || fail 'a planted link is left'
cmp "planted/.build-id/$rest.gsym" prog.gsym || fail 'a planted link'
ln -sf "$PWD/victim" "planted/.build-id/$rest"
gsym-create -q --install planted prog || fail 'a planted stub'
[ "$(cat victim)" = precious ] || fail 'a planted stub was followed'
rm -r planted
mkdir planted outside
ln -s "$PWD/outside" planted/.build-id
gsym-create -q --install planted prog 2>err
[ $? = 2 ] && grep -q "'.build-id' is a symbolic link" err ||
	fail "a planted folder: $(cat err)"
[ -z "$(ls -A outside)" ] || fail 'a planted folder was followed'
ln -s tree/deep root
gsym-create -q --install root prog || fail 'the folder itself may be a link'
compile noid.o -c
gsym-create -q --install tree noid.o 2>err
[ $? = 2 ] && grep -q 'it has no build ID' err || fail 'without a build ID'
gsym-create -q --install prog prog 2>err
[ $? = 2 ] && grep -q "folder" err || fail 'no folder'

# There is room for the stub, but not for the GSYM file: neither is left.
{
	echo 'int main(int n, char **v) {'
	awk 'BEGIN { for (i = 0; i < 20000; i++) print "n = n * 3 + **v;" }'
	echo 'return n; }'
} >long.c
${CC:-cc} -g -O0 -Wl,--build-id -o long long.c || fail 'long.c'
gsym-create -q --install room long || fail 'long'
stub=$(find room -type f -name '*.debug' -exec wc -c {} + | sed 's/[^0-9]*\([0-9]*\).*/\1/')
size=$(find room -type f -name '*.gsym' -exec wc -c {} + | sed 's/[^0-9]*\([0-9]*\).*/\1/')
[ "$size" -gt $((3 * stub)) ] || fail "$size and $stub bytes"
for option in --format=v1 --verify; do
	rm -rf room
	(
		# Blocks of 512 or of 1,024 bytes.
		ulimit -f $((size / 1024 - 1))
		exec gsym-create -q $option --install room long
	) 2>err
	[ $? = 2 ] && grep -q 'gsym.: File too large' err ||
		fail "$option: $(cat err)"
	[ -z "$(find room -type f)" ] || fail "$option: $(find room -type f)"
done
exit 0
