#!/bin/sh
# SPDX-License-Identifier: MIT
# What a person meets who tries the tools for the first time: a mistyped store, a
# mistyped name, a terminal that waits, a full disk.  Messages say what helps.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
bytes work work.gsym
id=$(gsym-dump work.gsym | sed -n 's/^  build ID *//p')
[ -n "$id" ] || fail 'work.gsym has no build ID'

# said TEXT...: standard error has each TEXT.
said()
{
	for text in "$@"; do
		grep -qF -- "$text" err || fail "no '$text' in: $(cat err)"
	done
}

# A mistyped store: the folders, and which of them are not there.
mkdir store
gsym-lookup --gsym-file-directory=store --gsym-file-directory=stoer \
	--debug-file-directory=debug --build-id="$id" 0x401000 >out 2>err
[ $? = 2 ] || fail 'a store that is not there is no error'
said "'store', 'stoer' (there is no such folder)" \
	"'debug' (there is no such folder)" "$XDG_CACHE_HOME/gsym/$release" '--verbose'
# --verbose shows each path, in the order of the search.
rest=${id#??}
tree=.build-id/${id%"$rest"}/$rest
gsym-lookup --verbose --gsym-file-directory=store --debug-file-directory=debug \
	--build-id="$id" 0x401000 >out 2>err
[ $? = 2 ] || fail 'status with --verbose'
sed -n "s/^gsym-lookup: tried '\(.*\)': there is no such file$/\1/p" err >tried
cat >wanted <<END
store/$tree.debug.gsym
store/$rest.debug.gsym
debug/$tree.debug.gsym
debug/$tree.debug
$XDG_CACHE_HOME/gsym/$release/$tree.debug.gsym
END
diff wanted tried || fail 'these paths were not tried'
# A file of another program is named, and so is the file that is used.
mkdir -p store/"${tree%/*}" debug/"${tree%/*}"
printf 'no GSYM data, but more bytes than a header of GSYM has\n' \
	>store/$tree.debug.gsym
cp work.gsym debug/$tree.debug.gsym
gsym-lookup --verbose --gsym-file-directory=store --debug-file-directory=debug \
	--build-id="$id" 0x40100e >out 2>err || fail 'the second folder'
said "tried 'store/$tree.debug.gsym': " "used 'debug/$tree.debug.gsym'"
grep -q 'ex.c:2' out || fail "no answer: $(cat out)"
rm store/$tree.debug.gsym
# The paths beside a program.
gsym-lookup --verbose --no-convert work.gsym 0x40100e >out 2>err ||
	fail 'the file itself'
said "used 'work.gsym'"

# A mistyped name: names that are near.
gsym-dump --function=_strat work.gsym >out 2>err
[ $? = 1 ] || fail 'gsym-dump: status of an unknown function'
said "no function '_strat' in 'work.gsym'; near: _start"

# A disk that is full, and where binary data go to standard output.
if [ -c /dev/full ]; then
	gsym-create -q -o - work.gsym >/dev/full 2>err
	[ $? = 2 ] || fail 'a full disk is no error'
	said 'gsym-create: cannot write to standard output: '
	[ "$(wc -l <err)" = 1 ] || fail "said more than once: $(cat err)"
fi

# A terminal that waits says for what; --quiet does not, nor does a pipe.
waits()
{
	script -qec "$1" /dev/null </dev/null 2>&1 | tr -d '\r' >err
}
if pty; then
	waits 'gsym-lookup work.gsym'
	said 'gsym-lookup: note: addresses are read from the terminal; Ctrl-D'
	waits 'gsym-lookup --stream'
	said 'gsym-lookup: note: lines of build ID and address are read'
	waits 'gsym-markup'
	said 'gsym-markup: note: lines of a log are read from the terminal'
	waits 'gsym-lookup --quiet work.gsym'
	! grep -q note: err || fail '--quiet: a note'
fi
gsym-lookup work.gsym </dev/null >out 2>err && gsym-markup </dev/null >>out \
	2>>err || fail 'an empty input'
[ ! -s err ] || fail "a note without a terminal: $(cat err)"
exit 0
