#!/bin/sh
# SPDX-License-Identifier: MIT
# A name that several functions have, requests without a program, programs that
# cannot be opened, and the smaller forms of requests of LLVM's programs.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
. "$top_srcdir/tests/cli/personality-lib.sh"
need nm
cat >a.c <<'END'
static int helper(int x) { return x * 3; }
int (*first)(int) = helper;
static inline __attribute__((always_inline)) int two(int x) { return x * x; }
int number = 5;
int one(int x)
{
	return two(x) + number;
}
END
cat >b.c <<'END'
static int helper(int x) { return x * 5; }
int (*second)(int) = helper;
END
${CC:-gcc} -g -O1 -fno-lto -shared -fPIC -nostdlib -Wl,--build-id a.c b.c \
	-o libp.so || fail 'cannot compile'
gsym-create -q --data-symbols libp.so || fail 'gsym-create'
one=0x$(nm libp.so | sed -n 's/ T one$//p')
number=$(nm libp.so | sed -n 's/ D number$//p')
sym=$links/llvm-symbolizer
a2l=$links/llvm-addr2line

# The answer, without folders, of the command to standard input $2 is $3, and
# its status $4; the name of the test is $1.
answer()
{
	name=$1 input=$2 wanted=$3 status=$4
	shift 4
	printf '%s' "$input" | "$@" >out 2>err
	same "$name: status" $? "$status"
	same "$name" "$(sed 's,[^ "]*/,,g' out)" "$wanted"
}

answer 'all functions of a name' '' 'helper
a.c:1:0
helper
b.c:1:0' 0 "$sym" -e libp.so helper
answer 'the same in GNU style' '' 'helper at a.c:1
helper at b.c:1' 0 "$sym" --output-style=GNU -p -e libp.so helper
answer 'the same for addr2line' '' 'helper
a.c:1
helper
b.c:1' 0 "$a2l" -f -e libp.so helper
"$sym" --output-style=JSON -e libp.so helper >out || fail 'JSON of a name'
same 'JSON of a name' "$(grep -o '"FileName":"[^"]*[ab]\.c"' out | wc -l)" 2

answer 'a line names its program' "libp.so $one
" 'a.c:3' 0 "$a2l"
answer 'an address without a program' '' '??:0' 0 "$a2l" 0x10
answer 'the same with functions' '0x10
' '??
??:0' 0 "$a2l" -f
answer 'no program with the build ID' '' '??
??:0' 0 "$a2l" -f --build-id=0011 0x10
answer 'a request that perf sends' ',
' ',' 0 "$a2l" -e libp.so
answer 'JSON without a program' '' \
	'{"Address":"0x0","Error":{"Message":"No such file or directory"},"ModuleName":"nonexistent"}' \
	1 "$sym" --output-style=JSON -e /nonexistent 0

answer 'a plus before an address' '' 'a.c:3' 0 "$a2l" -e libp.so "+$one"
answer 'a plus without a number' '' '??
??:0:0' 0 "$sym" -e libp.so one+
answer 'tags of addresses' '' 'two
a.c:3:0
one
a.c:7:0' 0 "$sym" --untag-addresses -e libp.so "$one"
answer 'GNU style without inlined frames' '' 'two
a.c:3' 0 "$sym" --output-style=GNU --no-inlines -e libp.so "$one"
answer 'LLVM style without inlined frames' '' 'one
a.c:3:0' 0 "$sym" --no-inlines -e libp.so "$one"
"$links/addr2line" -a --all -e libp.so >out || fail '--all'
grep -q "$(printf '0x%016x' "$((one))")" out || fail '--all: no code'
! grep -q "0x$number" out || fail '--all: a variable'

# A variable that the GSYM data do not have has the name of its symbol.
gsym-create -q libp.so || fail 'gsym-create'
answer 'the address of a variable' '' 'number
??:0:0' 0 "$sym" -e libp.so "0x$number"
answer 'the same for addr2line' '' 'number
??:0' 0 "$a2l" -f -e libp.so "0x$number"

# A program that was cut short.
head -c 2000 libp.so >cut
answer 'a program cut short' '' '' 1 "$sym" -e cut 0x10
same 'its message' "$(cat err)" "llvm-symbolizer: error: 'cut': section header \
table goes past the end of the file"
answer 'the same for addr2line' '' '' 1 "$links/addr2line" -e cut 0x10
same 'its message' "$(cat err)" 'addr2line: cut: file format not recognized'
answer 'the same in a line' 'cut 0x10
' '??:0' 0 "$a2l"

# Addresses of ELF count from 0 in any case.
${CC:-gcc} -g -O1 -nostdlib -static -no-pie -fno-pie -Wl,-e,one a.c -o fixed ||
	fail 'cannot compile'
fixed=0x$(nm fixed | sed -n 's/ T one$//p')
answer 'relative addresses of ELF' '' 'two
a.c:3:0
one
a.c:7:0' 0 "$sym" --relative-address -e fixed "$fixed"

# Which of several programs in a Mach-O file.
data=$top_srcdir/testdata/macho
several=$data/shapes.dSYM/Contents/Resources/DWARF/shapes
answer 'the program of x86-64' '' 'shapes::square(int)
shapes.cc:18:0
shapes::cube(int)
shapes.cc:23:0
shapes::Shape::area() const
shapes.cc:33:0' 0 "$sym" -s "--obj=$several:x86_64" 0x4c0
answer 'the program of arm64' '' 'shapes::Shape::area() const
shapes.cc:32:0' 0 "$sym" -s "--obj=$several:arm64" 0x4c0
answer 'the program by default' '' 'shapes::Shape::area() const
shapes.cc:32:0' 0 "$sym" -s --default-arch=arm64 "--obj=$several" 0x4c0
answer 'a named program and one by default' '' 'shapes::Shape::area() const
shapes.cc:32:0' 0 "$sym" -s --default-arch=x86_64 "--obj=$several:arm64" 0x4c0
answer 'a program of another name' '' 'shapes::Shape::area() const
shapes.cc:18:0' 0 "$sym" -s --no-inlines "--obj=$data/arm64.macho:x86_64" 0x10
# A GSYM file beside them is of one, and nobody knows of which.
cp "$several" several && gsym-create -q --arch=x86_64 -o several.gsym several ||
	fail 'gsym-create'
answer 'a file beside several programs' '' 'shapes::Shape::area() const
shapes.cc:32:0' 0 "$sym" -s --obj=several:arm64 0x4c0
"$sym" "--obj=$several" 0x4c0 >out 2>err && fail 'no program is named'
grep -q 'it holds several programs, and none is named' err || fail "$(cat err)"
