# SPDX-License-Identifier: MIT
# Tests of the index of names, in the room reader.

if HAVE_CRITERION
check_PROGRAMS += test_names
TESTS += test_names
endif
test_names_SOURCES = tests/unit/names/test_name_index.c \
	tests/unit/reader/answers.h
test_names_CPPFLAGS = $(unit_cppflags)
test_names_LDADD = libgsymbytes.la libcore.la libbase.la \
	$(CRITERION_LIBS)
