#!/bin/sh
# SPDX-License-Identifier: MIT
# Build and link the library and the tools for macOS, FreeBSD and Windows with
# zig, which has their headers and libraries, and compare the symbols that the
# tools take from the system with the lists tests/fence/cross.SYSTEM.  Where
# there is wine, gsym-dump and gsym-lookup for Windows have to say what those of
# this system say, and the checks of windows.c have to pass.
#
# usage: cross.sh [update]
#
# "update" writes the lists.  The libraries that conversion needs are stand-ins
# with the names of the functions alone: tests/matrix/systems builds real ones.
# zig is taken from the variable ZIG, from PATH, or from PyPI (ziglang), into
# the build folder.
set -u
cd "${top_builddir:?}" && : "${top_srcdir:?}" || exit 99
. "$top_srcdir/tests/support/tools.sh"
need nm
need python3
top=$(cd "$top_srcdir" && pwd) || exit 99
LC_ALL=C
export LC_ALL
[ ! -e "$top/config.status" ] ||
	skip "the source folder is configured itself (make distclean there)"
flags=$(sed -n 's/^DWARF_CFLAGS = //p' Makefile)
[ -x gsym-create ] || skip "conversion is not built (--disable-convert)"
[ -e libsecond.la ] || skip "built without libdwarf (Debian: libdwarf-dev)"
find_zig "$PWD/zig" || skip "there is no zig, and PyPI cannot be asked" \
	"(pip install ziglang)"
# Each zig has headers of its own, which name other functions.
[ "$("$ZIG" version)" = 0.17.1 ] ||
	skip "zig is not 0.17.1 (pip install ziglang==0.17.1)"
ZIG_GLOBAL_CACHE_DIR=$PWD/zig-cache ZIG_LOCAL_CACHE_DIR=$PWD/zig-cache
export ZIG_GLOBAL_CACHE_DIR ZIG_LOCAL_CACHE_DIR
native=$PWD
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS CPPFLAGS LDFLAGS CC
# The paths are the same each time, so that zig compiles only what has changed.
tmp=$PWD/zig-cache/work
rm -rf "$tmp" && mkdir -p "$tmp" || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 99' HUP INT TERM
bad=0

# Copy the header $1 of a library, and the files $2 beside it, to $include.
copy_headers()
{
	# shellcheck disable=SC2086
	file=$(echo "#include <$1>" | gcc $flags -E -M - 2>/dev/null |
		tr ' ' '\n' | grep "/$1\$")
	folder=${file%"/$1"}
	[ -n "$file" ] || return
	for name in "$1" ${2-}; do
		mkdir -p "$include/$(dirname "$name")"
		[ -e "$folder/$name" ] || folder=$system_folder
		cp -r "$folder/$name" "$include/$name"
	done
}

# Print the functions of the library $1 of this system that begin with $2.
functions()
{
	for kind in so a; do
		file=$(gcc -print-file-name="lib$1.$kind")
		[ -e "$file" ] || continue
		[ $kind = a ] || dynamic=-D
		nm ${dynamic-} --defined-only "$file" 2>/dev/null
		return
	done | sed -n 's/^[0-9a-f]* [TWi] \([A-Za-z0-9_]*\).*/\1/p' |
		grep -E "^($2)" | sort -u
}

# Make a stand-in for the library $1 with the functions that begin with $2, and
# the file $3 for pkg-config; $4: its flags.
stand_in()
{
	functions "$1" "$2" >"$tmp/names"
	[ -s "$tmp/names" ] || return
	cat "$tmp/names" >>"$tmp/stand-ins"
	sed 's/.*/void &(void) { }/' "$tmp/names" >"$tmp/$1.c"
	"$ZIG" cc -target "$target" -w -fno-builtin -c "$tmp/$1.c" \
		-o "$tmp/$1.o" && rm -f "$lib/lib$1.a" &&
		"$ZIG" ar rc "$lib/lib$1.a" "$tmp/$1.o" || return
	[ -z "${3-}" ] || printf '%s\n' "Name: $1" "Description: $1" \
		"Version: 1" "Cflags: ${4-}" "Libs: -L$lib -l$1" >"$lib/$3.pc"
}

