#!/bin/sh
# SPDX-License-Identifier: MIT
# What differs between systems is in libgsym/base/system*, and in files that the
# build chooses between (sandbox_*.c, self_*.c): no other file asks for which
# system it is compiled, or uses what some systems lack.
set -u
cd "${top_srcdir:-$(dirname "$0")/../..}" || exit 99
bad=0

# Print the lines of files of the library and of the tools that match the
# pattern $1, but for comments and the files that match $2.
lines()
{
	grep -rnE --include='*.[ch]' "$1" libgsym tools |
		grep -vE '^[^:]*:[0-9]*:[[:space:]]*(/?\*|//)' |
		grep -vE "^($2):"
}

# $1: what the lines on standard input do.
complain()
{
	while read -r line; do
		echo "$line: $1"
		echo "$line" >>"$found"
	done
}

found=$(mktemp) || exit 99
trap 'rm -f "$found"' EXIT
home='libgsym/base/system(_watch|_windows/.*)?\.[ch]'
chosen='libgsym/process/self_[a-z]*\.c|tools/common/sandbox_[a-z]*\.c'
word='(^|[^A-Za-z0-9_])'

names='__APPLE__|__MACH__|__(Free|Net|Open)BSD__|__DragonFly__|__linux|__linux__'
names="$names|__ANDROID__|__CYGWIN__|_WIN32|__wasi__|__wasm|__sun|TARGET_OS_"
lines "$word($names)" "$home" | complain "names a system"
lines "$word(pipe2|getrandom|getentropy|memfd_create|mkostemp|sched_getaffinity)\\(" \
	"$home" | complain "calls what some systems lack: see base/system.h"
lines "$word(prctl|syscall|renameat2|close_range|accept4)\\(|O_PATH" \
	"$home|$chosen" |
	complain "uses what some systems lack: see base/system.h"
# Elsewhere these files are not there: a message names no file, the pipe of the
# jobserver is not opened anew.  Bazel writes such paths into debug info.
lines '"/proc/self' "$home|$chosen|tools/common/report\.c|tools/create/protect\.c|libgsym/base/path_map\.c" |
	complain "is for Linux alone: see base/system.h"
lines '# *include *<(elf|link|linux/|mach|sys/(inotify|prctl|syscall|sysctl))' \
	"$home|$chosen" | complain "is a header that some systems lack"
lines '# *include *<(fts|ftw)\.h' "$home" |
	complain "is a header that some systems lack: see common/file.h"
for file in $(grep -rlE --include='*.[ch]' \
	"$word(memrchr|reallocarray)\\(|${word}ETIME$word" libgsym tools); do
	case $file in libgsym/base/system.h) continue ;; esac
	grep -q '#include "base/system.h"' "$file" ||
		echo "$file" | complain "does not include base/system.h"
done
[ ! -s "$found" ] || bad=1

# The patterns find what they are meant to find.
for pattern in "$names" 'sched_getaffinity\(' 'prctl\(' '"/proc/self'; do
	grep -qE "$pattern" libgsym/base/system.c || {
		echo "systems.sh: nothing of '$pattern' in base/system.c"
		bad=1
	}
done
places=$(grep -nE "$word($names)" libgsym/base/system*.[ch] | wc -l)
echo "$places lines name a system, all in libgsym/base/system*"
exit $bad
