#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs can be built with the files that "make install" installs, with
# pkg-config and with CMake, shared and static.
set -u
cd "${top_builddir:?}" && : "${top_srcdir:?}" || exit 99
. "$top_srcdir/tests/support/tools.sh"
[ -e libgsym-convert.la ] ||
	skip "built without libgsym-convert (configure --disable-convert)"
need pkg-config
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT

die()
{
	echo "$*"
	exit 1
}

unset MAKEFLAGS MFLAGS MAKELEVEL
make -s install DESTDIR="$tmp/root" >"$tmp/log" 2>&1 || {
	cat "$tmp/log"
	die "make install failed"
}
# The links to gsym-lookup, which hold where the installation is moved to.
for name in bin/gsym-addr2line bin/gsym-symbolizer libexec/gsym/addr2line \
	libexec/gsym/llvm-addr2line libexec/gsym/llvm-symbolizer; do
	link=$(find "$tmp/root" -path "*/$name" -type l)
	[ -n "$link" ] || die "$name was not installed"
	case $(readlink "$link") in
	gsym-lookup | ../*/bin/gsym-lookup) [ -e "$link" ] ||
		die "$name leads to nothing: $(readlink "$link")" ;;
	*) die "$name leads to $(readlink "$link")" ;;
	esac
done
[ -e "$(find "$tmp/root" -name gsym-symbolizer.1)" ] ||
	die "gsym-symbolizer(1) leads nowhere"
pc=$(find "$tmp/root" -name gsym.pc)
[ -n "$pc" ] || die "gsym.pc was not installed"
PKG_CONFIG_LIBDIR=${pc%/*}:$(pkg-config --variable pc_path pkg-config)
PKG_CONFIG_SYSROOT_DIR=$tmp/root
# Keep the flags of a prefix that pkg-config takes for a system folder, such as
# /usr.
PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1
PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS PKG_CONFIG_ALLOW_SYSTEM_LIBS
libdir=$tmp/root$(pkg-config --variable libdir gsym |
	sed "s|^$tmp/root||")
version=$(pkg-config --modversion gsym) || die "pkg-config finds no gsym"
pkg-config --exact-version="$version" gsym-convert ||
	die "gsym and gsym-convert differ in version"

# Build a program. $1: the output; $2: the source; the rest: flags.
compile()
{
	out=$1 src=$2
	shift 2
	# shellcheck disable=SC2086
	$CC ${CFLAGS:-} ${GSYM_SANITIZE:-} -Wall -Werror "$src" -o "$out" "$@" \
		|| die "$src does not build with: $*"
}

# Run a program without an input; it has to end with 2 and a message.
works()
{
	message=$(LD_LIBRARY_PATH=$libdir "$@" /dev/null 0 2>&1)
	status=$?
	[ $status = 2 ] && [ -n "$message" ] ||
		die "$1: exit status $status: $message"
}

# Run the program $1, which contains the filter, on a sanitizer's log.
reads_logs()
{
	LD_LIBRARY_PATH=$libdir "$1" "$top_srcdir/testdata/markup/symbols" \
		<"$top_srcdir/testdata/markup/asan-heap.txt" \
		>"$tmp/log" 2>"$tmp/messages"
	status=$?
	# The log has modules without a GSYM file: status 1 and messages.
	[ $status = 1 ] && [ -s "$tmp/messages" ] &&
		grep -q ' main /src/demo/asan.c:20 (/src/demo/asan+0x' "$tmp/log" ||
		die "$1: exit status $status: $(cat "$tmp/log" "$tmp/messages")"
}

example=$top_srcdir/examples/lookup.c
crashlog=$top_srcdir/examples/crashlog.c
flags=$(pkg-config --cflags --libs gsym) || die "pkg-config failed"
case $flags in
*elf* | *dwarf* | *-lz*) die "a lookup program does not need: $flags" ;;
esac
if ls "$libdir"/libgsym.so >/dev/null 2>&1; then
	# shellcheck disable=SC2086
	compile "$tmp/shared" "$example" $flags
	works "$tmp/shared"
	# shellcheck disable=SC2086
	compile "$tmp/crashlog" "$crashlog" $flags
	reads_logs "$tmp/crashlog"
fi

if [ -e "$libdir/libgsym.a" ]; then
	flags=$(pkg-config --static --cflags --libs gsym)
	case $flags in
	*elf* | *dwarf* | *-lz*) die "static lookup does not need: $flags" ;;
	esac
	if [ -z "${GSYM_SANITIZE:-}" ]; then
		# shellcheck disable=SC2086
		compile "$tmp/static" "$example" -static $flags
		works "$tmp/static"
		# shellcheck disable=SC2086
		compile "$tmp/crashlog-static" "$crashlog" -static $flags
		reads_logs "$tmp/crashlog-static"
		if nm "$tmp/static" | grep -qE ' (elf_begin|elf_memory|gelf_getshdr|dwarf_init)'; then
			die "the static program holds libelf or libdwarf"
		fi
	fi
fi

# Conversion: libgsym-convert, whose flags include those of libgsym.
cat >"$tmp/convert.c" <<EOF
#include <gsym/convert.h>

int main(int argc, char **argv)
{
	struct gsym_builder *builder = gsym_builder_new();
	struct gsym_convert_options options = { .threads = 1 };
	enum gsym_status status = gsym_convert_file(argv[argc - 1], &options,
						    builder, NULL, NULL);

	gsym_builder_free(builder);
	return status == GSYM_OK ? 0 : 1;
}
EOF
case $(pkg-config --static --libs gsym-convert; find "$libdir" \
	-name gsym-config.cmake -exec cat {} +) in
*dwarf* | *-lelf*) die "libgsym-convert does not need libdwarf" ;;
esac
if [ -e "$libdir/libgsym-convert.so" ]; then
	# The sysroot changes the flags of libgsym's folders only.
	compile "$tmp/convert" "$tmp/convert.c" \
		$(pkg-config --cflags --libs gsym-convert)
	LD_LIBRARY_PATH=$libdir "$tmp/convert" "$tmp/convert" ||
		die "a program with libgsym-convert cannot read itself"
fi
# gsym-create has the second reader of DWARF, if libdwarf was there.
# shellcheck disable=SC2046,SC2086
$CC ${CFLAGS:-} ${GSYM_SANITIZE:-} -g "$example" -o "$tmp/debug" \
	$(pkg-config --cflags --libs gsym) || die 'no program with debug info'
LD_LIBRARY_PATH=$libdir "$(find "$tmp/root" -path '*/bin/gsym-create')" \
	--verify -o "$tmp/debug.gsym" "$tmp/debug" >"$tmp/log" 2>&1
