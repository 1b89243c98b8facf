#!/bin/sh
# SPDX-License-Identifier: MIT
# --sandbox, --max-memory and --max-time: the same output as without them, and
# clear errors.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
compile prog -Wl,--build-id
program=prog

gsym-create --quiet -o plain.gsym "$program" || fail 'without a sandbox'
if ! gsym-create --quiet --sandbox -o boxed.gsym "$program" 2>err; then
	grep -Eq 'this kernel has no|built with a sanitizer' err ||
		fail "$(cat err)"
	skip "$(cat err)"
fi
same()
{
	cmp plain.gsym "$1" || fail "$1: other bytes"
}
same boxed.gsym
gsym-create --quiet --sandbox=try -o try.gsym "$program" || fail try
same try.gsym
gsym-create --quiet --sandbox -o - "$program" >pipe.gsym || fail 'a pipe'
same pipe.gsym
mkdir deep
ln -s deep/target.gsym link.gsym
: >deep/target.gsym
gsym-create --quiet --sandbox -o link.gsym "$program" || fail 'a link'
same deep/target.gsym
gsym-create --quiet --sandbox -o /dev/null "$program" || fail /dev/null
gsym-create --quiet --sandbox --install=new/tree "$program" || fail '--install'
same "$(find new/tree -type f -name '*.gsym')"
mkdir folder
cp "$program" folder/program
gsym-create --quiet --sandbox -r --output-dir=made folder || fail '-r'
same made/program.gsym
gsym-create --quiet --sandbox --verify -o boxed.gsym "$program" || fail --verify

# All the ways of gsym-create: standard input, compressed text from a pipe, in
# memory and in the folder of the output, and several threads.
gsym-create --quiet --sandbox -j 4 -o boxed.gsym "$program" || fail threads
same boxed.gsym
text=$top_srcdir/testdata/breakpad/arm_public.sym
gsym-create --quiet -o plain-sym.gsym "$text" || fail 'a Breakpad file'
gsym-create --quiet --sandbox -o boxed.gsym - <"$text" || fail stdin
cmp plain-sym.gsym boxed.gsym || fail 'stdin: bytes'
cat "$text" | gsym-create --quiet --sandbox -o boxed.gsym - || fail 'a pipe in'
cmp plain-sym.gsym boxed.gsym || fail 'a pipe: bytes'
gzip -c "$text" >small.gz
for output in boxed.gsym - /dev/stdout; do
	gsym-create --quiet --sandbox -o $output small.gz >pipe.gsym ||
		fail "compressed text, $output"
	[ $output != boxed.gsym ] || mv boxed.gsym pipe.gsym
	cmp plain-sym.gsym pipe.gsym || fail "compressed text, $output: bytes"
done
if objcopy --compress-debug-sections "$program" packed 2>/dev/null; then
	gsym-create --quiet -o packed.gsym packed || fail 'compressed sections'
	gsym-create --quiet --sandbox -o boxed.gsym packed ||
		fail 'compressed sections in a sandbox'
	cmp packed.gsym boxed.gsym || fail 'compressed sections: bytes'
fi
# The permissions are those of the file that is replaced, or of --embed.
chmod 640 boxed.gsym
(umask 077 && gsym-create --quiet --sandbox -o boxed.gsym "$program") ||
	fail 'a file that is replaced'
[ "$(stat -c %a boxed.gsym)" = 640 ] || fail 'other permissions'
chmod 751 "$program"
(umask 077 && gsym-create --quiet --sandbox --embed="$program" -o embedded \
	"$program") || fail --embed
[ "$(stat -c %a embedded)" = 751 ] || fail '--embed: other permissions'
chmod 755 "$program"

# Kernels that lack a part.
${CC:-cc} -o without "$top_srcdir/tests/cli/without.c" >err 2>&1 ||
	fail "$(cat err)"
