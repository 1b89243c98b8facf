#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-markup --logs: where symbols come from when the log has no build ID, and
# what a hostile log must not reach.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/logs-lib.sh"
none=--debug-file-directory=none
crasher=$data/ids/86b79800a2da3c0334413d979b487090efe473.debug.gsym

# The note about symbols that were found by name alone.
unproven='note: the log does not tell the build of'

# Run gsym-markup --logs with the other arguments on the text $1; the output has
# to be $2, and standard error to have $3.
gives()
{
	printf '%b' "$1" >in.log
	printf '%b' "$2" >wanted
	what=$3
	shift 3
	gsym-markup --logs $none "$@" in.log >out 2>err ||
		fail "status $?: $*"
	cmp -s wanted out || { diff wanted out; cat err; fail "$*"; }
	case $what in
	'') [ ! -s err ] || { cat err; fail "message: $*"; } ;;
	"$unproven")
		grep -qF "$what" err && [ "$(wc -l <err)" = 1 ] ||
			{ cat err; fail "not one '$what': $*"; } ;;
	*) grep -qF "$what" err || { cat err; fail "no '$what': $*"; } ;;
	esac
}

# ---- the kernel: links by release, made by gsym-create -----------------------
cp "$crasher" vmlinux
cp "$crasher" snd-pcm.ko.debug
for input in vmlinux snd-pcm.ko.debug; do
	gsym-create -q --install=inst --release=6.1.0-1 $input ||
		fail "install $input"
done
[ "$(readlink inst/by-release/6.1.0-1/snd-pcm.ko.gsym)" = \
	../../.build-id/01/86b79800a2da3c0334413d979b487090efe473.debug.gsym ] ||
	fail 'link of the module'
[ -e inst/by-release/6.1.0-1/vmlinux.gsym ] || fail 'link of the kernel'
gsym-create -q --install=inst --release=6.1.0-1 vmlinux || fail 'again'
for wrong in ../x a/b '' .x 'a b' x..y; do
	gsym-create -q --install=inst "--release=$wrong" vmlinux 2>err
	[ $? = 2 ] || fail "release '$wrong' is accepted"
done
gsym-create -q --release=6.1 -o x vmlinux 2>err && fail '--release alone'

# gsym-dump --functions: deliver lies at 0x43dc, the next function at 0x43fc.
token=deliver+0x10/0x20
release_line='Comm: x Not tainted 6.1.0-1 #1'
inlines=--log-inlines=none
gives "$release_line\n $token\n $token [snd_pcm]\n" \
	"$release_line\n $token (/src/android/crasher.c:28)\n $token [snd_pcm] (/src/android/crasher.c:28)\n" \
	'' --gsym-file-directory=inst $inlines
gives " $token\n" " $token (/src/android/crasher.c:28)\n" '' \
	--debug-file-directory=inst --release=6.1.0-1 $inlines
gives " $token\n" " $token\n" 'no symbols for the kernel' \
	--gsym-file-directory=inst --release=6.1.0-2
gives "Not tainted 6.1.0-2 #1\\n $token\\n" "Not tainted 6.1.0-2 #1\\n $token\\n" \
	'no symbols for the kernel; release=6.1.0-2' --gsym-file-directory=inst
for wrong in ../6.1.0-1 6.1.0-1/../6.1.0-1 x6.1.0-1; do
	gives "Not tainted $wrong #1\n $token\n" \
		"Not tainted $wrong #1\n $token\n" 'no symbols' \
		--gsym-file-directory=inst
done
# --kernel, with its modules beside it; and base names.
gives " $token\n $token [snd_pcm]\n" \
	" $token (/src/android/crasher.c:28)\n $token [snd_pcm] (/src/android/crasher.c:28)\n" \
	'' --kernel=inst/by-release/6.1.0-1/vmlinux.gsym $inlines
