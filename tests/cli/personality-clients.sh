#!/bin/sh
# SPDX-License-Identifier: MIT
# Real clients with gsym-lookup in the place of their symbolizer: they end, and
# what they print agrees with what they print with the real one.  Clients that
# are not installed are named, with a word about where to get them.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
# gsym-create converts what the clients ask about.
. "$top_srcdir/tests/cli/personality-lib.sh"
[ -x "$top_builddir/gsym-create" ] || skip 'gsym-create is not built'
[ -z "${GSYM_SANITIZE:-}" ] ||
	skip 'a sanitized symbolizer cannot serve a sanitized program'
need python3
command -v "${CXX:-g++}" >/dev/null || skip 'no C++ compiler'
cp "$data"/bin/*.cpp . || exit 99
ran=0

# Say that the client $1 is not there, and where it is to be had: $2.
absent()
{
	echo "$1: not installed: $2"
}

# $1: the client; then the arguments of personality-clients.py.
agree()
{
	client=$1
	shift
	python3 "$top_srcdir/tests/cli/personality-clients.py" "$@" >said || {
		cat said
		fail "$client: the answers differ"
	}
	echo "$client: as with the real one"
	ran=$((ran + 1))
}

# Run a client, at most two minutes.  $1: its name; $2: the output; then the
# command.  Sanitizers end programs with statuses of their own.
run()
{
	who=$1 to=$2
	shift 2
	timeout 120 "$@" >"$to" 2>&1
	[ $? != 124 ] || fail "$who hangs"
}

# ---- the sanitizers of clang -------------------------------------------------

for n in 24 23 22 21 20 19 18 17 16; do
	command -v clang++-$n >/dev/null && command -v llvm-symbolizer-$n \
		>/dev/null && break
	n=
done

# $1: the sanitizer; $2: the source; $3, $4: arguments of the program.
# HWASan wants pointers with a tag, which the processor ignores; with aliases of
# pages it does without.
sanitizer()
{
	program=$1.prog flags=
	[ "$1" != hwaddress ] || [ "$(uname -m)" != x86_64 ] ||
		flags=-fsanitize-hwaddress-experimental-aliasing
	# shellcheck disable=SC2086 # there may be no flag
	clang++-$n -O1 -g -fno-omit-frame-pointer -pthread -fsanitize=$1 $flags \
		"$2" -o "$program" 2>err || {
		absent "clang's $1 sanitizer" "apt-get install libclang-rt-$n-dev"
		return
	}
	for kind in real ours; do
		path=$sym
		[ $kind = ours ] || path=$(command -v llvm-symbolizer-$n)
		# shellcheck disable=SC2086 # there may be no arguments
		run "$1" $kind env ASAN_SYMBOLIZER_PATH="$path" \
			UBSAN_SYMBOLIZER_PATH="$path" \
			LSAN_SYMBOLIZER_PATH="$path" \
			MSAN_SYMBOLIZER_PATH="$path" \
			HWASAN_SYMBOLIZER_PATH="$path" \
			ASAN_OPTIONS=detect_leaks=0 \
			UBSAN_OPTIONS=print_stacktrace=1 \
			TSAN_OPTIONS=external_symbolizer_path="$path" \
			"./$program" $3 $4
	done
	grep -q 'SUMMARY\|runtime error' real || {
		echo "the $1 sanitizer of clang $n finds nothing here"
		return
	}
	agree "the $1 sanitizer of clang $n ($3)" same real ours \
		'\.cpp|SUMMARY|Location|is located'
}

if [ -n "$n" ]; then
	sanitizer address shapes.cpp h 4
	sanitizer address shapes.cpp g 4
	sanitizer undefined shapes.cpp u 99
	sanitizer thread race.cpp '' ''
	cat >leak.cpp <<'END'
#include <cstdlib>
static void *lose(int n) { return malloc(n); }
int main(int argc, char **) { void *volatile p = lose(33 * argc); p = 0; }
END
	sanitizer leak leak.cpp '' ''
	cat >unset.cpp <<'END'
#include <cstdlib>
static inline int pick(int *a, int i) { return a[i] ? 1 : 2; }
__attribute__((noinline)) int leaf(int *a) { return pick(a, 3); }
int main(int argc, char **)
{
	int *a = static_cast<int *>(malloc(16 * sizeof(int)));
	int result = leaf(a);
	free(a);
	return argc > 1 ? result + leaf(a) : result;
}
END
	sanitizer memory unset.cpp '' ''
	sanitizer hwaddress unset.cpp x ''
	# Under the name addr2line, where LLVM's own never comes to an end.
	run 'ASan with addr2line' out env ASAN_SYMBOLIZER_PATH="$a2l" \
		ASAN_OPTIONS=detect_leaks=0 ./address.prog h
	grep -q '#2.* heap(int) .*shapes.cpp:22' out ||
		fail "ASan with addr2line: $(cat out)"
	echo "the address sanitizer with addr2line: ends"
	# The crash handler.
	printf '#pragma clang __debug crash\n' >crash.c
	for kind in real ours; do
		path=$sym
		[ $kind = ours ] || path=$(command -v llvm-symbolizer-$n)
		run 'the crash handler' $kind env \
			LLVM_SYMBOLIZER_PATH="$path" clang-$n -c crash.c
	done
	agree "the crash handler of clang $n" same real ours \
		'^ *#[0-9]+ .*(llvm|clang)::'
	if command -v asan_symbolize-$n >/dev/null ||
		command -v asan_symbolize-19 >/dev/null; then
		tool=$(command -v asan_symbolize-$n || command -v asan_symbolize-19)
		ASAN_OPTIONS=symbolize=0:detect_leaks=0 ./address.prog h 2>log
		for kind in real ours; do
			path=$sym
			[ $kind = ours ] || path=$(command -v llvm-symbolizer-$n)
			LLVM_SYMBOLIZER_PATH=$path run asan_symbolize $kind \
				"$tool" -d -l log
		done
		agree asan_symbolize same real ours '\.cpp'
	else
		absent asan_symbolize 'apt-get install clang-19'
	fi
else
	absent 'clang with its sanitizers' \
		'apt-get install clang-22 llvm-22 libclang-rt-22-dev'
fi

# ---- profilers ---------------------------------------------------------------

# Which addresses a profile has differs from run to run, so there is none for
# which addr2line is wrong.  It gives the padding between functions the line
# before; jeprof asks for the byte before each address, so also before the first
# one of a function.  And some line tables of DWARF 5 get a wrong file.
${CXX:-g++} -O2 -gdwarf-4 -fno-align-functions -fno-align-loops \
	-fno-align-jumps -fno-reorder-blocks-and-partition hot.cpp -o hot ||
	fail 'cannot compile'
tools()
{
	mkdir "$1" || exit 99
	ln -s "$2" "$1/$3"
	for tool in nm objdump c++filt; do
		ln -s "$(command -v $tool)" "$1/$tool"
	done
}
tools lines.ours "$a2l" addr2line
tools lines.real "$(command -v addr2line)" addr2line

if command -v perf >/dev/null &&
	perf record -q --call-graph dwarf -F 300 -o perf.data ./hot \
		>out 2>&1; then
	for kind in real ours; do
		PATH=$PWD/lines.$kind:$PATH run perf $kind perf script --inline \
			-i perf.data -F ip,sym
	done
	# perf of Debian 13 shows no inlined calls, whatever addr2line says.
	if grep -q '(inlined)' real ours; then
		agree 'perf script --inline' perf real ours '\(inlined\)'
	else
		absent "an '(inlined)' of perf $(perf --version | sed 's/.* //')" \
			'another version of perf'
	fi
else
	absent 'perf, with leave to use it' 'apt-get install linux-perf'
fi

profiler=$(find /usr/lib /usr/local/lib -name 'libprofiler.so*' 2>/dev/null |
	head -1)
if [ -n "$profiler" ]; then
	CPUPROFILE=hot.prof LD_PRELOAD=$profiler ./hot >out 2>&1
fi
for tool in google-pprof jeprof; do
	if [ -s hot.prof ] && command -v $tool >/dev/null; then
		for kind in real ours; do
			run $tool $kind $tool "--tools=$PWD/lines.$kind/" \
				--text --lines hot hot.prof
			sed -n 's/.* \(\/[^ ]*:[0-9]*\)$/\1/p' $kind |
				sort -u >places.$kind
		done
		agree $tool more places.real places.ours 'hot.cpp|/usr/include'
	else
		absent $tool 'apt-get install google-perftools libgoogle-perftools-dev libjemalloc-dev'
	fi
done
pprof=$(command -v pprof || echo "${PPROF:-}")
if [ -s hot.prof ] && [ -x "$pprof" ]; then
	real=$(command -v "llvm-symbolizer${n:+-$n}")
	tools llvm.ours "$sym" llvm-symbolizer
	tools llvm.real "$real" llvm-symbolizer
	for protocol in llvm lines; do
		for kind in real ours; do
			run pprof $kind env PPROF_TOOLS="$PWD/$protocol.$kind" \
				PATH="$PWD/$protocol.$kind" "$pprof" -lines \
				-symbolize=force -top hot hot.prof
			sed -n 's/.* \(\/[^ ]*:[0-9]*\)\( (inline)\)*$/\1/p' \
				$kind | sort -u >places.$kind
		done
		agree "pprof ($protocol)" more places.real places.ours \
			'hot.cpp|/usr/include'
		[ $protocol = llvm ] || continue
		# The sums in front depend on the order of names.
		for kind in real ours; do
			awk '/hot.cpp/ { print $1, $4, $6, $7 }' $kind \
				>names.$kind
		done
		agree 'pprof, names' same names.real names.ours 'hot.cpp'
	done
else
	absent pprof 'go install github.com/google/pprof@latest'
fi

# ---- scripts -----------------------------------------------------------------

# Kernel sources may lie anywhere: $KERNEL_SCRIPTS is their folder scripts.
scripts=${KERNEL_SCRIPTS:-$(find /usr/src -maxdepth 2 -name scripts 2>/dev/null |
	head -1)}
for tool in addr2line nm readelf size objdump; do
	ln -s "$(command -v $tool)" "cross-$tool"
done
ln -sf "$a2l" cross-addr2line
start=$(nm hot | sed -n 's/^0*\([0-9a-f]*\) T _Z5sortsi$/\1/p')
if [ -f "$scripts/faddr2line" ]; then
	run faddr2line real bash "$scripts/faddr2line" hot _Z5sortsi+0x20
	CROSS_COMPILE=$PWD/cross- run faddr2line ours bash \
		"$scripts/faddr2line" hot _Z5sortsi+0x20
	agree faddr2line same real ours 'hot.cpp'
	# LLVM 18 and later keep it waiting for ever.
	ln -sf "$lla2l" llvm-addr2line
	for tool in readelf size nm objdump; do
		ln -sf "$(command -v $tool)" llvm-$tool
	done
	LLVM=$PWD/ run 'faddr2line with llvm-addr2line' out bash \
		"$scripts/faddr2line" hot _Z5sortsi+0x20
	grep -q 'hot.cpp' out || fail "faddr2line with llvm-addr2line: $(cat out)"
	echo 'faddr2line with llvm-addr2line: ends'
else
	absent faddr2line 'set KERNEL_SCRIPTS to the scripts of Linux'
fi
if [ -f "$scripts/decode_stacktrace.sh" ]; then
	printf '[ 1.0] Call Trace:\n[ 1.0]  _Z5sortsi+0x20/0x100\n[ 1.0]  x+0x1/0x2\n' >log
	bash "$scripts/decode_stacktrace.sh" hot auto <log >real 2>&1
	CROSS_COMPILE=$PWD/cross- run decode_stacktrace ours bash \
		"$scripts/decode_stacktrace.sh" hot auto <log
	agree decode_stacktrace.sh same real ours 'sorts|x\+'
else
	absent decode_stacktrace.sh 'set KERNEL_SCRIPTS to the scripts of Linux'
fi
flame=${FLAMEGRAPH:-/usr/share/flamegraph}/stackcollapse-perf.pl
[ -f "$flame" ] || flame=$(command -v stackcollapse-perf.pl)
if [ -f "$flame" ]; then
	{
		printf 'hot 1 1.0: 1 cycles:\n'
		printf '\t%x sorts (%s/hot)\n\n' $((0x$start + 32)) "$PWD"
	} >script
	run FlameGraph real perl "$flame" --inline --context script
	PATH=$PWD/lines.ours:$PATH run FlameGraph ours perl "$flame" --inline \
		--context script
	agree stackcollapse-perf.pl same real ours 'hot.cpp'
else
	absent stackcollapse-perf.pl 'set FLAMEGRAPH to a clone of FlameGraph'
fi
[ $ran -gt 0 ] || skip 'no client is installed'
exit 0
