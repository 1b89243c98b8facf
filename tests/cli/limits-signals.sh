#!/bin/sh
# SPDX-License-Identifier: MIT
# The signals of limits, for each tool and its children: a limit of the size of
# files (SIGXFSZ), a mapped file that is cut short (SIGBUS), a closed pipe
# (SIGPIPE), and a limit of processor time (SIGXCPU).  A message and a status, and
# nothing is left behind.  doc/reliability.md has the table.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"

[ -z "${GSYM_SANITIZE:-}" ] || skip 'sanitizers replace the same functions'
# shellcheck disable=SC2086
${CC:-cc} -O1 -fPIC -shared -o ../odd_files.so \
	"$top_srcdir/tests/support/odd_files.c" 2>../stderr ||
	skip "no library for LD_PRELOAD: $(head -n 1 ../stderr)"
library=$PWD/../odd_files.so
make_shape
gsym=shape.gsym
gsym-create -q -o $gsym libshape.so || fail 'no GSYM file'
area=$(address_of _ZN3geo5Shape4areaEiPFvPKcPvS3_E)
cat >../log <<END
{{{reset}}}
{{{module:0:libshape.so:elf:$shape_id}}}
{{{mmap:0x10000:0x10000:load:0:rx:0x0}}}
{{{pc:$(printf '0x%x' $((area + 65536)))}}}
the last line
END
ln -s "$top_srcdir/testdata/xray"/* .
ln -s "$(command -v gsym-lookup)" llvm-symbolizer
ln -s "$(command -v gsym-lookup)" addr2line
mkdir ../temporary
mkfifo ../errors
TMPDIR=$(cd ../temporary && pwd) XDG_CACHE_HOME=$scratch/cache
export TMPDIR XDG_CACHE_HOME
mkfifo ../pipe
exec 3<>../pipe
exec 4>../pipe
exec 3<&-

large='File too large'
cut='was cut short while it was read'
late='the limit of processor time (ulimit -t) is reached'

# Run the command "$@" in the state that $kind says; $file is the file that is
# cut as soon as it is mapped.  Standard output is a file, for SIGPIPE a pipe that
# nobody reads.  Messages go through a pipe, which has no limit of size.
run()
{
	cat ../errors >../err &
	case $kind in
	XFSZ)
		{
			(ulimit -f 0 && exec "$@" <../log 2>../errors)
			echo $? >../status
		} | cat >../out
		;;
	XFSZ-out) (ulimit -f 0 && exec "$@" <../log >../out 2>../errors) ;;
	BUS)
		cp "$file" ../kept
		ODD_CUT=$PWD/$file LD_PRELOAD=$library "$@" <../log >../out \
			2>../errors
		;;
	PIPE) "$@" <../log >&4 2>../errors ;;
	XCPU)
		ODD_FILES=xcpu LD_PRELOAD=$library "$@" <../log >../out \
			2>../errors
		;;
	esac
	status=$?
	[ $kind != XFSZ ] || status=$(cat ../status)
	wait $!
	[ $kind != BUS ] || cp ../kept "$file"
}

# A cell of the table: the signal $kind and the tool $1 lead to the status $2 and
# to the message $3; '' stands for no message, and - for any messages.  The rest
# is the command.
cell()
{
	name="$1, SIG$kind" want=$2 message=$3
	shift 3
	run "$@"
	[ $status = "$want" ] ||
		fail "$name: status $status: $(cat ../err)"
	case $message in
	-) ;;
	'') [ ! -s ../err ] || fail "$name: $(cat ../err)" ;;
	*) grep -qF -- "$message" ../err || fail "$name: $(cat ../err)" ;;
	esac
	left=$(find . "$TMPDIR" "$XDG_CACHE_HOME" \( -name '*.gsym-new.*' -o \
		-name '.new.*' -o -name 'gsym.*' -o -name '*.lock' \) 2>/dev/null)
	# A process that SIGXCPU ends leaves folders to the next one.
	[ -z "$left" ] || [ $kind = XCPU ] || fail "$name: left: $left"
	[ $kind = PIPE ] || [ ! -s made.gsym ] || fail "$name: half an output"
	rm -rf "$XDG_CACHE_HOME" made made.gsym
	part_passed "$name"
}

# The four cells of the tool $1, whose output is standard output and which reads
# the file $file; the rest is the command.
row()
{
	tool=$1
	shift
	for kind in XFSZ-out BUS PIPE XCPU; do
		case $kind in
		XFSZ*) cell "$tool" 2 "$large" "$@" ;;
		BUS) cell "$tool" 2 "${file##*/}' $cut" "$@" ;;
		PIPE) cell "$tool" 141 - "$@" ;;
		XCPU) cell "$tool" 2 "$late" "$@" ;;
		esac
	done
}