gives " $token\n $token [snd_pcm]\n" \
	" $token (/src/android/crasher.c:28)\n $token [snd_pcm] (/src/android/crasher.c:28)\n" \
	'' --symbols=inst/by-release $inlines
gives " $token\n" " $token\n" "'nothing' is not used" --kernel=nothing

# ---- the kernel of another build ---------------------------------------------
# Each way to name symbols, with logs that have another release or build ID.
other='Comm: x Not tainted 6.1.0-2 #1'
mkdir -p named && cp inst/by-release/6.1.0-1/vmlinux.gsym named/vmlinux.gsym
cp named/vmlinux.gsym named/vmlinux-6.1.0-1.gsym
cp named/vmlinux.gsym named/snd-pcm.ko.gsym
ln -s vmlinux-6.1.0-1.gsym named/linked.gsym
is="is of release 6.1.0-1"
for kernel in inst/by-release/6.1.0-1/vmlinux.gsym named/vmlinux-6.1.0-1.gsym \
	named/linked.gsym; do
	gives "$other\n $token\n $token\n" "$other\n $token\n $token\n" \
		"$is" --kernel=$kernel
	[ "$(wc -l <err)" = 1 ] || { cat err; fail "messages: $kernel"; }
	gives "$other\n $token\n" \
		"$other\n $token (/src/android/crasher.c:28?)\n" '' \
		--kernel=$kernel --no-verify $inlines
	# The release stands after the first frame.
	gives "WARNING: at a.c:7 $token\n$other\n" \
		"WARNING: at a.c:7 $token\n$other\n" "$is" --kernel=$kernel
	gives "$release_line\n $token\n" \
		"$release_line\n $token (/src/android/crasher.c:28)\n" '' \
		--kernel=$kernel $inlines
done
# A module beside the kernel.
gives "$other\n $token [snd_pcm]\n" "$other\n $token [snd_pcm]\n" "$is" \
	--kernel=named/vmlinux-6.1.0-1.gsym
gives "$release_line\n $token [snd_pcm]\n" \
	"$release_line\n $token [snd_pcm] (/src/android/crasher.c:28)\n" '' \
	--kernel=named/vmlinux-6.1.0-1.gsym $inlines
# A short form of the release says nothing.
cp named/vmlinux.gsym named/vmlinux-6.1.gsym
gives "$other\n $token\n" "$other\n $token (/src/android/crasher.c:28)\n" '' \
	--kernel=named/vmlinux-6.1.gsym $inlines
# Another file is installed for the release.
gsym-create -q --install=inst --release=6.1.0-2 "$data/java/libcrash.so.gsym" \
	2>/dev/null
mkdir -p inst/by-release/6.1.0-2
cp "$data/java/libcrash.so.gsym" inst/by-release/6.1.0-2/vmlinux.gsym
gives "$other\n $token\n" "$other\n $token\n" 'has build ID 0186b798' \
	--kernel=named/vmlinux.gsym --gsym-file-directory=inst
rm -r inst/by-release/6.1.0-2
# A log with a build ID, of the kernel and of a module.
with_id="$release_line 0123456789abcdef0123456789abcdef01234567"
mine="$release_line 0186b79800a2da3c0334413d979b487090efe473"
for how in --kernel=named/vmlinux.gsym --symbols=inst/by-release \
	--gsym-file-directory=inst; do
	gives "$with_id\n $token\n $token\n" \
		"$with_id\n $token\n $token\n" \
		'has build ID 0186b79800a2da3c0334413d979b487090efe473' $how
	[ "$(wc -l <err)" = 1 ] || { cat err; fail "messages: $how"; }
	gives "$with_id\n $token\n" \
		"$with_id\n $token (/src/android/crasher.c:28?)\n" '' $how \
		--no-verify $inlines
	gives "$mine\n $token\n" \
		"$mine\n $token (/src/android/crasher.c:28)\n" '' $how $inlines
done
gives " $token [snd_pcm 0123456789abcdef0123456789abcdef01234567]\n" \
	" $token [snd_pcm 0123456789abcdef0123456789abcdef01234567]\n" \
	"kernel's module snd_pcm" --kernel=named/vmlinux.gsym
