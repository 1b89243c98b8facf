#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-lookup --kernel: a program stands for the kernel, moved as a whole, and a
# relocatable object for a module, whose sections are moved apart.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need nm
need readelf
need awk
cat >kernel.c <<'END'
static volatile int sink;
__attribute__((noinline)) int vfs_read(int x)
{
	return sink + x;
}
int main(void)
{
	return vfs_read(1);
}
END
cat >module.c <<'END'
extern int printk(int);
static volatile int sink;
static inline int twice(int x)
{
	return sink + x * 2;
}
__attribute__((noinline)) int module_work(int x)
{
	return printk(twice(x)) + 1;
}
__attribute__((section(".init.text"))) int module_start(void)
{
	return module_work(3) + 1;
}
__attribute__((section(".exit.text"))) int module_stop(void)
{
	return module_work(4) + 2;
}
END
flags="-g -O1 -fno-pie -ffile-prefix-map=$PWD=/src -fcf-protection=none"
# shellcheck disable=SC2086
${CC:-cc} $flags -no-pie -Wl,--build-id=0x1111111111111111 -o vmlinux \
	kernel.c 2>log || skip "no program: $(cat log)"
# shellcheck disable=SC2086
${CC:-cc} $flags -c module.c &&
	${CC:-cc} -r -nostdlib -Wl,--build-id=0x2222222222222222 -o mod.ko \
		module.o 2>log || skip "no relocatable file: $(cat log)"
readelf -n mod.ko 2>/dev/null | grep -q 2222222222222222 ||
	skip 'the linker gives relocatable files no build ID'
gsym-create -q --install=store vmlinux || fail 'gsym-create'
gsym-create -q --install=store mod.ko || fail 'gsym-create'

# Copies of the files of /proc and /sys.  $1: the file; $2: the digit.
notes()
{
	mkdir -p "$(dirname "$1")"
	printf '\4\0\0\0\10\0\0\0\3\0\0\0GNU\0' >"$1"
	# shellcheck disable=SC2059
	printf "\\$2\\$2\\$2\\$2\\$2\\$2\\$2\\$2" >>"$1"
}
notes root/sys/kernel/notes 021
notes root/sys/module/mod/notes/.note.gnu.build-id 042
mkdir root/proc
# Add $1, hexadecimal without 0x, to the addresses of nm's lines, which get the
# end $2.
move()
{
	while read -r address type name; do
		printf '%016x %s %s%s\n' $((0x$address + $1)) "$type" "$name" "$2"
	done
}
{
	nm vmlinux | grep -i ' [tw] ' | grep -v '^ ' | move $((0x1e400000)) ''
	at=$((0x60000000))
	for section in .text .exit.text .init.text; do
		index=$(readelf -SW mod.ko | sed -n \
			"s/^ *\[ *\([0-9]*\)\] $section .*/\1/p")
		readelf -sW mod.ko | awk -v n="$index" '$4 == "FUNC" &&
			$7 == n { print $2, "t", $8 }' |
			move $at '	[mod]'
		at=$((at + 0x100000))
	done
} | sort >root/proc/kallsyms
address()
{
	sed -n "s/^0*\([0-9a-f]*\) . $1\\(\t.*\\)*\$/0x\1/p" root/proc/kallsyms
}
ask()
{
	gsym-lookup --kernel=root --gsym-file-directory=store \
		--debug-file-directory=none "$@"
}
for name in vfs_read module_work module_start module_stop; do
	at=$(address $name)
	[ -n "$at" ] || fail "no address of $name in $(cat root/proc/kallsyms)"
	ask "$at" >out 2>err || fail "$name: $(cat err)"
	grep -q "^$at: $name at /src/[a-z]*.c:[0-9]*\$" out ||
		fail "$name: $(cat out)"
	[ ! -s err ] || fail "$name: $(cat err)"
done
# A return address, through standard input, with what was inlined.
at=$(address module_work)
printf '0x%x\n' $((at + 1)) | ask --json >out || fail 'JSON'
grep -q '"function":"module_work"' out || fail "$(cat out)"
# Without GSYM data: the symbol, and which data are missing.
gsym-lookup --kernel=root --debug-file-directory=none "$at" >out 2>err ||
	fail "status $?"
echo "$at: module_work" | cmp - out || fail "$(cat out)"
grep -qF "no GSYM data for '[mod]', build ID 2222222222222222" err ||
	fail "$(cat err)"
# --fetch: the data of a module alone, then those of the kernel too.
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
cat >command <<END
#!/bin/sh
echo "\$1" >>"$PWD/runs"
cp "$PWD/store/.build-id/\${1%??????????????}/\${1#??}.debug.gsym" "\$2"
END
chmod +x command
for name in module_work vfs_read module_stop; do
	echo "$(address $name)"
done | gsym-lookup --kernel=root --debug-file-directory=none \
	--fetch="$PWD/command" >out 2>err || fail "--fetch: $(cat err)"
sed 's/.*: \(.*\) at .*:[0-9]*$/\1/' out | tr '\n' ' ' >names
[ "$(cat names)" = 'module_work vfs_read module_stop ' ] ||
	fail "--fetch: $(cat out err)"
[ "$(sort runs | tr '\n' ' ')" = '1111111111111111 2222222222222222 ' ] ||
	fail "--fetch: $(cat runs)"
rm -r cache
ask 0x10 >out || fail "status $?"
echo '0x10: ??' | cmp - out || fail "$(cat out)"

# Mistakes.
wrong()
{
	ask "$@" >out 2>err
	[ $? = 2 ] && [ ! -s out ] && [ -s err ] || fail "$*: $(cat out err)"
}
wrong --pid=1 1
wrong --copy 1
wrong --root=root 1
sed -i 's/^[0-9a-f]*/0000000000000000/' root/proc/kallsyms
wrong 1
grep -q 'the kernel hides them.*kptr_restrict' err || fail "$(cat err)"
rm root/proc/kallsyms
wrong 1
grep -q 'root/proc/kallsyms: No such file' err || fail "$(cat err)"
# The kernel of this machine, if it shows its addresses.
if ! at=$(sed -n 's/^\([0-9a-f]*[1-9a-f][0-9a-f]*\) [tT] \([a-z_0-9]*\)$/0x\1/p' \
	/proc/kallsyms 2>/dev/null | head -n 1) || [ -z "$at" ]; then
	exit 0
fi
gsym-lookup --kernel "$at" >out 2>err || fail "this kernel: $(cat err)"
grep -q "^$at: [a-z_0-9]" out || fail "this kernel: $(cat out err)"
exit 0
