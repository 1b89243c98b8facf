#!/bin/sh
# SPDX-License-Identifier: MIT
# Where gsym-addr2line and gsym-symbolizer find the GSYM data of a program, and
# what they do without: gsym-create is run, the symbol table answers, or the
# program that they replace.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
. "$top_srcdir/tests/cli/personality-lib.sh"
for tool in nm objcopy strip; do
	need $tool
done
compile prog -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567
start=$(nm prog | sed -n 's/^0*\([0-9a-f]*\) T work$/\1/p')
[ -n "$start" ] || fail 'no symbol work'
tree=.build-id/01/23456789abcdef0123456789abcdef01234567
cached=$XDG_CACHE_HOME/gsym/$release/$tree.debug.gsym
none=--fallback=none
where()
{
	"$a2l" -fe "$@" "$start" 2>err | tr '\n' ' '
}
line=$(gsym-create -q -o - prog >w.gsym && gsym-lookup w.gsym work |
	sed -n 's/.* at .*program.c:\([0-9]*\)$/\1/p' | tail -1)
[ -n "$line" ] || fail 'no line'
good="work $PWD/program.c:$line "
unknown='?? ??:0 '

# Nothing is there: gsym-create is run, and the cache keeps the result.
same 'nothing' "$(where prog $none)" "$unknown"
[ ! -e "$XDG_CACHE_HOME" ] || fail 'a cache without a conversion'
same 'converted' "$(where prog)" "$good"
[ -f "$cached" ] || fail "no file in the cache"
same 'cached' "$(where prog $none)" "$good"
same 'files in the cache' "$(find "$XDG_CACHE_HOME" -type f -name '*.gsym' |
	wc -l)" 1
same 'files in TMPDIR' "$(find "$TMPDIR" -type f | wc -l)" 0
rm -r "$XDG_CACHE_HOME"

# Four at once: each answers, and one file is made.
for i in 1 2 3 4; do
	where prog >out.$i &
done
wait
for i in 1 2 3 4; do
	same "process $i" "$(cat out.$i)" "$good"
done
same 'files after four' "$(find "$XDG_CACHE_HOME" -type f -name '*.gsym' |
	wc -l)" 1

# perf names copies, by build ID; the file need not even exist.
mkdir -p copy/$tree
cp prog copy/$tree/elf
same 'a copy' "$(where copy/$tree/elf $none)" "$good"
rm copy/$tree/elf
same 'a name alone' "$(where copy/$tree/elf $none)" "$good"
same 'a build ID' "$("$sym" $none --build-id \
	0123456789abcdef0123456789abcdef01234567 "0x$start" | tr '\n' ' ')" \
	"work $PWD/program.c:$line:0  "
printf 'BUILDID:0123456789ABCDEF0123456789abcdef01234567 0x%s\n' "$start" |
	"$sym" $none >out
same 'a build ID in a line' "$(head -1 out)" work

# A GSYM file in the cache of another program is not used, but replaced.
compile other -Wl,--build-id -O2 -DOTHER
gsym-create -q -o "$cached" other || fail 'other'

# Neither is one that gsym-create makes, as when the program is replaced while
# it is converted.
mkdir fake
cp "$(command -v gsym-lookup)" fake/gsym-addr2line
cp "$cached" other.gsym
cat >fake/gsym-create <<EOF
#!/bin/sh
[ "\$3" = --install ] && mkdir -p "\$4/.build-id/01" &&
	cp "$PWD/other.gsym" "\$4/$tree.debug.gsym" && touch "$PWD/ran"
EOF
chmod +x fake/gsym-create
mv "$XDG_CACHE_HOME" aside
theirs=$(fake/gsym-addr2line -fe prog "$start" 2>err | head -1)
[ -e ran ] || fail 'gsym-create did not run'
same 'another program was converted' "$theirs" work
same 'files of another program' \
	"$(find "$XDG_CACHE_HOME" -type f 2>/dev/null | wc -l)" 0
