# SPDX-License-Identifier: MIT
# Tests of gsym-lookup under the names of addr2line and llvm-symbolizer.

if HAVE_CRITERION
check_PROGRAMS += test_personality_answer test_personality_request \
	test_personality_settings
TESTS += test_personality_answer test_personality_request \
	test_personality_settings
endif

test_personality_answer_SOURCES = tests/unit/personality/test_answer.c
test_personality_answer_CPPFLAGS = $(tools_unit_cppflags)
test_personality_answer_LDADD = libpersonality.la $(tools_unit_ldadd)
test_personality_answer_LDFLAGS = $(AM_LDFLAGS) -static

test_personality_request_SOURCES = tests/unit/personality/test_request.c
test_personality_request_CPPFLAGS = $(tools_unit_cppflags)
test_personality_request_LDADD = libpersonality.la $(tools_unit_ldadd)
test_personality_request_LDFLAGS = $(AM_LDFLAGS) -static

test_personality_settings_SOURCES = tests/unit/personality/test_settings.c
test_personality_settings_CPPFLAGS = $(tools_unit_cppflags)
test_personality_settings_LDADD = libpersonality.la $(tools_unit_ldadd)
test_personality_settings_LDFLAGS = $(AM_LDFLAGS) -static

# gsym-lookup with limits that tests make small: GSYM_LIMIT of configure.ac.
check_PROGRAMS += gsym-lookup-tiny
gsym_lookup_tiny_SOURCES = $(gsym_lookup_SOURCES) \
	$(libpersonality_la_SOURCES) tools/common/frames.c tools/source/ask.c \
	tests/support/tiny.c tests/support/tiny.h
gsym_lookup_tiny_CPPFLAGS = $(tools_cppflags) -I$(srcdir)/tests \
	-DGSYM_TINY_LIMITS
gsym_lookup_tiny_LDFLAGS = $(gsym_lookup_LDFLAGS)
gsym_lookup_tiny_LDADD = libtools.la libgsym.la

personality_tests = tests/cli/personality-clients.sh \
	tests/cli/personality-crate.sh \
	tests/cli/personality-find.sh \
	tests/cli/personality-members.sh \
	tests/cli/personality-hostile.sh tests/cli/personality-replay.sh \
	tests/cli/personality-markup.sh \
	tests/cli/personality-names.sh \
	tests/cli/personality-options.sh tests/cli/personality-requests.sh \
	tests/cli/personality-servers.sh tests/cli/personality-several.sh \
	tests/cli/personality-styles.sh
TESTS += $(personality_tests)
dist_check_SCRIPTS += $(personality_tests)
EXTRA_DIST += testdata/personalities tests/cli/personality-lib.sh \
	tests/cli/personality-clients.py tests/cli/personality-protocols.py \
	tests/cli/personality-replay.py \
	tests/cli/personality-styles.out
