# SPDX-License-Identifier: MIT
# Tests of the xray room and of gsym-xray.

if XRAY
if HAVE_CRITERION
xray_units = test_xray_account test_xray_check test_xray_damage \
	test_xray_fixtures test_xray_nested test_xray_seed test_xray_sleds \
	test_xray_tree
check_PROGRAMS += $(xray_units)
TESTS += $(xray_units)
xray_test_ldadd = libxray.la libbase.la $(CRITERION_LIBS)

test_xray_fixtures_SOURCES = tests/unit/xray/test_fixtures.c \
	tests/unit/xray/traces.h
test_xray_fixtures_CPPFLAGS = $(unit_cppflags)
test_xray_fixtures_LDADD = $(xray_test_ldadd)

test_xray_check_SOURCES = tests/unit/xray/test_check.c \
	tests/unit/xray/traces.h
test_xray_check_CPPFLAGS = $(unit_cppflags)
test_xray_check_LDADD = $(xray_test_ldadd)

test_xray_account_SOURCES = tests/unit/xray/test_account.c \
	tests/unit/xray/traces.h
test_xray_account_CPPFLAGS = $(unit_cppflags)
test_xray_account_LDADD = $(xray_test_ldadd)

test_xray_seed_SOURCES = tests/unit/xray/test_seed.c \
	tests/unit/xray/traces.h
test_xray_seed_CPPFLAGS = $(unit_cppflags)
test_xray_seed_LDADD = $(xray_test_ldadd)

test_xray_damage_SOURCES = tests/unit/xray/test_damage.c \
	tests/unit/xray/traces.h
test_xray_damage_CPPFLAGS = $(unit_cppflags)
test_xray_damage_LDADD = $(xray_test_ldadd)

test_xray_nested_SOURCES = tests/unit/xray/test_nested.c \
	tests/unit/xray/traces.h
test_xray_nested_CPPFLAGS = $(unit_cppflags)
test_xray_nested_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=gsym_xray_decode
test_xray_nested_LDADD = $(xray_test_ldadd)

test_xray_sleds_SOURCES = tests/unit/xray/test_sleds.c \
	tests/unit/xray/traces.h
test_xray_sleds_CPPFLAGS = $(unit_cppflags)
test_xray_sleds_LDADD = $(xray_test_ldadd)

test_xray_tree_SOURCES = tests/unit/xray/test_tree.c \
	tests/unit/xray/traces.h
test_xray_tree_CPPFLAGS = $(unit_cppflags)
test_xray_tree_LDADD = $(xray_test_ldadd)
endif
endif

xray_scripts = tests/cli/xray.sh tests/cli/xray-clang.sh \
	tests/cli/xray-diff.sh \
	tests/cli/xray-files.sh tests/cli/xray-large.sh tests/cli/xray-llvm.sh \
	tests/cli/xray-maps.sh tests/cli/xray-names.sh \
	tests/cli/xray-output.sh tests/cli/xray-suggest.sh
xray_scripts += tests/cli/xray-flame.sh tests/cli/xray-flame-browser.sh
EXTRA_DIST += tests/cli/xray-diff.py tests/cli/xray-flame-browser.py tests/cli/xray-flame-lib.sh \
	tests/cli/xray-flame-page.py
if XRAY
TESTS += $(xray_scripts)
endif
dist_check_SCRIPTS += $(xray_scripts)

EXTRA_DIST += testdata/xray tests/cli/xray-output.out \
	tests/cli/xray-library.c tests/cli/xray-program.cpp \
	tests/cli/xray-peer.py tests/cli/xray-record.sh \
	tests/cli/xray-said.py

# The fuzz target on its own seeds; see tests/fuzz/replay.c.
if XRAY
check_PROGRAMS += fuzz_xray
TESTS += fuzz_xray
endif
fuzz_xray_SOURCES = tests/fuzz/fuzz_xray.c tests/fuzz/fuzz.h \
	tests/fuzz/replay.c
fuzz_xray_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests
fuzz_xray_LDADD = libxray.la libbase.la
