#!/bin/sh
# SPDX-License-Identifier: MIT
# Make the *.gsym and *.expected files of this folder again, in DIR:
#	recipe.sh DIR
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
gsymutil=${GSYMUTIL:-llvm-gsymutil-22}
flags="-g -gdwarf-5 -O2 -ffreestanding -nostdlib -static
	-fno-asynchronous-unwind-tables -Wl,-Ttext=0x401000
	-fdebug-prefix-map=$here=/src -fdebug-compilation-dir=/src"

# What llvm-gsymutil answers for every third address from $2 to $3.
ask()
{
	i=$(($2))
	while [ "$i" -lt $(($3)) ]; do
		printf '0x%x %s\n' "$i" "$1.gsym"
		i=$((i + 3))
	done | $gsymutil --addresses-from-stdin >"$1.expected"
}

# Little endian, with a build ID.
clang-19 $flags -Wl,--build-id=0x00112233445566778899 -o little \
	"$here/inline.c"
$gsymutil --convert=little --num-threads=1 -o little.gsym >/dev/null
ask little 0x400ffd 0x401118

# With merged functions and call sites.
clang-19 $flags -fuse-ld=gold -Wl,--icf=all -ffunction-sections -o merged \
	"$here/inline.c"
$gsymutil --convert=merged --merged-functions --dwarf-callsites \
	--num-threads=1 -o merged.gsym >/dev/null
ask merged 0x401140 0x401258

# Big endian.  No segment may start above the functions: llvm-gsymutil takes
# the first one's address as the base, and everything below it is lost.
clang-19 --target=s390x-linux-gnu -fuse-ld=lld -Wl,--image-base=0x400000 \
	$flags -o big "$here/inline.c"
$gsymutil --convert=big --num-threads=1 -o big.gsym >/dev/null
ask big 0x400ffd 0x4011e4
