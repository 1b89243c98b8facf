#!/bin/sh
# SPDX-License-Identifier: MIT
# Headers, version scripts, shared libraries and Debian's lists of symbols have
# the same functions.
set -u
cd "${top_builddir:?}" && : "${top_srcdir:?}" || exit 99
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
bad=0

# The functions that headers declare with GSYM_API.  $1: finds those of program.h
# that count; the rest: the headers.
declared()
{
	own=$1
	shift
	for header; do
		tr '\n' ' ' <"$top_srcdir/libgsym/include/gsym/$header" |
			sed 's|/\*|\n/*|g; s|\*/|*/\n|g' | grep -v '^/\*' |
			tr '\n' ' ' | sed 's/;/;\n/g' |
			grep 'GSYM_API ' | grep -v '#define GSYM_API' |
			sed -n 's/.*GSYM_API [^(]*\<\(gsym_[a-z0-9_]*\)(.*/\1/p' |
			if [ $header = program.h ]; then
				grep "$own"
			else
				cat
			fi
	done | sort
}

# The functions in the version script $1.
mapped()
{
	sed -n 's/^\t\([a-z0-9_]*\);$/\1/p' "$top_srcdir/libgsym/$1.map" | sort
}

# The functions that the shared library $1 exports.
exported()
{
	nm -D --defined-only ".libs/$1.so" |
		awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort
}

# The functions in Debian's list of the symbols of the library $1.
packaged()
{
	sed -n 's/^ \(gsym_[a-z0-9_]*\)@.*/\1/p' \
		"$top_srcdir/debian/${1}0.symbols" | sort
}

# $1: the library; $2: finds its functions in program.h; the rest: its headers.
agree()
{
	library=$1
	shift
	declared "$@" >"$tmp/declared"
	mapped "$library" >"$tmp/mapped"
	exported "$library" >"$tmp/exported"
	[ -s "$tmp/declared" ] || { echo "no declarations found"; bad=1; }
	diff -u --label "headers of $library" --label "$library.map" \
		"$tmp/declared" "$tmp/mapped" || bad=1
	diff -u --label "$library.map" --label "$library.so" \
		"$tmp/mapped" "$tmp/exported" || bad=1
	packaged "$library" >"$tmp/packaged"
	diff -u --label "$library.map" --label "debian/${library}0.symbols" \
		"$tmp/mapped" "$tmp/packaged" || bad=1
}

. "$top_srcdir/tests/support/tools.sh"
[ -e .libs/libgsym.so ] ||
	skip "no shared libraries were built (configure --disable-shared)"
agree libgsym 'gsym_[ms]' types.h reader.h names.h record.h builder.h store.h \
	batch.h program.h process.h markup.h logs.h
agree libgsym-demangle . demangle.h
# Libraries that configure can leave out.
[ ! -e .libs/libgsym-convert.so ] ||
	agree libgsym-convert 'gsym_[ep]' convert.h program.h
[ ! -e .libs/libgsym-xray.so ] || agree libgsym-xray . xray.h

# Every installed header belongs to one of the libraries.
for header in "$top_srcdir"/libgsym/include/gsym/*.h; do
	case ${header##*/} in
	types.h | xray.h | reader.h | record.h | builder.h | convert.h | \
	batch.h | demangle.h | names.h | process.h | \
	program.h | store.h | markup.h | logs.h) ;;
	*) echo "${header##*/}: no library claims it"; bad=1 ;;
	esac
done
exit $bad
