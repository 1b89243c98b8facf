/* SPDX-License-Identifier: MIT */
/* reader/search: the record of an address, with every width, byte order and
 * version, at every alignment in memory. */
#include "answers.h"
#include "support/guard.h"

static void copy_to(uint8_t *room, unsigned shift, const uint8_t *bytes,
		    size_t size)
{
	memcpy(room + shift, bytes, size);
}

/* Functions up to the greatest address that WIDTH bytes can hold. */
static void check_width(unsigned version, bool big, unsigned width)
{
	uint64_t top = width == 8 ? 0x123456789abcu :
				    (UINT64_C(1) << (8 * width)) - 1;
	size_t size;
	uint8_t *bytes, *room;
	struct gb b;

	gb_init(&b, version, big, width, 0x10000);
	gb_plain(&b, 0x10000, 4, "first");
	gb_plain(&b, 0x10000 + top / 2, 1, "middle");
	gb_plain(&b, 0x10000 + top, 2, "top");
	bytes = gb_finish(&b, &size);
	room = malloc(size + 8);
	for (unsigned shift = 0; shift < 8; shift++) {
		struct gsym_reader *reader;

		copy_to(room, shift, bytes, size);
		reader = open_bytes(room + shift, size);
		expect_answer(reader, 0xffff, "not found");
		expect_answer(reader, 0x10000, "first");
		expect_answer(reader, 0x10003, "first + 3");
		expect_answer(reader, 0x10004, "not found");
		expect_answer(reader, 0x10000 + top / 2, "middle");
		expect_answer(reader, 0x10000 + top / 2 + 1, "not found");
		expect_answer(reader, 0x10000 + top - 1, "not found");
		expect_answer(reader, 0x10000 + top, "top");
		expect_answer(reader, 0x10000 + top + 1, "top + 1");
		expect_answer(reader, 0x10000 + top + 2, "not found");
		expect_answer(reader, UINT64_MAX, "not found");
		cr_expect(gsym_verify(reader, NULL, NULL) == GSYM_OK);
		gsym_close(reader);
	}
	free(room);
	free(bytes);
}

Test(search, all_widths_orders_versions_and_alignments)
{
	static const unsigned widths[] = { 1, 2, 4, 8 };

	for (unsigned version = 1; version <= 2; version++)
		for (int big = 0; big < 2; big++)
			for (size_t i = 0; i < 4; i++)
				check_width(version, big, widths[i]);
}

/* Functions at 2^8, 2^16 and 2^32, with the smallest width that holds them. */
Test(search, first_offsets_of_each_width)
{
	static const unsigned widths[] = { 2, 4, 8 };

	for (size_t i = 0; i < 3; i++) {
		uint64_t at = UINT64_C(1) << (4 * widths[i]);
		struct gsym_reader *reader;
		uint8_t *bytes;
		struct gb b;
		size_t size;

		gb_init(&b, 1, false, widths[i], 0);
		gb_plain(&b, at - 1, 1, "before");
		gb_plain(&b, at, 1, "at");
		bytes = gb_finish(&b, &size);
		reader = open_bytes(bytes, size);
		expect_answer(reader, at - 2, "not found");
		expect_answer(reader, at - 1, "before");
		expect_answer(reader, at, "at");
		gsym_close(reader);
		free(bytes);
	}
}

/* Address tables of 1 to 40 functions, and a lookup of each address. */
Test(search, every_place_in_small_tables)
{
	for (uint32_t count = 1; count <= 40; count++) {
		struct gsym_reader *reader;
		struct gsym_match match;
		uint8_t *bytes;
		struct gb b;
		size_t size;

		gb_init(&b, 1, count % 2, 2, 0);
		for (uint32_t i = 0; i < count; i++)
			gb_plain(&b, 10 + 10 * i, 10, "f");
		bytes = gb_finish(&b, &size);
		reader = open_bytes(bytes, size);
		for (uint32_t a = 0; a < 10 * count + 20; a++) {
			enum gsym_status status = gsym_lookup(
				reader, a, 0, NULL, 0, &match, NULL);

			if (a < 10 || a >= 10 * count + 10)
				cr_expect(status == GSYM_NOT_FOUND);
			else
				cr_expect(status == GSYM_OK &&
					  match.index == a / 10 - 1 &&
					  match.start == a / 10 * 10 &&
					  match.size == 10 &&
					  match.address == a);
		}
		gsym_close(reader);
		free(bytes);
	}
}

static struct gsym_reader *finish(struct gb *b, uint8_t **bytes)
{
	size_t size;

	*bytes = gb_finish(b, &size);
	return open_bytes(*bytes, size);
}

Test(search, no_functions)
{
	struct gsym_reader *reader;
	uint8_t *bytes;
	struct gb b;

	gb_init(&b, 1, false, 4, 0);
	reader = finish(&b, &bytes);
	expect_answer(reader, 0, "not found");
	expect_answer(reader, UINT64_MAX, "not found");
	gsym_close(reader);
	free(bytes);
}

