#!/bin/sh
# SPDX-License-Identifier: MIT
# A failure of gsym-create is one line on standard error and status 2.  It
# leaves neither an output file nor a temporary file.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
bytes work ../work.gsym
head -c 60 ../work.gsym >work.gsym
compile prog
: >empty
echo 'some text' >text
head -c 1000 prog >cut
cp prog keep.gsym
mkdir folder
printf 'void _start(void) {}' >nothing.c
files='prog program.c work.gsym empty text cut keep.gsym folder'
rm nothing.c

show gsym-create
show gsym-create missing
show gsym-create folder
show gsym-create empty
show gsym-create text
show gsym-create work.gsym
show gsym-create prog prog
show gsym-create --format=v3 prog
show gsym-create --endian=middle prog
show gsym-create --reader=own,libdwarf prog
show gsym-create -j0 prog
show gsym-create -j257 prog
show gsym-create -jx prog
show gsym-create --quiet --verbose prog
show gsym-create --output=x prog
show gsym-create --convert=prog
show gsym-create --dsym=prog.dSYM
show gsym-create --lookup prog
show gsym-create --json -o - prog
show gsym-create --install= prog
show gsym-create -r --output-dir= folder
show gsym-create -o '' prog
show gsym-create -o folder prog
show gsym-create -o missing/x prog
show gsym-create -o prog prog
show gsym-create -o ./folder/../prog prog
only $files
gsym-create cut 2>../stderr && fail 'a cut file was accepted'
[ $? = 2 ] && [ "$(wc -l <../stderr)" = 1 ] || fail 'a cut file'

say '# damaged debug info is a warning, or with --strict an error'
objcopy --update-section .debug_line=text prog bad 2>../stderr ||
	skip 'objcopy is not installed (Debian: binutils)'
files="$files bad"
gsym-create bad 2>../stderr || fail "damaged lines: $(cat ../stderr)"
grep -q '^  warning: bad-line-table: 1, the first: ' ../stderr ||
	fail "no warning: $(cat ../stderr)"
gsym-lookup --json bad.gsym $(nm prog | sed -n 's/^\([0-9a-f]*\) T work$/0x\1/p') |
	grep -q '"function":"work","file":"","line":0,' || fail 'no work'
rm bad.gsym
gsym-create --strict bad 2>../stderr && fail '--strict accepts damage'
[ $? = 2 ] && [ "$(wc -l <../stderr)" = 1 ] || fail "$(cat ../stderr)"
only $files

say '# an existing output file is unchanged'
show gsym-create -q -o keep.gsym text
cmp prog keep.gsym >>../actual
[ -c /dev/full ] && {
	gsym-create -q -o /dev/full prog 2>../stderr
	[ $? = 2 ] || fail '/dev/full'
	gsym-create -q -o - prog 2>../stderr >/dev/full
	[ $? = 2 ] || fail 'a full standard output'
	gsym-create -o ../unsaid.gsym prog 2>/dev/full ||
		fail 'a text summary that cannot be written is an error'
	[ -s ../unsaid.gsym ] || fail 'no output'
	# The output is complete before the summary is written, and stays.
	gsym-create --json -o ../summary.gsym prog 2>../stderr >/dev/full
	[ $? = 2 ] || fail 'a summary that cannot be written'
}

say '# a pipe is refused as input; standard output is named in the summary'
mkfifo ../pipe
gsym-create -o ../pipe.gsym ../pipe 2>../stderr && fail 'a pipe was read'
[ "$(cat ../stderr)" = "gsym-create: cannot read '../pipe': a device or pipe, not a file" ] ||
	fail "a pipe: $(cat ../stderr)"
gsym-create -o - prog 2>../stderr >/dev/null || fail 'standard output'
grep -q ' written to standard output$' ../stderr ||
	fail "standard output: $(cat ../stderr)"

say '# the file size limit'
: >../stdout
(ulimit -f 0 && exec gsym-create -q -o keep.gsym prog 2>&1) | cat >../stdout
: >../stderr
note_end 0
cmp prog keep.gsym >>../actual
only $files

say '# a read-only folder'
if [ "$(id -u)" != 0 ]; then
	chmod 555 folder
	gsym-create -q -o folder/x prog 2>/dev/null && fail 'a folder'
	chmod 755 folder
fi
only $files
finish
