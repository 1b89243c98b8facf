# SPDX-License-Identifier: MIT
# What both readers of DWARF must make of the same bytes and files.

dwarf_case_sources = \
	tests/support/dwarf_text.c tests/support/dwarf_text.h \
	tests/unit/dwarf/cases.h \
	tests/unit/dwarf/cases_line.c \
	tests/unit/dwarf/cases_name.c \
	tests/unit/dwarf/cases_range.c \
	tests/unit/dwarf/cases_tree.c

if HAVE_CRITERION
check_PROGRAMS += test_readers
TESTS += test_readers
test_readers_SOURCES = tests/unit/dwarf/test_readers.c $(dwarf_case_sources)
test_readers_CPPFLAGS = $(unit_cppflags) $(DWARF_CFLAGS)
test_readers_LDADD = libinputs.la libdwarfasm.la libbase.la $(inputs_libs) \
	$(PTHREAD_LIBS) $(CRITERION_LIBS)
endif

# By hand: dwdiff FILE says where the readers differ on a real file.
check_PROGRAMS += dwdiff
dwdiff_SOURCES = tests/support/dwdiff.c
dwdiff_CPPFLAGS = $(AM_CPPFLAGS)
dwdiff_LDADD = libinputs.la libbase.la $(inputs_libs) $(PTHREAD_LIBS)
