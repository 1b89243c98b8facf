# SPDX-License-Identifier: MIT
# Tests that run both readers of DWARF on the same bytes and files.  They need
# libdwarf and its header dwarf.h.

dwarf_case_sources = \
	tests/support/dwarf_text.c tests/support/dwarf_text.h \
	tests/unit/dwarf/cases.h \
	tests/unit/dwarf/cases_content.c \
	tests/unit/dwarf/cases_file.c \
	tests/unit/dwarf/cases_line.c \
	tests/unit/dwarf/cases_name.c \
	tests/unit/dwarf/cases_range.c \
	tests/unit/dwarf/cases_tree.c

EXTRA_DIST += tests/unit/dwarf/expected.changed \
	tests/unit/dwarf/expected.cut tests/unit/dwarf/expected.random \
	tests/unit/dwarf/expected.records \
	tests/unit/dwarf/expected.libdwarf_changed \
	tests/unit/dwarf/expected.libdwarf_cut \
	tests/unit/dwarf/expected.libdwarf_records

if HAVE_CRITERION
reader_tests = test_bounds test_claims test_damage test_units_passing test_expected test_readers \
	test_libdwarf test_shared_lines test_split
if HAVE_LIBDWARF
check_PROGRAMS += $(reader_tests)
TESTS += $(reader_tests)
endif
reader_test_ldadd = libsecond.la libinputs.la libobject.la libdwarfasm.la \
	libbase.la $(inputs_libs) $(PTHREAD_LIBS) $(CRITERION_LIBS)

test_bounds_SOURCES = tests/unit/dwarf/test_bounds.c \
	tests/unit/dwarf/test_bounds_names.c \
	tests/unit/dwarf/test_bounds_records.c \
	tests/unit/dwarf/test_bounds_split.c $(dwarf_case_sources)
test_bounds_CPPFLAGS = $(unit_cppflags) $(DWARF_CFLAGS)
test_bounds_LDADD = $(reader_test_ldadd)

test_units_passing_SOURCES = tests/unit/dwarf/test_passing.c \
	tests/support/sink_text.c tests/support/sink_text.h \
	tests/unit/dwarf/cases.h
test_units_passing_CPPFLAGS = $(unit_cppflags) $(DWARF_CFLAGS) $(ZLIB_CFLAGS)
test_units_passing_LDADD = $(reader_test_ldadd)
test_claims_SOURCES = tests/unit/dwarf/test_claims.c \
	tests/unit/dwarf/cases.h \
	tests/support/dwarf_text.c tests/support/dwarf_text.h
test_claims_CPPFLAGS = $(unit_cppflags) $(DWARF_CFLAGS)
test_claims_LDADD = $(reader_test_ldadd)

test_damage_SOURCES = tests/unit/second/test_damage.c $(dwarf_case_sources)
test_damage_CPPFLAGS = $(unit_cppflags) $(DWARF_CFLAGS)
test_damage_LDADD = $(reader_test_ldadd)

test_expected_SOURCES = tests/unit/dwarf/test_expected.c \
	tests/unit/dwarf/random_case.c tests/unit/dwarf/random_case.h \
	tests/support/sink_text.c tests/support/sink_text.h \
	$(dwarf_case_sources)
test_expected_CPPFLAGS = $(unit_cppflags) $(DWARF_CFLAGS)
test_expected_LDADD = $(reader_test_ldadd)

test_readers_SOURCES = tests/unit/dwarf/test_readers.c $(dwarf_case_sources)
test_readers_CPPFLAGS = $(unit_cppflags) $(DWARF_CFLAGS)
test_readers_LDADD = $(reader_test_ldadd)

test_libdwarf_SOURCES = tests/unit/second/test_libdwarf.c $(dwarf_case_sources)
test_libdwarf_CPPFLAGS = $(unit_cppflags) $(DWARF_CFLAGS)
test_libdwarf_LDADD = $(reader_test_ldadd)

test_shared_lines_SOURCES = tests/unit/dwarf/test_shared_lines.c \
	tests/unit/dwarf/cases.h \
	tests/support/sink_text.c tests/support/sink_text.h
test_shared_lines_CPPFLAGS = $(unit_cppflags) $(DWARF_CFLAGS)
test_shared_lines_LDADD = $(reader_test_ldadd)

test_split_SOURCES = tests/unit/dwarf/test_split.c \
	tests/unit/dwarf/cases.h tests/unit/dwarf/cases_file.c
test_split_CPPFLAGS = $(unit_cppflags) $(DWARF_CFLAGS)
test_split_LDADD = $(reader_test_ldadd)
endif

# Run by hand: dwdiff FILE prints the differences of both readers on a real file.
if HAVE_LIBDWARF
check_PROGRAMS += dwdiff
endif
dwdiff_SOURCES = tests/support/dwdiff.c
dwdiff_CPPFLAGS = $(AM_CPPFLAGS)
dwdiff_LDADD = libsecond.la libinputs.la libobject.la libbase.la $(inputs_libs) \
	$(PTHREAD_LIBS)