# A log that says nothing: the first size that differs tells.
wrong=deliver+0x10/0x24
gives " $wrong\n $token\n" " $wrong\n $token\n" \
	'another build, which gives no answers' --kernel=named/vmlinux.gsym
gives " $wrong\n" " $wrong (/src/android/crasher.c:28?)\n" '' --no-verify \
	--kernel=named/vmlinux.gsym $inlines
# The other functions of such a report are marked, too.
gives " $wrong\n $token\n" \
	" $wrong (/src/android/crasher.c:28?)\n $token (/src/android/crasher.c:28?)\n" \
	'' --no-verify --kernel=named/vmlinux.gsym $inlines

# ---- --module: addresses alone -------------------------------------------------
# Where the program was linked to, and elsewhere.
linked=$(sed -n '/shapes.*\[0x/{s/.*\[\(0x[0-9a-f]*\)\].*/\1/p;q}' "$data/glibc/nopie.log")
place=$(sed -n '/shapes.*\[0x/{s/.*\] \([^ ].*\)/\1/p;q}' "$data/glibc/nopie.expected")
case $place in ?*) ;; *) fail 'no place in glibc/nopie.expected' ;; esac
line="3: 0x$(printf %08x "$linked") - <unknown>"
gives "$line\n" "$line $place\n" '' $inlines "--module=$data/nopie/shapes.gsym"
gives "$line\n" "$line\n" '' $inlines \
	"--module=$data/nopie/shapes.gsym@0x7000000"

# ---- --symbols: files of one name --------------------------------------------
frame='C  [libcrash.so+0x1110]'
mkdir -p two/a two/b same/a same/b
cp "$data/java/libcrash.so.gsym" two/a
cp "$crasher" two/b/libcrash.so.debug.gsym
cp "$data/java/libcrash.so.gsym" same/a
cp "$data/java/libcrash.so.gsym" same/b/libcrash.so.debug.gsym
gives "# $frame\n" "# $frame\n" 'different build IDs' --symbols=two
gives "# $frame\n" "# $frame Java_Crash_run (/src/java/crash.c:20)\n" \
	"$unproven" --symbols=same
gives "# $frame\n" "# $frame\n" 'no symbols for module "libcrash.so"' \
	--symbols=nowhere
# A log with a build ID takes the file that has it, and no other.
android='#00 pc 00000000000043ec  /libcrash.so (BuildId: '
id=0186b79800a2da3c0334413d979b487090efe473
gives "$android$id)\n" "$android$id) deliver (/src/android/crasher.c:28)\n" '' \
	--symbols=two
gives "${android}0123abcd)\n" "${android}0123abcd)\n" 'no symbols' \
	--symbols=two
gives "${android}0123abcd)\n" "${android}0123abcd)\n" \
	'BuildID=0123abcd: ' --symbols=two/b
gives "${android}0123abcd)\n" \
	"${android}0123abcd) deliver (/src/android/crasher.c:28?)\n" '' \
	--symbols=two/b --no-verify
# Programs that write their arguments behind their names.
mkdir redis && cp "$data/gcc/shapes.gsym" redis/redis-server.gsym
frame='/bin/redis-server *:6379(+0x1559)[0x561b9df0b559]'
gives "$frame\n" \
	"$frame area_at(geo::Shape const&, unsigned long) (/src/shapes/main.cpp:35)\n" \
	"$unproven" --symbols=redis
frame='C  [libcrash.so+0x1110]'
# Links to folders are not followed; other files are not opened.
mkdir linked other && ln -s ../same linked/folder && mkfifo other/libcrash.so.gsym
gives "# $frame\n" "# $frame\n" 'no symbols' --symbols=linked --symbols=other
echo nonsense >other/x.gsym
gives "# C  [x+0x1]\n" "# C  [x+0x1]\n" "'other/x.gsym' is not used" \
	--symbols=other

