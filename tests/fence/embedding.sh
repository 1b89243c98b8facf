#!/bin/sh
# SPDX-License-Identifier: MIT
# doc/embedding.md: each row of the table of features names a test that exists,
# or says that the feature is not offered; the examples that it names exist.
set -u
cd "${top_srcdir:-$(dirname "$0")/../..}" || exit 99
page=doc/embedding.md
bad=0
complain()
{
	echo "$page: $*"
	bad=1
}

rows=$(sed -n '/^| Feature |/,/^$/p' $page | sed 1,2d | grep -c '^|')
[ "$rows" -ge 25 ] || complain "only $rows rows were found"
missing=$(sed -n '/^| Feature |/,/^$/p' $page | sed 1,2d | grep '^|' |
	grep -vE '`(tests|examples)/|not offered')
[ -z "$missing" ] || complain "rows without a test: $missing"
for name in $(grep -oE '`(tests|examples)/[^`]*`' $page | tr -d '\140' |
	sort -u); do
	file=${name%%:*}
	[ -e "$file" ] || complain "there is no $file"
	[ "$file" = "$name" ] || grep -q "^Test(.*, *${name#*:}[,)]" "$file" ||
		complain "$file has no test ${name#*:}"
done
exit $bad
