# SPDX-License-Identifier: MIT
# Tests of the markup and store rooms, and of gsym-markup.

markup_scripts = tests/cli/markup-llvm.sh
TESTS += $(markup_scripts)
dist_check_SCRIPTS += $(markup_scripts)
EXTRA_DIST += tests/cli/markup-lib.sh \
	testdata/markup/README.md testdata/markup/cases.txt \
	testdata/markup/shape.cpp
