# SPDX-License-Identifier: MIT
# Tests of the format and reader rooms.

reader_units = \
	test_format_lines test_format_inlines test_format_layout \
	test_reader_example test_reader_search \
	test_reader_search_large test_reader_lookup \
	test_reader_lookup_merged test_reader_many test_reader_stack \
	test_reader_functions test_reader_embedded test_reader_open \
	test_reader_checksum test_reader_verify test_reader_verify_record \
	test_reader_damage test_reader_threads test_reader_fixtures

# Assembles ELF files.
check_LTLIBRARIES += libelfbuilder.la
libelfbuilder_la_SOURCES = \
	tests/support/elf_builder.c tests/support/elf_builder.h
libelfbuilder_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests

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
	tests/unit/reader/answers.h tests/support/guard.h
test_reader_search_CPPFLAGS = $(unit_cppflags)
test_reader_search_LDADD = $(reader_unit_ldadd)
test_reader_search_large_SOURCES = tests/unit/reader/test_search_large.c
test_reader_search_large_CPPFLAGS = $(unit_cppflags)
test_reader_search_large_LDADD = $(reader_unit_ldadd)

test_reader_lookup_SOURCES = tests/unit/reader/test_lookup.c \
	tests/unit/reader/answers.h
test_reader_lookup_CPPFLAGS = $(unit_cppflags)
test_reader_lookup_LDADD = $(reader_unit_ldadd)

test_reader_lookup_merged_SOURCES = \
	tests/unit/reader/test_lookup_merged.c \
	tests/unit/reader/answers.h tests/support/guard.h
test_reader_lookup_merged_CPPFLAGS = $(unit_cppflags)
test_reader_lookup_merged_LDADD = $(reader_unit_ldadd)

test_reader_stack_SOURCES = tests/unit/reader/test_stack.c \
	tests/unit/reader/answers.h
test_reader_stack_CPPFLAGS = $(unit_cppflags)
test_reader_stack_LDADD = $(reader_unit_ldadd)

test_reader_many_SOURCES = tests/unit/reader/test_many.c \
	tests/unit/reader/answers.h
test_reader_many_CPPFLAGS = $(unit_cppflags)
test_reader_many_LDADD = $(reader_unit_ldadd)

test_reader_functions_SOURCES = tests/unit/reader/test_functions.c \
	tests/unit/reader/answers.h
test_reader_functions_CPPFLAGS = $(unit_cppflags)
test_reader_functions_LDADD = $(reader_unit_ldadd)

test_reader_embedded_SOURCES = tests/unit/reader/test_embedded.c \
	tests/unit/reader/answers.h tests/unit/reader/problems.h
test_reader_embedded_CPPFLAGS = $(unit_cppflags)
test_reader_embedded_LDADD = libelfbuilder.la $(reader_unit_ldadd)

test_reader_open_SOURCES = tests/unit/reader/test_open.c \
	tests/support/mapped.h tests/unit/reader/answers.h
test_reader_open_CPPFLAGS = $(unit_cppflags)
test_reader_open_LDADD = libelfbuilder.la $(reader_unit_ldadd)

test_reader_checksum_SOURCES = tests/unit/reader/test_checksum.c \
	tests/unit/reader/answers.h
test_reader_checksum_CPPFLAGS = $(unit_cppflags)
test_reader_checksum_LDADD = $(reader_unit_ldadd)

test_reader_verify_SOURCES = tests/unit/reader/test_verify.c \
	tests/unit/reader/answers.h tests/unit/reader/checks.h \
	tests/support/guard.h
test_reader_verify_CPPFLAGS = $(unit_cppflags)
test_reader_verify_LDADD = libelfbuilder.la $(reader_unit_ldadd)

test_reader_verify_record_SOURCES = \
	tests/unit/reader/test_verify_record.c \
	tests/unit/reader/answers.h tests/unit/reader/checks.h \
	tests/support/guard.h
test_reader_verify_record_CPPFLAGS = $(unit_cppflags)
test_reader_verify_record_LDADD = $(reader_unit_ldadd)

test_reader_damage_SOURCES = tests/unit/reader/test_damage.c \
	tests/unit/reader/answers.h tests/support/guard.h \
	tests/unit/reader/use_all.h
test_reader_damage_CPPFLAGS = $(unit_cppflags)
test_reader_damage_LDADD = $(reader_unit_ldadd)

test_reader_threads_SOURCES = tests/unit/reader/test_threads.c \
	tests/unit/reader/answers.h
test_reader_threads_CPPFLAGS = $(unit_cppflags)
test_reader_threads_LDADD = $(reader_unit_ldadd) $(PTHREAD_LIBS)

test_reader_fixtures_SOURCES = tests/unit/reader/test_fixtures.c \
	tests/unit/reader/answers.h
test_reader_fixtures_CPPFLAGS = $(unit_cppflags)
test_reader_fixtures_LDADD = $(reader_unit_ldadd)

# The fuzz target on its own seeds; see tests/fuzz/replay.c.
check_PROGRAMS += fuzz_reader
TESTS += fuzz_reader
fuzz_reader_SOURCES = tests/fuzz/fuzz_reader.c tests/fuzz/fuzz.h \
	tests/fuzz/replay.c tests/unit/reader/use_all.h
fuzz_reader_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests
fuzz_reader_LDADD = libgsymbytes.la libelfbuilder.la libcore.la libbase.la

# Prints answers in llvm-gsymutil's format, to be compared with llvm-gsymutil.
check_PROGRAMS += as_llvm
as_llvm_SOURCES = tests/support/as_llvm.c
as_llvm_LDADD = libcore.la libbase.la

reader_scripts = tests/cli/lookup_llvm.sh tests/fence/lookup.sh
TESTS += $(reader_scripts)
dist_check_SCRIPTS += $(reader_scripts)

EXTRA_DIST += tests/fence/lookup.c
EXTRA_DIST += \
	testdata/gsym/README.md \
	testdata/gsym/big.expected testdata/gsym/big.gsym \
	testdata/gsym/inline.c \
	testdata/gsym/little.expected testdata/gsym/little.gsym \
	testdata/gsym/merged.expected testdata/gsym/merged.gsym \
	testdata/gsym/recipe.sh
