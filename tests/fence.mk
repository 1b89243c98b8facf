# SPDX-License-Identifier: MIT
# Checks of the project itself: includes, symbols, the installation, the release.

fence_tests = \
	tests/fence/abi.sh \
	tests/fence/circles.sh tests/fence/configure.sh \
	tests/fence/cross.sh \
	tests/fence/dialect.sh \
	tests/fence/dist.sh \
	tests/fence/dist-same.sh \
	tests/fence/exports.sh tests/fence/format.sh tests/fence/fuzz.sh \
	tests/fence/embedding.sh tests/fence/figures.sh tests/fence/headers.sh \
	tests/fence/includes.sh \
	tests/fence/musl.sh \
	tests/fence/install.sh \
	tests/fence/manuals.sh \
	tests/fence/names.sh \
	tests/fence/hardening.sh \
	tests/fence/needs.sh \
	tests/fence/plain-criterion.sh tests/fence/limited.sh \
	tests/fence/proofs.sh tests/fence/quickstart.sh \
	tests/fence/release.sh \
	tests/fence/skips.sh \
	tests/fence/style.sh tests/fence/systems.sh
TESTS += $(fence_tests)
dist_check_SCRIPTS += $(fence_tests)
EXTRA_DIST += tests/support/tools.sh \
	tests/support/plain-criterion/plain.c \
	tests/support/plain-criterion/criterion/criterion.h \
	tests/support/plain-criterion/criterion/parameterized.h \
	tests/support/plain-criterion/criterion/redirect.h \
	tests/fence/circles.py tests/fence/dialect.patch \
	tests/fence/format.patch \
	tests/abi/README.md tests/abi/gsym.abi.gz tests/abi/options \
	tests/fence/cross.freebsd tests/fence/cross.macos \
	tests/fence/cross.windows \
	tests/fence/forbidden.txt tests/fence/headers.py \
	tests/fence/includes.py tests/fence/rooms.md \
	tests/fence/windows.c \
	tests/fence/style.py

# The compiler that cross.sh fetches, and its cache.
clean-local: clean-zig
clean-zig:
	rm -rf zig zig.new zig.log zig.lock zig-cache
.PHONY: clean-zig
