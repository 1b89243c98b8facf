#!/bin/sh
# SPDX-License-Identifier: MIT
# Make configure and Makefile.in from their sources.
set -e
cd "$(dirname "$0")"
exec autoreconf --force --install "$@"
