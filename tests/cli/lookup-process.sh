#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-lookup --pid and --maps: run-time addresses of a process, by the GSYM
# data beside its files or in a store; files without GSYM data are named.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need nm
[ -r /proc/self/maps ] || skip 'no /proc/PID/maps'
cat >wait.c <<'END'
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) int work(volatile int *x)
{
	return *x;
}
int main(void)
{
	volatile int x = 1;
	work(&x);
	printf("%p %p\n", (void *)work, (void *)puts);
	fflush(stdout);
	pause();
	return 0;
}
END
${CC:-cc} -g -O1 -Wl,--build-id=0x0102030405060708 -ffile-prefix-map="$PWD"=/src \
	-o wait wait.c || skip 'no C compiler'
./wait >places &
pid=$!
trap 'kill $pid; rm -rf "$scratch"' EXIT
until_true [ -s places ]
read -r work puts <places
[ -r /proc/$pid/maps ] || skip 'the maps of other processes cannot be read'

# Without GSYM data: file and address, and which file lacks them.
gsym-lookup --debug-file-directory=none --pid=$pid "$work" >out 2>err ||
	fail "status $?: $(cat err)"
offset=$(nm wait | sed -n 's/^0*\([0-9a-f]*\) T work$/0x\1/p')
echo "$work: ?? ($PWD/wait+$offset)" | diff - out || fail 'no GSYM data'
grep -q "no GSYM data for '$PWD/wait', build ID 0102030405060708" err ||
	fail "the note: $(cat err)"
gsym-lookup --strict --pid=$pid "$work" >out 2>err
[ $? = 1 ] || fail '--strict'

# Beside the program, and in a store.
gsym-create -q wait || fail 'gsym-create'
gsym-lookup wait.gsym "$offset" | sed "s/^$offset:/$work:/" >wanted
gsym-lookup --pid=$pid "$work" >out 2>err || fail "status $?"
sed 's/^  *//' wanted >wanted.plain
sed 's/^  *//' out | diff wanted.plain - || fail 'beside the program'
grep -q ': work at /src/wait.c:[0-9]*$' out || fail "$(cat out)"
[ ! -s err ] || fail "messages: $(cat err)"
gsym-create -q --install=store wait && rm wait.gsym || fail '--install'
gsym-lookup --gsym-file-directory=store --pid=$pid "$work" | cmp - out ||
	fail 'from a store'

# A program without a build ID: beside it, if it is not older.
${CC:-cc} -g -O1 -Wl,--build-id=none -ffile-prefix-map="$PWD"=/src -o bare \
	wait.c || fail 'no program without a build ID'
gsym-create -q bare || fail 'gsym-create of a program without a build ID'
./bare >bare.places &
bare=$!
trap 'kill $pid $bare; rm -rf "$scratch"' EXIT
until_true [ -s bare.places ]
read -r place _ <bare.places
gsym-lookup --pid=$bare "$place" >got 2>err || fail "status $?"
grep -q "^$place: work at /src/wait.c:[0-9]*$" got && [ ! -s err ] ||
	fail "beside a program without a build ID: $(cat got err)"
# By the text of its map, too.
cat /proc/$bare/maps >bare.maps
gsym-lookup --maps=bare.maps "$place" | cmp - got ||
	fail '--maps of a program without a build ID'
gsym doctor $bare >doctor 2>err || [ $? = 1 ] || fail "doctor: $(cat err)"
sed -n "\|$PWD/bare|,/^[^ ]/p" doctor | grep -q "symbols: .*/bare.gsym" ||
	fail "doctor of a program without a build ID: $(cat doctor)"
touch -d '2001-01-01' bare.gsym
gsym-lookup --pid=$bare --no-convert "$place" >got 2>err
grep -q '^[^:]*: ??' got || fail "an older GSYM file: $(cat got)"
# Another program has the name now.
touch bare.gsym && cp bare new && mv new bare && touch bare.gsym
gsym-lookup --pid=$bare --no-convert "$place" >got 2>err
grep -q '^[^:]*: ??' got || fail "a program that was replaced: $(cat got)"
kill $bare
trap 'kill $pid; rm -rf "$scratch"' EXIT

