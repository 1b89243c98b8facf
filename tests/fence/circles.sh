#!/bin/sh
# SPDX-License-Identifier: MIT
# Every circle of files that use each other's functions is in doc/design.md,
# with the reason.
set -u
cd "${top_builddir:?}" && : "${top_srcdir:?}" || exit 99
for tool in python3 nm; do
	command -v $tool >/dev/null || {
		echo "skipped: $tool is not installed"
		exit 77
	}
done
exec python3 "$top_srcdir/tests/fence/circles.py" "$top_srcdir" .
