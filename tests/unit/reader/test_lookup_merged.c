/* SPDX-License-Identifier: MIT */
/* reader/lookup: the functions that were merged into one record. */
#include "answers.h"
#include "support/guard.h"

/* A record with COUNT merged functions, of which the last CUT have a length
 * beyond the list. */
static struct gsym_reader *many_merged(uint32_t count, uint32_t cut,
				       uint8_t **bytes)
{
	struct gsym_emit *e;
	size_t tuple, size;
	struct gb b;
	char name[16];

	gb_init(&b, 1, false, 4, 0);
	e = gb_record(&b, 0x100, 0x10, "f");
	tuple = gb_tuple(&b, 3);
	gsym_emit_u32(e, count);
	for (uint32_t i = 0; i < count; i++) {
		gsym_emit_u32(e, i < count - cut ? 16 : UINT32_MAX);
		gsym_emit_u32(e, 0x10);
		snprintf(name, sizeof(name), "f%u", i);
		gb_strp(&b, e, gb_string(&b, name));
		gsym_emit_u64(e, 0);
	}
	gb_tuple_end(&b, tuple);
	gb_record_end(&b);
	*bytes = gb_finish(&b, &size);
	return open_bytes(*bytes, size);
}

static void expect_merged(const struct gsym_reader *reader,
			  struct gsym_match *match, uint32_t which, bool there)
{
	struct gsym_frame frames[1] = { { .function = "" } };
	char name[16];

	snprintf(name, sizeof(name), "f%u", which);
	cr_expect_eq(gsym_lookup_merged(reader, match, which, 0, frames, 1,
					NULL, NULL),
		     there ? GSYM_OK : GSYM_NOT_FOUND, "%s", name);
	if (there)
		cr_expect_str_eq(frames[0].function, name);
}

Test(lookup_merged, merged_functions_in_any_order)
{
	enum { COUNT = 20 };

	for (uint32_t cut = 0; cut <= COUNT; cut += 5) {
		struct gsym_match match;
		uint8_t *bytes;
		struct gsym_reader *reader = many_merged(COUNT, cut, &bytes);

		cr_assert(gsym_lookup(reader, 0x100, 0, NULL, 0, &match,
				      NULL) == GSYM_OK);
		cr_expect_eq(match.merged_count, COUNT);
		for (uint32_t i = 0; i < COUNT + 2; i++)
			expect_merged(reader, &match, i, i < COUNT - cut);
		for (uint32_t i = COUNT + 2; i--;)
			expect_merged(reader, &match, i, i < COUNT - cut);
		for (uint32_t i = 0; i < 3 * COUNT; i++) {
			uint32_t which = i * 7 % COUNT;

			expect_merged(reader, &match, which,
				      which < COUNT - cut);
			expect_merged(reader, &match, which,
				      which < COUNT - cut);
		}
		gsym_close(reader);
		free(bytes);
	}
}

/* A merged_place that does not belong to the record is refused. */
Test(lookup_merged, places_of_merged_functions_are_bounded)
{
	struct gsym_match match;
	uint8_t *bytes;
	struct gsym_reader *reader = many_merged(3, 0, &bytes);

	cr_assert(gsym_lookup(reader, 0x100, 0, NULL, 0, &match, NULL) ==
		  GSYM_OK);
	expect_merged(reader, &match, 0, true);
	match.merged_place.end = UINT64_MAX;
	expect_merged(reader, &match, 1, false);
	match.merged_place.end = match.merged_place.offset - 1;
	expect_merged(reader, &match, 1, false);
	gsym_close(reader);
	free(bytes);
}

