# SPDX-License-Identifier: MIT
# What the rooms include and the libraries need and export.

fence_tests = tests/fence/includes.sh
TESTS += $(fence_tests)
dist_check_SCRIPTS += $(fence_tests)