status=$?
if [ -e libsecond.la ]; then
	[ $status = 0 ] && grep -q 'verified: .* 0 differences' "$tmp/log"
else
	[ $status = 2 ] && grep -q 'built without libdwarf' "$tmp/log"
fi || die "the installed gsym-create --verify: $status: $(cat "$tmp/log")"
# Demangling: libgsym-demangle, which needs nothing of libgsym.
cat >"$tmp/demangle.c" <<EOF
#include <gsym/demangle.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	struct gsym_demangler *demangler;
	const char *name;

	if (gsym_demangler_new(0, &demangler) != GSYM_OK)
		return 1;
	gsym_demangle(demangler, argv[argc - 1], &name);
	puts(name);
	gsym_demangler_free(demangler);
	return 0;
}
EOF
# Run the program $1.
demangles()
{
	name=$(LD_LIBRARY_PATH=$libdir "$1" _Z3addii)
	case $name in
	'add(int, int)') ;;
	_Z3addii) echo "not tried: built without libiberty" ;;
	*) die "$1 says $name" ;;
	esac
}
if [ -e "$libdir/libgsym-demangle.so" ]; then
	flags=$(pkg-config --cflags --libs gsym-demangle)
	case $flags in
	*iberty* | *'-lgsym '*) die "demangling does not need: $flags" ;;
	esac
	# shellcheck disable=SC2086
	compile "$tmp/demangle" "$tmp/demangle.c" $flags
	demangles "$tmp/demangle"
