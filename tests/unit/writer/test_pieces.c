/* SPDX-License-Identifier: MIT */
/* gsym_builder_write: the pieces make the file that gsym_builder_finish makes,
 * and no piece is large. */
#include "support/make.h"
#include "writer/state.h"

#include <stdio.h>
#include <stdlib.h>

#include <criterion/criterion.h>

enum { FUNCTIONS = 5000, LONGEST = 300 };

/* The file so far; TAKEN[N] if byte N is there. */
struct got {
	uint8_t *bytes;
	bool *taken;
	size_t size;
	/* The size of the largest piece. */
	size_t largest;
	size_t pieces;
	/* The number of the piece to refuse, from 1 on; 0: none. */
	size_t refused;
};

static enum gsym_status take(void *context, uint64_t offset,
			     const uint8_t *bytes, size_t size)
{
	struct got *got = context;

	cr_assert_gt(size, 0);
	if (++got->pieces == got->refused)
		return GSYM_ERR_IO;
	/* No piece may come after the refused one. */
	cr_assert(!got->refused || got->pieces < got->refused);
	cr_assert_leq(offset + size, got->size);
	for (size_t i = 0; i < size; i++) {
		cr_assert(!got->taken[offset + i], "byte %zu twice",
			  (size_t)offset + i);
		got->taken[offset + i] = true;
		got->bytes[offset + i] = bytes[i];
	}
	if (size > got->largest)
		got->largest = size;
	return GSYM_OK;
}

/* Functions with long names, so that there are many pieces. */
static struct make begin(unsigned version, unsigned threads)
{
	struct make m = make_begin();

	m.options.version = version;
	m.options.threads = threads;
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		char name[LONGEST + 16];

		snprintf(name, sizeof(name), "%0*u", (int)(i % LONGEST) + 1, i);
		make_function(&m, 0x1000 + i * 16, 16, name);
	}
	return m;
}

static void expect_same(unsigned version, unsigned threads)
{
	struct make m = begin(version, 1), n = begin(version, threads);
	struct gsym_build_summary summary;
	struct gsym_error error;
	struct got got = { 0 };
	uint64_t size = 0;

	make_end(&m);
	got.size = m.size;
	got.bytes = calloc(m.size, 1);
	got.taken = calloc(m.size, sizeof(bool));
	cr_assert_eq(gsym_builder_write(n.builder, &n.options, take, &got,
					&size, &summary, &error),
		     GSYM_OK);
	cr_expect_eq(size, m.size);
	cr_expect(got.taken[m.size - 1]);
	cr_expect_eq(memcmp(got.bytes, m.bytes, m.size), 0);
	cr_expect_eq(summary.functions, FUNCTIONS);
	cr_expect_eq(summary.strings, m.summary.strings);
	/* The names alone take some 750 KB. */
	cr_expect_gt(got.pieces, 10);
	free(got.bytes);
	free(got.taken);
	make_free(&m);
	make_free(&n);
}

Test(pieces, make_the_file)
{
	for (unsigned version = 1; version <= 2; version++)
		for (unsigned threads = 1; threads <= 3; threads++)
			expect_same(version, threads);
}

Test(pieces, a_refused_piece_ends_the_writing)
{
	size_t all = 0;

	for (size_t refused = 1; !all; refused++) {
		struct make m = begin(1, 2);
		struct gsym_error error = { 0 };
		struct got got = { .refused = refused, .size = 8 << 20 };
		struct gsym_build_summary summary = { .functions = 7 };
		uint64_t size;
		enum gsym_status status;

		got.bytes = calloc(got.size, 1);
		got.taken = calloc(got.size, sizeof(bool));
		status = gsym_builder_write(m.builder, &m.options, take, &got,
					    &size, &summary, &error);
		if (status == GSYM_OK) {
			all = got.pieces;
			cr_assert_eq(summary.functions, FUNCTIONS);
		} else {
			cr_assert_eq(summary.functions, 7);
			cr_assert_eq(status, GSYM_ERR_IO);
			cr_assert_eq(error.code, GSYM_ERR_IO);
			cr_assert_eq(got.pieces, refused);
		}
		free(got.bytes);
		free(got.taken);
		make_free(&m);
	}
	cr_expect_gt(all, 10);
}

Test(pieces, long_string_tables_come_in_several_pieces)
{
	enum { STRINGS = 40, LENGTH = 100000 };
	struct make m = make_begin();
	struct got got = { .size = STRINGS * (LENGTH + 100) };
	char *name = malloc(LENGTH + 1);
	uint64_t size;

	got.bytes = calloc(got.size, 1);
	got.taken = calloc(got.size, sizeof(bool));
	memset(name, 'x', LENGTH);
	name[LENGTH] = 0;
	for (unsigned i = 0; i < STRINGS; i++) {
		name[LENGTH - 1] = (char)('0' + i);
		make_symbol(&m, 0x1000 + i * 16, 16, name);
	}
	cr_assert_eq(gsym_builder_write(m.builder, NULL, take, &got, &size,
					NULL, NULL),
		     GSYM_OK);
	cr_expect_lt(got.largest, 2 << 20);
	cr_expect_gt(size, STRINGS * LENGTH);
	free(name);
	free(got.bytes);
	free(got.taken);
	make_free(&m);
}

/* The memory of the image does not hold zeros. */
Test(pieces, bytes_that_no_piece_covers_are_zeros)
{
	enum { ROOM = 64 };
	static const uint8_t want[] = { 1, 2, 0, 0, 0, 0, 3, 4, 4, 5 };
	struct gsym_emit image = { .data = malloc(ROOM), .capacity = ROOM };

	memset(image.data, 0xee, ROOM);
	cr_assert_eq(gsym_writer_put_image(&image, 6, want + 6, 2), GSYM_OK);
	cr_expect_eq(image.size, 8);
	cr_assert_eq(gsym_writer_put_image(&image, 0, want, 2), GSYM_OK);
	cr_expect_eq(image.size, 8);
	cr_assert_eq(gsym_writer_put_image(&image, 7, want + 7, 3), GSYM_OK);
	cr_assert_eq(image.size, sizeof(want));
	cr_expect_eq(memcmp(image.data, want, sizeof(want)), 0);
	gsym_emit_fini(&image);
}
