#!/bin/sh
# SPDX-License-Identifier: MIT
# Files of a room use each other in circles only where doc/design.md says why.
set -u
cd "${top_builddir:?}" && : "${top_srcdir:?}" || exit 99
for tool in python3 nm; do
	command -v $tool >/dev/null || {
		echo "skipped: $tool is not installed"
		exit 77
	}
done
exec python3 "$top_srcdir/tests/fence/circles.py" "$top_srcdir" .
