#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual pages are well formed, name every exported function, and have
# examples that work.
set -u
cd "${top_builddir:?}" && : "${top_srcdir:?}" || exit 99
. "$top_srcdir/tests/support/tools.sh"
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
bad=0
man=$top_srcdir/man

complain()
{
	echo "$*"
	bad=1
}

if command -v mandoc >/dev/null; then
	mandoc -T lint -W warning "$man"/*.[1-9] || bad=1
	lint=mandoc
elif command -v groff >/dev/null; then
	for page in "$man"/*.[1-9]; do
		groff -ww -mandoc -Tascii "$page" 2>&1 >/dev/null |
			sed "s|^|$page: |" >"$tmp/warnings"
		[ ! -s "$tmp/warnings" ] || {
			cat "$tmp/warnings"
			bad=1
		}
	done
	lint=groff
else
	lint=
fi

# One text tells in all manuals where symbols come from.
for page in gsym-lookup gsym-markup gsym-xray gsym-addr2line; do
	sed -n '/^\.\\" Where symbols come from/,/^\.\\" The end of this/p' \
		"$man/$page.1" >"$tmp/$page"
	grep -q '^\.It Fl -fetch-size' "$tmp/$page" ||
		complain "$page.1 lacks the options of tools/source"
	cmp "$tmp/gsym-lookup" "$tmp/$page" ||
		complain "$page.1 and gsym-lookup.1 differ about these options"
done

# libgsym(3) names every exported function; libgsym-xray(3) those of its library.
for map in "$top_srcdir"/libgsym/*.map; do
	case ${map##*/} in
	libgsym-xray.map) page=libgsym-xray.3 ;;
	*) page=libgsym.3 ;;
	esac
	for name in $(sed -n 's/^\t\(gsym_[a-z0-9_]*\);$/\1/p' "$map"); do
		grep -qw "^\.Fn $name" "$man/$page" ||
			complain "$page does not mention $name"
	done
done

# Print literal display number $2 of page $1, as a terminal shows it.
example()
{
	awk -v which="$2" '
	/^\.Bd -literal/ { n++; inside = 1; next }
	/^\.Ed/ { inside = 0 }
	inside && n == which' "$1" | sed 's/^\\&//; s/\\e/\\/g'
}

# gsym-create(1) lists the warnings that the code raises, and a unit test names
# each of them.
sed -n 's/^.*\[GSYM_WARN_\([A-Z_]*\)\] = "\([a-z-]*\)".*/\1 \2/p' \
	"$top_srcdir/libgsym/container/container.c" >"$tmp/warnings"
[ -s "$tmp/warnings" ] || complain 'there are no warnings'
while read -r kind name; do
	raised=no listed=no
	grep -rqE "[^[A-Z_]GSYM_WARN_$kind([^A-Z_]|$)" --include='*.c' \
		"$top_srcdir/libgsym" "$top_srcdir/tools/create" &&
		raised=yes
	grep -qx "\.It Li $name" "$man/gsym-create.1" && listed=yes
	[ $raised = $listed ] ||
		complain "warning $name: raised: $raised, in gsym-create.1: $listed"
	[ $raised = no ] ||
		grep -rqw "GSYM_WARN_$kind" "$top_srcdir/tests/unit" ||
		grep -rqw "warning: $name" "$top_srcdir/tests/cli" ||
		complain "warning $name: no test names it"
done <"$tmp/warnings"

# The program in the page is the one in the examples.
example "$man/libgsym.3" 1 >"$tmp/page.c"
sed -n '/^#include/,$p' "$top_srcdir/examples/lookup.c" | expand >"$tmp/file.c"
cmp "$tmp/page.c" "$tmp/file.c" ||
	complain "libgsym.3 and examples/lookup.c differ"
{
	printf '#include <gsym/convert.h>\n#include <stdio.h>\n'
	printf '#include <stdlib.h>\nint main(void)\n{\n'
	example "$man/libgsym.3" 2
	printf 'return 0;\n}\n'
} >"$tmp/convert.c"
for program in page convert; do
	$CC -Wall -Wextra -Werror -I"$top_srcdir/libgsym/include" \
		-c "$tmp/$program.c" -o "$tmp/$program.o" || bad=1
done

# The annotated file of gsym(5) has these bytes.
example "$man/gsym.5" 1 | sed 's/^..  //; s/   .*//; s/00 \.\.\./\
00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00/' |
	tr -s ' \n' '\n\n' | grep . | while read -r byte; do
		# shellcheck disable=SC2059 # an octal escape
		printf "\\$(printf %03o "0x$byte")"
	done >"$tmp/example.gsym"
answer=$(./gsym-lookup "$tmp/example.gsym" 0x401002) ||
	complain "gsym-lookup refuses the example of gsym.5"
case $answer in
*f*a.c*7*) ;;
*) complain "the example of gsym.5 answers: $answer" ;;
esac

[ $bad = 0 ] || exit 1
[ -n "$lint" ] ||
	skip "the form was not checked: neither mandoc nor groff is installed" \
		"(Debian: mandoc)"