rm -rf "$XDG_CACHE_HOME"
mv aside "$XDG_CACHE_HOME"
same 'a wrong file in the cache' "$(where prog)" "$good"
grep -q 'another build id' err || fail "no note: $(cat err)"
same 'the cache is right again' "$(where prog $none)" "$good"
rm -r "$XDG_CACHE_HOME"

# Beside the program; another program's is skipped, with one note.
gsym-create -q prog || fail 'gsym-create'
same 'beside it' "$(where prog $none)" "$good"
same 'a GSYM file itself' "$(where prog.gsym $none)" "$good"
cp other other.keep
gsym-create -q -o prog.gsym other || fail 'gsym-create'
same 'another beside it' "$(where prog $none)" "$unknown"
same 'notes' "$(grep -c "prog.gsym' is not used: it has another" err)" 1
where prog $none --no-verify >out
same 'taken all the same' "$(wc -c <err)" 0
rm prog.gsym

# A build ID on one side alone does not fit.
compile bare -Wl,--build-id=none
gsym-create -q bare || fail 'gsym-create bare'
same 'no build IDs' "$(where bare $none)" "$good"
cp bare.gsym prog.gsym
same 'a build ID in the program alone' "$(where prog $none)" "$unknown"
grep -q "prog.gsym' is not used: it has another build ID" err ||
	fail "no note: $(cat err)"
same 'taken all the same' "$(where prog $none --no-verify)" "$good"
gsym-create -q -o bare.gsym prog || fail 'gsym-create prog'
same 'a build ID in the GSYM file alone' "$(where bare $none)" "$unknown"
# The build ID of a file of another format is not known.
echo text >text
cp bare.gsym text.gsym
same 'no ELF file' "$(where text $none)" "$good"
rm prog.gsym

# In the program, in folders, by LLVM's name.
gsym-create -q --embed prog -o inside prog || fail '--embed'
same 'in a section' "$(where inside $none)" "$good"
gsym-create -q --install store prog || fail '--install'
same 'in a folder' "$(where prog $none --gsym-file-directory=store)" "$good"
same 'in a debug folder' "$(where prog $none --debug-file-directory store)" \
	"$good"
same 'by the environment' "$(GSYM_LOOKUP_OPTS="$none \
	--gsym-file-directory=store" where prog)" "$good"
mkdir llvm
gsym-create -q -o llvm/prog.gsym prog || fail 'gsym-create'
same "LLVM's name" "$(where prog $none --gsym-file-directory=llvm)" "$good"
same '--disable-gsym' "$("$sym" --disable-gsym $none \
	--gsym-file-directory=llvm -e prog "0x$start" | head -1)" '??'

# Beside the debug file, which .gnu_debuglink names.
objcopy --only-keep-debug prog prog.debug
strip -o stripped prog
objcopy --add-gnu-debuglink=prog.debug stripped
gsym-create -q prog.debug || fail 'debug file'
same 'beside the debug file' "$(where stripped $none)" "$good"
rm prog.debug.gsym
same 'the debug file is converted' "$(where stripped)" "$good"
rm -r "$XDG_CACHE_HOME"
mkdir -p debug/.build-id/01
strip -o unlinked prog
mv prog.debug "debug/$tree.debug"
same 'the debug file in a folder of an option' \
	"$(where unlinked --debug-file-directory=debug)" "$good"
same 'and without GSYM data that exist' \
	"$(where unlinked --debug-file-directory=debug --disable-gsym)" "$good"
rm -r "$XDG_CACHE_HOME"

# Without debug info nothing is kept, as debug info may be installed later.
strip --strip-debug -o symbols prog
same 'symbols' "$(where symbols)" 'work ??:? '
[ ! -e "$cached" ] || fail 'symbols in the cache'
same 'symbols alone' "$(where symbols --fallback=symbols)" 'work ??:? '
strip --strip-all -R .gnu_debuglink -o nothing prog
same 'no symbols' "$(where nothing)" "$unknown"

# A cache that cannot be written.
same 'no cache' "$(XDG_CACHE_HOME=/dev/null/x where prog)" "$good"
same 'TMPDIR afterwards' "$(find "$TMPDIR" | wc -l)" 1

