/* SPDX-License-Identifier: MIT */
/* gsym_verify: sound files pass, and each kind of damage is reported with its
 * offset. */
#include "answers.h"

struct heard {
	char first[GSYM_ERROR_MESSAGE_SIZE];
	uint64_t offset;
	unsigned damage;
	unsigned notes;
	unsigned stop_after;
};

static bool hear(void *context, const struct gsym_error *problem)
{
	struct heard *h = context;

	if (problem->code == GSYM_ERR_UNSUPPORTED) {
		h->notes++;
	} else {
		cr_expect(problem->code == GSYM_ERR_CORRUPT);
		if (!h->damage++) {
			snprintf(h->first, sizeof(h->first), "%s",
				 problem->message);
			h->offset = problem->offset;
		}
	}
	return !h->stop_after || h->damage < h->stop_after;
}

Test(verify, sound_files)
{
	for (unsigned i = 0; i < 4; i++) {
		struct heard h = { .damage = 0 };
		size_t size;
		uint8_t *bytes = gb_rich(1 + i / 2, i % 2, &size);
		struct gsym_reader *reader = open_bytes(bytes, size);

		cr_expect(gsym_verify(reader, hear, &h) == GSYM_OK, "%s",
			  h.first);
		/* The tuple of unknown type is reported, but no damage. */
		cr_expect(h.damage == 0 && h.notes == 1);
		cr_expect(gsym_verify(reader, NULL, NULL) == GSYM_OK);
		gsym_close(reader);
		free(bytes);
	}
}

/* Expect that the first problem in the SIZE bytes at BYTES is at OFFSET and has
 * TEXT in its message. */
static void expect_problem(const uint8_t *bytes, size_t size, uint64_t offset,
			   const char *text)
{
	struct gsym_reader *reader = open_bytes(bytes, size);
	struct heard h = { .damage = 0 };

	cr_expect(gsym_verify(reader, hear, &h) == GSYM_ERR_CORRUPT &&
		  h.offset == offset && strstr(h.first, text),
		  "'%s': 0x%" PRIx64 " '%s'", text, h.offset, h.first);
	cr_expect(gsym_verify(reader, NULL, NULL) == GSYM_ERR_CORRUPT);
	gsym_close(reader);
}

/* As expect_problem, for the example with VALUE as the byte at AT. */
static void change(size_t at, uint8_t value, uint64_t offset,
		   const char *text)
{
	uint8_t bytes[sizeof(gb_example_v1)];

	memcpy(bytes, gb_example_v1, sizeof(bytes));
	bytes[at] = value;
	expect_problem(bytes, sizeof(bytes), offset, text);
}

Test(verify, tables)
{
	change(0x14, 0x4f, 0x4f, "overlaps the file table");
	change(0x18, 0x19, 0x68, "does not end with a nul");
	change(0x50, 'x', 0x50, "does not start with the empty string");
	change(0x31, 0x20, 0x32, "lower than the entry before");
	change(0x40, 1, 0x40, "file 0");
	change(0x48, 0x80, 0x48, "directory of a file");
	change(0x4c, 0x80, 0x4c, "base name of a file");
}

Test(verify, addresses_that_wrap_around)
{
	struct gb b;
	size_t size;
	uint8_t *bytes;

	gb_init(&b, 1, false, 8, UINT64_MAX - 4);
	gb_plain(&b, UINT64_MAX - 4, 1, "f");
	gb_plain(&b, 1, 1, "g");
	bytes = gb_finish(&b, &size);
	expect_problem(bytes, size, 0x38, "beyond the last address");
	free(bytes);
}

Test(verify, places_of_records)
{
	change(0x39, 0xff, 0x38, "points beyond");
	change(0x34, 0x6d, 0x34, "not aligned");
	change(0x38, 0x74, 0x38, "starts within the record before");
	change(0x38, 0x40, 0x44, "has no name");
}