/* The data may end with the list of merged functions. */
Test(lookup_merged, merged_functions_at_the_end_of_the_data)
{
	for (size_t cut = 0; cut < 4; cut++) {
		struct gsym_match match;
		struct gsym_reader *reader;
		struct gsym_emit *e;
		struct gb b;
		uint8_t *bytes;
		size_t size, tuple;

		gb_init(&b, 1, false, 4, 0);
		e = gb_record(&b, 0x100, 0x10, "f");
		tuple = gb_tuple(&b, 3);
		gsym_emit_u32(e, 2);
		for (int i = 0; i < 2; i++) {
			gsym_emit_u32(e, 16);
			gsym_emit_u32(e, 0x10);
			gb_strp(&b, e, gb_string(&b, i ? "f1" : "f0"));
			gsym_emit_u64(e, 0);
		}
		gb_tuple_end(&b, tuple);
		bytes = gb_finish(&b, &size);
		reader = open_bytes(guard_end(bytes, size - cut), size - cut);
		cr_assert(gsym_lookup(reader, 0x100, 0, NULL, 0, &match,
				      NULL) == GSYM_OK);
		/* A tuple that is cut off counts as missing. */
		cr_expect(match.merged_count == (cut ? 0 : 2));
		expect_merged(reader, &match, 1, !cut);
		expect_merged(reader, &match, 0, !cut);
		expect_merged(reader, &match, 1, !cut);
		gsym_close(reader);
		free(bytes);
	}
}

/* The first of two merged functions takes the bytes of the second, but for at
 * most three: too few for a length. */
Test(lookup_merged, merged_functions_whose_length_is_cut_off)
{
	for (size_t rest = 0; rest < 4; rest++) {
		struct gsym_function f, merged;
		struct gsym_match match;
		struct gsym_reader *reader;
		struct gsym_emit *e;
		struct gb b;
		uint8_t *bytes;
		size_t size, tuple;

		gb_init(&b, 1, false, 4, 0);
		e = gb_record(&b, 0x100, 0x10, "f");
		tuple = gb_tuple(&b, 3);
		gsym_emit_u32(e, 2);
		gsym_emit_u32(e, 36);
		gsym_emit_u32(e, 0x10);
		gb_strp(&b, e, gb_string(&b, "f0"));
		for (size_t i = 0; i < 28 + rest; i++)
			gsym_emit_u8(e, 0);
		gb_tuple_end(&b, tuple);
		gb_record_end(&b);
		bytes = gb_finish(&b, &size);
		reader = open_bytes(bytes, size);
		cr_assert(gsym_lookup(reader, 0x100, 0, NULL, 0, &match,
				      NULL) == GSYM_OK);
		cr_expect_eq(match.merged_count, 2);
		expect_merged(reader, &match, 0, true);
		expect_merged(reader, &match, 1, false);
		cr_assert(gsym_function_at(reader, 0, &f, NULL) == GSYM_OK);
		merged.start = 1;
		cr_expect_eq(gsym_merged_at(&f, 1, &merged, NULL),
			     GSYM_ERR_CORRUPT);
		/* There is no second function, not even a damaged one. */
		cr_expect_eq(merged.start, 1);
		gsym_close(reader);
		free(bytes);
	}
}

/* A merged function whose length reaches beyond the list, but not beyond the
 * record, cannot be read, and neither can those after it. */
Test(lookup_merged, merged_functions_that_leave_their_list)
{
	struct gsym_match match;
	struct gsym_reader *reader;
	struct gsym_emit *e;
	struct gb b;
	uint8_t *bytes;
	size_t size, tuple;

	gb_init(&b, 1, false, 4, 0);
	e = gb_record(&b, 0x100, 0x10, "f");
	tuple = gb_tuple(&b, 3);
	gsym_emit_u32(e, 3);
	for (int i = 0; i < 3; i++) {
		gsym_emit_u32(e, i == 2 ? 17 : 16);
		gsym_emit_u32(e, 0x10);
		gb_strp(&b, e, gb_string(&b, i == 0 ? "f0" : i == 1 ? "f1" :
					 "f2"));
		gsym_emit_u64(e, 0);
	}
	gb_tuple_end(&b, tuple);
	gb_lines(&b, (struct gb_row[]){ { 0, 0, 10 } }, 1);
	gb_record_end(&b);
	bytes = gb_finish(&b, &size);
	reader = open_bytes(bytes, size);
	cr_assert(gsym_lookup(reader, 0x100, 0, NULL, 0, &match, NULL) ==
		  GSYM_OK);
	cr_expect(match.merged_count == 3);
	for (int round = 0; round < 2; round++) {
		expect_merged(reader, &match, 0, true);
		expect_merged(reader, &match, 2, false);
		expect_merged(reader, &match, 1, true);
		expect_merged(reader, &match, 2, false);
	}
	gsym_close(reader);
	free(bytes);
}

