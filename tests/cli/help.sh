#!/bin/sh
# SPDX-License-Identifier: MIT
# --help and --version of every tool: on standard output, with status 0.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"

# What bash offers after the words of a command line, the last of them
# incomplete.
cat >complete <<'END'
compopt() { :; }
. "$top_srcdir/completions/gsym"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_gsym "$top_builddir/$1"
printf '%s\n' "${COMPREPLY[@]}"
END
complete()
{
	top_srcdir=$top_srcdir top_builddir=$top_builddir bash ./complete "$@"
}

# Every option in the help page $2 is in the manual of the tool $1, and is
# completed for the tool and its command $3.
check_options()
{
	sed -n 's/^ *\(-.,\)\{0,1\} *--\([a-z-]*\).*/\2/p' "$2" >options
	[ -s options ] || fail "no options in the help of $1"
	! command -v bash >/dev/null ||
		complete "$1" ${3:+"$3"} -- >offered || fail "completion of $1"
	while read -r option; do
		! command -v bash >/dev/null ||
			grep -qx -e "--$option=\{0,1\}" offered ||
			fail "$option is not completed"
		grep -q "^\.It.*Fl -$option\([ ,]\|\$\)" "$top_srcdir/man/$1.1" ||
			fail "$option is not in $1(1)"
	done <options
}

for tool in gsym-create gsym-dump gsym-lookup gsym-xray gsym-markup; do
	[ -x "$top_builddir/$tool" ] || continue
	for option in --help --version -h -V; do
		$tool $option >$tool$option 2>../stderr || fail "$tool $option: $?"
		[ -s ../stderr ] && fail "$tool $option writes to standard error"
		[ -s $tool$option ] || fail "$tool $option writes nothing"
	done
	cmp $tool--help $tool-h || fail "-h is not --help"
	grep -q '^Licence MIT' $tool--version || fail 'no licence'
	# The help fits on a terminal, and ends with the name of the manual.
	awk -v tool=$tool 'length > 80 { print tool ": too long: " $0; bad = 1 }
		END { exit bad }' $tool--help || fail 'help too wide'
	tail -n 1 $tool--help | grep -qx "Manual: man $tool" || fail 'no manual'
	# Tools with many options show those that are used most; two terminals
	# of 24 lines have room for them.
	if [ $tool = gsym-markup ]; then
		[ "$(wc -l <$tool--help)" -le 48 ] || fail 'help too long'
		grep -q 'help\[=all\]' $tool--help || fail 'no word about all'
		! grep -q -e --hexdict $tool--help || fail 'help shows all'
		$tool --help=all >all 2>../stderr || fail "--help=all: $?"
		mv all $tool--help
		awk 'length > 80 { print; bad = 1 } END { exit bad }' \
			$tool--help || fail 'help too wide'
		grep -q -e --hexdict $tool--help || fail '--help=all lacks some'
		$tool --help=some >all 2>err
		[ $? = 2 ] && grep -q "'some' is not all" err ||
			fail '--help=some'
	fi
	check_options $tool $tool--help
done

# The options that say where symbols come from are the same in all tools, with
# one text.  $1: a page of help.
about_symbols()
{
	awk '/^ *--(gsym-file-directory|debug-file-directory|(no-)?convert|convert-.*|debuginfod|fetch|fetch-.*)([=[ ]|$)/ { on = 1; print; next }
		/^ {28}/ { if (on) print; next }
		{ on = 0 }' "$1"
}
about_symbols gsym-lookup--help >symbols
[ "$(grep -c '^ *--' symbols)" = 10 ] || fail "these options: $(cat symbols)"
about_symbols gsym-markup--help | cmp - symbols ||
	fail 'gsym-markup has other texts'
if [ -x "$top_builddir/gsym-xray" ]; then
	gsym-xray account --help >page || fail 'help of account'
	about_symbols page | cmp - symbols || fail 'gsym-xray has other texts'
fi
for name in addr2line llvm-symbolizer; do
	gsym-lookup --personality=$name --help >page || fail "help of $name"
	sed -n 's/^ *--\([a-z-]*\).*/\1/p' symbols | while read -r option; do
		grep -q -e "--$option\([= ]\|\$\)" page ||
			fail "$option is not in the help of $name"
	done || exit 1
done

# Each command of gsym-xray has its own help.
[ -x "$top_builddir/gsym-xray" ] || exit 0
sed -n '/^Commands/,/^$/s/^ *\([a-z]*\)  .*/\1/p' gsym-xray--help >commands
[ "$(wc -l <commands)" -ge 7 ] || fail 'commands are missing'
while read -r command; do
	gsym-xray "$command" --help >page 2>../stderr || fail "help of $command"
	[ -s ../stderr ] && fail "help of $command on standard error"
	grep -q "^usage: gsym-xray $command \[OPTION" page ||
		fail "no usage of $command"
	grep -q '^  gsym-xray '"$command" page || fail "no example of $command"
	awk 'length > 80 { print; bad = 1 } END { exit bad }' page ||
		fail "help of $command too wide"
	check_options gsym-xray page "$command"
	grep -q "^\.It Cm $command\$" "$top_srcdir/man/gsym-xray.1" ||
		fail "$command is not in gsym-xray(1)"
	# --help is accepted after other options and the command, too.
	gsym-xray -q -o x "$command" --help >again
	cmp page again || fail "$command after options: another page"
done <commands
gsym-xray >page 2>err && fail 'no command is fine'
grep -q 'no COMMAND' err || fail 'no word about the command'
gsym-xray account --hex x >page 2>err && fail 'account takes --hex'
grep -q "unknown option '--hex'" err || fail 'no word about --hex'

# Values of options, also behind '=', which bash takes for a word.
command -v bash >/dev/null || exit 0
offers()
{
	wanted=$1
	shift
	[ "$(complete "$@" | tr '\n' ' ')" = "$wanted " ] ||
		fail "completion of $*: not $wanted"
}
mkdir folder && touch folder/file
offers 'v1 v2' gsym-create --format ''
offers 'libdwarf' gsym-create --reader = l
offers 'auto always never' gsym-dump --color = ''
offers '' gsym-lookup --num-threads ''
offers 'folder' gsym-create --install f
offers 'folder/file' gsym-create -o folder/
offers 'text json csv' gsym-xray account -f ''
offers 'html svg' gsym-xray flame --to ''
offers 'account' gsym-xray acc
exit 0