# More debug info than the limit: symbols now, debug info for the next one.
same 'the limit' "$(where prog --convert-limit=0 </dev/null)" 'work ??:? '
timeout 60 sh -c "until [ -e '$cached' ]; do sleep 0.1; done" ||
	fail 'no conversion in the background'
same 'after the limit' "$(where prog --convert-limit=0 $none)" "$good"
rm -r "$XDG_CACHE_HOME"
# One conversion at a time goes on in the background, whoever asks.
if flock --version >/dev/null 2>&1; then
	mkdir -p "$XDG_CACHE_HOME/gsym/$release"
	flock "$XDG_CACHE_HOME/gsym/$release/.later" "$a2l" --convert-limit=0 -fe prog \
		"$start" </dev/null >out 2>err || fail "$(cat err)"
	same 'another one converts' "$(tr '\n' ' ' <out)" 'work ??:? '
	sleep 1
	[ ! -e "$cached" ] || fail 'two conversions in the background'
	# A client that asks often has it converted once, and the process that
	# converts leaves the folders of the client alone.
	mkfifo questions
	"$a2l" --convert-limit=0 -fe prog >out 2>err <questions &
	client=$!
	exec 7>questions
	for i in 1 2 3 4 5 6 7 8; do
		echo "$start" >&7
	done
	timeout 60 sh -c "until [ -e '$cached' ]; do sleep 0.1; done" ||
		fail 'no conversion for a client that asks often'
	exec 7>&-
	wait $client || fail "a client that asks often: $(cat err)"
	same 'answers' "$(grep -c '^work$' out)" 8
	rm -r "$XDG_CACHE_HOME" questions
else
	echo 'not tried: conversions in the background; flock is not installed'
fi

# Addresses have as many digits as those of the program.
echo 'int f(void) { return 1; }' >narrow.c
if ${CC:-cc} -m32 -g -c -o narrow.o narrow.c 2>err; then
	same '32 bits' "$("$a2l" -ae narrow.o 0 ffffffffffffffff , |
		sed 's|:/.*/|:|; s|^/.*/||' | tr '\n' ' ')" \
		'0x00000000 narrow.c:1 0xffffffff ??:0 0x00000000 ??:0 '
else
	echo 'no compiler for 32 bits: the width of addresses was not tested'
fi

# -j in a relocatable object counts from where the GSYM data have the section.
cat >two.c <<'END'
__attribute__((section(".text.one"))) int one(void) { return 1; }
#line 100
__attribute__((section(".text.two"))) int two(void) { return 2; }
static int both(void) { return one() + two(); }
__attribute__((section(".text.three"))) int three(void) { return both(); }
END
${CC:-cc} -g -c -o two.o two.c || fail 'cannot compile'
in_section()
{
	"$a2l" -fse two.o -j "$@" | tr '\n' ' '
}
for bases in '' '--section-base=.text.two=0x12000' \
	'--section-base=.text.two=0x12000 --section-base=.text.one=0x8000'; do
	# shellcheck disable=SC2086
	gsym-create -q $bases -o two.o.gsym two.o || fail "$bases"
	same "two $bases" "$(in_section .text.two $none 0)" 'two two.c:100 '
	same "one $bases" "$(in_section .text.one $none 0)" 'one two.c:1 '
	same "three $bases" "$(in_section .text.three $none 0)" \
		'three two.c:102 '
done

rm two.o.gsym
same 'symbols of an object' "$(in_section .text.two --fallback=symbols 0)" \
	'two two.c:? '
same 'symbols of an object' "$(in_section .text.three --fallback=symbols 0)" \
	'three two.c:? '

# What is no program ends the process, as with the real ones.
ended()
{
	"$@" >out 2>err </dev/null
	same "status of $*" $? 1
	[ ! -s out ] || fail "$*: $(cat out)"
}
ended "$a2l" -e missing 10
same 'a missing file' "$(cat err)" "addr2line: 'missing': No such file"
ended "$a2l" -e program.c 10
same 'a text' "$(cat err)" 'addr2line: program.c: file format not recognized'
ended "$a2l" -e / 10
ended "$a2l" -e prog -j .nothing 10
same 'a section' "$(cat err)" 'addr2line: prog: cannot find section .nothing'
ended "$sym" -e missing 0x10
same 'a missing file' "$(cat err)" \
	"llvm-symbolizer: error: 'missing': No such file or directory"