file=libshape.so
row gsym-create gsym-create -q -o - libshape.so
row 'gsym-create --identify' gsym-create --identify libshape.so
file=$gsym
row gsym-lookup gsym-lookup $gsym "$area"
row gsym-dump gsym-dump --functions $gsym
row gsym-markup gsym-markup --module=$gsym@0x10000
row gsym-xray gsym-xray account -m bin/shapes -g $gsym \
	traces/shapes-throw.xray
row gsym gsym lookup $gsym "$area"
row llvm-symbolizer ./llvm-symbolizer --obj=$gsym "$area"
row addr2line ./addr2line -e $gsym "$area"

# Children: the processes of --recursive, and gsym-create as a child of the
# other tools.
mkdir tree
cp libshape.so tree/a.so
file=tree/a.so
set -- gsym-create -q -r --output-dir=made tree
kind=XFSZ-out
cell 'gsym-create -r' 2 "'tree/a.so': cannot write 'made/a.so.gsym': $large" "$@"
kind=BUS
cell 'gsym-create -r' 2 "'tree/a.so': a file $cut" "$@"
kind=XCPU
cell 'gsym-create -r' 2 "'tree/a.so': its conversion was ended by signal" "$@"
file=libshape.so
set -- gsym-markup --convert --debug-file-directory=debug
cp libshape.so debug/.build-id/5b/${shape_id#5b}.debug
rm -f debug/.build-id/5b/${shape_id#5b}.debug.gsym
kind=XFSZ
cell 'gsym-markup --convert' 0 "$large" "$@"
[ "$(tail -n 1 ../out)" = 'the last line' ] || fail 'the log breaks off'
kind=BUS file=debug/.build-id/5b/${shape_id#5b}.debug
cell 'gsym-markup --convert' 2 "$cut" "$@"
kind=XFSZ
cell 'gsym-lookup --convert' 2 "$large" gsym-lookup --convert libshape.so "$area"
kind=BUS file=libshape.so
cell 'gsym-lookup --convert' 2 "$cut" gsym-lookup --convert libshape.so "$area"

# The stack that gsym(1) promises to be enough.
for file in libshape.so $gsym "$top_srcdir"/testdata/breakpad/deep_inline.sym \
	"$top_srcdir"/testdata/go/gosample-amd64 \
	"$top_srcdir"/testdata/macho/shapes.dylib; do
	(ulimit -s 2048 && exec gsym-create -q --merged-functions \
		--data-symbols -o ../made.gsym "$file") 2>../err ||
		fail "ulimit -s 2048: $?: $(cat ../err)"
done
# A name of 4,095 bytes that is nested as deeply as can be.
awk 'BEGIN {
	printf "MODULE Linux x86_64 000000000000000000000000000000000 x\n"
	printf "PUBLIC 1000 0 _Z1f"
	for (i = 0; i < 4076; i++) printf "P"
	print "i"
}' >deep.sym
(ulimit -s 2048 && gsym-create -q -o ../made.gsym deep.sym &&
	gsym-lookup --demangle ../made.gsym 0x1000 >../out) 2>../err ||
	fail "ulimit -s 2048, a deep name: $?: $(cat ../err)"
part_passed 'a stack of 2 MiB'
parts_finish
