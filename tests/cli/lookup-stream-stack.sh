#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-lookup --stream --stack: each line is a call stack, which may have
# addresses of several programs; call sites of callers choose among functions
# that share their code.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/stream-lib.sh"
bytes stack stack.gsym
put 0e0e0e0e stack.gsym
put 0f0f0f0f stack.gsym
put 0a0b0c0d work.gsym
put deadbeef odd.gsym

say '# the call site of the caller chooses, in the same and in another file'
lines='0e0e0e0e 0x401020\n0e0e0e0e 0x401020,0x401008\n'
lines=$lines'0e0e0e0e 0x401020,0x401010\n0e0e0e0e\t0x401020,0x401018\n'
lines=$lines'0e0e0e0e 0x401020,0F0F0F0F:0x401010,0a0b0c0d:0x401010\n'
lines=$lines'0a0b0c0d 0x40100e,4198442,deadbeef:0x1006\n'
show_with "$lines" stream --stream --stack
show_with "$lines" stream --stream=folded --stack
show_with "$lines" stream --stream=folded --stack --no-inlines --demangle
say '# keys, hexadecimal numbers'
show_with '0e0e0e0e 401020,0e0e0e0e:401010 a,b\tc\r\nx 1,2 key\n' \
	stream --stream=folded --stack --keys --hex
say '# addresses without an answer'
lines='0e0e0e0e 0x401020,ff:0x401010,0x401010\nff 1,0e0e0e0e:0x401008\n'
lines=$lines'0e0e0e0e 5,0x401008\n0e0e0e0e 0x401020,0\nff 1,2\n'
show_with "$lines" stream --stream --stack
show_with "$lines" stream --stream=folded --stack --strict
say '# lines that are no stacks'
lines='\n0e0e0e0e\n0e0e0e0e ,\n0e0e0e0e ,1\n0e0e0e0e 1,\n0e0e0e0e 1,,2\n'
lines=$lines'0e0e0e0e 1,:2\n0e0e0e0e 0e0e0e0e:1\n0e0e0e0e 1,0e0e0e0e:\n'
lines=$lines'0e0e0e0e 1,0e0:2\n0e0e0e0e 1,zz:2\n0e0e0e0e 1,ff:2:3\n'
lines=$lines'0e0e0e0e 1,x\n0e0e0e0e 1,-1\n0e0e0e0e 1,-0x1\n0e0e0e0e 1, 2\n'
lines=$lines'0e0e0e0e 1 2\n0e0e0e0e 1,18446744073709551616\nzz 1,2\n'
show_with "$lines" stream --stream --stack
show_with "$lines" stream --stream=folded --stack --strict
say '# options'
show stream --stream=tsv --stack
show stream --stream --stack --return-addresses
show stream --stream --stack --call-sites
show_with '0e0e0e0e 0x401020,0x401010\n' stream --stream

# The longest lines: of commas, of addresses, of build IDs.
awk 'function line(start, part,  text) {
	text = part
	while (length(start text) < 65536) text = text text
	text = substr(start text, 1, 65536)
	sub(/[^0-9]*$/, "", text)
	print text
} BEGIN {
	line("0e0e0e0e ", ","); line("0e0e0e0e 1", ",,"); line("0e0e0e0e 1", ",1")
	line("0e0e0e0e 4198432", ",4198416")
	line("0e0e0e0e 1", ",ff:1"); line("0e0e0e0e 1", ",0f0f0f0f:4198416")
	text = "0e0e0e0e 1"
	for (i = 0; length(text) < 65520; i++)
		text = text sprintf(",%04x:1", i)
	print text
	print "0e0e0e0e 0x401020,0x401010"
}' >long
for format in json folded; do
	stream --stream=$format --stack <long >out 2>err ||
		fail "long lines, $format: $?: $(cat err)"
	[ "$(wc -l <out)" -eq 8 ] || fail "long lines, $format: $(wc -l <out)"
done
tail -n 1 out | grep -qx 'main;two' || fail "long lines: $(tail -n 1 out)"
sed -n 4p out | tr ';' '\n' | sort | uniq -c | tr -s ' ' >counted
printf ' 8190 main\n 1 two\n' | cmp - counted ||
	fail "8191 addresses: $(cat counted)"
stream --stream --stack <long 2>err | sed -n 7p >out
grep -o '"nofile"' out | grep -c . | grep -qx 255 ||
	fail 'not 256 files in a stack'
grep -q '"error":"the stack has addresses in too many files"' out ||
	fail 'no word about too many files'

# Many lines, by several threads and with few open files: the answers of each
# line alone.
awk 'BEGIN {
	srand(5)
	split("0e0e0e0e 0f0f0f0f 0a0b0c0d deadbeef eeee", id, " ")
	split("4198432 4198408 4198416 4198424 4198414 4101 1", at, " ")
	for (i = 0; i < 20000; i++) {
		text = id[1 + int(rand() * 5)] " " at[1 + int(rand() * 7)]
		while (rand() < .7)
			text = text "," (rand() < .5 ? "" : \
				id[1 + int(rand() * 5)] ":") \
				at[1 + int(rand() * 7)]
		print text
	}
}' >many
for format in json folded; do
	stream --stream=$format --stack <many >wanted 2>err || fail "$format"
	for options in --num-threads=2 --num-threads=7 \
		'--num-threads=3 --max-open=1'; do
		# shellcheck disable=SC2086 # several options
		stream --stream=$format --stack $options <many 2>err |
			cmp - wanted || fail "$format, $options"
	done
	head -n 20 many | while read -r line; do
		echo "$line" | stream --stream=$format --stack 2>err
	done >each
	head -n 20 wanted | cmp - each || fail "$format: lines alone"
done

# Readable names are those of the file of the address, although its bytes may be
# where those of another file were.
sed 's/_ZN1a1bEi/_ZN1c1dEi/' odd.gsym >odd2.gsym
sed 's/_ZN1a1bEi/_ZN1e1fEi/' odd.gsym >odd3.gsym
i=10
while [ $i -lt 40 ]; do
	put "eeee00$i" odd2.gsym
	put "eeee01$i" odd3.gsym
	echo "deadbeef 0x1005,eeee00$i:0x1006"
	echo "deadbeef 0x1005,eeee01$i:0x1006"
	printf '%s\n' 'c::d(int);in\tline;a::b(int);in\tline' \
		'e::f(int);in\tline;a::b(int);in\tline' >>names
	i=$((i + 1))
done >files
stream --stream=folded --stack --demangle --max-open=1 <files |
	cmp - names || fail 'names of another file'
finish
