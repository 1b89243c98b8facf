# SPDX-License-Identifier: MIT
# Tests of the writer, with a decoder of their own.

if HAVE_CRITERION
check_LTLIBRARIES += libplain.la
libplain_la_SOURCES = \
	tests/support/make.c tests/support/make.h \
	tests/support/plain.c tests/support/plain.h
libplain_la_CPPFLAGS = $(unit_cppflags)

writer_tests = test_writer_settle
check_PROGRAMS += $(writer_tests)
TESTS += $(writer_tests)
writer_test_ldadd = libplain.la libbuild.la libcore.la libbase.la \
	$(PTHREAD_LIBS) $(CRITERION_LIBS)

test_writer_settle_SOURCES = tests/unit/writer/test_settle.c
test_writer_settle_CPPFLAGS = $(unit_cppflags)
test_writer_settle_LDADD = $(writer_test_ldadd)
endif
