#!/bin/sh
# SPDX-License-Identifier: MIT
# --symtab-file: debug info from the input, symbols and build ID from the file.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need objcopy
compile prog -Wl,--build-id=0x0123456789abcdef
hidden=$(nm prog | sed -n 's/^0*\([0-9a-f]*\) T _start$/0x\1/p')
[ -n "$hidden" ] || skip 'no symbol _start'
gsym-create -q -o whole.gsym prog || fail 'the whole program'

objcopy --strip-all --keep-section='.debug_*' -R .note.gnu.build-id prog part ||
	fail 'objcopy'
objcopy --strip-debug prog symbols || fail 'objcopy'
gsym-create -q -o part.gsym part || fail 'without symbols'
gsym-lookup part.gsym "$hidden" | grep -q _start && fail '_start is known'

gsym-create -v --symtab-file=symbols -o out.gsym part 2>err || fail "$(cat err)"
grep -q "symbol table file 'symbols': used" err || fail "$(cat err)"
grep -q 'build ID 0123456789abcdef' err || fail 'another build ID'
cmp whole.gsym out.gsym || fail 'not as the whole program'
gsym-create --json --verify --symtab-file symbols -o out.gsym part >err ||
	fail '--verify'
grep -q '"symtab_file":"symbols"' err || fail "$(cat err)"

# An input with symbols of its own.
objcopy --redefine-sym _start=renamed symbols other || fail 'objcopy'
gsym-create -q --symtab-file=other -o out.gsym prog || fail 'other symbols'
gsym-lookup out.gsym "$hidden" | grep -q ': renamed' || fail 'not renamed'

# Files that are refused.
{ head -c 18 symbols; printf '\267\0'; tail -c +21 symbols; } >alien
echo text >text
for file in alien text missing .; do
	gsym-create -o none.gsym --symtab-file=$file part 2>err && fail "$file"
	[ $? = 2 ] && [ "$(wc -l <err)" = 1 ] || fail "$file: $(cat err)"
	[ ! -e none.gsym ] || fail "$file: a file was left"
	[ $file != alien ] || case $(cat err) in
	*'architecture mismatch: it is for '*', and the symbol table file for '*) ;;
	*) fail "$(cat err)" ;;
	esac
done
exit 0