Test(verify, records_that_lie_in_a_table)
{
	uint8_t bytes[sizeof(gb_example_v1)];

	/* A record in the room for the UUID: size 1, name 1, no tuples. */
	memcpy(bytes, gb_example_v1, sizeof(bytes));
	memset(bytes + 0x24, 0, 12);
	memcpy(bytes + 0x1c, "\1\0\0\0\1\0\0\0", 8);
	bytes[0x34] = 0x1c;
	expect_problem(bytes, sizeof(bytes), 0x1c, "overlaps the header");
}

Test(verify, heads_and_tuples)
{
	change(0x70, 0, 0x70, "has no name");
	change(0x71, 1, 0x70, "name of a function");
	change(0x78, 0x0d, 0x89, "line table");
	change(0x8f, 0xff, 0x92, "has no end");
	change(0x8a, 1, 0x8a, "twice");
	change(0xab, 1, 0xab, "has a length");
	change(0xce, 1, 0xcd, "has a length");
}

Test(verify, rows)
{
	change(0x6c, 0x26, 0x88, "beyond the end");
	change(0x7c, 6, 0x7f, "line table is damaged");
	change(0x89, 4, 0x8a, "line table is damaged");
	change(0x82, 0, 0x83, "stray bytes");
	change(0x3c, 1, 0x7f, "file 1");
}

/* A function of 16 bytes at 0x100 whose line table is the COUNT bytes at BYTES.
 * TEXT is in the message of the first problem, which is at byte AT of the
 * table; NULL: there is none. */
static void check_table(const void *bytes, size_t count, uint64_t at,
			const char *text)
{
	struct gsym_function f;
	struct gsym_reader *reader;
	struct gb b;
	size_t size, tuple;
	uint8_t *data;

	gb_init(&b, 1, false, 4, 0);
	gb_file(&b, "", "a.c");
	gb_record(&b, 0x100, 0x10, "f");
	tuple = gb_tuple(&b, 1);
	gsym_emit_bytes(&b.records, bytes, count);
	gb_tuple_end(&b, tuple);
	gb_record_end(&b);
	data = gb_finish(&b, &size);
	reader = open_bytes(data, size);
	cr_assert(gsym_function_at(reader, 0, &f, NULL) == GSYM_OK);
	if (text)
		expect_problem(data, size, f.lines_offset + at, text);
	else
		cr_expect(gsym_verify(reader, NULL, NULL) == GSYM_OK);
	gsym_close(reader);
	free(data);
}

/* After each opcode the line has to fit into 32 bits, also where a later opcode
 * brings it back. */
Test(verify, line_numbers_within_32_bits)
{
	const char *wraps = "line number leaves 32 bits";

	/* Deltas of +1 alone; from line 0 by opcode 3 to 0, or to -1. */
	check_table("\1\1\0\3\0\4\0", 7, 0, NULL);
	check_table("\1\1\0\3\x7f\4\0", 7, 3, wraps);
	/* A special opcode to line -1, after one to line 0. */
	check_table("\x7f\x7f\1\4\0", 5, 0, NULL);
	check_table("\x7f\x7f\1\4\4\0", 6, 4, wraps);
	/* The first line is 2^32 - 1, or 2^32. */
	check_table("\0\0\xff\xff\xff\xff\x0f\4\0", 9, 0, NULL);
	check_table("\0\0\x80\x80\x80\x80\x10\4\0", 9, 2, wraps);
	/* From 2^32 - 1 up by 1, by either kind of opcode. */
	check_table("\0\1\xff\xff\xff\xff\x0f\5\0", 9, 7, wraps);
	check_table("\0\0\xff\xff\xff\xff\x0f\3\1\4\0", 11, 7, wraps);
	check_table("\0\0\xff\xff\xff\xff\x0f\3\0\4\0", 11, 0, NULL);
}

Test(verify, inline_trees)
{
	change(0x93, 1, 0x92, "outside its parent");
	change(0x9e, 0x1b, 0x9c, "outside its parent");
	change(0xa0, 0x80, 0x9c, "name of an inline node");
	change(0xa4, 2, 0x9c, "file 2");
	change(0x95, 0, 0x9c, "stray bytes");
	change(0xa6, 1, 0xa6, "inline tree is damaged");
	change(0x92, 0, 0x93, "inline tree is damaged");
}

