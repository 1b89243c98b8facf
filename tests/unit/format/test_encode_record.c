/* SPDX-License-Identifier: MIT */
/* format/encode: records and their inline trees, byte by byte as gsym(5)
 * describes them. */
#include "bodies.h"

/* Offsets in the string table, by string number. */
static const uint64_t strings[] = { 0, 0x11, 0x2222, 0x33333333,
				    0x4444444444 };
static const uint32_t files[] = { 0, 1, 300, UINT32_MAX };

/* Encode SHAPE with every capacity, and compare it with the COUNT bytes at
 * WANTED. */
static void expect_record(const struct gsym_shape *shape, bool big,
			  unsigned string_size, const void *wanted,
			  size_t count)
{
	struct gsym_encode_tables tables = { strings, files, string_size };

	for (size_t capacity = 2; capacity <= count + 40; capacity++) {
		struct gsym_emit e = body_buffer(capacity,
						 big != GSYM_HOST_BIG_ENDIAN);

		guard_dirty_stack();
		cr_assert(gsym_encode_record(&e, shape, &tables));
		body_expect(&e, wanted, count);
	}
}

#define EXPECT(shape, big, string_size, bytes) \
	expect_record(shape, big, string_size, bytes, sizeof(bytes) - 1)

Test(encode_record, a_name_and_a_size)
{
	struct gsym_shape shape = { .start = 0x1000, .size = 0x1234,
				    .name = 2 };

	EXPECT(&shape, false, 4, "\x34\x12\0\0\x22\x22\0\0\0\0\0\0\0\0\0\0");
	EXPECT(&shape, true, 4, "\0\0\x12\x34\0\0\x22\x22\0\0\0\0\0\0\0\0");
	shape.name = 4;
	EXPECT(&shape, false, 8, "\x34\x12\0\0\x44\x44\x44\x44\x44\0\0\0"
	       "\0\0\0\0\0\0\0\0");
	EXPECT(&shape, true, 8, "\0\0\x12\x34\0\0\0\x44\x44\x44\x44\x44"
	       "\0\0\0\0\0\0\0\0");
}

Test(encode_record, rows)
{
	struct gsym_row row = { 0, 1, 10 };
	struct body_content c = { .rows = &row, .row_count = 1 };
	struct gsym_shape shape = { .size = 1, .name = 1,
				    .body = body_make(&c) };

	EXPECT(&shape, false, 4, "\1\0\0\0\x11\0\0\0"
	       "\1\0\0\0\5\0\0\0\0\0\x0a\4\0" "\0\0\0\0\0\0\0\0");
	free((void *)shape.body);
}

/* An inlined call in each of two lists of siblings, and one below another. */
Test(encode_record, inlined_calls)
{
	static const struct gsym_shape_inline inlines[] = {
		{ 1, 1, 5, 1, 1 }, { 2, 2, 300, 2, 2 }, { 3, 1, 0, 0, 0 },
		{ 1, 1, UINT32_MAX, 3, 3 },
	};
	static const struct gsym_shape_range ranges[] = {
		{ 4, 0x20 }, { 5, 3 }, { 0x14, 0x80 }, { 6, 1 },
		{ 0x100, 0x4000 },
	};
	struct gsym_row row = { 0, 1, 10 };
	struct body_content c = { .rows = &row, .row_count = 1,
				  .inlines = inlines, .inline_count = 4,
				  .ranges = ranges, .range_count = 5 };
	struct gsym_shape shape = { .size = 0x12345678, .name = 3,
				    .body = body_make(&c) };

	EXPECT(&shape, false, 4, "\x78\x56\x34\x12\x33\x33\x33\x33"
	       "\1\0\0\0\5\0\0\0\0\0\x0a\4\0"
	       "\2\0\0\0\x49\0\0\0"
	       "\1\0\xf8\xac\xd1\x91\1\1\x33\x33\x33\x33\0\0" /* the root */
	       "\1\4\x20\1\x11\0\0\0\1\5"
	       /* Ranges count from the start of the parent's first range. */
	       "\2\1\3\x10\x80\1\1\x22\x22\0\0\xac\2\xac\2"
	       "\1\1\1\0\0\0\0\0\0\0"
	       "\0\0"	/* the ends of the lists of levels 3 and 2 */
	       "\1\x80\2\x80\x80\1\0\x33\x33\x33\x33"
	       "\xff\xff\xff\xff\x0f\xff\xff\xff\xff\x0f"
	       "\0"	/* the end of the list of level 1 */
	       "\0\0\0\0\0\0\0\0");
	EXPECT(&shape, true, 8, "\x12\x34\x56\x78\0\0\0\0\x33\x33\x33\x33"
	       "\0\0\0\1\0\0\0\5\0\0\x0a\4\0"
	       "\0\0\0\2\0\0\0\x5d"
	       "\1\0\xf8\xac\xd1\x91\1\1\0\0\0\0\x33\x33\x33\x33\0\0"
	       "\1\4\x20\1\0\0\0\0\0\0\0\x11\1\5"
	       "\2\1\3\x10\x80\1\1\0\0\0\0\0\0\x22\x22\xac\2\xac\2"
	       "\1\1\1\0\0\0\0\0\0\0\0\0\0\0"
	       "\0\0"
	       "\1\x80\2\x80\x80\1\0\0\0\0\0\x33\x33\x33\x33"
	       "\xff\xff\xff\xff\x0f\xff\xff\xff\xff\x0f"
	       "\0"
	       "\0\0\0\0\0\0\0\0");
	free((void *)shape.body);
}

