# SPDX-License-Identifier: MIT
# Fuzz targets, which run on their own seeds here (tests/fuzz/replay.c).  A
# target NAME is the file tests/fuzz/fuzz_NAME.c, its name in the list, and three
# lines here; and a row of the table in tests/fuzz/README.md.

fuzz_targets = fuzz_batch fuzz_demangle fuzz_names fuzz_process
if CONVERT
fuzz_targets += fuzz_container fuzz_debugmap fuzz_second fuzz_split
endif
check_PROGRAMS += $(fuzz_targets)
TESTS += $(fuzz_targets)

# The replay of seeds, and what targets need.
fuzz_sources = tests/fuzz/fuzz.h tests/fuzz/replay.c
fuzz_cppflags = $(AM_CPPFLAGS) -I$(srcdir)/tests -DFUZZ_MUTATIONS=6000
check_LTLIBRARIES += libfuzz.la
libfuzz_la_SOURCES = tests/fuzz/mutate.c \
	tests/fuzz/parts.c tests/fuzz/parts.h \
	tests/fuzz/verify.c tests/fuzz/verify.h
libfuzz_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests
fuzz_ldadd = libfuzz.la libelfbuilder.la libgsymbytes.la libgsym.la \
	libbase.la $(PTHREAD_LIBS)

fuzz_batch_SOURCES = tests/fuzz/fuzz_batch.c $(fuzz_sources)
fuzz_batch_CPPFLAGS = $(fuzz_cppflags)
fuzz_batch_LDADD = $(fuzz_ldadd)
fuzz_batch_LDFLAGS = $(AM_LDFLAGS) -static

fuzz_demangle_SOURCES = tests/fuzz/fuzz_demangle.c $(fuzz_sources)
fuzz_demangle_CPPFLAGS = $(fuzz_cppflags)
fuzz_demangle_LDADD = libgsym-demangle.la $(fuzz_ldadd)
fuzz_demangle_LDFLAGS = $(AM_LDFLAGS) -static

fuzz_names_SOURCES = tests/fuzz/fuzz_names.c $(fuzz_sources)
fuzz_names_CPPFLAGS = $(fuzz_cppflags)
fuzz_names_LDADD = $(fuzz_ldadd)
fuzz_names_LDFLAGS = $(AM_LDFLAGS) -static

fuzz_process_SOURCES = tests/fuzz/fuzz_process.c $(fuzz_sources)
fuzz_process_CPPFLAGS = $(fuzz_cppflags)
fuzz_process_LDADD = $(fuzz_ldadd)
fuzz_process_LDFLAGS = $(AM_LDFLAGS) -static

# Of targets that convert files.
fuzz_whole_sources = $(fuzz_sources) tests/fuzz/whole.c tests/fuzz/whole.h \
	tests/fuzz/again.c tests/fuzz/again.h \
	tests/fuzz/sections.c tests/fuzz/sections.h
fuzz_whole_cppflags = $(fuzz_cppflags) $(DWARF_CFLAGS)
fuzz_whole_ldadd = libfuzz.la libelfbuilder.la libmachobuilder.la \
	libdwarfasm.la libinputs.la libelfview.la libgsym.la libbase.la \
	$(inputs_libs) $(PTHREAD_LIBS)

fuzz_container_SOURCES = tests/fuzz/fuzz_container.c \
	tests/fuzz/seeds.h tests/fuzz/seeds_fixups.c tests/fuzz/seeds_pe.c \
	tests/unit/macho/fixups.h tests/unit/macho/program.h \
	tests/unit/pe/program.h \
	tests/support/go_input.c tests/support/go_input.h \
	$(fuzz_whole_sources)
fuzz_container_CPPFLAGS = $(fuzz_whole_cppflags)
fuzz_container_LDADD = $(fuzz_whole_ldadd)
fuzz_container_LDFLAGS = $(AM_LDFLAGS) -static

fuzz_case_sources = $(fuzz_whole_sources) tests/unit/dwarf/cases.h \
	tests/unit/dwarf/cases_content.c tests/unit/dwarf/cases_file.c \
	tests/unit/dwarf/cases_line.c tests/unit/dwarf/cases_name.c \
	tests/unit/dwarf/cases_range.c tests/unit/dwarf/cases_tree.c \
	tests/fuzz/dwarf_seeds.c tests/fuzz/dwarf_seeds.h

fuzz_debugmap_SOURCES = tests/fuzz/fuzz_debugmap.c $(fuzz_case_sources)
fuzz_debugmap_CPPFLAGS = $(fuzz_whole_cppflags)
fuzz_debugmap_LDADD = $(fuzz_whole_ldadd)
fuzz_debugmap_LDFLAGS = $(AM_LDFLAGS) -static

fuzz_second_SOURCES = tests/fuzz/fuzz_second.c $(fuzz_case_sources)
fuzz_second_CPPFLAGS = $(fuzz_whole_cppflags)
fuzz_second_LDADD = $(fuzz_whole_ldadd)
fuzz_second_LDFLAGS = $(AM_LDFLAGS) -static

fuzz_split_SOURCES = tests/fuzz/fuzz_split.c $(fuzz_case_sources)
fuzz_split_CPPFLAGS = $(fuzz_whole_cppflags)
fuzz_split_LDADD = $(fuzz_whole_ldadd)
fuzz_split_LDFLAGS = $(AM_LDFLAGS) -static
