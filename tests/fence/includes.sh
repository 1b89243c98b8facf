#!/bin/sh
# SPDX-License-Identifier: MIT
# The table of rooms in doc/design.md allows every include. includes.py reports
# every include of tests/fence/forbidden.txt.
set -u
cd "${top_srcdir:-$(dirname "$0")/../..}" || exit 99
. tests/support/tools.sh
need python3
python3 tests/fence/includes.py . || exit 1

copy=$(mktemp -d) || exit 99
trap 'rm -rf "$copy"' EXIT
trap 'exit 99' HUP INT TERM
mkdir "$copy/doc" && cp doc/design.md "$copy/doc" &&
	cp -R libgsym tools "$copy" && chmod -R u+w "$copy" || exit 99
caught=0
missed=0
while read -r file include; do
	case $file in '' | '#'*) continue ;; esac
	[ -f "$copy/$file" ] || {
		echo "forbidden.txt: there is no file $file"
		exit 1
	}
	cp "$copy/$file" "$copy/before" &&
		echo "#include $include" >>"$copy/$file" || exit 99
	if python3 tests/fence/includes.py "$copy" >"$copy/said"; then
		echo "not caught: $file: #include $include"
		missed=$((missed + 1))
	elif [ "$(grep -c . "$copy/said")" != 1 ] ||
		! grep -qF "$file:" "$copy/said"; then
		echo "$file: #include $include: not one line about the file:"
		cat "$copy/said"
		missed=$((missed + 1))
	else
		caught=$((caught + 1))
	fi
	mv "$copy/before" "$copy/$file" || exit 99
done <tests/fence/forbidden.txt
echo "$caught forbidden includes caught, $missed missed"
[ $missed = 0 ] && [ $caught -gt 20 ]
