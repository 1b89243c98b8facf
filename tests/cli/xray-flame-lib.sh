# SPDX-License-Identifier: MIT
# For the tests of gsym-xray flame: the folder of test data, and hostile names.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
data=$top_srcdir/testdata/xray

# Make hostile.gsym, a GSYM file in which the functions of bin/calls have names
# that are markup, scripts or invalid text.
hostile_names()
{
	{
		echo "MODULE Linux x86_64 $(printf %033d 0) calls"
		printf 'FILE 0 /src/<b>&"\001\377.c\n'
		awk -F '\t' 'NR == 1 && !/^[0-9]/ { next } {
			run = "window.broken=1"
			name[1] = "</script><script>" run "</script>"
			name[2] = "<!-- <img src=x onerror=" run "> -->"
			name[3] = "\\u003c&lt;/script&gt;\"'"'"'`${" run "}"
			name[4] = "\377\376 \355\240\200 \302\205 " \
				"\342\200\256 \001\033[31m"
			name[0] = "std::vector<std::map<std::string, " \
				"std::unique_ptr<Tree<Node>>>>::insert(int&)"
			sub(/^0x/, "", $2)
			printf "FUNC %s 1 0 %s\n", $2, name[NR % 5]
			printf "%s 1 7 0\n", $2
		}' "$data/maps/calls.functions.tsv"
	} >hostile.sym
	gsym-create -q -o hostile.gsym hostile.sym >log 2>&1 ||
		fail "gsym-create: $(cat log)"
}
