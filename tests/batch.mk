# SPDX-License-Identifier: MIT
# Tests of the room batch.

if HAVE_CRITERION
check_PROGRAMS += test_batch
TESTS += test_batch
endif
test_batch_SOURCES = tests/unit/batch/test_batch.c \
	tests/support/mapped.h
test_batch_CPPFLAGS = $(unit_cppflags)
test_batch_LDADD = libbatch.la libstore.la libgsymbytes.la libcore.la \
	libbase.la $(CRITERION_LIBS)
test_batch_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc \
	-Wl,--wrap=realloc,--wrap=free

# Imports a batch with pyarrow.
TESTS += tests/cli/arrow.sh
EXTRA_DIST += tests/cli/arrow.sh tests/cli/arrow.py tests/cli/store-lib.sh