/* The line of a call is 2^32 - 1, or 2^32. */
Test(verify, lines_of_inlined_calls_within_32_bits)
{
	for (uint64_t line = UINT32_MAX; line <= UINT32_MAX + 1ull; line++) {
		struct gsym_function f;
		struct gsym_reader *reader;
		struct gb b;
		size_t size, tuple;
		uint8_t *bytes;

		gb_init(&b, 1, false, 4, 0);
		gb_file(&b, "", "a.c");
		gb_record(&b, 0x100, 0x10, "f");
		tuple = gb_tuple(&b, 2);
		gb_node(&b, 0, 0x10, true, 0, 0, 0);
		gb_node(&b, 0, 0x10, false, 0, 1, line);
		gsym_emit_u8(&b.records, 0);
		gb_tuple_end(&b, tuple);
		gb_record_end(&b);
		bytes = gb_finish(&b, &size);
		reader = open_bytes(bytes, size);
		cr_assert(gsym_function_at(reader, 0, &f, NULL) == GSYM_OK);
		if (line > UINT32_MAX)
			expect_problem(bytes, size, f.inlines_offset + 10,
				       "line number leaves 32 bits");
		else
			cr_expect(gsym_verify(reader, NULL, NULL) == GSYM_OK);
		gsym_close(reader);
		free(bytes);
	}
}

/* A function of 0x100 bytes whose inline tree has one node besides the root.
 * RANGES are the COUNT bytes of that node's ranges.  TEXT is in the message of
 * the first problem; NULL: there is none. */
static void check_ranges(const uint8_t *ranges, size_t count,
			 const char *text)
{
	struct gsym_function f;
	struct gsym_reader *reader;
	struct gb b;
	size_t size, tuple;
	uint8_t *bytes;

	gb_init(&b, 2, true, 1, 0);
	gb_file(&b, "", "a.c");
	struct gsym_emit *e = gb_record(&b, 0, 0x100, "f");

	tuple = gb_tuple(&b, 2);
	gsym_emit_bytes(e, "\2\0\x40\x60\x40\1", 6);
	gb_strp(&b, e, 0);
	gsym_emit_u16(e, 0);
	gsym_emit_bytes(e, ranges, count);
	gsym_emit_u8(e, 0);
	gb_strp(&b, e, 0);
	gsym_emit_u16(e, 0);
	gsym_emit_u8(e, 0);
	gb_tuple_end(&b, tuple);
	gb_record_end(&b);
	bytes = gb_finish(&b, &size);
	reader = open_bytes(bytes, size);
	cr_assert(gsym_function_at(reader, 0, &f, NULL) == GSYM_OK);
	if (text)
		expect_problem(bytes, size, f.inlines_offset + 16, text);
	else
		cr_expect(gsym_verify(reader, NULL, NULL) == GSYM_OK);
	gsym_close(reader);
	free(bytes);
}

Test(verify, ranges_of_inlined_calls)
{
	check_ranges((const uint8_t *)"\1\0\x40", 3, NULL);
	check_ranges((const uint8_t *)"\1\x60\x40", 3, NULL);
	check_ranges((const uint8_t *)"\2\1\1\x61\1", 5, NULL);
	check_ranges((const uint8_t *)"\2\1\1\2\1", 5, NULL);
	check_ranges((const uint8_t *)"\1\0\x41", 3, "outside its parent");
	check_ranges((const uint8_t *)"\1\x3f\x40", 3, "outside its parent");
	check_ranges((const uint8_t *)"\2\1\1\x40\1", 5, "outside its parent");
	check_ranges((const uint8_t *)"\2\1\2\2\1", 5, "out of order");
	check_ranges((const uint8_t *)"\2\x61\1\1\1", 5, "out of order");
}

