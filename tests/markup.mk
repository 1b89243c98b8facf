# SPDX-License-Identifier: MIT
# Tests of the markup and store rooms, and of gsym-markup.

if HAVE_CRITERION
check_PROGRAMS += test_markup test_markup_memo test_markup_elements
check_PROGRAMS += test_store test_store_identity test_store_open \
	test_store_module test_store_symbols
TESTS += test_markup test_markup_memo test_markup_elements
TESTS += test_store test_store_identity test_store_open \
	test_store_module test_store_symbols
endif
test_markup_SOURCES = tests/unit/markup/logs.c tests/unit/markup/logs.h \
	tests/unit/markup/test_context.c tests/unit/markup/test_html.c \
	tests/unit/markup/test_markup.c
test_markup_CPPFLAGS = $(unit_cppflags)
test_markup_LDADD = libmarkup.la libcore.la libbase.la $(CRITERION_LIBS)

test_markup_memo_SOURCES = tests/unit/markup/test_host.c
test_markup_memo_CPPFLAGS = $(unit_cppflags)
test_markup_memo_LDADD = libmarkup.la libcore.la libbase.la $(CRITERION_LIBS)

test_markup_elements_SOURCES = tests/unit/markup/logs.c tests/unit/markup/logs.h \
	tests/unit/markup/test_limits.c \
	tests/unit/markup/test_memory.c \
	tests/unit/markup/test_elements.c \
	tests/unit/markup/test_text.c \
	tests/unit/markup/test_transcript.c
test_markup_elements_CPPFLAGS = $(unit_cppflags)
test_markup_elements_LDADD = libmarkup.la libcore.la libbase.la $(CRITERION_LIBS)

test_store_SOURCES = tests/unit/store/test_store.c tests/unit/store/folder.h
test_store_CPPFLAGS = $(unit_cppflags)
test_store_LDADD = libstore.la libgsymbytes.la libelfbuilder.la libcore.la \
	libbase.la $(CRITERION_LIBS)

test_store_identity_SOURCES = tests/unit/store/test_identity.c \
	tests/unit/store/folder.h
test_store_identity_CPPFLAGS = $(unit_cppflags)
test_store_identity_LDADD = libstore.la libgsymbytes.la libelfbuilder.la \
	libcore.la libbase.la $(CRITERION_LIBS)

test_store_open_SOURCES = tests/unit/store/test_open.c \
	tests/unit/store/folder.h tests/support/mapped.h
test_store_open_CPPFLAGS = $(unit_cppflags)
test_store_open_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=calloc
test_store_open_LDADD = libstore.la libgsymbytes.la libelfbuilder.la libcore.la \
	libbase.la $(CRITERION_LIBS)

test_store_module_SOURCES = tests/unit/store/test_module.c
test_store_module_CPPFLAGS = $(unit_cppflags)
test_store_module_LDADD = libstore.la libelfbuilder.la libcore.la \
	libbase.la $(CRITERION_LIBS)

test_store_symbols_SOURCES = tests/unit/store/test_symbols.c
test_store_symbols_CPPFLAGS = $(unit_cppflags)
test_store_symbols_LDADD = libstore.la libelfbuilder.la libcore.la \
	libbase.la $(CRITERION_LIBS)

check_PROGRAMS += fuzz_symbols
TESTS += fuzz_symbols
fuzz_symbols_SOURCES = tests/fuzz/fuzz_symbols.c tests/fuzz/fuzz.h \
	tests/fuzz/replay.c
fuzz_symbols_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests
fuzz_symbols_LDADD = libstore.la libelfbuilder.la libcore.la libbase.la

# The rooms and the tool with limits that tests make small: GSYM_LIMIT of
# configure.ac.
check_LTLIBRARIES += libmarkup-tiny.la
libmarkup_tiny_la_SOURCES = $(libmarkup_la_SOURCES) $(liblogs_la_SOURCES) \
	tests/support/tiny.c tests/support/tiny.h
nodist_libmarkup_tiny_la_SOURCES = $(nodist_libmarkup_la_SOURCES)
libmarkup_tiny_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests \
	-DGSYM_TINY_LIMITS
