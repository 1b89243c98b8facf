#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-markup --logs on backtraces that programs print here and now: sanitizers
# of gcc and clang, glibc, eu-stack, the JVM, and code for Android.  Each frame
# of the program has to get the function and the line of the source.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/logs-lib.sh"
need cc
cp "$data"/src/producer.c .
none=--debug-file-directory=none
flags='-g -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls'

# The line of the source with the word $1.
line()
{
	grep -n "/\* $1 \*/" producer.c | cut -d : -f 1
}

# The log $1, filtered with the options that follow, is in the file out.
filter()
{
	log=$1
	shift
	gsym-markup --logs $none "$@" "$log" >out 2>err ||
		{ cat err; fail "$log: status $?"; }
	gsym-markup --logs $none "$@" out >again 2>/dev/null
	cmp -s out again || fail "$log: filtering twice changes it"
}

# In the file out there is a line with the function $1 and the source line with
# the word $2.  $3: what comes between them.
has()
{
	grep -q "$1${3- (}[^ ]*producer\.c:$(line "$2")" out ||
		{ cat out; fail "$log: no $1 in line $2"; }
}

# ---- sanitizers --------------------------------------------------------------
sanitizers()
{
	compiler=$1
	id=-Wl,--build-id
	for kind in address undefined thread memory hwaddress leak; do
		part="$compiler, -fsanitize=$kind"
		more=
		# Without this flag it needs a processor that ignores tags.
		[ $kind != hwaddress ] || [ "$(uname -m)" != x86_64 ] ||
			more=-fsanitize-hwaddress-experimental-aliasing
		# shellcheck disable=SC2086
		$compiler $flags $more $id -fsanitize=$kind -o "$compiler-$kind" \
			producer.c -lpthread 2>../stderr &&
			"./$compiler-$kind" >/dev/null 2>../stderr ||
			{ part_skipped "$part" 'not usable here'; continue; }
		gsym-create -q --install=ids "$compiler-$kind" || fail install
		mkdir -p "$compiler-names"
		gsym-create -q -o "$compiler-names/$compiler-$kind.gsym" \
			"$compiler-$kind" || fail create
		export ASAN_OPTIONS=symbolize=0 TSAN_OPTIONS=symbolize=0
		export LSAN_OPTIONS=symbolize=0 MSAN_OPTIONS=symbolize=0
		export HWASAN_OPTIONS=symbolize=0
		export UBSAN_OPTIONS=symbolize=0:print_stacktrace=1
		for how in overflow segv leak shift race unset; do
			case $kind-$how in
			address-overflow | address-segv | address-leak) ;;
			undefined-shift | thread-race | memory-unset) ;;
			memory-segv | hwaddress-overflow | hwaddress-segv) ;;
			thread-segv | leak-leak) ;;
			*) continue ;;
			esac
			"./$compiler-$kind" $how >log.$kind-$how 2>&1
			# Older compilers print no build IDs.
			filter log.$kind-$how --gsym-file-directory=ids \
				"--symbols=$compiler-names"
			word=$(echo $how | tr a-z A-Z)
			case $how in
			race) has racer RACE ' ' ;;
			leak)
				# A sandbox may forbid to look for leaks.
				grep -q 'LeakSanitizer has enc' out ||
					has leak LEAK ' ' ;;
			*)
				has leaf "$word" ' '
				has middle MIDDLE ' '
				has main MAIN ' ' ;;
			esac
		done
		part_passed "$part"
	done
	unset ASAN_OPTIONS TSAN_OPTIONS LSAN_OPTIONS UBSAN_OPTIONS MSAN_OPTIONS
	unset HWASAN_OPTIONS
}
sanitizers cc
for version in 22 19; do
	! command -v clang-$version >/dev/null || { sanitizers clang-$version; break; }
done

# ---- glibc -------------------------------------------------------------------
for kind in pie no-pie rdynamic; do
	case $kind in
	pie) options='-pie -fPIE' ;;
	no-pie) options='-no-pie -fno-pie' ;;
	rdynamic) options='-pie -fPIE -rdynamic' ;;
	esac
	mkdir -p glibc-$kind
	# shellcheck disable=SC2086
	cc $flags $options -o glibc-$kind/producer producer.c -lpthread \
		2>../stderr ||
		{ part_skipped "glibc, $kind" 'not usable here'; continue; }
	gsym-create -q -o glibc-$kind/producer.gsym glibc-$kind/producer ||
		fail create
	for how in symbols_fd symbols; do
		./glibc-$kind/producer $how >log.$how 2>&1
		filter log.$how --symbols=glibc-$kind
		[ $how = symbols ] && word=SYMBOLS || word=FD
		has leaf $word '.*('
		has middle MIDDLE '.*('
		has main MAIN '.*('
	done
	# The frame that the signal interrupted is exact, if libc is known.
	./glibc-$kind/producer handled >log.handled 2>&1
	filter log.handled --symbols=glibc-$kind
	has middle MIDDLE '.*('
	part_passed "glibc, $kind"
