# SPDX-License-Identifier: MIT
# What the scripts share that look addresses of one program up in a store.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"

# Compile "prog" and install its GSYM file in the folder "store".  Set $id to its
# build ID, $stored to its GSYM file, and $start to the address of its first
# function.
make_store()
{
	need readelf
	compile prog -Wl,--build-id -O2
	gsym-create -q --install=store prog || fail "gsym-create: $?"
	id=$(readelf -n prog | sed -n 's/.*Build ID: *//p')
	stored=store/.build-id/$(echo "$id" | sed 's|^..|&/|').debug.gsym
	start=$(gsym-dump --functions "$stored" |
		sed -n 's/.*\(0x[0-9a-f]*\).*/\1/p' | head -n 1)
	[ -n "$id" ] && [ -n "$start" ] || fail "no function in '$stored'"
}
