#!/bin/sh
# SPDX-License-Identifier: MIT
# Hostile contents of .gnu_debuglink give at most a warning.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need objcopy
none="--debug-file-directory=$PWD/none"

compile prog -rdynamic
objcopy --strip-all prog plain || fail 'objcopy'
cp prog secret

# $1: the case; $2: the contents, for printf; $3: the warning, or "".
try()
{
	# shellcheck disable=SC2059
	printf "$2" >bytes
	objcopy --add-section .gnu_debuglink=bytes plain bad 2>/dev/null ||
		fail "$1: objcopy"
	gsym-create -v $none -o out.gsym bad 2>err || fail "$1: $(cat err)"
	grep -q 'functions: 0 from debug info' err || fail "$1: $(cat err)"
	grep -q -e "$3" err || fail "$1: it does not say '$3': $(cat err)"
	LC_ALL=C grep -q '[^ -~]' err && fail "$1: it writes control characters"
	rm out.gsym bad
}

try 'without a checksum' 'secret\0\0' 'bad-section: .gnu_debuglink .*cut short'
try 'without an end' 'secret' 'bad-section: .gnu_debuglink .*cut short'
try 'without a name' '\0\0\0\0\1\2\3\4' 'does not hold the name of a file'
try 'a path' './secret\0\0\0\0\1\2\3\4' 'does not hold the name of a file'
try 'an absolute path' '/dev/zero\0\0\0\1\2\3\4' 'does not hold the name of a file'
try 'this folder' '.\0\0\0\1\2\3\4' 'a folder, device or pipe, not a file'
try 'control characters' '\033[1ma\012\0\0\1\2\3\4' 'missing-file'
try 'the program itself' 'bad\0\1\2\3\4' 'it is the program itself'
long=$(printf '%05000d' 0)
try 'a long name' "$long"'\0\0\0\0\1\2\3\4' 'missing-file'
mkfifo fifo
try 'a pipe' 'fifo\0\0\0\0\1\2\3\4' 'a folder, device or pipe, not a file'
printf '' >bytes
try 'nothing' '' 'no-debug-info'
exit 0
