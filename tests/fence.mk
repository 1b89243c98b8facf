# SPDX-License-Identifier: MIT
# What the rooms include, the libraries need and export, and the release
# holds.

fence_tests = tests/fence/dist.sh tests/fence/includes.sh \
	tests/fence/manuals.sh tests/fence/needs.sh
# These need both libraries whole.
fence_waiting = tests/fence/exports.sh tests/fence/install.sh
TESTS += $(fence_tests)
dist_check_SCRIPTS += $(fence_tests) $(fence_waiting)
