#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-markup --logs: the logs of testdata/logs, of which most were written by
# the programs that print them.  Every answer is the one of the expected file;
# what was filtered stays as it is when it is filtered again; without symbols,
# and without --logs, nothing changes.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/logs-lib.sh"
make_symbols
mkdir libc
printf 'MODULE Linux x86_64 %033d libc.so.6\nFUNC 3c050 9 0 __restore_rt\n' 0 \
	>libc.sym
gsym-create --quiet -o libc/libc.so.6.gsym libc.sym || fail 'no libc'

# Compare file $1 with file $2, and say $3 if they differ.
equal()
{
	cmp -s "$1" "$2" || { diff -a "$1" "$2" | head -n 20; fail "$3"; }
}

waits='Nov 20 10:41:07 host kernel: RIP: 0010:nothing_known+0x1/0x2'
for name in $(all_logs); do
	log=$data/$name.log
	expected=$data/$name.expected
	[ -e "$expected" ] || expected=$log
	logs "$log" "$name" >out 2>../stderr || fail "$name: status $?"
	equal "$expected" out "$name: wrong answers"
	logs out "$name" >again 2>../stderr || fail "$name, again: status $?"
	equal out again "$name: changed when it was filtered again"
	gsym-markup --debug-file-directory=none "$log" >plain 2>../stderr
	gsym-markup --logs --debug-file-directory=none "$log" >without \
		2>../stderr
	equal plain without "$name: changed without symbols"

	# Other line ends.
	sed 's/$/\r/' "$log" >crlf.log
	logs crlf.log "$name" >out 2>../stderr
	sed 's/$/\r/' "$expected" >wanted
	case $name in mixed/*) ;; *) equal wanted out "$name: CR LF" ;; esac

	# A text that a container or a service puts before each line.
	case $name in mixed/* | stackwalk/*) continue ;; esac
	for lead in 'web-1 | ' '2026-11-20T10:12:13.000Z stderr F ' \
		'Nov 20 10:41:07 host app[12]: '; do
		sed "s/^/$lead/" "$log" >lead.log
		logs lead.log "$name" >out 2>../stderr
		sed "s/^/$lead/" "$expected" >wanted
		equal wanted out "$name: behind '$lead'"
	done

	# Lines that queue behind one of another process, which waits.
	{ echo "$waits" && cat "$log"; } >behind.log
	set -- "$name" --by-process=auto --kernel=kernel/vmlinux.gsym
	logs behind.log "$@" >out 2>../stderr
	logs "$log" "$@" >out.own 2>../stderr
	{ echo "$waits" && cat out.own; } >wanted
	equal wanted out "$name: behind a line that waits"
	part_passed "$name"
done

# A line without end.
for name in sanitizer/asan-uaf glibc/trace kernel/hung; do
	head -c -1 "$data/$name.log" >cut.log
	logs cut.log "$name" >out 2>../stderr
	head -c -1 "$data/$name.expected" >wanted
	equal wanted out "$name: no line end"
done

# Several processes, told apart by their headers.
logs "$data/sanitizer/asan-uaf.log" sanitizer/x --by-process=auto >out
equal "$data/sanitizer/asan-uaf.expected" out 'by process'

# Forms that have to be named.
logs "$data/sanitizer/asan-uaf.log" sanitizer/x --logs=kernel,android >out
equal "$data/sanitizer/asan-uaf.log" out 'another form'
logs "$data/sanitizer/asan-uaf.log" sanitizer/x --logs=glibc,sanitizer >out
equal "$data/sanitizer/asan-uaf.expected" out 'two forms'
for wrong in --logs=none --logs=kernel, --log-style=x --log-inlines=x \
	--release=../x --release=a/b '--compat=llvm --logs'; do
	# shellcheck disable=SC2086
	gsym-markup $wrong "$log" >out 2>../stderr
	[ $? = 2 ] || fail "$wrong is accepted"
done
# The words of --logs are the names of the dialects, in messages, in the help and
# in the manual; and each means the dialect that has the name.
gsym-markup --logs=none </dev/null 2>words && fail '--logs=none is accepted'
gsym-markup --help=all >help
names=$(sed -n 's/^\t\.name = "\(.*\)",$/\1/p' "$top_srcdir"/libgsym/logs/*.c)
[ "$(echo "$names" | wc -l)" -ge 10 ] || fail 'the names of the dialects'
for name in $names; do
	for file in words help "$top_srcdir/man/gsym-markup.1"; do
		grep -qw "$name" "$file" || fail "$name is not in $file"
	done
	grep -q "^\.It Cm $name\( \|$\)" "$top_srcdir/man/gsym-markup.1" ||
		fail "$name has no paragraph in the manual"
	log=$data/foreign/$name.log
	[ -e "$log" ] || continue
	# Frames of Xen are silent without symbols.
	gsym-markup "--logs=$name" --symbols=xen --stats "$log" >out 2>err
	grep -q "^$name: " err || { cat err; fail "--logs=$name"; }
done
parts_finish
