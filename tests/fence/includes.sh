#!/bin/sh
# SPDX-License-Identifier: MIT
# The table of tests/fence/rooms.md allows every include. includes.py reports
# every include of tests/fence/forbidden.txt.
set -u
cd "${top_srcdir:-$(dirname "$0")/../..}" || exit 99
. tests/support/tools.sh
need python3
exec python3 tests/fence/includes.py .
