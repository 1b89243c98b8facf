# SPDX-License-Identifier: MIT
# Tests of the writer, which decode files with tests/support/plain.c, not with
# the reader.

# llvm-gsymutil reads the files that the writer writes.
check_PROGRAMS += write_samples
write_samples_SOURCES = tests/unit/writer/write_samples.c
write_samples_LDADD = libbuild.la libcore.la libbase.la $(PTHREAD_LIBS)
dist_check_SCRIPTS += tests/unit/writer/llvm_reads.sh
TESTS += tests/unit/writer/llvm_reads.sh

if HAVE_CRITERION
check_LTLIBRARIES += libplain.la
libplain_la_SOURCES = \
	tests/support/make.c tests/support/make.h \
	tests/support/plain.c tests/support/plain.h
libplain_la_CPPFLAGS = $(unit_cppflags)

writer_tests = test_writer_accept test_writer_calls test_writer_layout \
	test_leave_out test_writer_lines test_writer_loose test_writer_memory \
	test_writer_merge test_writer_pieces test_writer_same \
	test_writer_segments test_writer_settle test_format_shape \
	test_format_encode_header test_format_encode_lines \
	test_format_encode_record
check_PROGRAMS += $(writer_tests)
TESTS += $(writer_tests)
writer_test_ldadd = libplain.la libbuild.la libcore.la libbase.la \
	$(PTHREAD_LIBS) $(CRITERION_LIBS)

test_format_encode_header_SOURCES = \
	tests/unit/format/test_encode_header.c
test_format_encode_header_CPPFLAGS = $(unit_cppflags)
test_format_encode_header_LDADD = libgsymbytes.la $(writer_test_ldadd)

test_format_encode_lines_SOURCES = \
	tests/unit/format/test_encode_lines.c \
	tests/unit/format/bodies.h tests/support/guard.h
test_format_encode_lines_CPPFLAGS = $(unit_cppflags)
test_format_encode_lines_LDADD = $(writer_test_ldadd)

test_format_encode_record_SOURCES = \
	tests/unit/format/test_encode_record.c \
	tests/unit/format/bodies.h tests/support/guard.h
test_format_encode_record_CPPFLAGS = $(unit_cppflags)
test_format_encode_record_LDADD = $(writer_test_ldadd)

test_format_shape_SOURCES = tests/unit/format/test_shape.c
test_format_shape_CPPFLAGS = $(unit_cppflags)
test_format_shape_LDADD = $(writer_test_ldadd)

test_writer_accept_SOURCES = tests/unit/writer/test_accept.c
test_writer_accept_CPPFLAGS = $(unit_cppflags)
test_writer_accept_LDADD = $(writer_test_ldadd)

test_writer_calls_SOURCES = tests/unit/writer/test_calls.c
test_writer_calls_CPPFLAGS = $(unit_cppflags)
test_writer_calls_LDADD = $(writer_test_ldadd)

test_writer_layout_SOURCES = tests/unit/writer/test_layout.c
test_writer_layout_CPPFLAGS = $(unit_cppflags)
test_writer_layout_LDADD = $(writer_test_ldadd)

test_leave_out_SOURCES = tests/unit/writer/test_leave_out.c
test_leave_out_CPPFLAGS = $(unit_cppflags)
test_leave_out_LDADD = $(writer_test_ldadd)

test_writer_lines_SOURCES = tests/unit/writer/test_lines.c
test_writer_lines_CPPFLAGS = $(unit_cppflags)
test_writer_lines_LDADD = $(writer_test_ldadd)

test_writer_loose_SOURCES = tests/unit/writer/test_loose.c
test_writer_loose_CPPFLAGS = $(unit_cppflags)
test_writer_loose_LDADD = $(writer_test_ldadd)

test_writer_memory_SOURCES = tests/unit/writer/test_memory.c \
	tests/support/guarded.c tests/support/guarded.h
test_writer_memory_CPPFLAGS = $(unit_cppflags)
test_writer_memory_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free
test_writer_memory_LDADD = $(writer_test_ldadd)

test_writer_pieces_SOURCES = tests/unit/writer/test_pieces.c
test_writer_pieces_CPPFLAGS = $(unit_cppflags)
test_writer_pieces_LDADD = $(writer_test_ldadd)

test_writer_merge_SOURCES = tests/unit/writer/test_merge.c
test_writer_merge_CPPFLAGS = $(unit_cppflags)
test_writer_merge_LDADD = $(writer_test_ldadd)

test_writer_same_SOURCES = tests/unit/writer/test_same.c
test_writer_same_CPPFLAGS = $(unit_cppflags)
test_writer_same_LDADD = $(writer_test_ldadd)

test_writer_segments_SOURCES = tests/unit/writer/test_segments.c
test_writer_segments_CPPFLAGS = $(unit_cppflags)
test_writer_segments_LDADD = $(writer_test_ldadd)

test_writer_settle_SOURCES = tests/unit/writer/test_settle.c
test_writer_settle_CPPFLAGS = $(unit_cppflags)
test_writer_settle_LDADD = $(writer_test_ldadd)
endif