# Code that was made at run time, in the file of a JIT compiler.  Later lines
# take the place of earlier ones; what is no line is left out.
cat >jit.c <<'END'
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
	char path[64];
	char *code = mmap(0, 8192, PROT_READ | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long at = (unsigned long)code;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	FILE *map = fopen(path, "wx");
	if (!map)
		return 1;
	/* "oldest" went when "old" came, and "old" when "first one" came. */
	fprintf(map, "%lx 10 oldest\n%lx 40 old\n%lx 10 first one(int)\n\n"
		"nonsense\n%lx zz bad\n%lx 0 empty\n0x%lx 0x8 second\n"
		"%lx 8 cut",
		at + 48, at, at, at + 64, at + 64, at + 32, at + 128);
	fclose(map);
	printf("%lx %s\n", at, path);
	fflush(stdout);
	pause();
	return 0;
}
END
${CC:-cc} -o jit jit.c || fail 'jit.c'
./jit >jit.places &
jit=$!
trap 'kill $pid $jit; rm -rf "$scratch" "$list"' EXIT
until_true [ -s jit.places ]
read -r code list <jit.places
for place in 0 15 16 32 40 48 64 128; do
	echo $((0x$code + place))
done >jit.addresses
gsym-lookup --pid=$jit <jit.addresses | sed 's/^[^:]*: //; s/0x.*/HEX/' >got
cat >wanted <<'END'
first one(int)
first one(int) + 15
?? (memory+HEX
second
?? (memory+HEX
?? (memory+HEX
?? (memory+HEX
?? (memory+HEX
END
diff wanted got || fail 'functions of a JIT compiler'
# What is asked one by one has the same answers.
xargs gsym-lookup --pid=$jit <jit.addresses | sed 's/^[^:]*: //; s/0x.*/HEX/' |
	diff wanted - || fail 'functions of a JIT compiler, one by one'
kill $jit && rm -f "$list"
trap 'kill $pid; rm -rf "$scratch"' EXIT

# A name is no input, not even one of the file that answered before.
printf '%s\nwork\n' "$work" |
	gsym-lookup --gsym-file-directory=store --pid=$pid >got 2>err
[ $? = 2 ] && echo 'work: not an address, and no function has this name' |
	cat out - | cmp - got || fail "a name: $(cat got err)"

# --check: data beside a program and in its section are compared with their
# checksums, too.  Here a name is another one.
gsym-create -q --checksum wait || fail '--checksum'
gsym-lookup --check --pid=$pid "$work" >checked 2>err || fail '--check'
cmp checked out || fail '--check'
sed 's/wait\.c/WAIT.c/g' wait.gsym >bad && mv bad wait.gsym
gsym-lookup --pid=$pid "$work" | grep -q 'WAIT.c' || fail 'without --check'
gsym-lookup --check --debug-file-directory=none --pid=$pid "$work" \
	>checked 2>err || fail "--check: status $?"
grep -qF "?? ($PWD/wait+" checked || fail "--check: $(cat checked)"
same="GSYM data of '$PWD/wait' are not used: checksum"
[ "$(grep -c "$same" err)" = 1 ] && [ "$(wc -l <err)" = 1 ] ||
	fail "--check: $(cat err)"
rm wait.gsym

# Damage is not called damage of one file.
gsym-create -q wait || fail 'gsym-create'
at=$(gsym-dump wait.gsym | sed -n 's/^ *0x\([0-9a-f]*\) .* functions$/\1/p')
head -c $((0x$at)) wait.gsym >cut && mv cut wait.gsym
gsym-lookup --strict --debug-file-directory=none --pid=$pid "$work" \
	>checked 2>err
[ $? = 2 ] || fail "damage: $(cat checked err)"
grep -q 'GSYM data of the process are damaged; addresses affected: 1' err ||
	fail "damage: $(cat err)"
rm wait.gsym

# Memory without a file has no GSYM data, and nobody expects them.
stack=$(sed -n 's/^\([0-9a-f]*\)-.*\[stack\]$/0x\1/p' /proc/$pid/maps)
gsym-lookup --debug-file-directory=none --pid=$pid "$stack" >checked 2>err
[ ! -s err ] || fail "the stack: $(cat err)"

# The address of another file, one where nothing is mapped, from a pipe.
printf '%s\n%s\n16\n' "$work" "$puts" |
	gsym-lookup --gsym-file-directory=store --pid=$pid --json \
		--debug-file-directory=none >json 2>err || fail "status $?"
grep -q '"function":"work"' json || fail "JSON: $(cat json)"
sed -n 2p json | grep -q '"module":"/.*","module_address":"0x' ||
	sed -n 2p json | grep -q '"function":' || fail "JSON: $(cat json)"
sed -n 3p json | grep -q '^{"address":"0x10","frames":\[\]}$' ||
	fail "JSON: $(cat json)"

# A copy of the maps; then the process is gone, and its files are elsewhere.
cat /proc/$pid/maps >maps
gsym-lookup --gsym-file-directory=store --maps=maps "$work" | cmp - out ||
	fail '--maps'
kill $pid
wait $pid 2>/dev/null
gsym-lookup --gsym-file-directory=store --maps=maps "$work" | cmp - out ||
	fail '--maps, later'
mkdir -p "root/$PWD" && mv wait "root/$PWD/" || fail 'mv'
gsym-lookup --gsym-file-directory=store --maps=maps --root=root "$work" |
	cmp - out || fail '--root'
gsym-lookup --gsym-file-directory=store --maps=maps "$work" 2>err |
	grep -qF "?? ($PWD/wait+" || fail 'a file that is gone'
trap 'rm -rf "$scratch"' EXIT

# --fetch: for the files that an address lies in, each once.
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
: >runs
cat >command <<END
#!/bin/sh
echo "\$1" >>"$PWD/runs"
[ "\$1" = 0102030405060708 ] || exit 1
cp "$PWD"/store/.build-id/01/02030405060708.debug.gsym "\$2"
END
chmod +x command
fetching()
{
	gsym-lookup --debug-file-directory=none --maps=maps --root=root \
		--fetch="$PWD/command" "$@" 2>err
}
fetching "$work" "$work" >got || fail "--fetch: $(cat err)"
cat out out | cmp - got || fail "--fetch: $(cat got err)"
[ ! -s err ] || fail "--fetch: $(cat err)"
[ "$(cat runs)" = 0102030405060708 ] || fail "--fetch: $(cat runs)"
# From a pipe, and with libc, which is not below the root.
rm -r cache runs
i=0
while [ $i -lt 3000 ]; do
	printf '%s\n%s\n' "$work" "$puts"
	i=$((i + 1))
done | fetching >got || fail "--fetch, many: $(cat err)"
[ "$(wc -l <runs)" -eq 1 ] || fail "--fetch, many: $(cat runs)"
[ "$(grep -c ': work at ' got)" -eq 3000 ] || fail '--fetch, many'
grep -q 'no GSYM data for .*libc' err || fail "--fetch, many: $(cat err)"
# --check refuses what the command brought.
rm -r cache runs
gsym-create -q --checksum --install=store --replace=always \
	"root/$PWD/wait" || fail '--checksum'
sed 's/wait\.c/WAIT.c/g' store/.build-id/01/02030405060708.debug.gsym >bad
mv bad store/.build-id/01/02030405060708.debug.gsym
fetching --check "$work" "$work" >got || fail "--fetch --check: $?"
! grep -q 'WAIT.c' got || fail "--fetch --check: $(cat got)"
[ "$(wc -l <runs)" -eq 1 ] || fail "--fetch --check: $(cat runs)"
gsym-lookup --maps=maps --fetch-size=1 1 2>err && fail '--fetch-size alone'
grep -q 'need --fetch' err || fail "$(cat err)"

# Mistakes.
wrong()
{
	gsym-lookup "$@" >out 2>err
	[ $? = 2 ] && [ ! -s out ] && [ -s err ] || fail "$*: $(cat out err)"
}
wrong --pid=2147483647 1
grep -q 'cannot read process 2147483647: .*No such file' err || fail "$(cat err)"
wrong --pid=0 1
wrong --pid=x 1
wrong --maps=missing 1
wrong --maps=wait.c 1
grep -q "'wait.c': not a line of a maps file" err || fail "$(cat err)"
wrong --maps=maps --pid=1 1
wrong --root=root 1
wrong --pid=1 --copy 1
wrong --pid=1 --adjust-vma=1 1
exit 0