/* An index beyond the last function is refused, also where the bytes after the
 * table would lead to a record. */
Test(lookup_merged, merged_functions_of_an_index_beyond_the_last)
{
	struct gsym_match match = { .index = 2 }, first;
	struct gsym_reader *reader;
	struct gsym_emit *e;
	struct gb b;
	uint8_t *bytes;
	size_t size, tuple;
	uint32_t index;

	/* After the address info comes the number of files, 20, which is the
	 * offset of the second record. */
	gb_init(&b, 2, false, 4, 0);
	for (int i = 1; i < 20; i++)
		gb_file_raw(&b, 0, 0);
	gb_plain(&b, 0x100, 0x10, "plain");
	e = gb_record(&b, 0x110, 0x10, "f");
	tuple = gb_tuple(&b, 3);
	gsym_emit_u32(e, 1);
	gsym_emit_u32(e, 20);
	gsym_emit_u32(e, 0x10);
	gb_strp(&b, e, gb_string(&b, "f0"));
	gsym_emit_u64(e, 0);
	gb_tuple_end(&b, tuple);
	gb_record_end(&b);
	bytes = gb_finish(&b, &size);
	reader = open_bytes(bytes, size);
	cr_assert(gsym_lookup(reader, 0x110, 0, NULL, 0, &first, NULL) ==
		  GSYM_OK);
	cr_assert(first.index == 1);
	expect_merged(reader, &first, 0, true);
	expect_merged(reader, &match, 0, false);
	cr_expect(gsym_find_function(reader, "f", 1, &index) == GSYM_OK &&
		  index == 1);
	cr_expect(gsym_find_function(reader, "f", 2, &index) ==
		  GSYM_NOT_FOUND);
	gsym_close(reader);
	free(bytes);
}

/* A match of another function that is given another index is searched anew. */
Test(lookup_merged, a_place_of_another_function_is_not_used)
{
	struct gsym_match match;
	struct gsym_reader *reader;
	uint8_t *bytes;
	size_t size;
	struct gb b;

	gb_init(&b, 1, false, 4, 0);
	for (int i = 0; i < 2; i++) {
		struct gsym_emit *e = gb_record(&b, 0x100 + 16 * i, 16, "f");
		size_t tuple = gb_tuple(&b, 3);

		gsym_emit_u32(e, 2);
		for (int k = 0; k < 2; k++) {
			gsym_emit_u32(e, 16);
			gsym_emit_u32(e, 0x10);
			gb_strp(&b, e, gb_string(&b, k ? "f1" : "f0"));
			gsym_emit_u64(e, 0);
		}
		gb_tuple_end(&b, tuple);
		gb_record_end(&b);
	}
	bytes = gb_finish(&b, &size);
	reader = open_bytes(bytes, size);
	cr_assert(gsym_lookup(reader, 0x100, 0, NULL, 0, &match, NULL) ==
		  GSYM_OK);
	expect_merged(reader, &match, 0, true);
	match.index = 1;
	expect_merged(reader, &match, 1, true);
	cr_expect(match.merged_place.index == 1);
	expect_merged(reader, &match, 0, true);
	gsym_close(reader);
	free(bytes);
}