check_PROGRAMS += gsym-markup-tiny
gsym_markup_tiny_SOURCES = $(gsym_markup_SOURCES)
nodist_gsym_markup_tiny_SOURCES = $(nodist_gsym_markup_SOURCES)
gsym_markup_tiny_CPPFLAGS = $(gsym_markup_CPPFLAGS) -DGSYM_TINY_LIMITS
gsym_markup_tiny_LDFLAGS = $(gsym_markup_LDFLAGS)
gsym_markup_tiny_LDADD = libtools.la libmarkup-tiny.la libgsym.la

check_PROGRAMS += fuzz_unwrap
TESTS += fuzz_unwrap
fuzz_unwrap_SOURCES = tests/fuzz/fuzz_unwrap.c $(fuzz_sources)
fuzz_unwrap_CPPFLAGS = $(fuzz_cppflags)
fuzz_unwrap_LDADD = liblogs.la libbase.la

check_PROGRAMS += fuzz_markup
TESTS += fuzz_markup
fuzz_markup_SOURCES = tests/fuzz/fuzz_markup.c tests/fuzz/fuzz.h \
	tests/fuzz/replay.c
fuzz_markup_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests
fuzz_markup_LDADD = libmarkup.la libcore.la libbase.la

check_PROGRAMS += fuzz_filter
TESTS += fuzz_filter
fuzz_filter_SOURCES = tests/fuzz/fuzz_filter.c tests/fuzz/fuzz.h \
	tests/fuzz/replay.c
fuzz_filter_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests
fuzz_filter_LDADD = libmarkup-tiny.la libcore.la libbase.la

markup_scripts = tests/cli/crashes.sh tests/cli/markup-convert.sh \
	tests/cli/markup-converter.sh \
	tests/cli/markup-default.sh tests/cli/markup-frames.sh \
	tests/cli/markup-limits.sh tests/cli/markup-llvm.sh \
	tests/cli/markup-transcript.sh \
	tests/cli/markup-text.sh \
	tests/cli/markup-dumpfile.sh tests/cli/markup-html.sh \
	tests/cli/markup-json.sh \
	tests/cli/markup-rotate.sh tests/cli/markup-series.sh \
	tests/cli/markup-signals.sh \
	tests/cli/markup-follow.sh tests/cli/markup-store.sh \
	tests/cli/markup-malloc.sh tests/cli/short-calls.sh \
	tests/cli/changing-bytes.sh tests/cli/limits-signals.sh \
	tests/cli/markup-installed.sh tests/cli/markup-emitters.sh \
	tests/cli/markup-containers.sh \
	tests/cli/markup-memory.sh \
	tests/cli/markup-servers.sh tests/cli/markup-tiny.sh
TESTS += $(markup_scripts)
dist_check_SCRIPTS += $(markup_scripts)
EXTRA_DIST += tests/support/webdriver.py tests/support/failing_malloc.c \
	tests/support/fast_clock.c tests/support/odd_files.c \
	tests/support/short_calls.c tests/support/changing.c \
	tests/cli/malloc-lib.sh
EXTRA_DIST += tests/cli/markup-browser.py tests/cli/markup-default.out \
	tests/cli/markup-lib.sh tests/cli/markup-pages.py \
	tests/cli/markup-series.py \
	tests/cli/markup-random.py \
	tests/cli/odd-server.py tests/cli/server-lib.sh \
	tests/cli/upload-server.py \
	testdata/markup/README.md testdata/markup/cases.txt \
	testdata/markup/demo.cpp testdata/markup/shape.cpp \
	testdata/markup/asan.c \
	testdata/markup/asan-global.txt testdata/markup/asan-global.out \
	testdata/markup/asan-heap.txt testdata/markup/asan-heap.out \
	testdata/markup/llc.txt testdata/markup/llc.out \
	testdata/markup/symbols/23456789abcdef0123456789abcdef01234567.debug \
	testdata/markup/symbols/23456789abcdef0123456789abcdef01234567.debug.gsym \
	testdata/markup/symbols/721b60e1843f36eebb0a18ee8c27ecddda8fc3.debug.gsym
EXTRA_DIST += tests/support/store_threads.c
