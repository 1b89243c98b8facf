#!/bin/sh
# SPDX-License-Identifier: MIT
# Every circle of files that use each other's functions is in doc/design.md,
# with the reason.
set -u
cd "${top_builddir:?}" && : "${top_srcdir:?}" || exit 99
. "$top_srcdir/tests/support/tools.sh"
need python3
need nm
exec python3 "$top_srcdir/tests/fence/circles.py" "$top_srcdir" .
