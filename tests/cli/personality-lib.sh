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
	DEBUGINFOD_URLS
mkdir "$links" "$TMPDIR" || exit 99
for name in addr2line llvm-addr2line llvm-symbolizer; do
	ln -s "$top_builddir/gsym-lookup" "$links/$name" || exit 99
done
a2l=$links/addr2line
lla2l=$links/llvm-addr2line
sym=$links/llvm-symbolizer

# Compile "plain", with GSYM data in the folder "data".  Calls are not inlined:
# what programs say of those differs.
make_plain()
{
	cat >plain.c <<-'END'
	int twice(volatile int *x)
	{
		*x *= 2;
		return *x;
	}

	int main(int argc, char **argv)
	{
		volatile int x = argc;
		(void)argv;
		twice(&x);
		return twice(&x) == 0;
	}
	END
	${CC:-cc} -O0 -g -fno-inline -Wl,--build-id -o plain plain.c ||
		fail 'cannot compile'
	mkdir data
	gsym-create -q -o data/plain.gsym plain || fail 'gsym-create'
	GSYM_LOOKUP_OPTS=--gsym-file-directory=$PWD/data
	export GSYM_LOOKUP_OPTS
}

# Fail unless $2 equals $3.  $1: words for the message.
same()
{
	[ "$2" = "$3" ] || fail "$1: '$2', not '$3'"
}