fi
# A program may use libiberty's xmalloc itself.
if [ -e "$libdir/libgsym-demangle.a" ] && [ -z "${GSYM_SANITIZE:-}" ]; then
	# shellcheck disable=SC2046
	compile "$tmp/demangle-static" "$tmp/demangle.c" -static \
		$(pkg-config --static --cflags --libs gsym-demangle |
			sed 's/-liberty/-Wl,-u,xmalloc_set_program_name &/')
	demangles "$tmp/demangle-static"
fi

# Traces: libgsym-xray, which needs nothing of libgsym.so.
cat >"$tmp/trace.c" <<EOF
#include <gsym/xray.h>

int main(void)
{
	/* The header of a basic log of version 3. */
	const uint8_t trace[32] = { 3 };
	struct gsym_xray_log *log;

	if (gsym_xray_open(trace, sizeof(trace), NULL, &log, NULL) != GSYM_OK)
		return 1;
	gsym_xray_close(log);
	return 0;
}
EOF
if [ -e "$libdir/libgsym-xray.so" ]; then
	flags=$(pkg-config --cflags --libs gsym-xray)
	case "$flags " in
	*'-lgsym '*) die "a reader of traces does not need: $flags" ;;
	esac
	# shellcheck disable=SC2086
	compile "$tmp/trace" "$tmp/trace.c" $flags
	LD_LIBRARY_PATH=$libdir "$tmp/trace" || die 'no trace can be opened'
fi
if [ -e "$libdir/libgsym-xray.a" ] && [ -z "${GSYM_SANITIZE:-}" ]; then
	# shellcheck disable=SC2046
	compile "$tmp/trace-static" "$tmp/trace.c" -static \
		$(pkg-config --static --cflags --libs gsym-xray)
	"$tmp/trace-static" || die 'no trace can be opened (static)'
fi

# The archives as a whole.
if [ -e "$libdir/libgsym-convert.a" ] && [ -z "${GSYM_SANITIZE:-}" ]; then
	# shellcheck disable=SC2046
	compile "$tmp/whole" "$tmp/convert.c" \
		$(pkg-config --cflags gsym-convert) -Wl,--whole-archive \
		"$libdir/libgsym-convert.a" "$libdir/libgsym.a" \
		$(find "$libdir" -name libgsym-xray.a) \
		-Wl,--no-whole-archive \
		$(pkg-config --static --libs gsym-convert |
			sed 's/-lgsym[^ ]*//g')
	"$tmp/whole" "$tmp/whole" ||
		die "the program with all archives cannot read itself"
fi
# The static program is tried only if the libraries for compressed sections are
# there as archives.
echo 'int main(void) { return 0; }' >"$tmp/empty.c"
# shellcheck disable=SC2046,SC2086
if [ -e "$libdir/libgsym-convert.a" ] && [ -z "${GSYM_SANITIZE:-}" ] &&
   $CC ${CFLAGS:-} "$tmp/empty.c" -o "$tmp/empty" -static \
	$(pkg-config --static --cflags --libs gsym-convert) 2>/dev/null; then
	compile "$tmp/convert-static" "$tmp/convert.c" -static \
		$(pkg-config --static --cflags --libs gsym-convert)
	"$tmp/convert-static" "$tmp/convert-static" ||
		die "the static program cannot read itself"
else
	echo "not tried: a static program with libgsym-convert"
fi

