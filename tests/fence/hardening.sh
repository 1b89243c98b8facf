#!/bin/sh
# SPDX-License-Identifier: MIT
# The tools and libraries are built with what the compiler and the linker can do
# against bugs that hostile input finds.
set -u
cd "${top_builddir:?}" && : "${top_srcdir:?}" || exit 99
bad=0

if [ -n "${GSYM_SANITIZE:-}" ]; then
	echo "skipped: built with sanitizers"
	exit 77
fi
if ! grep -q '^GSYM_LDFLAGS = .*relro' Makefile ||
	! grep -q '^GSYM_CFLAGS = .*stack-protector' Makefile; then
	echo "skipped: configured with --disable-hardening, or for a compiler" \
		"without these flags"
	exit 77
fi

# $1: the file; $2: what it lacks if the command after that fails.
lacks()
{
	file=$1 what=$2
	shift 2
	"$@" >/dev/null || { echo "$file: $what"; bad=1; }
}

# $1: a command; $2: an expression that its output has to match.
shows()
{
	$1 | grep -qE "$2"
}

relocations()
{
	lacks "$1" "no read-only relocations" shows "readelf -lW $1" GNU_RELRO
	lacks "$1" "symbols are bound lazily" \
		shows "readelf -dW $1" 'BIND_NOW|FLAGS.*NOW'
	# The stack must not be executable: "RW ", not "RWE".
	lacks "$1" "an executable stack" \
		shows "readelf -lW $1" 'GNU_STACK.* RW +0x'
}

for file in gsym gsym-lookup gsym-dump gsym-markup gsym-create gsym-xray; do
	[ -e "$file" ] || continue
	relocations "$file"
	lacks "$file" "its address is fixed" shows "readelf -hW $file" 'DYN'
	lacks "$file" "no stack protector" \
		shows "readelf --dyn-syms -W $file" '__stack_chk_fail'
	if grep -q '^GSYM_CFLAGS = .*_FORTIFY_SOURCE' Makefile; then
		lacks "$file" "no checks of buffer sizes" \
			shows "readelf --dyn-syms -W $file" '__[a-z]+_chk\b'
	fi
done
for file in .libs/libgsym.so .libs/libgsym-convert.so .libs/libgsym-xray.so; do
	[ ! -e "$file" ] || relocations "$file"
done
exit $bad
