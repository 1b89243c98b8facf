#!/bin/sh
# SPDX-License-Identifier: MIT
# The Python package in python/: its tests, against the library of the build.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/store-lib.sh"
python=${PYTHON:-python3}
need "$python" python3
$python -c 'import sys; sys.exit(sys.version_info < (3, 9))' ||
	skip 'python3 is older than 3.9'
$python -c 'import pytest' 2>/dev/null ||
	skip 'pytest is not installed (Debian: python3-pytest)'
[ -z "${GSYM_SANITIZE:-}" ] || skip 'sanitizers have a malloc of their own'
GSYM_LIBRARY=$top_builddir/.libs/libgsym.so.0
[ -e "$GSYM_LIBRARY" ] || skip 'there is no shared library in the build'
make_store
GSYM_TEST_ID=$id
# A function with a name of C++.
cat >mangled.c <<'END'
int twice(int x) __asm__("_ZN3app5twiceEi");
int twice(int x) { return x * 2; }
int main(int argc, char **argv) { (void)argv; return twice(argc); }
END
${CC:-cc} -g -O1 -fno-inline -Wl,--build-id -o mangled mangled.c ||
	fail 'cannot compile'
gsym-create -q --install=store mangled || fail "gsym-create: $?"
GSYM_TEST_MANGLED=$(readelf -n mangled | sed -n 's/.*Build ID: *//p')
GSYM_TEST_MANGLED="$GSYM_TEST_MANGLED $(nm mangled |
	sed -n 's/^\([0-9a-f]*\) T _ZN3app5twiceEi$/0x\1/p')"
# Some builds have no demangler.
GSYM_DEMANGLE_LIBRARY=$top_builddir/.libs/libgsym-demangle.so.0
[ -e "$GSYM_DEMANGLE_LIBRARY" ] || GSYM_DEMANGLE_LIBRARY=
i=-32
while [ $i -lt 1200 ]; do
	echo $((start + i))
	i=$((i + 4))
done >addresses
sed "s/^/$GSYM_TEST_ID /" addresses |
	gsym-lookup --stream --gsym-file-directory=store >answers 2>err ||
	fail "$(cat err)"
paste addresses answers >pairs
GSYM_TEST_PAIRS=$PWD/pairs GSYM_TEST_STORE=$PWD/store
GSYM_TEST_PROGRAM=$PWD/prog GSYM_TEST_PROFILES=$top_srcdir/testdata/pprof
GSYM_TEST_LLVM=$(llvm_tool llvm-symbolizer)
PYTHONPATH=$top_srcdir/python PYTHONDONTWRITEBYTECODE=1
export GSYM_LIBRARY GSYM_DEMANGLE_LIBRARY GSYM_TEST_MANGLED GSYM_TEST_ID GSYM_TEST_PAIRS GSYM_TEST_STORE \
	GSYM_TEST_LLVM GSYM_TEST_PROGRAM GSYM_TEST_PROFILES PYTHONPATH \
	PYTHONDONTWRITEBYTECODE
$python -m pytest -q -p no:cacheprovider --rootdir="$top_srcdir/python" \
	"$top_srcdir/python/tests" || fail 'the tests of the package fail'
# GSYM_FUZZ_SECONDS: so many seconds of processor time.
$python "$top_srcdir/tests/fuzz/fuzz_pprof.py" \
	--seconds="${GSYM_FUZZ_SECONDS:-0}" store "$GSYM_TEST_ID" \
	$((start + 8)) "$GSYM_TEST_PROFILES"/*.pb.gz ||
	fail 'fuzz_pprof.py: see above'
exit 0
