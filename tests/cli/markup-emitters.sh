#!/bin/sh
# SPDX-License-Identifier: MIT
# Logs of real programs: stored logs of AddressSanitizer and of an LLVM tool that
# crashed (testdata/markup/README.md says how the answers were checked), and logs
# that clang's sanitizers and llc write now, if they are installed.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
unset ASAN_OPTIONS UBSAN_OPTIONS ASAN_SYMBOLIZER_PATH

# ---- stored logs
for log in asan-heap asan-global llc; do
	gsym-markup --debug-file-directory=none \
		--gsym-file-directory="$markup_data/symbols" \
		"$markup_data/$log.txt" >out 2>err || fail "$log: status $?"
	diff -u "$markup_data/$log.out" out || fail "$log"
	grep -v '^error: no symbols for module #0x[0-9]* "/' err &&
		fail "$log: messages"
	# Line by line through a pipe.
	while IFS= read -r line; do
		printf '%s\n' "$line"
	done <"$markup_data/$log.txt" | gsym-markup --debug-file-directory=none \
		--gsym-file-directory="$markup_data/symbols" >out2 2>err
	cmp out out2 || fail "$log through a pipe"
done
# Text around elements stays; a frame in a sentence is function and place.
grep -q '^SUMMARY: AddressSanitizer: heap-use-after-free poke /src/demo/asan.c' \
	"$markup_data/asan-heap.out" || fail 'the summary'

# ---- AddressSanitizer, now
clang=
for name in clang-22 clang-21 clang-20 clang-19 clang-18 clang; do
	command -v $name >/dev/null && { clang=$name; break; }
done
tried=
cp "$markup_data/asan.c" .
if [ -n "$clang" ] && $clang -g -O1 -fsanitize=address -Wl,--build-id \
	-ffile-prefix-map="$PWD"=/src/demo -o asan asan.c 2>../stderr; then
	ASAN_OPTIONS=enable_symbolizer_markup=1:symbolize=0 ./asan 2>log.1
	grep -q '{{{bt:0:' log.1 && tried=asan
fi
if [ -n "$tried" ]; then
	ASAN_OPTIONS=enable_symbolizer_markup=1:symbolize=0 ./asan a b 2>log.2
	gsym-create --quiet --install=tree asan || fail '--install'
	for log in log.1 log.2; do
		gsym-markup --gsym-file-directory=tree $log >out.$log 2>err ||
			fail "$log: status $?"
		grep -q 'no mmap covers' err && fail "$log: $(cat err)"
	done
	for wanted in 'poke /src/demo/asan.c:8 ' 'through /src/demo/asan.c:12 ' \
		'main /src/demo/asan.c:20 ' 'main /src/demo/asan.c:19 ' \
		'main /src/demo/asan.c:16 '; do
		grep -qF "$wanted(" out.log.1 ||
			fail "no '$wanted': $(cat out.log.1)"
	done
	grep -qF 'main /src/demo/asan.c:18 (' out.log.2 || fail 'log.2'
	# No element of a known module is left.
	grep '{{{' out.log.1 && fail 'elements are left'

	# The sanitizer's own symbolizer names the same functions and lines.
	if symbolizer=$(llvm_tool llvm-symbolizer); then
		# The sanitizer knows the program by its name.
		ln -sf "$symbolizer" llvm-symbolizer
		ASAN_SYMBOLIZER_PATH=$PWD/llvm-symbolizer ./asan 2>plain
		sed -n 's/^ *#[0-9]* 0x[0-9a-f]* in \([^ ]*\) \(\/src[^ :]*:[0-9]*\).*/\1 \2/p' \
			plain >theirs
		sed -n 's/^ *#[0-9.]* *0x[0-9a-f]* \([^ ]*\) \(\/src[^ ]*\) (.*/\1 \2/p' \
			out.log.1 >ours
		[ -s theirs ] && { diff theirs ours || fail 'frames differ'; }
	fi

	# Several processes, at different load addresses, whose lines take turns
	# in one log.
	for i in 1 2 3; do
		ASAN_OPTIONS=enable_symbolizer_markup=1:symbolize=0 ./asan \
			2>&1 | sed "s/^/demo[10$i]: /" >process.$i
	done
	paste -d '\n' process.1 process.2 process.3 | grep . >log.many
	gsym-markup --by-process=syslog --gsym-file-directory=tree log.many \
		>out.many 2>err || fail 'many: status'
	grep -q 'no mmap covers\|replaces' err && fail "many: $(cat err)"
	for i in 1 2 3; do
		gsym-markup --by-process=syslog --gsym-file-directory=tree \
			process.$i >alone 2>/dev/null
		grep -F "demo[10$i]: " out.many >among
		diff alone among || fail "process $i among others"
		[ "$(grep -c 'main /src/demo' among)" = 3 ] ||
			fail "process $i: $(cat among)"
	done

	# UBSan and TSan, which write elements within a line of text.
	cat >race.c <<'END'
