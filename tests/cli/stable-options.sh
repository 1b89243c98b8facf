#!/bin/sh
# SPDX-License-Identifier: MIT
# Every option of the last release, tests/abi/options, is still there, with its
# letter and its kind of value.  With the argument "update", writes that file
# anew, which belongs to a release.
update=${1:-}
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
for tool in create xray; do
	[ -x "$top_builddir/gsym-$tool" ] || skip "gsym-$tool is not built"
done

# Write a line for each option of "$1 $2": its letter, its name, and = or [= if
# it has a value.
options_of()
{
	# shellcheck disable=SC2086 # $2 may be empty
	"$1" $2 --help=all >page 2>err || fail "$1 $2 --help=all: $(cat err)"
	sed -n 's/^ \{2,6\}\(-., \)\{0,1\} *\(--[a-z0-9-]*\)\(\[\{0,1\}=\{0,1\}\).*/\1\2\3/p' \
		page | sed "s/^/$1 ${2:+$2 }/; s/,//"
}

# The same for gsym-$1, whose help has the form of the program that it replaces:
# "-e --exe=<executable>", "-C --demangle[=style]".
options_like_others()
{
	gsym-"$1" --help >page 2>err || fail "gsym-$1 --help: $(cat err)"
	sed -n 's/^ \{1,8\}\(-. \)\{0,1\} *\(--[a-z0-9-]*\)\(\[\{0,1\}=\{0,1\}\).*/\1\2\3/p' \
		page | sed "s/^/gsym-$1 /"
}

# Write the options of all tools.
all_options()
{
	options_like_others addr2line
	options_like_others symbolizer
	for tool in create lookup markup dump; do
		options_of gsym-$tool ''
	done
	options_of gsym doctor
	gsym-xray --help >commands || fail 'gsym-xray'
	for command in $(sed -n 's/^      \([a-z][a-z]*\)  .*/\1/p' commands); do
		options_of gsym-xray "$command"
	done
}

all_options | LC_ALL=C sort -u >now
[ "$(wc -l <now)" -gt 150 ] || fail "these options: $(cat now)"
kept=$top_srcdir/tests/abi/options
[ "$update" != update ] || {
	cp now "$kept"
	exit
}
LC_ALL=C comm -23 "$kept" now >gone
[ ! -s gone ] || fail "of the last release, these are gone: $(cat gone)"
