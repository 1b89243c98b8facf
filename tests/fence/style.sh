#!/bin/sh
# SPDX-License-Identifier: MIT
# The rules of CONTRIBUTING.md that a program can check.
set -u
cd "${top_srcdir:-$(dirname "$0")/../..}" || exit 99
command -v python3 >/dev/null || {
	echo "skipped: python3 is not installed"
	exit 77
}
exec python3 tests/fence/style.py .