done

# ---- another build -------------------------------------------------------------
# The log of one build, with the symbols and the program of another one, whose
# code has moved: no call stands before the return addresses.
case $(uname -m) in
x86_64 | aarch64)
	mkdir -p other/two other/alone
	sed 's/^static void print_stack/int more(int n)\
{\
	for (int i = 0; i < n; i++)\
		value += i;\
	return value;\
}\
&/' producer.c >other/two/producer.c
	# shellcheck disable=SC2086
	cc $flags -pie -fPIE -Wl,--build-id -o other/producer producer.c \
		-lpthread &&
		(cd other/two && cc $flags -pie -fPIE -Wl,--build-id \
			-o producer producer.c -lpthread) || fail cc
	gsym-create -q -o other/producer.gsym other/producer || fail create
	gsym-create -q -o other/two/producer.gsym other/two/producer ||
		fail create
	cp other/two/producer.gsym other/alone
	./other/producer symbols >log.other
	filter log.other --symbols=other/two
	cmp -s log.other out || { cat out; fail 'answers of another build'; }
	grep -q 'error: no call stands before 0x[0-9a-f]* in the program of "./other/producer": the symbols are of another build, and give no answers for this stack$' err ||
		{ cat err; fail 'another build'; }
	filter log.other --symbols=other/two --no-verify
	grep -q 'producer\.c:[0-9]*?)$' out || { cat out; fail 'no mark'; }
	! grep 'producer\.c:[0-9]*)$' out || fail 'not marked'
	# Without the program nothing tells; stripped, it still has its code.
	filter log.other --symbols=other/alone
	grep -q 'producer\.c:[0-9]*)$' out || { cat out; fail 'no answer'; }
	mkdir other/three
	cp other/producer.gsym other/producer other/three
	strip other/three/producer
	filter log.other --symbols=other/three
	has leaf SYMBOLS '.*('
	has middle MIDDLE '.*('
	has main MAIN '.*('
	# The program in a debug folder, by its build ID.
	id=$(readelf -n other/two/producer | sed -n 's/.*Build ID: //p')
	dir=other/debug/.build-id/$(echo "$id" | cut -c1-2)
	mkdir -p "$dir"
	cp other/two/producer "$dir/$(echo "$id" | cut -c3-)"
	gsym-markup --logs --symbols=other/alone \
		--debug-file-directory=other/debug log.other >out 2>err
	cmp -s log.other out || { cat out; fail 'by build ID'; }
	part_passed 'another build'
	;;
*)
	part_skipped 'another build' 'calls of this processor are not known'
	;;
esac

# ---- the kernel about a program ----------------------------------------------
# The line of dmesg, which not everybody may read, with the offset of the code.
mkdir fault
# shellcheck disable=SC2086
cc $flags -Wl,--build-id -o fault/faulted producer.c -lpthread || fail cc
gsym-create -q -o fault/faulted.gsym fault/faulted || fail create
# The program headers are in the file beside the installed one.
gsym-create -q --install=ids fault/faulted || fail install
address=$(gsym-dump --function=leaf fault/faulted.gsym |
	sed -n "s/^ *\(0x[0-9a-f]*\)  .*producer\.c:$(line SEGV)\$/\1/p" | head -n 1)
[ -n "$address" ] || fail 'no code in the line of SEGV'
# Where the segment with the code lies in the file, and where it was linked.
readelf -lW fault/faulted | awk '$1 == "LOAD" && / R E /' >segment
read -r _ offset linked _ <segment
offset=$((address - linked + offset))
printf '[ 1.0] faulted[7]: segfault at 0 ip %016x sp 00007ffeeb69dc68 error 4 in faulted[%x,55c682b9d000+1000] likely on CPU 0 (core 0, socket 0)\n' \
	$((0x55c682b9d000 + offset % 4096)) $offset >log.fault
