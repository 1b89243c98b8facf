#!/bin/sh
# SPDX-License-Identifier: MIT
# libgsym, libgsym-demangle, libgsym-xray, gsym-lookup, gsym-dump and gsym-markup
# load libc and nothing else; libgsym-convert and gsym-xray load no libdwarf, which
# the second reader of DWARF in gsym-create uses.
set -u
cd "${top_builddir:?}" && : "${top_srcdir:?}" || exit 99
bad=0

# The shared libraries that the file $1 needs, without those of sanitizers.
needed()
{
	readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
		grep -vE '^lib(asan|ubsan|clang_rt)'
}

# $1: the file; $2: a pattern for the libraries that it may need.
only()
{
	[ -e "$1" ] || { echo "$1 was not built"; bad=1; return; }
	readelf -hW "$1" >/dev/null 2>&1 || {
		echo "$1 is no ELF file but a wrapper"
		bad=1
		return
	}
	more=$(needed "$1" | grep -vxE "$2")
	[ -z "$more" ] || { echo "$1 needs $more"; bad=1; }
}

libc='libc\.so\.[0-9.]*|ld-linux.*|ld64?\.so.*|libgcc_s\.so\.1'
if [ -n "${GSYM_SANITIZE:-}" ]; then
	libc="$libc|libm\.so.*|libdl.*|libpthread.*|librt.*|libresolv.*|libstdc.*"
fi
if [ -e .libs/libgsym.so ]; then
	only .libs/libgsym.so "$libc"
	only .libs/libgsym-demangle.so "$libc"
	[ ! -e libgsym-xray.la ] || only .libs/libgsym-xray.so "$libc"
fi
only gsym-lookup "$libc"
only gsym-dump "$libc"
only gsym-markup "$libc"
only gsym "$libc"

# Fail if the file $1 needs a library whose name begins with $2.
without()
{
	[ -e "$1" ] || return
	needed "$1" | grep "^$2" && {
		echo "$1 must not need $2"
		bad=1
	}
}
for file in .libs/libgsym-convert.so gsym-xray; do
	without $file libdwarf
	without $file libelf
done
for file in .libs/libgsym-convert.a .libs/libgsym-convert.so; do
	! nm $file 2>/dev/null | grep -E ' U dwarf_| gsym_(libdwarf|second)_' || {
		echo "$file has the second reader"
		bad=1
	}
done

# libgsym.a has no undefined symbols of libraries other than libc.
wanted=$(nm -u .libs/libgsym.a 2>/dev/null |
	grep -E ' (elf|gelf|dwarf|inflate|ZSTD|XXH|libdeflate|isal)_?')
[ -z "$wanted" ] || { echo "libgsym.a wants:$wanted"; bad=1; }
# libgsym knows neither libgsym-xray nor libgsym-demangle, which does not know
# libgsym.
if nm -u .libs/libgsym-demangle.a 2>/dev/null | grep -w 'U gsym_.*' |
	grep -v ' gsym_demangle' || nm -u .libs/libgsym.a 2>/dev/null |
	grep -E 'U gsym_(demangle|xray)'; then
	echo 'these libraries must not need each other'
	bad=1
fi
exit $bad
