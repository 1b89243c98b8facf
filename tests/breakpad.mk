# SPDX-License-Identifier: MIT
# Tests of the Breakpad input.

if HAVE_CRITERION
check_PROGRAMS += test_breakpad
TESTS += test_breakpad
test_breakpad_SOURCES = tests/unit/input/test_breakpad.c
test_breakpad_CPPFLAGS = $(unit_cppflags)
test_breakpad_LDADD = libinputs.la libbuild.la libcore.la libbase.la \
	$(inputs_libs) $(PTHREAD_LIBS) $(CRITERION_LIBS)
endif

EXTRA_DIST += testdata/breakpad
