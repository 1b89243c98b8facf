# SPDX-License-Identifier: MIT
# Tests of the room process.

if HAVE_CRITERION
check_PROGRAMS += test_process
TESTS += test_process
endif
test_process_SOURCES = tests/unit/process/test_process.c
test_process_CPPFLAGS = $(unit_cppflags)
test_process_LDADD = libprocess.la libstore.la libgsymbytes.la \
	libcore.la libbase.la $(CRITERION_LIBS)
