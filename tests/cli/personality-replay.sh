#!/bin/sh
# SPDX-License-Identifier: MIT
# What clients sent to addr2line and llvm-symbolizer is answered as the real
# programs answered it.  Each difference is printed with its reason.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
# gsym-create converts what the tests ask about.
. "$top_srcdir/tests/cli/personality-lib.sh"
[ -x "$top_builddir/gsym-create" ] || skip "gsym-create is not built"
need python3

for what in probes batches dialogs; do
	rm -rf "$scratch/replay"
	mkdir "$scratch/replay"
	python3 "$top_srcdir/tests/cli/personality-replay.py" $what \
		"$data" "$links" "$scratch/replay" ||
		fail "$what: see above"
done

# Clients that nobody installs for a test, by what their sources say.
mkdir "$scratch/real" || exit 99
real=$scratch/real
for name in addr2line llvm-symbolizer; do
	path=$(command -v $name) && ln -s "$path" "$real/$name"
done
python3 "$top_srcdir/tests/cli/personality-protocols.py" "$data/bin/shapes" \
	"$links" "$real" || fail 'protocols: see above'
exit 0