Test(encode_record, call_sites)
{
	static const struct gsym_shape_call calls[] = {
		{ 0x12, 1, 2 }, { 0x345678, 3, 0 }, { 0xffffffff, 2, 1 },
	};
	static const uint32_t patterns[] = { 1, 3, 2 };
	struct body_content c = { .calls = calls, .call_count = 3,
				  .patterns = patterns, .pattern_count = 3 };
	struct gsym_shape shape = { .size = 1, .name = 1,
				    .body = body_make(&c) };

	EXPECT(&shape, false, 4, "\1\0\0\0\x11\0\0\0"
	       "\4\0\0\0\x37\0\0\0\3\0\0\0"
	       "\x12\0\0\0\0\0\0\0\1\2\0\0\0\x11\0\0\0\x33\x33\x33\x33"
	       "\x78\x56\x34\0\0\0\0\0\3\0\0\0\0"
	       "\xff\xff\xff\xff\0\0\0\0\2\1\0\0\0\x22\x22\0\0"
	       "\0\0\0\0\0\0\0\0");
	EXPECT(&shape, true, 8, "\0\0\0\1\0\0\0\0\0\0\0\x11"
	       "\0\0\0\4\0\0\0\x43\0\0\0\3"
	       "\0\0\0\0\0\0\0\x12\1\0\0\0\2"
	       "\0\0\0\0\0\0\0\x11\0\0\0\0\x33\x33\x33\x33"
	       "\0\0\0\0\0\x34\x56\x78\3\0\0\0\0"
	       "\0\0\0\0\xff\xff\xff\xff\2\0\0\0\1\0\0\0\0\0\0\x22\x22"
	       "\0\0\0\0\0\0\0\0");
	free((void *)shape.body);
}

/* Two merged functions, the second of which has a row. */
Test(encode_record, merged_functions)
{
	struct gsym_row row = { 0, 1, 10 };
	struct body_content none = { .row_count = 0 },
			    c = { .rows = &row, .row_count = 1 };
	struct gsym_shape merged[] = {
		{ .size = 7, .name = 2 },
		{ .size = 7, .name = 3, .body = body_make(&c) },
	};
	struct gsym_shape_body *body = body_make(&none);
	struct gsym_shape shape = { .size = 7, .name = 1, .body = body };

	body->merged = merged;
	body->merged_count = 2;
	EXPECT(&shape, false, 4, "\7\0\0\0\x11\0\0\0"
	       "\3\0\0\0\x39\0\0\0\2\0\0\0"
	       "\x10\0\0\0" "\7\0\0\0\x22\x22\0\0\0\0\0\0\0\0\0\0"
	       "\x1d\0\0\0" "\7\0\0\0\x33\x33\x33\x33"
	       "\1\0\0\0\5\0\0\0\0\0\x0a\4\0\0\0\0\0\0\0\0\0"
	       "\0\0\0\0\0\0\0\0");
	free((void *)merged[1].body);
	free(body);
}

/* Records follow each other in one buffer. */
Test(encode_record, appends)
{
	struct gsym_encode_tables tables = { strings, files, 4 };
	struct gsym_shape shape = { .size = 1, .name = 1 };
	struct gsym_row row = { 0, 1, 10 };
	struct body_content c = { .rows = &row, .row_count = 1 };
	struct gsym_shape with_row = { .size = 2, .name = 2,
				       .body = body_make(&c) };
	struct gsym_emit e = body_buffer(2, GSYM_HOST_BIG_ENDIAN);

	cr_assert(gsym_encode_record(&e, &shape, &tables));
	cr_assert(gsym_encode_record(&e, &with_row, &tables));
	body_expect(&e, "\1\0\0\0\x11\0\0\0\0\0\0\0\0\0\0\0"
		    "\2\0\0\0\x22\x22\0\0\1\0\0\0\5\0\0\0\0\0\x0a\4\0"
		    "\0\0\0\0\0\0\0\0", 16 + 29);
	free((void *)with_row.body);
}
