#!/bin/sh
# SPDX-License-Identifier: MIT
# Checksums: gsym-create --checksum writes them, gsym-dump shows and compares
# them, gsym-lookup and gsym-markup do with --check, gsym-create with a GSYM file
# as input always does, and other readers of GSYM ignore them.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
compile prog -Wl,--build-id=0x00112233445566778899

# Fail unless the exit status of the command that follows $1 is $1, and its
# output has the text $2.
ends()
{
	status=$1
	text=$2
	shift 2
	"$@" >../out 2>&1 </dev/null
	got=$?
	[ $got = "$status" ] || fail "$*: status $got: $(cat ../out)"
	grep -q -e "$text" ../out || fail "$*: no '$text' in: $(cat ../out)"
}

# Flip the lowest bit of byte $3 of the file $1, and write $2.
flip()
{
	python3 - "$@" <<'END' || fail "cannot change $1"
import sys
data = bytearray(open(sys.argv[1], 'rb').read())
data[int(sys.argv[3])] ^= 1
open(sys.argv[2], 'wb').write(data)
END
}
command -v python3 >/dev/null || skip 'there is no python3'

for format in v1 v2; do
	gsym-create -q --format=$format -o plain.gsym prog
	gsym-create -q --format=$format --checksum -o prog.gsym prog
	# The rest of the file is as without the checksum.
	size=$(wc -c <plain.gsym)
	head -c "$size" prog.gsym | cmp - plain.gsym || fail "$format differs"
	ends 0 '^  checksum  *[0-9a-f]\{8\}$' gsym-dump prog.gsym
	ends 0 '"checksum":"0x' gsym-dump --json prog.gsym
	ends 0 none gsym-dump --verify prog.gsym
	ends 0 ' checksum$' gsym-dump --statistics prog.gsym
	ends 1 checksum: sh -c 'gsym-dump plain.gsym | grep checksum ||
		{ echo checksum: none; exit 1; }'
	size=$(wc -c <prog.gsym)

	# Bytes from all parts: without the checksum many are not noticed.
	at=60
	while [ $at -lt $((size - 4)) ]; do
		flip prog.gsym bad.gsym $at
		gsym-dump --verify bad.gsym >../out 2>&1 &&
			fail "$format: byte $at is wrong: $(cat ../out)"
		at=$((at + 101))
	done
	# A name is another one: nothing but the checksum tells.
	at=$(grep -abo main plain.gsym | sed -n '1s/:.*//p')
	flip plain.gsym bad.gsym "$at"
	ends 0 none gsym-dump --verify bad.gsym
	flip prog.gsym bad.gsym "$at"
	ends 1 'checksum at offset 0x[0-9a-f]* is .*, but that of the data' \
		gsym-dump --verify bad.gsym
	ends 0 lain gsym-lookup bad.gsym lain
	ends 2 "cannot use 'bad.gsym': checksum" \
		gsym-lookup --check bad.gsym lain
	ends 2 checksum gsym-lookup --check --copy bad.gsym lain
	ends 0 main gsym-lookup --check prog.gsym main
	ends 0 main gsym-lookup --check plain.gsym main
	ends 2 "cannot read 'bad.gsym': checksum" \
		gsym-create -o new.gsym bad.gsym
	[ ! -e new.gsym ] || fail 'a damaged file was converted'

	# By build ID.
	mkdir -p store
	cp bad.gsym store/112233445566778899.debug.gsym
	XDG_CACHE_HOME=$PWD/none
	export XDG_CACHE_HOME
	lookup="gsym-lookup --build-id=00112233445566778899 lain
		--gsym-file-directory=store"
	ends 0 lain $lookup
	ends 2 "not used: checksum" $lookup --check
	address=$(gsym-lookup prog.gsym main | sed -n '1s/:.*//p')
	printf '{{{module:0:prog:elf:00112233445566778899}}}\n%s\n%s\n' \
		'{{{mmap:0x0:0x100000:load:0:rx:0x0}}}' \
		"{{{pc:$address}}}" >log
	ends 0 lain gsym-markup --gsym-file-directory=store log
	ends 0 "not used: checksum" \
		gsym-markup --check --gsym-file-directory=store log
	! grep -q lain ../out || fail "gsym-markup --check: $(cat ../out)"
	cp prog.gsym store/112233445566778899.debug.gsym
	ends 0 main gsym-markup --check --gsym-file-directory=store log
	ends 2 "cannot use 'bad.gsym': checksum" \
		gsym-markup --check --module=bad.gsym@0x100000 log

	# In segments, in a copy of the program, from a GSYM file.
	gsym-create -q --format=$format --checksum --segment-size=600 \
		-o part prog || fail segments
	for part in part-0x*; do
		ends 0 '^  checksum' gsym-dump --header --verify "$part"
		[ "$(wc -c <"$part")" -le 600 ] || fail "$part is larger"
	done
	rm part-0x*
	gsym-create -q --format=$format --checksum --embed=prog -o both prog ||
		fail --embed
	ends 0 '^  checksum' gsym-dump --header --verify both
	offset=$(gsym-dump --json both |
		sed 's/.*"image_offset":\([0-9]*\).*/\1/')
	flip both bad $((offset + at))
	ends 1 checksum gsym-dump --verify bad
	gsym-create -q --format=$format --checksum -o again.gsym prog.gsym
	cmp again.gsym prog.gsym || fail 'from a GSYM file'
	gsym-create -q --format=$format -o again.gsym prog.gsym
	cmp again.gsym plain.gsym || fail 'from a GSYM file, without'
	# Peers.
	if command -v gsymtool >/dev/null; then
		ends 0 valid gsymtool verify prog.gsym
	fi
	for llvm in llvm-gsymutil-22 llvm-gsymutil; do
		[ $format = v1 ] && command -v $llvm >/dev/null || continue
		$llvm prog.gsym >with && $llvm plain.gsym >without &&
			cmp with without || fail "$llvm"
	done
done