# CMake finds the libraries, also where they were moved to.  $1: ON for the static
# ones, OFF.
try_cmake()
{
	moved=$tmp/moved
	rm -rf "$moved" "$tmp/cmake"
	mkdir "$tmp/cmake"
	cp -r "$tmp/root" "$moved"
	cp "$tmp/convert.c" "$tmp/demangle.c" "$tmp/trace.c" "$example" \
		"$tmp/cmake"
	cat >"$tmp/cmake/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.13)
project(user C)
find_package(gsym 1.0 REQUIRED)
foreach(program lookup convert demangle)
  add_executable(\${program} \${program}.c)
endforeach()
target_link_libraries(lookup gsym::gsym)
target_link_libraries(convert gsym::gsym-convert)
target_link_libraries(demangle gsym::gsym-demangle)
if(TARGET gsym::gsym-xray)
  add_executable(trace trace.c)
  target_link_libraries(trace gsym::gsym-xray)
endif()
EOF
	file=$(find "$moved" -name gsym-config.cmake)
	cmake -S "$tmp/cmake" -B "$tmp/cmake/build" \
		-DCMAKE_C_COMPILER="${CC##* }" -Dgsym_DIR="${file%/*}" \
		-Dgsym_USE_STATIC_LIBS="$1" >"$tmp/log" 2>&1 &&
		make -s -C "$tmp/cmake/build" >>"$tmp/log" 2>&1 || {
		cat "$tmp/log"
		die "a project with CMake does not build (static: $1)"
	}
	readelf -d "$tmp/cmake/build/convert" | grep -q 'NEEDED.*libgsym' &&
		static=OFF || static=ON
	[ "$static" = "$1" ] || die "CMake links another kind of library"
	works "$tmp/cmake/build/lookup"
	demangles "$tmp/cmake/build/demangle"
	[ ! -e libgsym-xray.la ] ||
		LD_LIBRARY_PATH=$libdir "$tmp/cmake/build/trace" ||
		die 'a program built by CMake can open no trace'
	LD_LIBRARY_PATH=$libdir "$tmp/cmake/build/convert" \
		"$tmp/cmake/build/convert" ||
		die "a program built by CMake cannot read itself"
	sed -i 's/gsym 1.0/gsym 2/' "$tmp/cmake/CMakeLists.txt"
	cmake -S "$tmp/cmake" -B "$tmp/cmake/other" \
		-Dgsym_DIR="${file%/*}" >"$tmp/log" 2>&1 &&
		die "CMake takes this version for version 2"
}
# In a build with CMake that needs $1: components are known, and
# gsym_add_symbols makes symbols when a program is linked, and not again.
try_symbols()
{
	rm -rf "$tmp/symbols"
	mkdir "$tmp/symbols"
	echo 'int main(void) { return 0; }' >"$tmp/symbols/m.c"
	cat >"$tmp/symbols/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.16)
project(user C)
find_package(gsym REQUIRED COMPONENTS $1)
add_executable(prog m.c)
target_compile_options(prog PRIVATE -g)
gsym_add_symbols(prog REQUIRE debug-info lines INSTALL lib/debug
  OPTIONS --path-prefix-map=auto)
add_executable(inside m.c)
target_compile_options(inside PRIVATE -g)
gsym_add_symbols(inside EMBED)
EOF
	cmake -S "$tmp/symbols" -B "$tmp/symbols/b" -Dgsym_DIR="${file%/*}" \
		-DCMAKE_C_COMPILER="${CC##* }" >"$tmp/log" 2>&1 || return 1
	export LD_LIBRARY_PATH="$libdir"
	make -s -C "$tmp/symbols/b" >"$tmp/log" 2>&1 || {
		cat "$tmp/log"
		die 'gsym_add_symbols'
	}
	"$top_builddir/gsym-dump" --files "$tmp/symbols/b/prog.gsym" |
		grep -q '  m\.c$' || die 'gsym_add_symbols: auto keeps a path'
	stat -c %y "$tmp/symbols/b/prog.gsym" >"$tmp/before"
	make -s -C "$tmp/symbols/b" >"$tmp/log" 2>&1
	stat -c %y "$tmp/symbols/b/prog.gsym" | cmp -s - "$tmp/before" ||
		die 'gsym_add_symbols: the second build makes symbols again'
	readelf -S "$tmp/symbols/b/inside" | grep -q '\.gsym' ||
		die 'gsym_add_symbols: EMBED'
	# In a cross build the program beside the CMake file may be of the other
	# machine, or of this one, which PATH need not have.
	PATH=/usr/bin:/bin cmake -S "$tmp/symbols" -B "$tmp/symbols/cross" \
		-DCMAKE_SYSTEM_NAME=Linux -Dgsym_DIR="${file%/*}" \
		-DCMAKE_C_COMPILER="${CC##* }" >"$tmp/log" 2>&1 &&
		make -s -C "$tmp/symbols/cross" >"$tmp/log" 2>&1 || {
		cat "$tmp/log"
		die 'gsym_add_symbols in a cross build'
	}
	sed -i 's/ -g)/ -g0)/' "$tmp/symbols/CMakeLists.txt"
	! make -s -C "$tmp/symbols/b" >"$tmp/log" 2>&1 &&
		grep -q 'it has no debug info' "$tmp/log" ||
		die 'gsym_add_symbols: REQUIRE accepts a build without -g'
	unset LD_LIBRARY_PATH
}
# A project that knows nothing of gsym, with the generator $1, gets symbols of all
# that is linked, once.
try_every()
{
	rm -rf "$tmp/a project"
	mkdir -p "$tmp/a project/sub"
	cp "$tmp/empty.c" "$tmp/a project/m.c"
	echo 'void shared(void) { }' >"$tmp/a project/sub/s.c"
	cat >"$tmp/a project/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.16)
project(user C)
add_executable(prog m.c)
add_subdirectory(sub)
EOF
	cat >"$tmp/a project/sub/CMakeLists.txt" <<EOF
project(inner C)
add_library(shared SHARED s.c)
add_library(archive STATIC s.c)
EOF
	cmake -G "$1" -S "$tmp/a project" -B "$tmp/a project/b" \
		-DCMAKE_C_COMPILER="${CC##* }" -DCMAKE_C_FLAGS=-g \
		-DCMAKE_PROJECT_INCLUDE="${file%/*}/gsym-every-target.cmake" \
		-Dgsym_OPTIONS='--require=debug-info;--require=lines' \
		>"$tmp/log" 2>&1 || die "gsym-every-target, $1: $(cat "$tmp/log")"
	for round in first second; do
		LD_LIBRARY_PATH=$libdir cmake --build "$tmp/a project/b" \
			>"$tmp/log" 2>&1 ||
			die "gsym-every-target, $1: $(cat "$tmp/log")"
		find "$tmp/a project/b" -name '*.gsym' -exec stat -c %y {} + \
			>"$tmp/$round"
	done
	[ "$(wc -l <"$tmp/first")" = 2 ] && cmp "$tmp/first" "$tmp/second" ||
		die "gsym-every-target, $1: $(cat "$tmp/first" "$tmp/second")"
	find "$tmp/a project/b" -name '*.gsym' \
		-exec "$top_builddir/gsym-dump" --files {} \; >"$tmp/files"
	grep -q '  m\.c$' "$tmp/files" && grep -q '  sub/s\.c$' "$tmp/files" ||
		die "gsym-every-target, $1: $(cat "$tmp/files")"
}
if ! command -v cmake >/dev/null; then
	echo "not tried: there is no cmake (Debian: cmake)"
