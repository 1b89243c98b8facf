#!/bin/sh
# SPDX-License-Identifier: MIT
# Options of the addr2line of Rust's crate: --llvm, --all and --sup.  With
# CRATE_ADDR2LINE=PROGRAM the answers are compared with those of the crate's
# program (cargo install addr2line --features bin).
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
. "$top_srcdir/tests/cli/personality-lib.sh"
make_plain
start=$(sed -n 's/^\([0-9a-f]*\) T twice$/\1/p' <<END
$(nm plain)
END
)
[ "$start" ] || fail 'no symbol'
address=$(printf %x "0x$start")

same '--llvm' "$("$a2l" --llvm -fia -e plain "$address" | sed 's,/.*/,,')" \
	"0x$address
twice
plain.c:2:0"
same '--llvm -p' "$("$a2l" --llvm -fip -e plain "$address" |
	sed 's,/.*/,,')" 'twice at plain.c:2:0'
same 'an unknown address' "$("$a2l" -fap --llvm -e plain zz)" \
	'0x0: ?? at ??:0:0'
# An empty line ends each answer.
same 'lines' "$(printf '%s\n1\n' "$address" | "$a2l" --llvm -e plain |
	grep -c '^$')" 2
same 'without --llvm' "$("$a2l" -a -e plain "$address" | head -n 1)" \
	"0x$start"
same '--sup' "$("$a2l" --sup nowhere -f -e plain "$address" | head -n 1)" twice
same '--sup=' "$("$a2l" --sup=nowhere -f -e plain "$address" | head -n 1)" \
	twice

# All addresses that have a line, ascending, each as if it was asked for.
"$a2l" --all -a -fi -e plain >all || fail '--all'
grep '^0x' all >addresses
sort -u addresses | cmp -s - addresses || fail 'addresses do not ascend'
grep -qx "0x$start" addresses || fail 'no start of a function'
"$a2l" -a -fi -e plain <addresses | cmp - all || fail '--all: other answers'
grep -q ':0$\|:?$' all && fail 'an address without a line'
"$a2l" --all -e plain "$address" 2>err && fail '--all with an address'
grep -q 'takes no addresses' err || fail "$(cat err)"

# Functions of hostile files with many rows.
tiny=$top_builddir/gsym-lookup-tiny
if [ -x "$tiny" ]; then
	GSYM_TINY_LIMITS=1 "$tiny" --personality=addr2line --all \
		-e data/plain.gsym >out 2>err && fail 'no limit'
	grep -q 'a function has too many rows' err || fail "$(cat err)"
else
	echo 'left out: gsym-lookup-tiny is not built'
fi

if [ "${CRATE_ADDR2LINE-}" ]; then
	# GSYM has no columns, and no symbol covers what no function does.
	for options in --llvm '--llvm -f' '--llvm -fia' '--llvm -fiap' \
		'-fia' '--llvm -pi'; do
		# shellcheck disable=SC2086
		"$CRATE_ADDR2LINE" $options -e plain <addresses |
			sed 's/\(:[0-9]*\):[0-9]*$/\1:0/' >theirs
		# shellcheck disable=SC2086
		"$a2l" $options -e plain <addresses >ours
		diff theirs ours || fail "$options"
	done
fi
exit 0