Test(search, size_zero_reaches_to_the_next_entry)
{
	struct gsym_reader *reader;
	uint8_t *bytes;
	struct gb b;

	gb_init(&b, 1, false, 4, 0x100);
	gb_plain(&b, 0x100, 0, "first");
	gb_plain(&b, 0x200, 0x10, "sized");
	gb_plain(&b, 0x300, 0, "last");
	reader = finish(&b, &bytes);
	expect_answer(reader, 0xff, "not found");
	expect_answer(reader, 0x1ff, "first + 255");
	expect_answer(reader, 0x200, "sized");
	expect_answer(reader, 0x210, "not found");
	expect_answer(reader, 0x2ff, "not found");
	expect_answer(reader, 0x300, "last");
	expect_answer(reader, UINT64_MAX, "last + 18446744073709550847");
	gsym_close(reader);
	free(bytes);
}

Test(search, of_equal_starts_the_first_that_holds)
{
	struct gsym_reader *reader;
	uint8_t *bytes;
	struct gb b;

	gb_init(&b, 1, false, 4, 0x100);
	gb_plain(&b, 0x100, 0x10, "before");
	gb_plain(&b, 0x200, 4, "four");
	gb_plain(&b, 0x200, 8, "eight");
	gb_plain(&b, 0x200, 8, "also eight");
	gb_plain(&b, 0x200, 16, "sixteen");
	reader = finish(&b, &bytes);
	expect_answer(reader, 0x203, "four + 3");
	expect_answer(reader, 0x204, "eight + 4");
	expect_answer(reader, 0x207, "eight + 7");
	expect_answer(reader, 0x208, "sixteen + 8");
	expect_answer(reader, 0x210, "not found");
	gsym_close(reader);
	free(bytes);
}

Test(search, many_equal_starts_at_offset_zero)
{
	struct gsym_reader *reader;
	uint8_t *bytes;
	struct gb b;

	gb_init(&b, 1, false, 1, 0x100);
	for (uint32_t i = 0; i < 100; i++)
		gb_plain(&b, 0x100, i + 1, i == 99 ? "longest" : "f");
	reader = finish(&b, &bytes);
	expect_answer(reader, 0x100, "f");
	expect_answer(reader, 0x163, "longest + 99");
	expect_answer(reader, 0x164, "not found");
	gsym_close(reader);
	free(bytes);
}

Test(search, behind_a_nested_function_the_outer_one_answers)
{
	struct gsym_reader *reader;
	uint8_t *bytes;
	struct gb b;

	gb_init(&b, 1, false, 4, 0);
	gb_plain(&b, 0x100, 0x1000, "outermost");
	gb_plain(&b, 0x200, 0x20, "small");
	gb_plain(&b, 0x200, 0x100, "outer");
	gb_plain(&b, 0x200, 0x110, "larger");
	gb_plain(&b, 0x210, 0x10, "inner");
	gb_plain(&b, 0x228, 0, "label");
	gb_plain(&b, 0x230, 8, "deep");
	reader = finish(&b, &bytes);
	expect_answer(reader, 0x21f, "inner + 15");
	expect_answer(reader, 0x220, "outer + 32");
	/* The label ends at the next entry of the address table. */
	expect_answer(reader, 0x22f, "label + 7");
	expect_answer(reader, 0x238, "outer + 56");
	expect_answer(reader, 0x2ff, "outer + 255");
	expect_answer(reader, 0x300, "larger + 256");
	expect_answer(reader, 0x310, "outermost + 528");
	expect_answer(reader, 0x1100, "not found");
	gsym_close(reader);
	free(bytes);
}

Test(search, looking_back_ends_after_64_records)
{
	for (uint32_t between = 62; between <= 66; between++) {
		struct gsym_reader *reader;
		uint8_t *bytes;
		struct gb b;

		gb_init(&b, 1, false, 4, 0);
		gb_plain(&b, 0x100, 0x10000, "outer");
		for (uint32_t i = 0; i < between; i++)
			gb_plain(&b, 0x200 + 8 * i, 4, "inner");
		reader = finish(&b, &bytes);
		/* The search tries the last "inner", and 64 records before
		 * it. */
		expect_answer(reader, 0x8000, between <= 64 ?
			      "outer + 32512" : "not found");
		gsym_close(reader);
		free(bytes);
	}
}

/* Records before the 64 do not matter. */
Test(search, looking_back_among_many)
{
	struct gsym_reader *reader;
	uint8_t *bytes;
	struct gb b;

	gb_init(&b, 1, false, 4, 0);
	gb_plain(&b, 0, 0x10000, "outermost");
	for (uint32_t i = 1; i < 200; i++)
		gb_plain(&b, 8 * i, i == 150 ? 0x1000 : 4,
			 i == 150 ? "outer" : "inner");
	reader = finish(&b, &bytes);
	expect_answer(reader, 0x800, "outer + 848");
	expect_answer(reader, 0x4b0, "outer");
	expect_answer(reader, 0x4af, "not found");
	gsym_close(reader);
	free(bytes);
}

