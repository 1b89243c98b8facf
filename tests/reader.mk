# SPDX-License-Identifier: MIT
# Tests of the format and reader rooms.

reader_units = \
	test_format_lines test_format_inlines test_format_layout \
	test_reader_example test_reader_search test_reader_lookup \
	test_reader_functions

# Assembles GSYM data; link it with libbase.la.
check_LTLIBRARIES += libgsymbytes.la
libgsymbytes_la_SOURCES = \
	tests/support/gsym_bytes.c tests/support/gsym_bytes.h
libgsymbytes_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests

if HAVE_CRITERION
check_PROGRAMS += $(reader_units)
TESTS += $(reader_units)
endif

reader_unit_ldadd = libgsymbytes.la libcore.la libbase.la $(CRITERION_LIBS)

test_format_lines_SOURCES = tests/unit/format/test_lines.c
test_format_lines_CPPFLAGS = $(unit_cppflags)
test_format_lines_LDADD = $(reader_unit_ldadd)

test_format_inlines_SOURCES = tests/unit/format/test_inlines.c
test_format_inlines_CPPFLAGS = $(unit_cppflags)
test_format_inlines_LDADD = $(reader_unit_ldadd)

test_format_layout_SOURCES = tests/unit/format/test_layout.c
test_format_layout_CPPFLAGS = $(unit_cppflags)
test_format_layout_LDADD = $(reader_unit_ldadd)

test_reader_example_SOURCES = tests/unit/reader/test_example.c \
	tests/unit/reader/answers.h
test_reader_example_CPPFLAGS = $(unit_cppflags)
test_reader_example_LDADD = $(reader_unit_ldadd)

test_reader_search_SOURCES = tests/unit/reader/test_search.c \
	tests/unit/reader/answers.h
test_reader_search_CPPFLAGS = $(unit_cppflags)
test_reader_search_LDADD = $(reader_unit_ldadd)

test_reader_lookup_SOURCES = tests/unit/reader/test_lookup.c \
	tests/unit/reader/answers.h
test_reader_lookup_CPPFLAGS = $(unit_cppflags)
test_reader_lookup_LDADD = $(reader_unit_ldadd)

test_reader_functions_SOURCES = tests/unit/reader/test_functions.c \
	tests/unit/reader/answers.h
test_reader_functions_CPPFLAGS = $(unit_cppflags)
test_reader_functions_LDADD = $(reader_unit_ldadd)

EXTRA_DIST += testdata/gsym
