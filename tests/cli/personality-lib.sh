# SPDX-License-Identifier: MIT
# What the scripts of gsym-addr2line and gsym-symbolizer share.
. "$top_srcdir/tests/cli/lib.sh"

data=$top_srcdir/testdata/personalities
links=$scratch/links
# No test may see the cache and the options of the user.
XDG_CACHE_HOME=$scratch/cache
TMPDIR=$scratch/tmp
export XDG_CACHE_HOME TMPDIR
unset GSYM_LOOKUP_OPTS LLVM_SYMBOLIZER_OPTS LLVM_ADDR2LINE_OPTS \
	GSYM_REAL_ADDR2LINE GSYM_REAL_SYMBOLIZER DEBUGINFOD_URLS
mkdir "$links" "$TMPDIR" || exit 99
for name in addr2line llvm-addr2line llvm-symbolizer; do
	ln -s "$top_builddir/gsym-lookup" "$links/$name" || exit 99
done
a2l=$links/addr2line
lla2l=$links/llvm-addr2line
sym=$links/llvm-symbolizer

# Fail unless $2 equals $3.  $1: words for the message.
same()
{
	[ "$2" = "$3" ] || fail "$1: '$2', not '$3'"
}
