#!/bin/sh
# SPDX-License-Identifier: MIT
# Lines of input that are well formed, odd and wrong: gsym-addr2line and
# gsym-symbolizer read them as the programs that they replace.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
. "$top_srcdir/tests/cli/personality-lib.sh"
[ -x "$top_builddir/gsym-create" ] || skip 'gsym-create is not built'
need nm
make_plain
mkdir 'a b' "a'b" 'a"b'
for folder in 'a b' "a'b" 'a"b'; do
	cp plain "$folder"
done
at=$(nm plain | sed -n 's/^0*\([0-9a-f]*\) T twice$/\1/p')
[ -n "$at" ] || fail 'no address'
decimal=$((0x$at))
octal=$(printf %o $decimal)
compared=0

# $1: ours; $2: theirs; $3: the file with the lines; then the options.  Each
# line has the same answer as with the real program, alone and among the others.
compare()
{
	ours=$1 theirs=$2 lines=$3
	shift 3
	while IFS= read -r line; do
		printf '%b\n' "$line" >one
		"$theirs" "$@" <one 2>/dev/null | columns >wanted
		"$ours" "$@" <one 2>/dev/null | columns >got
		cmp wanted got ||
			fail "$(basename "$theirs") $*: '$line': $(cat wanted got)"
		compared=$((compared + 1))
	done <"$lines"
	while IFS= read -r line; do
		printf '%b\n' "$line"
	done <"$lines" >all
	"$theirs" "$@" <all 2>/dev/null | columns >wanted
	"$ours" "$@" <all 2>/dev/null | columns >got
	cmp wanted got || fail "$(basename "$theirs") $*: $(diff wanted got)"
}

# Without what GSYM does not know, and with one way to escape in JSON.
columns()
{
	sed 's/ (discriminator [0-9]*)$//
		s/:\([0-9][0-9]*\):[0-9][0-9]*$/:\1:0/
		s/\\u0009/\\t/g
		s/"\(Column\|StartLine\)":[0-9][0-9]*/"\1":0/g
		s/"StartFileName":"[^"]*"/"StartFileName":""/g'
}

theirs=$(command -v addr2line)
if "$theirs" --version 2>/dev/null | grep -q 'GNU addr2line'; then
	cat >lines <<END
$at
0x$at
0X$at
00000000$at
0000000000000000000$at
$at trailing
  $at
\t$at\t
$at\r
\r
$at,
0x$at:
${at}g

0
,
-1
x
0x
0x0x$at
'$at'
"$at"
twice
twice+3
twice+0x3
twice+
twice+zz
twice+1+2
twice trailing
main
nosuch
nosuch+1
@twice
+0x$at
+$at
0x$at\000z
twice\000z
ffffffffffffffff
fffffffffffffffff
10000000000000000
$at $at
END
	for options in -e -fe -afe -pe -afipe; do
		compare "$a2l" "$theirs" lines $options plain
	done
	echo "addr2line: as with $("$theirs" --version | head -1)"
else
	echo 'addr2line: not installed (Debian: binutils)'
fi

if theirs=$(llvm_tool llvm-symbolizer 22); then
	cat >lines <<END
plain 0x$at
"plain" 0x$at
'plain' 0x$at
"plain"0x$at
CODE plain 0x$at
CODE "plain" 0x$at
CODE  plain  0x$at
CODE plain $decimal
CODE plain 0$octal
plain\t0x$at
plain 0x$at trailing
plain  0x$at  
plain 0x$at\r
plain 0X$at
a b/plain 0x$at
"a b/plain" 0x$at
"a'b/plain" 0x$at
'a"b/plain' 0x$at
./plain 0x$at
"" 0x$at
"plain
"plain 0x$at
plain
plain 
plain 0x
plain -1
plain +1
plain twice
plain twice+3
plain nosuch
plain:x86_64 0x$at
plain:nothing 0x$at
"plain:x86_64" 0x$at
"plain":x86_64 0x$at
FILE:plain 0x$at
FILE:"plain" 0x$at
FILE: plain 0x$at
CODE FILE:plain 0x$at
FILE:FILE:plain 1
FILE:
BUILDID:00 1
BUILDID:abcd
BUILDID:xy 1
BUILDID: 1
DATA plain 0x10
FRAME plain 0x10
FRAME plain
DATA plain
CODE
DATA
FRAME
code plain 0x$at
CODEplain 0x$at

\r
   
/nonexistent/other 0x$at
. 0x$at
plain.c 0x$at
/dev/null 0x1
END
	for options in --demangle '-p -a' --output-style=GNU; do
		compare "$sym" "$theirs" lines $options
	done
	# The object of an error, and of a line without a module.
	compare "$sym" "$theirs" lines --output-style=JSON
	cat >lines <<END
0x$at
CODE 0x$at
$decimal
twice
0x$at trailing

zz
0x
-1
plain 0x$at
BUILDID:abcd 0x$at
BUILDID:
0x$at\000z
twice\000z
END
	for options in '' --output-style=GNU --output-style=JSON; do
		compare "$sym" "$theirs" lines --obj=plain $options
		compare "$sym" "$theirs" lines -e plain --no-inlines $options
	done
	echo "llvm-symbolizer: as with $("$theirs" --version | sed -n 's/^ *//
		/LLVM version/p')"
else
	echo 'llvm-symbolizer 22: not installed (Debian: llvm-22)'
fi
[ $compared -gt 0 ] || skip 'neither binutils nor LLVM 22 is installed'

# Without -e llvm-addr2line says why a line has no answer.
same 'llvm-addr2line' "$("$lla2l" 0x10 2>err)" '??:0'
grep -q "error: '0x10': no module offset has been specified" err ||
	fail "llvm-addr2line: $(cat err)"

# Addresses and other lines by turns, slowly, with all the letters at once: each
# answer comes before the next line is written.
if command -v python3 >/dev/null; then
	cat >slowly.py <<'END'
import subprocess
import sys
import time

lines = sys.argv[2].split()
child = subprocess.Popen([sys.argv[1], "-e", "plain", "-afiCp"],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         bufsize=0)
for line in lines + [",", *reversed(lines), "", "\r"]:
    for part in line[:2], line[2:] + "\n":
        child.stdin.write(part.encode())
        time.sleep(0.01)
    print(child.stdout.readline().decode(), end="")
child.stdin.close()
sys.exit(child.wait())
END
	python3 slowly.py "$a2l" "$at 10 $at" >got || fail 'slowly'
	# Addresses have as many digits as the program's.
	width=$(($(getconf LONG_BIT) / 4))
	one=$(printf "0x%0${width}x: twice at %s/plain.c:2" $decimal "$PWD")
	ten=$(printf "0x%0${width}x: ?? ??:0" 16)
	none=$(printf "0x%0${width}x: ?? ??:0" 0)
	printf '%s\n' "$one" "$ten" "$one" "$none" "$one" "$ten" "$one" \
		"$none" "$none" | diff - got || fail 'slowly'
fi
echo "$compared lines"
exit 0
