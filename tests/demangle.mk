# SPDX-License-Identifier: MIT
# Tests of the room demangle.

if HAVE_CRITERION
check_PROGRAMS += test_demangle
TESTS += test_demangle
endif
test_demangle_SOURCES = tests/unit/demangle/test_demangle.c
test_demangle_CPPFLAGS = $(unit_cppflags)
test_demangle_LDADD = libgsym-demangle.la $(CRITERION_LIBS)
test_demangle_LDFLAGS = $(AM_LDFLAGS) -static