filter log.fault --symbols=fault --debug-file-directory=ids
has '+1000\] leaf' SEGV
part_passed 'segfault at'

# ---- perf --------------------------------------------------------------------
if command -v perf >/dev/null &&
	perf record -q -e page-faults -c 1 -g -o perf.data fault/faulted segv \
		>/dev/null 2>../stderr; [ -s perf.data ]; then
	perf script -i perf.data 2>../stderr | awk 'BEGIN { RS = ""; ORS = "\n\n" }
		/ leaf\+/' >log.perf
else
	: >log.perf
fi
if grep -q 'middle+' log.perf; then
	filter log.perf --symbols=fault
	has 'leaf+0x[0-9a-f]* (.*)' SEGV
	has 'middle+0x[0-9a-f]* (.*)' MIDDLE
	has 'main+0x[0-9a-f]* (.*)' MAIN
	part_passed 'perf script'
else
	part_skipped 'perf script' 'perf cannot record here (Debian: linux-perf)'
fi

# ---- Valgrind ----------------------------------------------------------------
for kind in pie no-pie; do
	case $kind in
	pie) options='-pie -fPIE' ;;
	no-pie) options='-no-pie -fno-pie' ;;
	esac
	mkdir -p valgrind.sorted-$kind
	# shellcheck disable=SC2086
	! command -v valgrind >/dev/null ||
		cc $flags $options -o valgrind.sorted-$kind/producer producer.c \
			-lpthread 2>../stderr ||
		{ part_skipped "valgrind, $kind" 'not usable here'; continue; }
	command -v valgrind >/dev/null ||
		{ part_skipped valgrind 'not installed (Debian: valgrind)'; break; }
	gsym-create -q -o valgrind.sorted-$kind/producer.gsym valgrind.sorted-$kind/producer ||
		fail create
	strip valgrind.sorted-$kind/producer
	valgrind ./valgrind.sorted-$kind/producer overflow >log.valgrind 2>&1
	grep -q 'at 0x' log.valgrind ||
		{ part_skipped "valgrind, $kind" 'not usable here'; continue; }
	filter log.valgrind --symbols=valgrind.sorted-$kind
	# At, behind a call, and where the bytes come from.
	has 'at 0x[0-9A-F]*: ??? (in [^)]*) leaf' OVERFLOW
	has 'by 0x[0-9A-F]*: ??? (in [^)]*) middle' MIDDLE
	has 'by 0x[0-9A-F]*: ??? (in [^)]*) main' MAIN
	part_passed "valgrind, $kind"
done

# ---- eu-stack ----------------------------------------------------------------
if command -v eu-stack >/dev/null; then
	cc $flags -Wl,--build-id -o waiter producer.c -lpthread || fail cc
	gsym-create -q --install=ids waiter
	cp waiter stripped && strip stripped
	./stripped wait &
	waiter=$!
	tries=0
	while ! grep -q '^State:.*sleeping' /proc/$waiter/status 2>/dev/null &&
		[ $tries -lt 1000 ]; do
		tries=$((tries + 1))
	done
	eu-stack -b -p $waiter >log.eu 2>../stderr
	kill $waiter
	wait $waiter 2>/dev/null
	if grep -q '^ *\[' log.eu; then
		filter log.eu --gsym-file-directory=ids
		has leaf WAIT
		has middle MIDDLE
		has main MAIN
		part_passed eu-stack
	else
		part_skipped eu-stack 'it may not look into processes here'
	fi
else
	part_skipped eu-stack 'not installed (Debian: elfutils)'
fi

# ---- the JVM -----------------------------------------------------------------
headers=$(dirname "$(readlink -f "$(command -v javac)" 2>/dev/null)")/../include
if command -v java >/dev/null && command -v javac >/dev/null; then
	cp "$data/src/Crash.java" "$data/src/crash.c" .
	cc -O2 -g -shared -fPIC -I"$headers" -I"$headers/linux" -o libcrash.so \
		crash.c 2>../stderr && javac Crash.java 2>../stderr ||
		part_skipped jvm 'no headers of the JVM'
	mkdir jvm
	gsym-create -q -o jvm/libcrash.so.gsym libcrash.so 2>../stderr
	{ java -Xmx64m -XX:ErrorFile=hs_err.log -Djava.library.path=. \
		Crash >/dev/null; } 2>../stderr
	if [ -e hs_err.log ]; then
		filter hs_err.log --symbols=jvm
		grep -q '^C  \[libcrash\.so+0x[0-9a-f]*\]  .*(.*crash\.c:[0-9]*)$' \
			out || { grep libcrash out; fail 'no frame of the JVM'; }
		part_passed jvm
	fi