elif [ -n "${GSYM_SANITIZE:-}" ]; then
	echo "not tried: CMake with sanitizers"
else
	[ ! -e "$libdir/libgsym-convert.so" ] || try_cmake OFF
	[ ! -e "$libdir/libgsym-convert.a" ] || try_cmake ON
	try_symbols nonsense && die 'CMake accepts a component that is unknown'
	grep -q "'nonsense' could not be found" "$tmp/log" || die "$(cat "$tmp/log")"
	[ ! -e "$libdir/libgsym-convert.so" ] || try_symbols 'tools convert' ||
		die "$(cat "$tmp/log")"
	try_every 'Unix Makefiles'
	if command -v ninja >/dev/null; then
		try_every Ninja
		try_every 'Ninja Multi-Config'
	else
		echo "not tried: there is no ninja (Debian: ninja-build)"
	fi
fi

# Nothing of gsym is left by "make uninstall".
make -s uninstall DESTDIR="$tmp/root" >"$tmp/log" 2>&1 || {
	cat "$tmp/log"
	die "make uninstall failed"
}
# The prefix itself may lie in a folder called gsym.
prefix=$(sed -n 's/^prefix = //p' Makefile)
left=$(find "$tmp/root" ! -type d
	find "$tmp/root$prefix" -mindepth 1 -type d -name gsym)
[ -z "$left" ] || die "left by make uninstall: $left"
exit 0
