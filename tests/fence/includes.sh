#!/bin/sh
# SPDX-License-Identifier: MIT
# No file includes what its room has no business with.  Each room lists what
# it may include, from the table in doc/design.md; anything else is an error,
# so a new dependency has to be written down here first.
set -u
cd "${top_srcdir:-$(dirname "$0")/../..}" || exit 99
bad=0

# Standard headers of C and POSIX that hold no threads and no files.
plain='assert|ctype|errno|inttypes|limits|stdarg|stdbool|stddef|stdint|string|stdalign'
# The same with memory; with files; with threads.
memory="$plain|stdlib|stdio"
files="$memory|fcntl|unistd|sys/mman|sys/stat|sys/types"

# Every include of the files named after the pattern of allowed ones.
# $1: the room, for the message; $2: extended expression; then files.
allow()
{
	room=$1 pattern=$2
	shift 2
	for file; do
		[ -e "$file" ] || continue
		lines=$(sed -n 's/^[ \t]*#[ \t]*include[ \t]*[<"]\([^>"]*\)[>"].*/\1/p' \
			"$file" | grep -vxE "($pattern)")
		[ -z "$lines" ] || {
			echo "$file: $room may not include" $lines
			bad=1
		}
	done
}

# $1: system headers; the rest: rooms of libgsym and installed headers.
sys()
{
	printf '(%s)\\.h' "$1"
}

api='gsym/[a-z]*\.h'
base='base/[a-z_]*\.h'
own='config\.h'

cd libgsym || exit 99
allow 'an installed header' "$(sys "stdbool|stddef|stdint")|$api" \
	include/gsym/*.h
for file in base/*.[ch]; do
	case $file in
	base/pages.c) more='|sys/mman\.h' ;;
	base/pool.c) more='|(pthread|sched|unistd)\.h' ;;
	base/intern.c) more='|xxhash\.h' ;;
	*) more='' ;;
	esac
	allow base "$own|$(sys "$memory")|$base|gsym/types\.h$more" "$file"
done
allow format "$own|$(sys "$plain")|$base|format/.*|gsym/(types|record|reader)\.h" \
	format/*.[ch]
allow reader \
	"$own|$(sys "$files")|$base|(format|reader)/.*|gsym/(types|reader)\.h" \
	reader/*.[ch]
allow store \
	"$own|$(sys "$files")|$base|store/.*|gsym/(types|reader|store)\.h" \
	store/*.[ch]
# Logs: no files, no reader, no store.
allow markup \
	"$own|$(sys "$memory|regex")|$base|markup/.*|gsym/(types|markup)\.h" \
	markup/*.[ch]
allow xray "$(sys "$memory")|$base|xray/.*|gsym/(types|xray)\.h" \
	xray/*.[ch]
allow model "$(sys "stdbool|stddef|stdint")|model/.*|$api" model/*.[ch]
allow writer \
	"$own|$(sys "$memory")|$base|(format|model|writer)/.*|$api" \
	writer/*.[ch]
allow elf \
	"$own|$(sys "$files")|$base|(elf|model)/.*|input/(container|find|join)\.h|gsym/(types|convert|elf)\.h|(libelf|gelf|elf|zlib|libdeflate|lzma|zstd)\.h" \
	elf/*.[ch]
allow macho \
	"$own|$(sys "$files|dirent")|$base|macho/.*|elf/inflate\.h|input/(container|find|join|mapping)\.h|gsym/(types|convert)\.h" \
	macho/*.[ch]
allow aout \
	"$own|$(sys "$files")|$base|aout/.*|input/(container|plan9)\.h|gsym/(types|convert)\.h" \
	aout/*.[ch]
allow pe \
	"$own|$(sys "$files")|$base|pe/.*|elf/inflate\.h|input/container\.h|gsym/(types|convert)\.h" \
	pe/*.[ch]
# Symbol files come compressed, as a stream, and are scanned by vectors.
allow input "$own|$(sys "$files")|$base|(aout|elf|macho|pe|input|model|dwarf)/.*|$api|(zlib|zstd|emmintrin)\.h" \
	input/*.[ch]
for file in dwarf/*.[ch]; do
	case $file in
	dwarf/second*.[ch]) more='|(libdwarf/)?(libdwarf|dwarf)\.h' ;;
	*) more='' ;;
	esac
	allow dwarf \
		"$own|$(sys "$memory")|$base|input/(container|input)\.h|(dwarf|model)/.*|$api$more" \
		"$file"
done

# The tools are users like any other: no private header of the library.
cd ../tools || exit 99
for file in *.[ch] common/*.[ch]; do
	[ -e "$file" ] || continue
	lines=$(sed -n 's/^[ \t]*#[ \t]*include[ \t]*[<"]\([^>"]*\)[>"].*/\1/p' \
		"$file" | grep -E \
		'^(base|format|reader|model|writer|elf|macho|pe|input|dwarf|store|markup|xray)/|^(libelf|gelf|dwarf|libdwarf|libdwarf/.*|zlib|libdeflate|lzma|zstd|xxhash)\.h')
	[ -z "$lines" ] || {
		echo "tools/$file: a tool may not include" $lines
		bad=1
	}
done

# No third-party header anywhere that no rule above knows of: rooms that
# have no rule yet are an error too.
cd ../libgsym || exit 99
for room in */; do
	case $room in
	base/ | format/ | reader/ | model/ | writer/ | elf/ | input/ | \
	aout/ | macho/ | pe/ | dwarf/ | include/ | store/ | markup/ | \
	xray/) ;;
	*)	ls "$room"*.[ch] >/dev/null 2>&1 && {
			echo "libgsym/$room: a room without a rule in $0"
			bad=1
		} ;;
	esac
done
exit $bad
