#!/bin/sh
# SPDX-License-Identifier: MIT
# A Breakpad file that dump_syms makes of a program gives the answers of the
# program's DWARF, at every address of every function.  Only Mozilla's dump_syms
# knows --inlines, which writes inlined calls; Breakpad has another dump_syms.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
dump_syms --help 2>&1 | grep -q -e '--inlines' ||
	skip "Mozilla's dump_syms is not installed (cargo install dump_syms)"
for clang in clang-19 clang ''; do
	command -v "$clang" >/dev/null && break
done
[ -n "$clang" ] || skip 'clang is not installed (Debian: clang)'
cp "$top_srcdir"/tests/cli/program.c . || exit 99
# Nested inlined calls, from more than one file.
cat >deep.h <<'END'
static inline int low(int x) { return x > 3 ? x * 7 : x ^ 5; }
static inline int middle(int x)
{
	int sum = 0;
	for (int i = 0; i < x; i++) {
		int y = low(i + x);
		sum += y > 9 ? low(y) : low(sum);
	}
	return sum;
}
END
cat >deep.c <<'END'
#include "deep.h"
volatile int sink;
__attribute__((noinline)) int high(int x)
{
	if (x & 1)
		return middle(x) + low(x);
	sink = middle(x + 2);
	return middle(sink);
}
int rest(int a, int b) { return high(a) + low(b) * middle(b); }
END
"$clang" -O2 -gdwarf-5 -fPIC -shared -Wl,--build-id -o prog.so \
	"$PWD/deep.c" "$PWD/program.c" 2>../stderr ||
	skip "$clang cannot link: $(tail -n 1 ../stderr)"
dump_syms --inlines -o prog.sym prog.so || fail 'dump_syms'
grep -q '^INLINE ' prog.sym || fail 'dump_syms writes no inlined calls'

gsym-create -q -o dwarf.gsym prog.so || fail "DWARF: $?"
gsym-create -q --program=prog.so -o records.gsym prog.sym || fail "records: $?"
sed -n 's/^FUNC \(m \)*\([0-9a-f]*\) \([0-9a-f]*\) .*/\2 \3/p' prog.sym |
	while read -r start size; do
		at=$((0x$start))
		end=$((at + 0x$size))
		while [ $at -lt $end ]; do
			printf '0x%x\n' $at
			at=$((at + 1))
		done
	done >addresses
count=$(wc -l <addresses)
[ "$count" -gt 200 ] || fail "$count addresses"
# One INLINE record stands for all calls of a function from one line, so offsets
# into these calls differ.
look()
{
	gsym-lookup "$1" <addresses |
		sed 's/ + [0-9]* at \(.*(inlined)\)$/ at \1/'
}
look dwarf.gsym >theirs
look records.gsym >ours
grep -q inlined ours || fail 'nothing was inlined'
diff theirs ours >diff || fail "$(head -n 20 diff)"
echo "$count addresses"
