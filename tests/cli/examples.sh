#!/bin/sh
# SPDX-License-Identifier: MIT
# The programs in examples are built and do what their first lines say.
# tests/fence/install.sh builds lookup.c and crashlog.c against the installed
# libraries.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
[ -x "$top_builddir/gsym-create" ] || skip 'gsym-create is not built'
[ -z "${GSYM_SANITIZE:-}" ] || skip 'sanitizers have a malloc of their own'
examples=$top_srcdir/examples
libs=$top_builddir/.libs
LD_LIBRARY_PATH=$libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

# Build $2 as the program $1; the rest: flags.
build()
{
	program=$1 source=$2
	shift 2
	${CC:-cc} -g -Wall -Wextra -Werror -Wl,--build-id -I"$top_srcdir/libgsym/include" \
		-ffile-prefix-map="$top_srcdir"=/src -o "$program" "$source" \
		"$@" -L"$libs" -lgsym || fail "$source does not build"
}

# ---- a conversion and a lookup in C++
build convert "$examples/convert.c" -lgsym-convert
./convert convert out.gsym || fail 'convert: status'
gsym-dump --verify out.gsym >../stdout || fail 'convert: the file is damaged'
gsym-create --quiet -o same.gsym convert && cmp out.gsym same.gsym ||
	fail 'convert: another file than that of gsym-create'
./convert convert missing/out.gsym 2>../stderr && fail 'convert: no folder'
printf 'int main(void) { return 0; }\n' >probe.cpp
if ${CXX:-c++} -std=c++17 -o probe probe.cpp 2>../stderr; then
	${CXX:-c++} -std=c++17 -Wall -Wextra -Werror -pedantic \
		-I"$top_srcdir/libgsym/include" -o lookup \
		"$examples/lookup.cpp" -L"$libs" -lgsym ||
		fail 'lookup.cpp does not build'
	main=$(nm convert | sed -n 's/^\([0-9a-f]*\) . main$/\1/p')
	./lookup out.gsym "$main" | grep -q '^main at /src/examples/convert.c:' ||
		fail "lookup.cpp: $(./lookup out.gsym "$main")"
	./lookup missing 0 2>../stderr && fail 'lookup.cpp: status'
	grep -q '^missing: cannot open' ../stderr || fail 'lookup.cpp: message'
else
	echo 'not tried: lookup.cpp (no C++ compiler)'
fi

# ---- a crash handler
case $(uname -m) in
x86_64 | aarch64) ;;
*)
	echo 'not tried: crash_handler.c and profiler.c (x86-64 and arm64 alone)'
	exit 0 ;;
esac
frames=-fno-omit-frame-pointer
build crash_handler "$examples/crash_handler.c" $frames
gsym-create --quiet crash_handler || fail 'gsym-create crash_handler'
(ulimit -c 0; exec ./crash_handler 2>log) 2>../stderr
sed 's/ 0x[0-9a-f]* / /; s/\(crash_handler\.c\):[0-9]*/\1:N/' log >shown
cat >wanted <<'END'
crashed with signal 11
#0 divide at /src/examples/crash_handler.c:N (inlined)
#0 average at /src/examples/crash_handler.c:N
#1 main at /src/examples/crash_handler.c:N
END
head -n 4 shown | diff wanted - || fail "crash_handler: $(cat log)"
line=$(grep -n 'return a / \*b' "$examples/crash_handler.c" | cut -d: -f1)
grep -q "divide at .*:$line (inlined)" log || fail 'crash_handler: the line'

# The handler neither allocates nor makes other system calls than it says, and
# its stack suffices.
build traps "$top_srcdir/tests/support/crash_traps.c" $frames
gsym-create --quiet traps || fail 'gsym-create traps'
./traps 2>log
status=$?
if [ $status = 77 ]; then
	echo 'not tried: the traps (no seccomp)'
else
	[ $status = 0 ] || fail "traps: status $status: $(cat log)"
	grep -q '^#0 .* read_at at .*(inlined)$' log &&
		grep -q '^#4 .* main at ' log || fail "traps: $(cat log)"
	used=$(sed -n 's/^stack used: //p' log)
	[ "$used" -lt 12288 ] || fail "traps: $used bytes of stack"
	# The trap itself works.
	./traps x 2>log
	[ $? = 99 ] || fail 'an allocation in the handler is not noticed'
fi

# ---- a profiler
build profiler "$examples/profiler.c"
cat >spin.c <<'END'
static volatile unsigned long x;
static inline __attribute__((always_inline)) void inner(void)
{
	for (int i = 0; i < 1000; i++)
		x += i;
}
static void outer(void) { inner(); }
int main(void) { for (;;) outer(); }
END
build spin spin.c $frames
gsym-create --quiet spin || fail 'gsym-create spin'
./spin &
pid=$!
./profiler $pid >folded 2>../stderr
status=$?
kill $pid
case $status in
0) grep -q 'main;outer;inner [0-9][0-9]*$' folded ||
	fail "profiler: $(cat folded)" ;;
1) echo "not tried: profiler.c ($(cat ../stderr))" ;;
*) fail "profiler: status $status: $(cat ../stderr)" ;;
esac
exit 0
