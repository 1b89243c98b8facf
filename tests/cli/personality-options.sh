#!/bin/sh
# SPDX-License-Identifier: MIT
# Every option in the --help of addr2line and llvm-symbolizer is accepted, and
# changes the answers as it changes those of these programs.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
. "$top_srcdir/tests/cli/personality-lib.sh"
[ -x "$top_builddir/gsym-create" ] || skip 'gsym-create is not built'
need nm
need readelf

make_plain
start=$(nm plain | sed -n 's/^0*\([0-9a-f]*\) T twice$/\1/p')
end=$(nm plain | sed -n 's/^0*\([0-9a-f]*\) T main$/\1/p')
text=$(readelf -SW plain |
	sed -n 's/.* \.text  *PROGBITS  *0*\([0-9a-f]*\) .*/\1/p')
[ -n "$start" ] && [ -n "$end" ] && [ -n "$text" ] || fail 'no addresses'
at=$((0x$start))
while [ $at -le $((0x$end)) ]; do
	printf '%x\n' $at
	at=$((at + 1))
done >addresses
sed 's/^/0x/' addresses >addresses.0x
tried=0

# The answers of the tool $1 with the options that follow and the lines of the
# file "lines", without what GSYM does not know.
answers()
{
	tool=$1
	shift
	"$tool" "$@" <lines 2>err |
		sed 's/ (discriminator [0-9]*)$//
			s/:\([0-9][0-9]*\):[0-9][0-9]*\( (appr.*)\)*$/:\1:0\2/
			s/^  Column: .*/  Column: 0/
			/^  Function start \(filename\|line\):/d
			/^  Discriminator:/d
			s/"\(Column\|StartLine\)":\( *\)[0-9][0-9]*/"\1":\20/g
			s/\\u0009/\\t/g
			s/\\u000a/\\n/g
			s/"StartFileName":\( *\)"[^"]*"/"StartFileName":\1""/g'
}

# $1: ours; $2: theirs; then the options.
compare()
{
	ours=$1 theirs=$2
	shift 2
	answers "$theirs" "$@" >wanted
	answers "$ours" "$@" >got
	cmp wanted got || {
		diff wanted got | head
		fail "$(basename "$theirs") $*: $(cat err)"
	}
	[ -s got ] || fail "$(basename "$theirs") $*: no answers"
	tried=$((tried + 1))
}

# Options that end the program: $1: ours; $2: the option.
ends_well()
{
	"$1" "$2" >got 2>err </dev/null || fail "$(basename "$1") $2: status $?"
	[ -s got ] || fail "$(basename "$1") $2: no text"
	tried=$((tried + 1))
}

# ---- addr2line ---------------------------------------------------------------

theirs=$(command -v addr2line)
if "$theirs" --version 2>/dev/null | grep -q 'GNU addr2line'; then
	"$theirs" --help |
		sed -n 's/^  \(-[a-zA-Z]\) \(--[^ ]*\) .*/\1 \2/p' >options
	[ "$(wc -l <options)" -ge 13 ] || fail "addr2line --help: $(cat options)"
	while read -r letter long; do
		name=${long%%[[=]*}
		cp addresses lines
		case $name in
		--help | --version)
			ends_well "$a2l" "$letter"
			ends_well "$a2l" "$name"
			continue ;;
		--target) values='default' ;;
		--exe) values='plain' ;;
		--section)
			values='.text'
			while read -r address; do
				printf '%x\n' $((0x$address - 0x$text))
			done <addresses >lines ;;
		--demangle) values='auto gnu-v3 none' ;;
		*) values='' ;;
		esac
		case $long in
		*\[=*)
			compare "$a2l" "$theirs" -fe plain "$letter"
			compare "$a2l" "$theirs" -fe plain "$name"
			letter='' ;;
		*=*) ;;
		*)
			compare "$a2l" "$theirs" -e plain "$letter"
			compare "$a2l" "$theirs" -e plain "$name"
			# What the other options make of it.
			compare "$a2l" "$theirs" "${letter}afie" plain ;;
		esac
		for value in $values; do
			[ -z "$letter" ] || {
				compare "$a2l" "$theirs" -f -e plain "$letter" \
					"$value"
				compare "$a2l" "$theirs" -f -e plain \
					"$letter$value"
			}
			compare "$a2l" "$theirs" -f -e plain "$name=$value"
		done
	done <options || exit 1
	echo "addr2line: as with $("$theirs" --version | head -1)"
else
	echo 'addr2line: not installed (Debian: binutils)'
fi

# ---- llvm-symbolizer ---------------------------------------------------------

