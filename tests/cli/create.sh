#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-create on a real program: its output, messages and files.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
compile prog
start=$(nm prog | sed -n 's/^0*\([0-9a-f]*\) T work$/0x\1/p')
[ -n "$start" ] || fail 'no symbol work'

gsym-create prog 2>summary || fail "status $?: $(cat summary)"
only prog prog.gsym program.c summary
grep -q '^prog: ELF, ' summary || fail 'no summary'
grep -q ' written to prog.gsym' summary || fail 'summary without the output'
rm summary

# Some address in work() is in two inlined calls.
at=$((start))
end=$((start + 64))
while [ $at -lt $end ]; do
	echo $at
	at=$((at + 1))
done >addresses
gsym-lookup prog.gsym <addresses >answers || fail "lookup: $?"
grep -q ': square.* at .*program.c:6 (inlined)' answers || fail 'no square'
grep -q '^ *sum.* at .*program.c:1[12] (inlined)' answers || fail 'no sum'
grep -q '^ *work.* at .*program.c:17' answers || fail 'no work'
gsym-dump --verify prog.gsym >/dev/null || fail 'it does not verify'
rm addresses answers

# The summary is written to standard error, or with --json to standard output;
# the other one is empty.
gsym-create -o a.gsym prog >out 2>err || fail 'with -o'
[ ! -s out ] && [ -s err ] || fail 'the summary went astray'
gsym-create -q -o b.gsym prog >out 2>err || fail 'with --quiet'
[ ! -s out ] && [ ! -s err ] || fail '--quiet is not quiet'
gsym-create --json -o c.gsym prog >out 2>err || fail 'with --json'
[ -s out ] && [ ! -s err ] || fail 'the JSON summary went astray'
grep -q '^{"input":"prog","output":"c.gsym","input_format":"ELF","format":1,' \
	out || fail 'JSON summary'
[ "$(wc -l <out)" = 1 ] || fail 'JSON summary of several lines'
gsym-create -o - prog 2>err >d.gsym || fail 'to standard output'
gsym-create --out-file=/dev/stdout prog 2>err | cat >e.gsym
gsym-create -vj1 -o f.gsym prog 2>err || fail 'with -j1'
grep -q 'seconds: ' err || fail '--verbose without times'
gsym-create -j7 -o g.gsym prog 2>err || fail 'with -j7'
for file in a b c d e f g; do
	cmp prog.gsym $file.gsym || fail "$file differs"
	rm $file.gsym
done

# Both versions and byte orders have the same functions.
gsym-dump --functions prog.gsym | tail -n +3 >wanted
for format in v1 v2; do
	for endian in little big; do
		gsym-create -q --format=$format --endian $endian -o x.gsym prog ||
			fail "$format $endian"
		gsym-dump --verify x.gsym >/dev/null || fail "verify $format $endian"
		gsym-dump x.gsym | grep -qx \
			"  version            ${format#v}, $endian-endian" ||
			fail "no $format $endian"
		gsym-dump --functions x.gsym | tail -n +3 | cmp - wanted ||
			fail "functions of $format $endian"
	done
done

# --verify finds no difference, and --reader=libdwarf writes the same file.
gsym-create --verify -o x.gsym prog 2>err || fail "--verify: $(cat err)"
grep -q 'verified: .* 0 differences' err || fail '--verify says nothing'
gsym-create --verify --json -o x.gsym prog 2>err |
	grep -q '"verify":{"functions":[1-9][0-9]*,"differences":0}}$' ||
	fail '--verify --json'
gsym-create -q --reader=libdwarf -o y.gsym prog || fail '--reader=libdwarf'
cmp prog.gsym y.gsym || fail 'libdwarf reads something else'

# An existing file is replaced, its permissions kept, links followed.
echo old >z.gsym
chmod 640 z.gsym
ln -s z.gsym link
gsym-create -q -o link prog || fail 'through a link'
cmp prog.gsym z.gsym || fail 'the link was not followed'
[ -h link ] || fail 'the link is gone'
case $(ls -l z.gsym) in -rw-r-----*) ;; *) fail 'permissions' ;; esac

# Programs and GSYM files on standard input: a file, from where it is on, and a
# pipe.
gsym-create -q -o x.gsym - <prog || fail "a program: status $?"
cmp prog.gsym x.gsym || fail 'a program on standard input'
# shellcheck disable=SC2002
cat prog | gsym-create -q --sandbox=try -o x.gsym - || fail "a pipe: status $?"
cmp prog.gsym x.gsym || fail 'a program from a pipe'
{
	printf 'some words'
	cat prog
} >longer
{
	dd bs=10 count=1 of=/dev/null 2>/dev/null
	gsym-create -q -o x.gsym - || fail "past words: status $?"
} <longer
cmp prog.gsym x.gsym || fail 'a program past words'
gsym-create -q -o x.gsym - <prog.gsym || fail "GSYM: status $?"
cmp prog.gsym x.gsym || fail 'GSYM on standard input'
gzip -c prog | gsym-create -o x.gsym - 2>err
[ $? = 2 ] && grep -q "'-': a compressed program" err || fail "$(cat err)"
(
	ulimit -f 1
	trap '' XFSZ
	# shellcheck disable=SC2002
	cat prog prog | gsym-create -o - - >/dev/null 2>err
)
grep -q "a temporary file in '.*' cannot be written" err ||
	fail "no room: $(cat err)"
exit 0