Test(search, of_equal_starts_256_are_looked_at)
{
	for (uint32_t before = 254; before <= 257; before++) {
		struct gsym_reader *reader;
		uint8_t *bytes;
		struct gb b;

		gb_init(&b, 1, false, 4, 0);
		for (uint32_t i = 0; i < before; i++)
			gb_plain(&b, 0x100, 4, "f");
		gb_plain(&b, 0x100, 8, "longer");
		gb_plain(&b, 0x100, 4, "f");
		reader = finish(&b, &bytes);
		expect_answer(reader, 0x106, before < 256 ? "longer + 6" :
			      "not found");
		gsym_close(reader);
		free(bytes);
	}
}

Test(search, a_record_that_is_not_there)
{
	struct gsym_error error = { 0 };
	struct gsym_reader *reader;
	uint8_t bytes[sizeof(gb_example_v1)];

	memcpy(bytes, gb_example_v1, sizeof(bytes));
	bytes[0x39] = 0xff; /* the info entry of _start */
	reader = open_bytes(bytes, sizeof(bytes));
	expect_answer(reader, 0x401000, "work @ /src/ex.c:6");
	cr_expect(gsym_lookup(reader, 0x401028, 0, NULL, 0, NULL, &error) ==
		  GSYM_ERR_CORRUPT);
	cr_expect(error.code == GSYM_ERR_CORRUPT && error.offset == 0x38);
	cr_expect(strstr(error.message, "0xffb0") != NULL, "%s",
		  error.message);
	gsym_close(reader);
}

/* A file of version 2 whose function records have ROOM bytes; the first record
 * is at the first of them. */
static uint8_t *short_records(uint64_t room, size_t *size)
{
	/* The fifth entry of the directory, and the size in it. */
	enum { FUNCTIONS_SIZE = 20 + 4 * 20 + 12 };
	uint8_t *bytes;
	struct gb b;

	gb_init(&b, 2, false, 4, 0x100);
	gb_plain(&b, 0x100, 8, "f");
	bytes = gb_finish(&b, size);
	gsym_store_u64(bytes + FUNCTIONS_SIZE, room, GSYM_HOST_BIG_ENDIAN);
	return bytes;
}

/* A search needs the four bytes of the size; a lookup needs the name, too. */
Test(search, records_at_the_end_of_the_data)
{
	for (uint64_t room = 1; room <= 20; room++) {
		struct gsym_error error = { 0 };
		struct gsym_reader *reader;
		struct gsym_function f;
		enum gsym_status status;
		size_t size;
		uint8_t *bytes = short_records(room, &size);
		size_t end = size - 20 + room;

		reader = open_bytes(guard_end(bytes, end), end);
		status = gsym_lookup(reader, 0x104, 0, NULL, 0, NULL, &error);
		if (room < 4)
			cr_expect(status == GSYM_ERR_CORRUPT &&
				  error.offset == 0x90 &&
				  strstr(error.message, "points beyond"),
				  "0x%" PRIx64 " %s", error.offset,
				  error.message);
		else if (room < 12)
			cr_expect(status == GSYM_ERR_CORRUPT &&
				  error.offset == size - 20 &&
				  strstr(error.message, "cut off"), "%s",
				  error.message);
		else
			cr_expect(status == GSYM_OK);
		status = gsym_function_at(reader, 0, &f, &error);
		cr_expect(status == (room < 20 ? GSYM_ERR_CORRUPT : GSYM_OK));
		cr_expect_str_eq(f.name, room < 12 ? "" : "f");
		gsym_close(reader);
		free(bytes);
	}
}

/* Of several records with one start, one that cannot be read hides no other;
 * if no other holds the address, the error is about the damaged one. */
Test(search, damage_among_equal_starts)
{
	for (unsigned version = 1; version <= 2; version++) {
		struct gsym_error error = { 0 };
		struct gsym_reader *reader;
		struct gsym_header h;
		uint8_t *bytes;
		uint64_t info;
		size_t size;
		struct gb b;

		gb_init(&b, version, false, 4, 0);
		gb_plain(&b, 0x80, 0x1000, "outer");
		gb_plain(&b, 0x100, 4, "four");
		gb_plain(&b, 0x100, 8, "damaged");
		gb_plain(&b, 0x100, 16, "sixteen");
		b.offsets[2] = 0xffffff;
		bytes = gb_finish(&b, &size);
		reader = open_bytes(bytes, size);
		gsym_get_header(reader, &h);
		info = h.sections[GSYM_SECTION_ADDRESS_INFO].offset;
		expect_answer(reader, 0x103, "four + 3");
		expect_answer(reader, 0x104, "sixteen + 4");
		expect_answer(reader, 0x10f, "sixteen + 15");
		cr_expect(gsym_lookup(reader, 0x110, 0, NULL, 0, NULL,
				      &error) == GSYM_ERR_CORRUPT);
		cr_expect(error.offset == info + 2 * (version == 1 ? 4 : 8));
		cr_expect(strstr(error.message, "entry 2") != NULL);
		gsym_close(reader);
		free(bytes);
	}
}