#include <pthread.h>
int shared[4];
static void *work(void *x) { shared[1]++; return x; }
int main(int argc, char **argv)
{
	int k = 0x7fffffff;
	pthread_t t;
	(void)argv;
	k += argc;
	pthread_create(&t, 0, work, 0);
	shared[1]++;
	pthread_join(t, 0);
	return k & 0;
}
END
	for kind in undefined:UBSAN:9 thread:TSAN:11; do
		line=${kind##*:}
		options=${kind#*:}
		$clang -g -O1 -fsanitize=${kind%%:*} -Wl,--build-id \
			-ffile-prefix-map="$PWD"=/src/demo -o race race.c \
			2>../stderr || continue
		gsym-create --quiet --install=tree race || fail race
		env "${options%:*}_OPTIONS=enable_symbolizer_markup=1:print_stacktrace=1" \
			./race >log.race 2>&1
		grep -q '{{{bt:0:' log.race || continue
		gsym-markup --gsym-file-directory=tree log.race >out 2>err ||
			fail "$kind: status"
		grep -q "#0 .* main /src/demo/race.c:$line (" out ||
			fail "$kind: $(cat out err)"
		# TSan writes a null address, which no mmap covers.
		[ "$(grep -c 'no mmap covers' err)" -le 1 ] ||
			fail "$kind: $(cat err)"
		tried="$tried ${kind%%:*}"
	done

	# A log that is followed while the program writes it.
	: >grows
	gsym-markup -f --gsym-file-directory=tree grows >out.grows 2>err &
	pid=$!
	ASAN_OPTIONS=enable_symbolizer_markup=1:symbolize=0 ./asan 2>&1 |
		while IFS= read -r line; do
			printf '%s\n' "$line"
		done >>grows
	until_true grep -q ABORTING out.grows
	kill $pid
	wait $pid || fail 'follow: status'
	gsym-markup --gsym-file-directory=tree grows 2>/dev/null |
		cmp - out.grows || fail 'a log that is being written'
fi

# ---- an LLVM tool that crashes: its addresses are cut to 32 bits
llc=
for name in llc-22 llc-21 llc-20 llc; do
	command -v $name >/dev/null && {
		llc=$(readlink -f "$(command -v $name)")
		break
	}
done
# Let llc crash; its log is log.llc.
crash_llc()
{
	rm -f input
	mkfifo input
	LLVM_ENABLE_SYMBOLIZER_MARKUP=1 "$llc" -o /dev/null <input 2>log.llc &
	pid=$!
	exec 3>input
	# More text than a pipe holds: once all of the text is written, llc is
	# in its loop of reads, far from its start.
	yes ';' | head -c 300000 >&3
	kill -SEGV $pid
	exec 3>&-
	wait $pid
	grep -q '{{{bt:0:0x' log.llc
}

# Filter log.llc with the GSYM data of llc and of LLVM's library.
filter_llc()
{
	sed -n 's/^{{{module:[0-9]*:\(\/.*\):elf:.*/\1/p' log.llc >modules
	while IFS= read -r module; do
		case $module in
		"$llc" | */libLLVM*)
			gsym-create --quiet --install=llc.tree "$module" ||
				fail "$module" ;;
		esac
	done <modules
	gsym-markup --gsym-file-directory=llc.tree log.llc >out 2>err ||
		fail llc
}

# llc writes the low 32 bits of addresses alone.  Where the system has put two
# modules to addresses that are equal in these bits, nothing can tell them
# apart: try again.
tries=0
while [ -n "$llc" ] && [ $tries -lt 20 ] && crash_llc; do
	tries=$((tries + 1))
	filter_llc
	grep -q 'replaces part of' err && continue
	grep -q 'no mmap covers' err && fail "llc: $(cat err)"
	grep -qF " main ($llc+0x" out || fail "llc: $(cat out)"
	grep -qF " _start ($llc+0x" out || fail "llc: $(cat out)"
	grep -q 'llvm::sys::PrintStackTrace(.*libLLVM' out ||
		fail "llc: $(cat out)"
	tried="$tried llc"
	break
done
echo "logs written now: ${tried:-none}"
exit 0