# A value for the option $1 of LLVM.
value_of()
{
	case $1 in
	--adjust-vma) echo 0x1000 ;;
	--cache-size | --print-source-context-lines) echo 3 ;;
	--color) echo never ;;
	--default-arch) echo x86_64 ;;
	--exe | --obj | -e) echo plain ;;
	--functions | -f) echo short ;;
	--output-style) echo GNU ;;
	*) echo none ;;
	esac
}

# --skip-line-zero where code has line 0.  $1: ours; $2: theirs; $3: what stands
# before a number.
compare_zero()
{
	# The assembler of binutils leaves line 0 out.
	${CC:-cc} -O0 -gdwarf-4 -fno-inline -S plain.c &&
		sed 's/^\(	\.loc 1\) [45] .*/\1 0 0/' plain.s >zero.s &&
		"$(llvm_tool llvm-mc 22)" -filetype=obj -o zero.o zero.s &&
		${CC:-cc} -Wl,--build-id -o zero zero.o || {
		echo '--skip-line-zero: not tried: the compiler is another one'
		return
	}
	gsym-create -q -o data/zero.gsym zero || fail 'gsym-create'
	at=$(nm zero | sed -n 's/^0*\([0-9a-f]*\) T twice$/\1/p')
	for more in 0 5 8 11 14 17 20 23 26 29; do
		printf "$3%x\n" $((0x$at + more))
	done >lines
	for style in LLVM GNU JSON; do
		compare "$1" "$2" --obj=zero --output-style=$style
		! grep -qi approximate got || fail 'approximate without option'
		compare "$1" "$2" --obj=zero --output-style=$style \
			--skip-line-zero
		grep -qi approximate got || fail "no approximate line: $style"
	done
	compare "$1" "$2" --obj=zero --skip-line-zero --verbose
	compare "$1" "$2" --obj=zero --skip-line-zero --pretty-print
}

# $1: ours; $2: theirs; $3: the file with the lines of the input.
compare_llvm()
{
	"$2" --help | sed -n 's/^  \(--*[a-zA-Z][^ ]*\( <[a-z]*>\)\{0,1\}\).*/\1/p' \
		>options
	[ "$(wc -l <options)" -ge 40 ] || fail "$2 --help: $(cat options)"
	cp "$3" lines
	while read -r option value; do
		name=${option%%=*}
		case $option in
		--help | --version | -v)
			ends_well "$1" "$option"
			continue ;;
		--filter-markup | --build-id=*) # see below
			continue ;;
		--relativenames) # GSYM has the joined path alone
			value=-s ;;
		*'=<'* | *=style)
			option=$name=$(value_of "$name") ;;
		esac
		case $value in
		'<'*) value=$(value_of "$name") ;;
		esac
		compare "$1" "$2" --obj=plain "$option" $value
		compare "$1" "$2" -e plain -a -p -f "$option" $value
		compare "$1" "$2" --exe plain --output-style=JSON "$option" \
			$value
		compare "$1" "$2" -eplain --output-style=GNU "$option" $value
	done <options || exit 1
}

if theirs=$(llvm_tool llvm-symbolizer 22); then
	compare_llvm "$sym" "$theirs" addresses.0x
	cp addresses.0x lines
	compare "$sym" "$theirs" --build-id=00112233
	compare_zero "$sym" "$theirs" 0x
	echo "llvm-symbolizer: as with $("$theirs" --version | sed -n 's/^ *//
		/LLVM version/p')"
else
	echo 'llvm-symbolizer 22: not installed (Debian: llvm-22)'
fi
if theirs=$(llvm_tool llvm-addr2line 22); then
	compare_llvm "$lla2l" "$theirs" addresses
	compare_zero "$lla2l" "$theirs" ""
	echo "llvm-addr2line: as with $("$theirs" --version | sed -n 's/^ *//
		/LLVM version/p')"
else
	echo 'llvm-addr2line 22: not installed (Debian: llvm-22)'
fi
# Values that are wrong, in LLVM's words.
wrong()
{
	says=$1
	shift
	"$sym" "$@" 0 >out 2>err && fail "$*: status 0"
	[ ! -s out ] || fail "$*: $(cat out)"
	same "$*" "$(cat err)" "$says"
}
wrong "--build-id=: expected a build ID, but got 'zz'" --build-id=zz
wrong "--build-id=: expected a build ID, but got ''" --build-id=
wrong 'error: cannot specify both --build-id and --obj' --build-id=ab -e plain
wrong "--adjust-vma=: expected a non-negative integer, but got '-1'" \
	--adjust-vma=-1 -e plain
# JSON has the error: nothing is on standard error.
"$sym" --output-style=JSON -e /nonexistent 0 >out 2>err && fail 'status 0'
same 'JSON alone' "$(cat err)" ''
grep -q '"Error":{"Message":"No such file or directory"}' out || fail 'JSON'
[ $tried -gt 0 ] || skip 'neither binutils nor LLVM 22 is installed'
echo "$tried command lines"
exit 0
