# SPDX-License-Identifier: MIT
# Tests of the dwarf room that run no reader on test cases (those are in
# readers.mk), and the assembler of DWARF that tests of other rooms use, too.

# Link it with libbase.la.
check_LTLIBRARIES += libdwarfasm.la
libdwarfasm_la_SOURCES = tests/support/dwarf_asm.c tests/support/dwarf_asm.h \
	tests/support/dwarf_files.c tests/support/dwarf_files.h
libdwarfasm_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests

if HAVE_CRITERION
resolve_tests = test_abbrev \
	test_folded test_live test_owners test_policy test_records test_resolve \
	test_scopes test_sections test_walk test_work
if HAVE_LIBDWARF
resolve_tests += test_constants test_dwarf test_dwarf_memory
endif
check_PROGRAMS += $(resolve_tests)
TESTS += $(resolve_tests)
resolve_test_ldadd = libinputs.la libobject.la libbase.la $(inputs_libs) \
	$(PTHREAD_LIBS) $(CRITERION_LIBS)

test_abbrev_SOURCES = tests/unit/dwarf/test_abbrev.c
test_abbrev_CPPFLAGS = $(unit_cppflags)
test_abbrev_LDADD = $(resolve_test_ldadd)

test_constants_SOURCES = tests/unit/dwarf/test_constants.c
test_constants_CPPFLAGS = $(unit_cppflags) $(DWARF_CFLAGS)
test_constants_LDADD = $(CRITERION_LIBS)

test_dwarf_SOURCES = tests/unit/dwarf/test_dwarf.c \
	tests/unit/dwarf/cases.h tests/support/sink_text.c \
	tests/support/sink_text.h
test_dwarf_CPPFLAGS = $(unit_cppflags) $(DWARF_CFLAGS)
test_dwarf_LDADD = libsecond.la libdwarfasm.la $(resolve_test_ldadd)

test_dwarf_memory_SOURCES = tests/unit/dwarf/test_memory.c \
	tests/unit/dwarf/random_case.c tests/unit/dwarf/random_case.h \
	tests/support/guarded.c tests/support/guarded.h \
	tests/support/sink_text.c tests/support/sink_text.h \
	$(dwarf_case_sources)
test_dwarf_memory_CPPFLAGS = $(unit_cppflags) $(DWARF_CFLAGS)
test_dwarf_memory_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free
test_dwarf_memory_LDADD = libsecond.la libinputs.la libdwarfasm.la libbase.la \
	$(inputs_libs) $(PTHREAD_LIBS) $(CRITERION_LIBS)

test_folded_SOURCES = tests/unit/dwarf/test_folded.c
test_folded_CPPFLAGS = $(unit_cppflags)
test_folded_LDADD = $(resolve_test_ldadd)

test_live_SOURCES = tests/unit/dwarf/test_live.c
test_live_CPPFLAGS = $(unit_cppflags)
test_live_LDADD = $(resolve_test_ldadd)

test_owners_SOURCES = tests/unit/dwarf/test_owners.c
test_owners_CPPFLAGS = $(unit_cppflags)
test_owners_LDADD = $(resolve_test_ldadd)

test_policy_SOURCES = tests/unit/dwarf/test_policy.c
test_policy_CPPFLAGS = $(unit_cppflags)
test_policy_LDADD = $(resolve_test_ldadd)

test_records_SOURCES = tests/unit/dwarf/test_records.c
test_records_CPPFLAGS = $(unit_cppflags)
test_records_LDADD = $(resolve_test_ldadd)

test_resolve_SOURCES = tests/unit/dwarf/test_resolve.c
test_resolve_CPPFLAGS = $(unit_cppflags)
test_resolve_LDADD = $(resolve_test_ldadd)

test_scopes_SOURCES = tests/unit/dwarf/test_scopes.c
test_scopes_CPPFLAGS = $(unit_cppflags)
test_scopes_LDADD = libdwarfasm.la $(resolve_test_ldadd)

test_sections_SOURCES = tests/unit/dwarf/test_sections.c
test_sections_CPPFLAGS = $(unit_cppflags)
test_sections_LDADD = $(resolve_test_ldadd)

test_walk_SOURCES = tests/unit/dwarf/test_walk.c
test_walk_CPPFLAGS = $(unit_cppflags)
test_walk_LDADD = libdwarfasm.la $(resolve_test_ldadd)

test_work_SOURCES = tests/unit/dwarf/test_work.c
test_work_CPPFLAGS = $(unit_cppflags)
test_work_LDADD = $(resolve_test_ldadd)
endif
