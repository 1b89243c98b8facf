#!/bin/sh
# SPDX-License-Identifier: MIT
# Paths of Windows in DWARF: drive letters, backslashes and names of servers are
# absolute, folders are joined as readers of GSYM join them, and base names are
# llvm-symbolizer's, which takes backslashes for letters on this system.
set -u
cd "${top_builddir:?}" && : "${top_srcdir:?}" || exit 99
. "$top_srcdir/tests/support/tools.sh"
here=$PWD data=$(cd "$top_srcdir/testdata/pe" && pwd) || exit 99
[ -x gsym-create ] || skip "conversion is not built (--disable-convert)"
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
bad=0

# Compare the file $1 with what is expected, the file $2.
same()
{
	diff "$2" "$1" >difference || {
		echo "windows-paths: $1:"
		cat difference
		bad=1
	}
}

cat >gcc.want <<'END'
a at C:\src\main.c:1
b at C:\src/include/a.h:10
c at C:\src/../lib/b.c:20
d at C:/other/c.c:30
e at C:/x/d.c:40
f at //server/share/e.c:50
g at /posix/f.c:60
h at C:\src/sub/g.c:70
i at /rooted/h.c:80
j at C:\src\D:rel.c:90
END
cat >clang.want <<'END'
a at C:\src\main.c:1
b at C:\src\include\a.h:10
c at C:\src\..\lib\b.c:20
d at C:\other\c.c:30
e at C:/x/d.c:40
f at \\server\share\e.c:50
g at /posix/f.c:60
h at C:\src/sub/g.c:70
i at \rooted\h.c:80
j at C:\src\D:rel.c:90
END
cat >gcc.base <<'END'
main.c:1 a.h:10 b.c:20 c.c:30 d.c:40 e.c:50 f.c:60 g.c:70 h.c:80 D:rel.c:90
END
cat >clang.base <<'END'
main.c:1 include\a.h:10 ..\lib\b.c:20 C:\other\c.c:30 d.c:40 \\server\share\e.c:50 f.c:60 g.c:70 \rooted\h.c:80 D:rel.c:90
END
llvm=$(llvm_tool llvm-symbolizer 14) || llvm=
for compiler in gcc clang; do
	file=$data/$compiler.dll
	"$here/gsym-create" -q --verify -o "$compiler.gsym" "$file" || bad=1
	"$here/gsym-lookup" "$compiler.gsym" a b c d e f g h i j >answers
	sed 's/: .*//' answers >addresses
	sed 's/^[^ ]*: //' answers >$compiler.got
	same $compiler.got $compiler.want
	"$here/gsym-symbolizer" --output-style=GNU -f=none --basenames \
		-e "$file" <addresses >$compiler.names
	paste -sd' ' $compiler.names >$compiler.line
	same $compiler.line $compiler.base
	[ -n "$llvm" ] || continue
	"$llvm" --output-style=GNU -f=none --basenames -e "$file" \
		<addresses >$compiler.llvm
	same $compiler.names $compiler.llvm
	# It joins with the slash of the system that it runs on, and joins paths
	# that begin with one backslash, which are relative to a drive alone.
	"$llvm" --output-style=GNU -f=none -e "$file" <addresses |
		grep -v rooted | tr '\\' / >$compiler.llvm
	grep -v rooted $compiler.want | sed 's/.* at //' | tr '\\' / \
		>$compiler.slashes
	same $compiler.slashes $compiler.llvm
done
[ $bad = 0 ] && echo "20 paths of Windows"
exit $bad