# Set what configure finds.
make_libraries()
{
	include=$tmp/include lib=$tmp/$target/lib
	mkdir -p "$include" "$lib"
	: >"$tmp/stand-ins"
	# Where Debian has headers that differ between machines.
	system_folder=/usr/include/$(gcc -print-multiarch)
	copy_headers xxhash.h xxh3.h
	copy_headers zlib.h zconf.h && stand_in z 'inflate|crc32' zlib
	copy_headers libdeflate.h && stand_in deflate libdeflate_ libdeflate
	copy_headers zstd.h zstd_errors.h && stand_in zstd ZSTD_ libzstd
	copy_headers lzma.h lzma && stand_in lzma lzma_ liblzma
	copy_headers yaml.h && stand_in yaml yaml_ yaml-0.1
	copy_headers libdwarf.h dwarf.h && stand_in dwarf dwarf_ libdwarf
	copy_headers libiberty/demangle.h \
		"libiberty/ansidecl.h libiberty/libiberty.h" &&
		stand_in iberty '.*demangle'
	return 0
}

# Compile and link the program $1 of the library and the rest of the arguments.
link_files()
{
	program=gsym-$1$suffix
	shift
	# shellcheck disable=SC2086
	"$ZIG" cc -target "$target" $runtime -O0 -fno-sanitize=all -std=gnu11 \
		-Wall -Wextra -Wundef -Werror -I. -I"$top/libgsym/include" \
		-I"$top/libgsym" -I"$top/tools" -isystem "$include" \
		-DHAVE_CONFIG_H $options $library "$@" -L"$lib" \
		$libraries -o "$program"
}