# ---- many modules ------------------------------------------------------------
# A folder is read once, not for each module: it may have thousands.  With less
# room for lists and paths the answers that are left are the same.
mkdir -p many/by-release/6.7
printf '[ 1.0] CPU: 0 PID: 1 Comm: x Not tainted 6.7 #1\n' >many.log
i=0
while [ $i -lt 300 ]; do
	: >many/by-release/6.7/m_$i.ko.gsym
	printf '[ 1.0]  f+0x1/0x2 [m_%d]\n' $i >>many.log
	i=$((i + 1))
done
gsym-markup --logs $none --gsym-file-directory=many many.log >out 2>err
[ "$(grep -c 'by-release/6.7/m_[0-9]*.ko.gsym. is not used' err)" = 300 ] ||
	fail "modules by release: $(head -n 3 err)"
if command -v strace >/dev/null; then
	strace -e trace=openat -o trace gsym-markup -q --logs $none \
		--gsym-file-directory=many many.log >out 2>err
	opened=$(grep -c 'by-release/6.7".*O_DIRECTORY' trace)
	[ "$opened" -ge 1 ] && [ "$opened" -le 3 ] ||
		fail "the folder was read $opened times"
fi
for limit in 1 2 3; do
	GSYM_TINY_LIMITS=$limit gsym-markup-tiny --logs $none \
		--gsym-file-directory=many many.log >out 2>err ||
		fail "limit $limit: status $?"
	cmp -s many.log out || fail "limit $limit: the text changed"
done

# ---- --root ------------------------------------------------------------------
if ! cc -g -shared -fPIC -Wl,--build-id=0x00112233445566778899 -o lib.so \
	-xc - 2>/dev/null <<'END'
int answer(int x)
{
	return x * 3;
}
extern __typeof(answer) another __attribute__((alias("answer")));
END
then
	skip 'no library can be made'
