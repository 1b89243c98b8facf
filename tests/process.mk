# SPDX-License-Identifier: MIT
# Tests of the room process.

if HAVE_CRITERION
check_PROGRAMS += test_process test_kernel
TESTS += test_process test_kernel
endif
test_process_SOURCES = tests/unit/process/test_process.c \
	tests/support/mapped.h
test_process_CPPFLAGS = $(unit_cppflags)
test_process_LDADD = libprocess.la libstore.la libgsymbytes.la \
	libcore.la libbase.la $(CRITERION_LIBS)

test_kernel_SOURCES = tests/unit/process/test_kernel.c
test_kernel_CPPFLAGS = $(unit_cppflags)
test_kernel_LDADD = $(test_process_LDADD)