Test(verify, call_sites_and_merged_functions)
{
	struct gsym_function f;
	size_t size;
	uint8_t *bytes = gb_rich(1, false, &size);
	struct gsym_reader *reader = open_bytes(bytes, size);

	cr_assert(gsym_function_at(reader, 1, &f, NULL) == GSYM_OK);
	gsym_close(reader);
#define CHANGED(at, value, offset, text)                        \
	do {                                                    \
		uint8_t old = bytes[at];                        \
		bytes[at] = value;                              \
		expect_problem(bytes, size, offset, text);      \
		bytes[at] = old;                                \
	} while (0)
	uint64_t sites = f.call_sites_offset;

	CHANGED(sites + 5, 1, sites + 4, "returns beyond the end");
	CHANGED(sites + 19, 0xff, sites + 17, "pattern");
	CHANGED(sites + 3, 0xff, sites + 4, "cut off");
	CHANGED(sites, 1, sites + 25, "stray bytes");
	reader = open_bytes(bytes, size);
	cr_assert(gsym_function_at(reader, 3, &f, NULL) == GSYM_OK);
	gsym_close(reader);
	uint64_t merged = f.merged_offset;

	CHANGED(merged + 8, 0x11, merged + 4, "another size");
	CHANGED(merged + 12, 0, merged + 12, "has no name");
	CHANGED(merged + 3, 0xff, merged + 4, "cut off");
	CHANGED(merged, 1, merged + 24, "stray bytes");
	CHANGED(merged + 36, 3, merged + 36, "holds merged functions");
#undef CHANGED
	free(bytes);
}

Test(verify, directory_of_version_2)
{
	size_t size;
	uint8_t *bytes = gb_example_v2(&size);

	bytes[0x90] = 1; /* the offset of the entry that ends it */
	expect_problem(bytes, size, 0x8c, "not empty");
	bytes[0x90] = 0;
	bytes[0x68] = 0xe0; /* the strings start within the files */
	expect_problem(bytes, size, 0xe0, "overlaps the file table");
	free(bytes);
}

Test(verify, stops_when_it_is_told_to)
{
	struct heard h = { .stop_after = 1 };
	uint8_t bytes[sizeof(gb_example_v1)];
	struct gsym_reader *reader;

	memcpy(bytes, gb_example_v1, sizeof(bytes));
	bytes[0x50] = bytes[0x40] = bytes[0x70] = 1;
	reader = open_bytes(bytes, sizeof(bytes));
	cr_expect(gsym_verify(reader, hear, &h) == GSYM_ERR_CANCELLED);
	cr_expect(h.damage == 1);
	h.stop_after = 0;
	cr_expect(gsym_verify(reader, hear, &h) == GSYM_ERR_CORRUPT);
	cr_expect(h.damage > 2);
	gsym_close(reader);
}

/* Many functions that share one large record: it is checked a few times, not
 * once for each. */
Test(verify, shared_records_are_read_a_few_times_at_most)
{
	struct heard h = { .damage = 0 };
	struct gsym_reader *reader;
	struct gb b;
	size_t size, tuple;
	uint8_t *bytes;

	gb_init(&b, 1, false, 2, 0);
	for (uint32_t i = 0; i < GB_MAX_RECORDS - 1; i++)
		gb_plain(&b, i, 1, "f");
	struct gsym_emit *e = gb_record(&b, GB_MAX_RECORDS, 1, "g");

	tuple = gb_tuple(&b, 9);
	for (uint32_t i = 0; i < 100000; i++)
		gsym_emit_u8(e, 0);
	gb_tuple_end(&b, tuple);
	gb_record_end(&b);
	for (uint32_t i = 0; i < GB_MAX_RECORDS; i++)
		b.offsets[i] = b.offsets[GB_MAX_RECORDS - 1];
	bytes = gb_finish(&b, &size);
	reader = open_bytes(bytes, size);
	cr_expect(gsym_verify(reader, hear, &h) == GSYM_ERR_CORRUPT);
	cr_expect(h.notes == 2 && h.damage == 1, "%u, %u: %s", h.notes,
		  h.damage, h.first);
	cr_expect(strstr(h.first, "more bytes than the file") != NULL);
	gsym_close(reader);
	free(bytes);
}
