/* SPDX-License-Identifier: MIT */
/* format/shape: bodies packed into columns, and unpacked. */
#include "format/encode.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* Two rows, an inlined call with one range, a call of two patterns. */
static const uint32_t words[] = {
	0, 1, 2,
	0x100, 3, 0xffffff,
	1, 0x01000000, 4, 0, 1,
	0xff, 0x10000,
	7, 0, 2,
	0xffffffff, 0,
};

/* The same in columns.  Every width occurs, with the largest number of one
 * width and the smallest of the next. */
static const uint8_t bytes[] = {
	0x00, 0x00, 0x00, 0x01,             /* offsets: two */
	0x01, 0x03,                         /* files: one */
	0x02, 0x00, 0x00, 0xff, 0xff, 0xff, /* lines: three */
	0x01,                               /* depth */
	0x00, 0x00, 0x00, 0x01,             /* ranges: four */
	0x04, 0x00, 0x01,                   /* line, name, file */
	0xff,                               /* start */
	0x00, 0x00, 0x01,                   /* size: three */
	0x07, 0x00, 0x02,                   /* a call */
	0xff, 0xff, 0xff, 0xff,             /* patterns: four */
	0x00, 0x00, 0x00, 0x00,
};

enum { COLUMN_BYTES = sizeof(bytes), ROOM = 2 * COLUMN_BYTES };

static struct gsym_shape_body *pack(void)
{
	struct gsym_shape_body *body = calloc(1, sizeof(*body) + ROOM);

	cr_assert(body);
	body->counts[GSYM_ROWS] = 2;
	body->counts[GSYM_INLINES] = body->counts[GSYM_RANGES] = 1;
	body->counts[GSYM_CALLS] = 1;
	body->counts[GSYM_PATTERNS] = 2;
	memset(body->bytes, 0xaa, ROOM);
	gsym_shape_measure(body, words);
	gsym_shape_pack(body, words, body->bytes);
	return body;
}

Test(shape, each_column_is_as_wide_as_its_largest_number)
{
	struct gsym_shape_body *body = pack();

	cr_expect(gsym_shape_bytes(body) == COLUMN_BYTES + GSYM_SHAPE_SLACK);
	cr_expect(memcmp(body->bytes, bytes, COLUMN_BYTES) == 0);
	/* Nothing is written after the slack. */
	cr_expect(body->bytes[COLUMN_BYTES + GSYM_SHAPE_SLACK] == 0xaa);
	free(body);
}

Test(shape, what_lies_in_the_slack_does_not_matter)
{
	struct gsym_shape_body *body = pack();
	struct gsym_shape_view view;

	memset(body->bytes + COLUMN_BYTES, 0xee, GSYM_SHAPE_SLACK);
	view = gsym_shape_look(body);
	cr_expect(gsym_shape_at(&view, GSYM_PATTERN, 0) == 0xffffffff);
	cr_expect(gsym_shape_at(&view, GSYM_PATTERN, 1) == 0);
	free(body);
}

/* A body of two patterns, 0 and LAST, whose column is WIDTH bytes wide: packing
 * writes no byte after the slack. */
static void expect_slack(uint32_t last, size_t width)
{
	struct gsym_shape_body *body = calloc(1, sizeof(*body) + ROOM);
	uint32_t patterns[] = { 0, last };
	size_t size;

	cr_assert(body);
	body->counts[GSYM_PATTERNS] = 2;
	memset(body->bytes, 0xaa, ROOM);
	gsym_shape_measure(body, patterns);
	gsym_shape_pack(body, patterns, body->bytes);
	size = gsym_shape_bytes(body);
	cr_expect(size >= width + 4, "%zu", size);
	cr_expect(size == 2 * width + GSYM_SHAPE_SLACK);
	for (size_t i = width + 4; i < ROOM; i++)
		cr_expect(body->bytes[i] == 0xaa);
	memset(body->bytes + 2 * width, 0xee, GSYM_SHAPE_SLACK);
	gsym_shape_unpack(body, patterns);
	cr_expect(patterns[0] == 0 && patterns[1] == last);
	free(body);
}

Test(shape, slack_for_the_last_number_of_each_width)
{
	expect_slack(0, 1);
	expect_slack(0xff, 1);
	expect_slack(0x100, 2);
	expect_slack(0xffff, 2);
	expect_slack(0x10000, 3);
	expect_slack(0xffffff, 3);
	expect_slack(0x1000000, 4);
	expect_slack(0xffffffff, 4);
}

/* In COUNT rows a large number in any field of any row sets the width of its
 * column. */
static void expect_found(uint32_t count)
{
	enum { FIELDS = GSYM_SHAPE_ROW_WORDS, MOST = 13 };
	uint32_t rows[MOST * FIELDS] = { 0 };
	struct gsym_shape_body body = { .counts[GSYM_ROWS] = count };

	for (uint32_t i = 0; i < count * FIELDS; i++) {
		rows[i] = 0x12345;
		gsym_shape_measure(&body, rows);
		cr_expect(body.widths == 2u << 2 * (i % FIELDS),
			  "word %u of %u rows", i, count);
		rows[i] = 0;
	}
}

Test(shape, large_numbers_are_found_in_any_row)
{
	for (uint32_t count = 1; count <= 13; count++)
		expect_found(count);
}

Test(shape, opens_to_the_same_words)
{
	struct gsym_shape_body *body = pack();
	uint32_t open[sizeof(words) / 4];

	cr_assert(gsym_shape_words(body, GSYM_ARRAYS) == sizeof(words) / 4);
	gsym_shape_unpack(body, open);
	cr_expect(memcmp(open, words, sizeof(words)) == 0);
	free(body);
}

Test(shape, fields_are_found_by_number)
{
	struct gsym_shape_body *body = pack();
	struct gsym_shape_view view = gsym_shape_look(body);
	struct gsym_row row = gsym_shape_row(&view, 1);
	struct gsym_shape_inline node = gsym_shape_inline(&view, 0);
	struct gsym_shape_range range = gsym_shape_range(&view, 0);

	cr_expect(row.offset == 0x100 && row.file == 3 && row.line == 0xffffff);
	cr_expect(node.depth == 1 && node.range_count == 0x01000000);
	cr_expect(node.call_line == 4 && node.name == 0);
	cr_expect(node.call_file == 1);
	cr_expect(range.start == 0xff && range.size == 0x10000);
	cr_expect(gsym_shape_at(&view, GSYM_CALL_OFFSET, 0) == 7);
	cr_expect(gsym_shape_at(&view, GSYM_CALL_FLAGS, 0) == 0);
	cr_expect(gsym_shape_at(&view, GSYM_CALL_PATTERNS, 0) == 2);
	free(body);
}

Test(shape, nothing_takes_the_slack_alone)
{
	struct gsym_shape_body body = { 0 };

	gsym_shape_measure(&body, NULL);
	cr_expect(gsym_shape_words(&body, GSYM_ARRAYS) == 0);
	cr_expect(gsym_shape_bytes(&body) == GSYM_SHAPE_SLACK);
}
