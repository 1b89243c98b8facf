# SPDX-License-Identifier: MIT
# Tests of the xray room and of gsym-xray.

if HAVE_CRITERION
xray_units = test_xray_fixtures test_xray_seed
check_PROGRAMS += $(xray_units)
TESTS += $(xray_units)
xray_test_ldadd = libxray.la libbase.la libcore.la $(CRITERION_LIBS)

test_xray_fixtures_SOURCES = tests/unit/xray/test_fixtures.c \
	tests/unit/xray/traces.h
test_xray_fixtures_CPPFLAGS = $(unit_cppflags)
test_xray_fixtures_LDADD = $(xray_test_ldadd)

test_xray_seed_SOURCES = tests/unit/xray/test_seed.c \
	tests/unit/xray/traces.h
test_xray_seed_CPPFLAGS = $(unit_cppflags)
test_xray_seed_LDADD = $(xray_test_ldadd)
endif

EXTRA_DIST += testdata/xray