else
	part_skipped jvm 'not installed (Debian: default-jdk-headless)'
fi

# ---- Envoy -------------------------------------------------------------------
# Stacks as source/server/backtrace.h of Envoy logs them, behind the line of the
# map that source/server/backtrace.cc finds.
cat >envoy.c <<'END'
#include <execinfo.h>
#include <stdio.h>
#include <string.h>
#define LINE "[2025-04-01 18:07:22.384][22][critical][backtrace] [x.h:1] "
static void map(void)
{
	char range[64], rights[8], line[512];
	FILE *maps = fopen("/proc/self/maps", "r");

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%63s %7s", range, rights) == 2 &&
		    strcmp(rights, "r-xp") == 0) {
			printf(LINE "Address mapping: %s /x/envoy\n", range);
			break;
		}
}
__attribute__((noinline)) void leaf(void)
{
	void *stack[8];
	int count = backtrace(stack, 8);

	map();
	for (int i = 0; i < count && i < 3; i++)
		printf(LINE "#%d: [%p]\n", i, stack[i]);
	puts("");
}
__attribute__((noinline)) void middle(void)
{
	leaf();
	puts("middle");
}
int main(void)
{
	middle();
	return puts("main") < 0;
}
END
mkdir envoy
for linker in bfd gold lld bfd,-z,noseparate-code; do
	# shellcheck disable=SC2086
	cc $flags -Wl,--build-id -fPIE -pie -fuse-ld=$linker -o envoy/envoy \
		envoy.c 2>../stderr || continue
	gsym-create -q -o envoy/envoy.gsym envoy/envoy || fail 'create envoy'
	envoy/envoy >log.envoy
	[ -s log.envoy ] || fail 'envoy does not run'
	grep -q 'Address mapping' log.envoy || continue
	filter log.envoy --logs=maps --symbols=envoy
	# There the segment with code has other sections before the code: its
	# start is not known.
	case $linker in
	gold | *noseparate*)
		cmp -s log.envoy out || fail "envoy, $linker: a place"
		part_passed "envoy, $linker"
		continue
		;;
	esac
	for place in '#0: [^ ]* leaf (.*envoy\.c:20)' \
		'#1: [^ ]* middle (.*envoy\.c:29)' \
		'#2: [^ ]* main (.*envoy\.c:34)'; do
		grep -q "$place" out || { cat out; fail "envoy, $linker"; }
	done
	# Without the program nothing tells where the code begins.
	mv envoy/envoy envoy/program
	gsym-markup --logs=maps $none --symbols=envoy log.envoy >out 2>err
	cmp -s log.envoy out || fail "envoy, $linker: a place without program"
	mv envoy/program envoy/envoy
	part_passed "envoy, $linker"
done

# ---- Android -----------------------------------------------------------------
clang=
for version in 22 19; do
	[ -n "$clang" ] || clang=$(command -v clang-$version)
done
cp "$data/src/crasher.c" .
if [ -n "$clang" ] && $clang --target=aarch64-linux-android -O2 -g -fPIC \
	-shared -nostdlib -fuse-ld=lld -Wl,--build-id=sha1 \
	-o libcrasher.so crasher.c 2>../stderr; then
	gsym-create -q --install=ids libcrasher.so
	id=$(gsym-create -q -o x.gsym libcrasher.so &&
		gsym-dump x.gsym | sed -n 's/^ *build ID *//p')
	gsym-dump --json --functions x.gsym |
		sed -n 's/.*"start":"0x\([0-9a-f]*\)".*"name":"\([^"]*\)".*/\1 \2/p' |
		grep -v '@plt$' |
		while read -r start name; do
			printf '11-20 10:12:13.702  7460  7460 F DEBUG   :       #00 pc %016x  /data/app/base.apk!libcrasher.so (offset 0x1000) (%s+4) (BuildId: %s)\n' \
				$((0x$start + 4)) "$name" "$id"
		done >log.android
	[ -s log.android ] || fail 'no functions for Android'
	filter log.android --gsym-file-directory=ids
	! grep -v "crasher\.c:[0-9]*)$" out | grep '#00' || fail 'Android'
	part_passed android
else
	part_skipped android 'clang cannot make a library for it'
fi
parts_finish