for part in landlock seccomp; do
	./without $part gsym-create --quiet --sandbox -o x.gsym "$program" 2>err
	[ $? = 2 ] || fail "without $part: no failure"
	grep -qi -e "--sandbox: this kernel has no $part" err ||
		fail "without $part: $(cat err)"
	./without $part gsym-create --verbose --sandbox=try -o boxed.gsym \
		"$program" >/dev/null 2>err || fail "without $part: try"
	grep -qi "note: --sandbox=try: this kernel has no $part" err ||
		fail "without $part, --verbose: $(cat err)"
	same boxed.gsym
done
for tool in gsym-dump gsym-lookup; do
	./without landlock $tool --sandbox plain.gsym </dev/null 2>err
	[ $? = 2 ] || fail "$tool without Landlock: no failure"
done

# The other tools.
gsym-dump --functions plain.gsym >wanted || fail gsym-dump
gsym-dump --sandbox --functions plain.gsym >got || fail 'gsym-dump --sandbox'
cmp wanted got || fail 'gsym-dump: other text'
grep -o '0x[0-9a-f]*' wanted >addresses
[ -s addresses ] || fail 'no addresses'
gsym-lookup plain.gsym <addresses >wanted || fail gsym-lookup
gsym-lookup --sandbox plain.gsym <addresses >got || fail 'gsym-lookup --sandbox'
cmp wanted got || fail 'gsym-lookup: other text'
# Paths below --root may lead through links.
mkdir -p root/data root/usr
cp "$program" root/data/prog
gsym-create --quiet -o root/data/prog.gsym "$program" || fail 'below a root'
ln -s /data root/usr/bin
echo '00400000-00500000 r-xp 00000000 00:00 0 /usr/bin/prog' >maps
gsym-lookup --maps=maps --root=root 0x401000 >wanted 2>&1
gsym-lookup --sandbox --maps=maps --root=root 0x401000 >got 2>&1
cmp wanted got || fail "--maps --root: $(cat got)"
trace=$(find "$top_srcdir/testdata/xray" -name 'syn-fdr*.xray' |
	LC_ALL=C sort | head -n 1)
if [ -n "$trace" ]; then
	gsym-xray info "$trace" >wanted 2>&1
	gsym-xray info --sandbox -o got "$trace" 2>more
	cat more >>got
	cmp wanted got || fail 'gsym-xray: other text'
	gsym-xray info --sandbox <"$trace" - >got 2>&1 || fail "pipe: $(cat got)"
fi
echo '{{{reset}}}a line' | gsym-markup --sandbox >got || fail gsym-markup
grep -q 'a line' got || fail "gsym-markup: $(cat got)"

# $1: the message; the rest: a command that has to fail with it.
refused()
{
	message=$1
	shift
	"$@" 2>err
	[ $? = 2 ] || fail "$*: no failure"
	grep -q -e "$message" err || fail "$*: $(cat err)"
}
refused 'cannot be used with --debuginfod' \
	gsym-create --sandbox --debuginfod -o x.gsym "$program"
refused "'no' is not a value for --sandbox" \
	gsym-create --sandbox=no -o x.gsym "$program"
refused 'does not go with --convert' gsym-markup --sandbox --convert
refused 'does not go with --pid' gsym-lookup --sandbox --pid=1 0
if [ -z "${GSYM_SANITIZE:-}" ]; then
	refused 'out of memory' gsym-create --quiet --max-memory=1 -j 1 \
		-o x.gsym "$top_builddir/gsym-lookup"
fi
gsym-create --quiet --max-memory=100000 --max-time=100000 -o limits.gsym \
	"$program" || fail 'high limits'
same limits.gsym
# An input that never ends.
mkfifo endless
sleep 1000 >endless &
writer=$!
refused 'the time of --max-time is over' \
	gsym-create --quiet --max-time=1 -o late.gsym - <endless
kill $writer
[ ! -e x.gsym ] && [ ! -e late.gsym ] || fail 'an output of a failure'
[ -z "$(find . -name '.*gsym-new*')" ] || fail 'a temporary file is left'
exit 0
