#!/bin/sh
# SPDX-License-Identifier: MIT
# The rules of CONTRIBUTING.md that a program can check.
set -u
cd "${top_srcdir:-$(dirname "$0")/../..}" || exit 99
. tests/support/tools.sh
need python3
exec python3 tests/fence/style.py .
