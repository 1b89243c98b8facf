# SPDX-License-Identifier: MIT
# Included by the scripts that test gsym-lookup --stream: two GSYM files of which
# odd.gsym has the other byte order, and a store.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"

bytes work work.gsym
bytes odd odd.gsym

# Put the file $2 into the store for the build ID $1, which has 8 digits.
put()
{
	mkdir -p "store/.build-id/${1%??????}"
	cp "$2" "store/.build-id/${1%??????}/${1#??}.debug.gsym"
}

# The files have other build IDs, or none.
stream()
{
	gsym-lookup --no-verify --gsym-file-directory=store "$@"
}
