# SPDX-License-Identifier: MIT
# Tests of the elf and input rooms, and what others need to build ELF files.

# Link it with libbase.la.
check_LTLIBRARIES += libelfbuilder.la
libelfbuilder_la_SOURCES = \
	tests/support/elf_builder.c tests/support/elf_builder.h
libelfbuilder_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests

if HAVE_CRITERION
check_PROGRAMS += test_elf_builder
TESTS += test_elf_builder
test_elf_builder_SOURCES = tests/unit/support/test_elf_builder.c
test_elf_builder_CPPFLAGS = $(unit_cppflags) $(ELF_CFLAGS)
test_elf_builder_LDADD = libelfbuilder.la libbase.la $(ELF_LIBS) \
	$(CRITERION_LIBS)
endif
