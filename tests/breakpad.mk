# SPDX-License-Identifier: MIT
# Tests of the Breakpad input.

breakpad_input_sources = tests/support/breakpad_input.c \
	tests/support/breakpad_input.h
breakpad_ldadd = libinputs.la libobject.la libbuild.la libcore.la libbase.la \
	$(inputs_libs) $(PTHREAD_LIBS)

check_PROGRAMS += fuzz_breakpad
TESTS += fuzz_breakpad
fuzz_breakpad_SOURCES = tests/fuzz/fuzz_breakpad.c tests/fuzz/fuzz.h \
	tests/fuzz/replay.c $(breakpad_input_sources)
fuzz_breakpad_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests
fuzz_breakpad_LDADD = $(breakpad_ldadd)

if HAVE_CRITERION
breakpad_tests = test_breakpad test_breakpad_damage test_breakpad_program \
	test_breakpad_rules test_breakpad_text test_breakpad_spool \
	test_breakpad_trees
check_PROGRAMS += $(breakpad_tests)
TESTS += $(breakpad_tests)
test_breakpad_SOURCES = tests/unit/breakpad/test_breakpad.c
test_breakpad_CPPFLAGS = $(unit_cppflags)
test_breakpad_LDADD = $(breakpad_ldadd) $(CRITERION_LIBS)

test_breakpad_damage_SOURCES = tests/unit/breakpad/test_breakpad_damage.c \
	$(breakpad_input_sources)
test_breakpad_damage_CPPFLAGS = $(unit_cppflags)
test_breakpad_damage_LDADD = $(breakpad_ldadd) $(CRITERION_LIBS)

test_breakpad_program_SOURCES = tests/unit/breakpad/test_breakpad_program.c \
	$(breakpad_input_sources)
test_breakpad_program_CPPFLAGS = $(unit_cppflags)
test_breakpad_program_LDADD = libelfbuilder.la libmachobuilder.la \
	$(breakpad_ldadd) $(CRITERION_LIBS)

test_breakpad_rules_SOURCES = tests/unit/breakpad/test_breakpad_rules.c \
	$(breakpad_input_sources)
test_breakpad_rules_CPPFLAGS = $(unit_cppflags)
test_breakpad_rules_LDADD = $(breakpad_ldadd) $(CRITERION_LIBS)

test_breakpad_trees_SOURCES = tests/unit/breakpad/test_breakpad_trees.c \
	$(breakpad_input_sources)
test_breakpad_trees_CPPFLAGS = $(unit_cppflags)
test_breakpad_trees_LDADD = $(breakpad_ldadd) $(CRITERION_LIBS)

test_breakpad_spool_SOURCES = tests/unit/breakpad/test_breakpad_spool.c \
	$(breakpad_input_sources)
test_breakpad_spool_CPPFLAGS = $(unit_cppflags) $(ZLIB_CFLAGS) $(ZSTD_CFLAGS)
test_breakpad_spool_LDADD = $(breakpad_ldadd) $(ZLIB_LIBS) $(ZSTD_LIBS) \
	$(CRITERION_LIBS)

test_breakpad_text_SOURCES = tests/unit/breakpad/test_breakpad_text.c
test_breakpad_text_CPPFLAGS = $(unit_cppflags)
test_breakpad_text_LDADD = $(breakpad_ldadd) $(CRITERION_LIBS)
endif

breakpad_scripts = tests/cli/breakpad-dump-syms.sh \
	tests/cli/breakpad-stackwalk.sh tests/cli/breakpad-store.sh
TESTS += $(breakpad_scripts)
dist_check_SCRIPTS += $(breakpad_scripts)
EXTRA_DIST += testdata/breakpad tests/cli/minidump.py