fi
gsym-create -q --install=ids lib.so
at=$(nm lib.so | sed -n 's/^0*\([0-9a-f]*\) T answer$/\1/p')
# Debug files of a kernel by its release, which are converted.
mkdir -p dbg/boot dbg/lib/modules/6.5/kernel/x
cp lib.so dbg/boot/vmlinux-6.4
cp lib.so dbg/lib/modules/6.5/vmlinux
cp lib.so dbg/lib/modules/6.5/kernel/x/snd-pcm.ko.debug
# The kernel counts a function up to the next one.
starts=$(gsym-dump --json --functions ids/.build-id/00/*.gsym | sed -n '
	s/.*"start":"\(0x[0-9a-f]*\)".*"name":"\([^"]*\)".*/\2 \1/p')
next=$(echo "$starts" | sed -n '/^answer /{n;s/.* //p;}')
[ -n "$next" ] || skip 'answer is the last function'
kernel_frame=" answer+0x4/0x$(printf %x $((next - 0x$at)))"
# A file whose name says nothing: the ELF file of the kernel has its release, in
# the banner or as build salt.
other='Not tainted 6.1.0-2 #1'
kernel_file()
{
	cc -g -shared -nostdlib -fPIC -Wl,--build-id=0x00aabbcc -o kernel \
		-xc - 2>../stderr <<END
const char linux_banner[] = "Linux $2 (me@here) #1";
__asm__(".section .note.Linux, \"a\", %note\n.balign 4\n"
	".4byte 6, 4, 0x101\n.asciz \"Linux\"\n.balign 4\n.4byte 0\n"
	".4byte 6, 2f - 1f, 0x100\n.asciz \"Linux\"\n.balign 4\n"
	"1: .asciz \"$1\"\n2: .balign 4\n.text\n");
int deliver(int x) { return x + 1; }
int next(int x) { return x * deliver(x); }
END
}
# The salt, the banner, and whether the file is of release 6.1.0-1.
for file in '6.1.0-1 none yes' 'none version_6.1.0-1 no' ' version,6.1.0-1 yes' \
	'6.1.0-1 version,6.1.0-2 no' '6.1.0-2 version,6.1.0-1 yes' \
	'6.1 none no' 'salt none no'; do
	salt=${file%% *} yes=${file##* } banner=${file#* }
	banner=$(echo "${banner% *}" | tr , ' ')
	rm -rf elf && mkdir -p elf/beside elf/named elf/debug/.build-id/00
	kernel_file "$salt" "$banner" || fail 'no kernel'
	gsym-create -q -o elf/named/vmlinux.gsym kernel || fail create
	gsym-create -q --install=elf/in kernel || fail install
	cp elf/named/vmlinux.gsym kernel elf/beside
	mv elf/beside/kernel elf/beside/vmlinux
	cp kernel elf/debug/.build-id/00/aabbcc.debug
	from=$(nm kernel | sed -n 's/ T deliver$//p')
	to=$(nm kernel | sed -n 's/ T next$//p')
	frame=" deliver+0x4/0x$(printf %x $((0x$to - 0x$from)))"
	for how in "$none --kernel=elf/beside/vmlinux.gsym" \
		"--debug-file-directory=elf/debug --symbols=elf/named" \
		"--debug-file-directory=elf/in --kernel=elf/named/vmlinux.gsym" \
		"--gsym-file-directory=elf/in --kernel=kernel" \
		"--gsym-file-directory=elf/in --symbols=elf/named"; do
		printf '%s\n' "$other" "$frame" "$frame" >in.log
		# shellcheck disable=SC2086
		gsym-markup --logs $none $how in.log >out 2>err || fail "$how"
		if [ $yes = yes ]; then
			cmp -s in.log out || { cat out; fail "$file: $how"; }
			grep -q "is of release 6.1.0-1$" err ||
				{ cat err; fail "$file: $how"; }
			[ "$(wc -l <err)" = 1 ] || { cat err; fail "$how"; }
		elif ! grep -q ' (' out || [ -s err ]; then
			cat out err
			fail "$file: $how"
		fi
	done
done
# A second name of the function, which only the symbol table has.
gsym-dump --json --functions ids/.build-id/00/*.gsym | grep -q another &&
	fail 'the GSYM data have both names'
frame=$(echo "$kernel_frame" | sed s/answer/another/)
for folder in $none --debug-file-directory=ids; do
	echo "$frame" | gsym-markup --logs $folder --basenames \
		--kernel="$(echo ids/.build-id/00/*.gsym)" >out 2>err
	case $folder in
	$none) echo "$frame" >wanted ;;
	*) echo "$frame (<stdin>:2)" >wanted ;;
	esac
	cmp -s wanted out || { cat out err; fail "second names: $folder"; }
done
for log in "Not tainted 6.4 #1\n$kernel_frame" \
	"Not tainted 6.5 #1\n$kernel_frame\n$kernel_frame [snd_pcm]"; do
	printf '%b\n' "$log" >in.log
	gsym-markup --logs --debug-file-directory=dbg in.log >out 2>err
	cmp -s in.log out || fail 'converted without --convert'
	rm -rf "$HOME/.cache"
	gsym-markup --logs --debug-file-directory=dbg --convert in.log >out 2>err
	[ "$(grep -c 'answer.*(' out)" = "$(grep -c answer in.log)" ] ||
		{ cat out err; fail 'debug files by release'; }
done
rm -rf "$HOME/.cache"
# Links for a whole folder, for files that are converted and that were.
mkdir tree && cp lib.so tree/vmlinux-6.2
for release in 6.2 6.3; do
	gsym-create -q -r --install=tree.ids --release=$release tree ||
		fail 'a folder with --release'
	[ -e tree.ids/by-release/$release/vmlinux.gsym ] ||
		fail "no link for $release"
done
mkdir -p root/usr/lib outside
cp lib.so root/usr/lib
cp lib.so outside
ln -s usr/lib root/lib
ln -s ../outside root/out
ln -s /usr/lib/lib.so root/absolute.so
mkfifo root/fifo
frame()
{
	echo "$1(+0x$(printf %x $((0x$at + 4))))[0x7f0000001004]"
}
root="--root=root --gsym-file-directory=ids --basenames"
found=0
for path in /usr/lib/lib.so /lib/lib.so /usr/../usr/lib/lib.so; do
	# shellcheck disable=SC2086
	gsym-markup --logs $none $root >out 2>err <<END
$(frame $path)
END
	grep -q ' answer (' out && found=$((found + 1))
done
# Links below the root and ".." need openat2, which old kernels lack.
[ $found = 3 ] || [ $found = 1 ] || fail "$found paths were found"
grep -q "the build ID of '/usr" err || [ $found = 1 ] || fail 'no note'
# The note has the path as one would write it, also below the folder "/".
frame /usr/lib/lib.so >in.log
gsym-markup --logs $none --root=root// --gsym-file-directory=ids in.log \
	>out 2>err
grep -q "of '/usr/lib/lib.so' is that of 'root/usr/lib/lib.so'" err ||
	fail "the note of a folder with slashes at its end: $(cat err)"
for path in /out/lib.so /../outside/lib.so ../outside/lib.so /fifo /usr/lib \
	/nothing "$PWD/lib.so"; do
	printf '%s\n' "$(frame "$path")" >in.log
	# shellcheck disable=SC2086
	gsym-markup --logs $none $root in.log >out 2>err
	cmp -s in.log out || fail "--root: $path was read"
done
# A FIFO is not even opened: who waits for its reader goes on waiting.
sh -c 'exec 3>root/fifo; : >opened' &
writer=$!
until_true grep -q '^State:.*sleeping' /proc/$writer/status
frame /fifo >in.log
# shellcheck disable=SC2086
gsym-markup --logs $none $root in.log >out 2>err
sleep 0.2
[ ! -e opened ] || fail 'the FIFO was opened'
cat root/fifo
wait $writer
# With --convert the file itself is converted.
frame /usr/lib/lib.so >in.log
XDG_CACHE_HOME=$PWD/cache gsym-markup --logs $none --root=root --convert \
	--basenames in.log >out 2>err
grep -q ' answer (' out || fail "--root --convert: $(cat err)"
# Without the option no path is read.
printf '%s\n' "$(frame "$PWD/lib.so")" >in.log
gsym-markup --logs $none --gsym-file-directory=ids in.log >out 2>err
cmp -s in.log out || fail 'a path of the log was read'

# ---- --strict, --stats -------------------------------------------------------
gsym-markup --logs $none --strict in.log >out 2>err
[ $? = 1 ] || fail '--strict: no symbols'
printf ' nothing+0x1/0x2\n' |
	gsym-markup --logs $none --strict --stats --symbols=inst/by-release \
		>out 2>err
[ $? = 1 ] || fail '--strict: no function'
grep -qx 'kernel: 1 frames, 0 answered, 0 without module, 1 without function, 0 of another build' \
	err || { cat err; fail '--stats'; }
gsym-markup --logs $none --strict --quiet "$data/sanitizer/llvm-dump.log" >out
[ $? = 1 ] || fail '--strict: no module'
gsym-markup --logs=jvm $none --strict "$data/sanitizer/llvm-dump.log" >out ||
	fail '--strict without frames'
# ---- strace ------------------------------------------------------------------
# The program headers beside the GSYM file tell what an offset stands for.
mkdir -p strace && cp ids/.build-id/00/*.gsym strace/lib.so.gsym
offset=$(printf %x $((0x$at + 4)))
for folder in "--debug-file-directory=ids --symbols=strace" --symbols=strace; do
	# shellcheck disable=SC2086
	echo " > /x/lib.so() [0x$offset]" |
		gsym-markup --logs $none $folder --basenames >out 2>err
	grep -q ' answer (' out
	[ $? = $(($(echo "$folder" | wc -w) % 2)) ] ||
		{ cat out err; fail "an offset in the file, $folder"; }
done

# ---- where a program lies that cannot be moved -------------------------------
# lld links to 0x200000: the base address, which bytes 8 to 15 of the file have.
# MongoDB counts from there, glibc from address 0.
mkdir -p low
{
	printf 'MODULE Linux x86_64 %033d server\n' 0
	printf 'FUNC %s 10 0 %s\n' 40 first 200100 near_ 400100 far_
} >low.sym
sed 's/ 40 / 0 /' low.sym >begins.sym
for name in server begins; do
	sym=low.sym
	[ $name = server ] || sym=begins.sym
	gsym-create --quiet -o low/$name.gsym $sym || fail "no $name"
	printf '\040' | dd of=low/$name.gsym bs=1 seek=10 conv=notrunc \
		2>../stderr
done
for frame in 'server(+0x400108) [0x600108]' 'server[0x600108]' \
	' 3  server + 0x400108' '#01: ???[/bin/server +0x400108]'; do
	gives "$frame\n" "$frame far_\n" "$unproven" --symbols=low
done
frame='server(+0x400108) [0x55d0a1800108]'
gives "$frame\n" "$frame near_\n" "$unproven" --symbols=low
frame='server(+0x400108) [0x600108]'
gives "$frame\nserver(far_+0x8) [0x600108]\n" \
	"$frame far_\nserver(far_+0x8) [0x600108]\n" '' --symbols=low
# A function begins at the base address: no header of a program lies there, so
# it says nothing of the first page.
gives ' 3  begins + 0x400108\n' ' 3  begins + 0x400108 near_\n' "$unproven" \
	--symbols=low

# ---- --explain ---------------------------------------------------------------
# One line for each frame; the output is the same.
explains()
{
	printf '%b' "$1" >in.log
	want=$2
	shift 2
	gsym-markup --logs $none "$@" in.log >wanted 2>../stderr
	gsym-markup --logs $none --explain "$@" in.log >out 2>err || fail status
	cmp -s wanted out || fail '--explain changes the output'
	grep -qxF "$want" err || { cat err; fail "--explain: no '$want'"; }
}
frame='/bin/redis-server *:6379(+0x1559)[0x561b9df0b559]'
explains "x\n$frame\n" \
	'line 2: glibc frame, module "/bin/redis-server *:6379", linked address 0x1559 (return address), loaded at 0x561b9df0a000: looked up 0x1558 in redis/redis-server.gsym, found by name; the log does not confirm the build' \
	--symbols=redis
explains " $token\n" \
	'line 1: kernel frame, module "kernel", function deliver, 0x10 bytes after the function (return address): looked up 0x43eb in named/vmlinux.gsym, found by --kernel; the log does not confirm the build' \
	--kernel=named/vmlinux.gsym
explains "$other\n $token\n" \
	"line 2: kernel frame, module \"kernel\", function deliver, 0x10 bytes after the function (return address): the symbols are of another build: 'named/vmlinux-6.1.0-1.gsym' is of release 6.1.0-1" \
	--kernel=named/vmlinux-6.1.0-1.gsym
explains " > /x() [0x1234]\n" \
	'line 1: strace frame, module "/x", offset 0x1234 in the file (return address): no symbols'
# A program of Apple's systems, as it is linked: to 4 GiB.
mkdir -p at-4g
sed -e 's/^FUNC \(....\)/FUNC 10000\1/' -e 's/^\(6...\)/10000\1/' \
	"$data/apple/iOSCrashingTest.sym" >at-4g.sym
gsym-create --quiet -o at-4g/iOSCrashingTest.gsym at-4g.sym || fail create
logs "$data/apple/report.log" jvm/x --symbols=at-4g >out 2>../stderr
cmp -s "$data/apple/report.expected" out || fail 'an image at 4 GiB'
exit 0