# Compile and link the tool $1, whose files are in the folders "$@".
link_tool()
{
	tool=$1
	generated=$(ls "$native/tools/$1"/*_files.c 2>/dev/null)
	for folder; do
		set -- "$@" "$top/tools/$folder"/*.c
		shift
	done
	# shellcheck disable=SC2086
	link_files "$tool" "$@" $generated
}

build()
{
	mkdir "$tmp/$target/build" && cd "$tmp/$target/build" || exit 99
	PKG_CONFIG_LIBDIR=$lib "$top/configure" -q --host="$host" \
		--disable-shared --disable-hardening \
		CC="$ZIG cc -target $target $runtime" AR="$ZIG ar" \
		RANLIB="$ZIG ranlib" CFLAGS=-O0 CPPFLAGS="-I$include" \
		LDFLAGS="-L$lib" >log 2>&1 || {
		tail -n 3 log
		echo "$target: cannot be configured"
		return 1
	}
	# The files that the build chooses for the system.
	windows=$top/libgsym/base/system_windows options='' more=runtime.c
	echo 'unsigned __cpu_model[4];' >runtime.c
	[ $system != windows ] || {
		options="-Ilacking -include $windows/posix.h \
			-Wno-unused-command-line-argument"
		more=$(ls "$windows"/*.c)
	}
	library=$(find "$top"/libgsym "$top/tools/common" "$top/tools/source" \
		-name '*.c' ! -name 'self_*.c' ! -name 'sandbox_*.c' \
		! -path '*/system_windows/*'; \
		ls "$native"/libgsym/markup/*_files.c; \
		echo "$top/libgsym/process/self_$self.c" \
			"$top/tools/common/sandbox_none.c" "$more")
	libraries=$(cd "$lib" && ls lib*.a | sed 's/^lib/-l/; s/\.a$//')
	for tool in $tools; do
		[ $tool != lookup ] || tool='lookup personality'
		# shellcheck disable=SC2086
		link_tool $tool >log 2>&1 || {
			grep -E 'error: |undefined|warning: ' log |
				sort -u | head -n 20
			echo "$target: gsym-${tool% *} is not linked"
			return 1
		}
	done
}

# Print the symbols of the program $1 that the system has.
of_system()
{
	case $system in
	macos) "$llvm" -u "$1" ;;
	# A table of each library; the functions' names are last.
	windows) objdump -p "$1" | sed -n '/DLL Name:/,/^$/p' |
		grep -E '^[[:space:]]+[0-9a-f]+[[:space:]]+[0-9]+ ' ;;
	*) nm -D -u "$1" ;;
	esac | awk '{ print $NF }' | sed 's/@.*//'
}

# Compare the symbols with the list.
check_symbols()
{
	llvm=$(llvm_tool llvm-nm 14) || [ $system != macos ] || {
		echo "$target: the symbols are not compared, as there is no" \
			"llvm-nm (Debian: llvm-19)"
		return
	}
	for tool in $tools; do
		of_system "gsym-$tool$suffix"
	done | sort -u | grep -vxF -f "$tmp/stand-ins" >symbols
	[ "$mode" != update ] || cp symbols "$top/tests/fence/cross.$system"
	diff "$top/tests/fence/cross.$system" symbols >difference || {
		cat difference
		echo "$target: the tools take other symbols from the system" \
			"(tests/fence/cross.sh update)"
		bad=1
	}
	echo "$target: linked; $(wc -l <symbols) symbols of the system"
}

# Run the program $1 for Windows with the rest of the arguments.
run_windows()
{
	program=$1
	shift
	WINEDEBUG=-all WINEPREFIX=$tmp/wine wine "./gsym-$program.exe" "$@"
}

# Run the tool $1 for Windows and that of this system with the rest of the
# arguments, and compare what they say.
same_answer()
{
	tool=$1
	shift
	run_windows "$tool" "$@" >other 2>/dev/null
	"$native/gsym-$tool" "$@" >mine 2>/dev/null
	cmp mine other || {
		echo "$target: gsym-$tool $*: another answer"
		bad=1
	}
	answers=$((answers + 1))
}

# Run the checks of windows.c, and see what gsym-create refuses.
check_refusals()
{
	part=$(printf '%0200d' 0)
	folder=$tmp/files
	long=$folder/$part/$part
	mkdir -p "$folder/root" "$long" && : >"$long/file"
	long=Z:$(echo "$long/file" | tr / '\\')
	link_files files "$top/tests/fence/windows.c" >log 2>&1 || cat log
	run_windows files "Z:$folder" "$long" "--option=$long" || bad=1
	for output in nul.gsym aux COM7.gsym //localhost/c/x; do
		! run_windows create -o "$output" "$file" >out 2>&1 &&
			grep -q "'$output': a name of a device" out && continue
		echo "$target: gsym-create -o $output: $(cat out)"
		bad=1
	done
	run_windows create --own-files -o x.gsym "$file" >out 2>&1
	grep -q 'not available on this system' out || {
		echo "$target: gsym-create --own-files: $(cat out)"
		bad=1
	}
}

# Run the tools of Windows.
check_answers()
{
	answers=0
	command -v wine >/dev/null || {
		echo "$target: no program is run, as there is no wine" \
			"(Debian: wine64)"
		return
	}
	# The first programs in a new folder of wine may say nothing.
	for try in 1 2 3 4 5; do
		[ -z "$(run_windows dump --version 2>/dev/null)" ] || break
		sleep 2
	done
	for file in "$top"/testdata/gsym/*.gsym; do
		same_answer dump "$file"
		same_answer lookup "$file" 0x401000 0x401023 0x401110 0x10
	done
	same_answer dump --statistics "$file"
	check_refusals
	# Nothing is left that uses the folder.
	WINEPREFIX=$tmp/wine wineserver -k
	echo "$target: $answers answers are those of this system's tools"
}

mode=${1:-check}
for system in macos freebsd windows; do
	tools='lookup dump markup create xray front' suffix=''
	# zig takes half a minute to make its runtime library, of which the
	# tools take one variable.
	runtime='-nostdlib -lc'
	case $system in
	macos)
		target=aarch64-macos host=aarch64-apple-darwin self=macho
		;;
	freebsd)
		target=x86_64-freebsd host=x86_64-unknown-freebsd self=elf
		;;
	windows)
		target=x86_64-windows-gnu host=x86_64-w64-mingw32 self=none
		tools='lookup dump create' suffix=.exe runtime=''
		;;
	esac
	make_libraries
	if build; then
		check_symbols
		[ $system != windows ] || check_answers
	else
		bad=1
	fi
done
exit $bad