mkdir shut
chmod 0 shut
[ -r shut ] || {
	ended "$a2l" -e shut/prog 10
	same 'a closed folder' "$(cat err)" \
		'addr2line: shut/prog: file format not recognized'
}
ended "$a2l" -e "mis$(printf '\302\205')sing" 10
same 'control characters' "$(cat err)" "addr2line: 'mis??sing': No such file"
ended env GSYM_LOOKUP_OPTS=--nonsense "$a2l" -e prog 10
ended "$a2l" --fallback=magic -e prog 10
ended "$sym" --nonsense
same 'a wrong option' "$(cat err)" "error: unknown argument '--nonsense'"
ended "$sym" -e
for options in --nonsense -z --exe -e --inlines=yes --no-verify=1 \
	--demangle=magic --fallback; do
	ended "$a2l" $options
	grep -q '^addr2line: ' err || fail "$options: $(cat err)"
done

# addr2line pads addresses as nm does.
padded=$(nm prog | sed -n 's/^\([0-9a-f]*\) T work$/\1/p')
ended "$a2l" --no-verify -zq

# Abbreviations are those of binutils, and our options do not disturb them.
same 'abbreviations' "$("$a2l" --d --fu --no-rec --ad --exe=inside \
	--fallback none --no-debuginfod --gsym-file-directory store "0x$start" |
	tr '\n' ' ')" "0x$padded $good"
GSYM_LOOKUP_OPTS=--debuginfod
export GSYM_LOOKUP_OPTS
rm -rf "$XDG_CACHE_HOME"
same '--no-debuginfod' "$(where nothing $none --no-debuginfod)$(cat err)" \
	"$unknown"
unset GSYM_LOOKUP_OPTS

eu=$scratch/eu-addr2line
ln -s "$top_builddir/gsym-lookup" "$eu"
"$eu" -e prog 10 2>err
same 'eu-addr2line' $? 2
gsym-lookup --personality=nm 2>err
same 'an unknown personality' $? 2
gsym-lookup --personality=gsym w.gsym work >out || fail 'gsym-lookup'
grep -q "work at" out || fail "gsym-lookup: $(cat out)"

# A process that waits for the lock of a conversion goes on waiting if another
# process has made the lock anew meanwhile.
command -v flock >/dev/null || exit 0
compile lockable -Wl,--build-id=0x5566778899
mkdir -p "$XDG_CACHE_HOME/gsym/$release/.build-id/55" || exit 99
lock=$XDG_CACHE_HOME/gsym/$release/.build-id/55/66778899.lock
# $1: a descriptor; the lock of this script.
hold()
{
	: >"$lock"
	eval "exec $1<>\"\$lock\"" && flock "$1" || exit 99
}
# Whether process $1 has the lock's file open, if $2 is "new" the one of now.
waits()
{
	[ -e "/proc/$1/exe" ] || fail 'it has not waited for the lock'
	case $(readlink "/proc/$1/exe") in
	*gsym-lookup*) ;;
	*) return 1 ;;
	esac
	for fd in /proc/"$1"/fd/*; do
		[ "$2" != new ] || case $(readlink "$fd") in
		*"(deleted)") continue ;;
		esac
		case $(readlink "$fd") in
		"$lock"*) return 0 ;;
		esac
	done
	return 1
}
hold 7
"$a2l" -fe lockable "0x$(nm lockable | sed -n 's/ T work$//p')" >out 7<&- &
until_true waits $! old
rm "$lock"
hold 8
exec 7<&-
until_true waits $! new
sleep 0.2
[ -e /proc/$!/exe ] || fail 'it did not wait'
exec 8<&-
wait $!
same 'after all waits' "$(head -1 out)" work
[ ! -e "$lock" ] || fail 'the lock stays'
exit 0
