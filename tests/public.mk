# SPDX-License-Identifier: MIT
# Tests of the rules that gsym/types.h states for all public functions.

check_PROGRAMS += test_null
TESTS += test_null

test_null_SOURCES = tests/unit/public/test_null.c
test_null_CPPFLAGS = $(AM_CPPFLAGS)
test_null_LDADD = libgsym.la libgsym-demangle.la
if XRAY
test_null_CPPFLAGS += -DWITH_XRAY
test_null_LDADD += libgsym-xray.la
endif
if CONVERT
test_null_CPPFLAGS += -DWITH_CONVERT
test_null_LDADD += libgsym-convert.la
endif
