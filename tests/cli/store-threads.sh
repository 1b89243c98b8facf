#!/bin/sh
# SPDX-License-Identifier: MIT
# Many threads use one store at once, under ThreadSanitizer.
set -u
cd "${top_builddir:?}" && : "${top_srcdir:?}" "${CC:?}" || exit 99
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
skip()
{
	echo "skipped: $*"
	exit 77
}

[ -z "${GSYM_SANITIZE:-}" ] || skip "another sanitizer is in use"
echo 'int main(void) { return 0; }' >"$tmp/main.c"
# shellcheck disable=SC2086 # CC may have flags
$CC -fsanitize=thread "$tmp/main.c" -o "$tmp/main" 2>/dev/null &&
	"$tmp/main" 2>/dev/null ||
	skip "no program with ThreadSanitizer can be built and run"
[ -x ./gsym-create ] || skip "gsym-create was not built"

# The rooms that a store needs, built anew.
sources=
for room in store reader format object base; do
	for file in "$top_srcdir"/libgsym/$room/*.c; do
		case ${file##*/} in
		encode*.c | intern.c) ;;
		*) sources="$sources $file" ;;
		esac
	done
done
# shellcheck disable=SC2086
$CC -g -O1 -fsanitize=thread -D_GNU_SOURCE -DHAVE_CONFIG_H -I. \
	-I"$top_srcdir/libgsym" -I"$top_srcdir/libgsym/include" \
	"$top_srcdir/tests/support/store_threads.c" $sources \
	-o "$tmp/store_threads" -pthread || exit 1

# Build ID N is eight bytes N.  Each has an ELF file with the symbol "known" and
# the function fN, and those with an even N a GSYM file.
count=6
n=0
while [ $n -lt $count ]; do
	folder=$(printf '%s/debug/.build-id/%02x' "$tmp" $n)
	rest=$(printf '%02x%02x%02x%02x%02x%02x%02x' $n $n $n $n $n $n $n)
	mkdir -p "$folder"
	cat >"$tmp/one.c" <<EOF
__asm__(".text\n.globl f$n\n.type f$n,%function\nf$n: .zero 16\n"
	".size f$n,16\n.globl known\n.type known,%function\n"
	".p2align 12\nknown: .zero 16\n.size known,16\n");
EOF
	# shellcheck disable=SC2086
	$CC -shared -nostdlib -Wl,-Ttext=0x1000 \
		-Wl,--build-id=0x"$(printf '%02x' $n)$rest" "$tmp/one.c" \
		-o "$folder/$rest.debug" 2>"$tmp/log" || {
		cat "$tmp/log"
		skip "no ELF file with text at 0x1000 can be linked"
	}
	[ $((n % 2)) != 0 ] || ./gsym-create -q -o "$folder/$rest.debug.gsym" \
		"$folder/$rest.debug" || exit 1
	n=$((n + 1))
done
TSAN_OPTIONS=halt_on_error=1:exitcode=3 "$tmp/store_threads" "$tmp/debug" \
	$count >"$tmp/log" 2>&1
status=$?
tail -40 "$tmp/log"
exit $status
