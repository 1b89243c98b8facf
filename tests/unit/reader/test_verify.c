/* SPDX-License-Identifier: MIT */
/* gsym_verify: sound files pass, and each kind of damage is reported with its
 * offset. */
#include "checks.h"
#include "support/elf_builder.h"

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
		expect_problem(data, size,
			       f.info[GSYM_INFO_LINES].offset + at, text);
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
			expect_problem(bytes, size,
				       f.info[GSYM_INFO_INLINES].offset + 10,
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
		expect_problem(bytes, size,
			       f.info[GSYM_INFO_INLINES].offset + 16, text);
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
	uint64_t sites = f.info[GSYM_INFO_CALL_SITES].offset;

	CHANGED(sites + 5, 1, sites + 4, "returns beyond the end");
	CHANGED(sites + 19, 0xff, sites + 17, "pattern");
	CHANGED(sites + 3, 0xff, sites + 4, "cut off");
	CHANGED(sites, 1, sites + 25, "stray bytes");
	reader = open_bytes(bytes, size);
	cr_assert(gsym_function_at(reader, 3, &f, NULL) == GSYM_OK);
	gsym_close(reader);
	uint64_t merged = f.info[GSYM_INFO_MERGED].offset;

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

/* Each byte of the offset and of the size of the entry that ends the directory
 * has to be 0. */
Test(verify, the_last_entry_of_the_directory_is_empty)
{
	size_t size;
	uint8_t *bytes = gb_example_v2(&size);

	expect_sound(bytes, size);
	for (size_t at = 0x90; at < 0xa0; at++) {
		bytes[at] = 1;
		expect_problem(bytes, size, 0x8c, "not empty");
		bytes[at] = 0;
	}
	free(bytes);
}

/* In version 2, where the directory says where everything is, the UUID and the
 * records must not overlap other sections, either. */
Test(verify, sections_of_version_2_that_overlap)
{
	size_t size;
	uint8_t *bytes = gb_example_v2(&size);

	bytes[0x18] = 0xa4; /* the UUID reaches into the addresses */
	expect_problem(bytes, size, 0xa8, "address table at offset 0xa8 "
					  "overlaps the uuid");
	bytes[0x18] = 0x9c; /* and into the directory */
	expect_problem(bytes, size, 0x9c, "uuid at offset 0x9c overlaps the "
					  "section directory");
	bytes[0x18] = 0xa0;
	expect_sound(bytes, size);
	bytes[0x7c] = 0xfd; /* the records start in the strings */
	bytes[0x7d] = 0;
	expect_problem(bytes, size, 0xfd, "function records at offset 0xfd "
					  "overlaps the string table");
	free(bytes);
}

/* The strings may follow the records, without a gap. */
Test(verify, strings_after_the_records)
{
	size_t size;
	uint8_t *example = gb_example_v2(&size), *bytes;

	bytes = malloc(size + 26);
	memcpy(bytes, example, size);
	memcpy(bytes + size, example + 0xe4, 26);
	bytes[0x68] = 0x75;
	bytes[0x69] = 0x01;
	expect_sound(bytes, size + 26);
	bytes[0x84]++; /* the records have one byte more */
	expect_problem(bytes, size + 26, 0x100, "function records at offset "
						"0x100 overlaps the string "
						"table");
	free(bytes);
	free(example);
}

/* A file that is mapped, rather than borrowed memory. */
Test(verify, a_mapped_file)
{
	for (unsigned i = 0; i < 2; i++) {
		size_t size;
		uint8_t *bytes = gb_rich(1 + i, false, &size);
		char *path = elfb_save(bytes, size);
		struct gsym_reader *reader;

		cr_assert(gsym_open(path, &reader, NULL) == GSYM_OK);
		unlink(path);
		cr_expect(gsym_verify(reader, NULL, NULL) == GSYM_OK);
		gsym_close(reader);
		free(path);
		free(bytes);
	}
}

/* Without functions the tables of addresses are empty, and overlap nothing. */
Test(verify, empty_tables_overlap_nothing)
{
	struct heard h = { .damage = 0 };
	struct gsym_reader *reader;
	uint8_t *bytes;
	size_t size;
	struct gb b;

	gb_init(&b, 1, false, 8, 0);
	gb_string(&b, "some text");
	bytes = gb_finish(&b, &size);
	expect_sound(bytes, size);
	/* Strings from 40 to 51: over the header, the place of the empty
	 * tables at 48, and not the files at 48. */
	bytes[0x14] = 40;
	bytes[0x18] = 8;
	reader = open_bytes(bytes, size);
	gsym_verify(reader, hear, &h);
	cr_expect(strstr(h.first, "overlaps the header"), "%s", h.first);
	h.stop_after = 0;
	gsym_close(reader);
	free(bytes);
}

/* A string table without bytes has no empty string. */
Test(verify, no_strings)
{
	struct heard h = { .damage = 0 };
	struct gsym_reader *reader;
	uint8_t *bytes;
	size_t size;
	struct gb b;

	gb_init(&b, 1, false, 8, 0);
	bytes = gb_finish(&b, &size);
	bytes[0x18] = 0;
	reader = open_bytes(bytes, size);
	cr_expect(gsym_verify(reader, hear, &h) == GSYM_ERR_CORRUPT);
	cr_expect(strstr(h.first, "does not start with the empty string"));
	/* The strings of file 0 are the other problems. */
	cr_expect(h.damage == 3, "%u", h.damage);
	gsym_close(reader);
	free(bytes);
}

Test(verify, offsets_of_files)
{
	for (unsigned version = 1; version <= 2; version++)
		for (unsigned bad = 1; bad < 8; bad++) {
			struct gsym_reader *reader;
			struct gsym_header h;
			uint8_t *bytes;
			uint64_t at;
			size_t size;
			struct gb b;

			gb_init(&b, version, true, 8, 0);
			for (unsigned i = 1; i < 4; i++)
				gb_file_raw(&b, bad == 2 * i ? 99 : 0,
					    bad == 2 * i + 1 ? 99 : 0);
			gb_plain(&b, 0, 1, "f");
			bytes = gb_finish(&b, &size);
			reader = open_bytes(bytes, size);
			gsym_get_header(reader, &h);
			gsym_close(reader);
			at = h.sections[GSYM_SECTION_FILES].offset + 4 +
			     bad * h.string_offset_size;
			if (bad < 2)
				expect_sound(bytes, size);
			else
				expect_problem(bytes, size, at, bad % 2 ?
					       "base name" : "directory");
			free(bytes);
		}
}

/* A function may start at the last address. */
Test(verify, the_last_address)
{
	struct gb b;
	size_t size;
	uint8_t *bytes;

	gb_init(&b, 1, false, 1, UINT64_MAX - 4);
	gb_plain(&b, UINT64_MAX - 4, 1, "f");
	gb_plain(&b, UINT64_MAX, 1, "g");
	bytes = gb_finish(&b, &size);
	expect_sound(bytes, size);
	bytes[0x31] = 5;
	expect_problem(bytes, size, 0x31, "entry 1 at offset 0x31 is beyond "
					  "the last address");
	free(bytes);
}

/* Version 1 does not say where the records are: they may be anywhere, but not
 * in a table.  Here they are between the files and the strings, without a
 * gap. */
Test(verify, records_between_two_tables)
{
	struct gb b;
	size_t size, strings, records;
	uint8_t *bytes;

	gb_init(&b, 1, false, 4, 0);
	for (int i = 0; i < 4; i++)
		gb_file_raw(&b, 0, 0);
	gb_plain(&b, 0x10, 4, "abc");
	bytes = gb_finish(&b, &size);
	/* "" and "abc" take 5 bytes, and the records start at a multiple of
	 * 4. */
	strings = size - 16 - 8;
	records = size - 16;
	cr_assert(bytes[0x14] == strings && bytes[0x34] == records);
	memmove(bytes + strings, bytes + records, 16);
	memcpy(bytes + strings + 16, "\0abc", 5);
	bytes[0x34] = (uint8_t)strings;
	bytes[0x14] = (uint8_t)(strings + 16);
	size = strings + 16 + 5;
	expect_sound(bytes, size);
	/* The strings start one byte earlier, in the record. */
	bytes[0x14]--;
	bytes[0x18]++;
	expect_problem(bytes, size, strings, "function record at offset 0x64 "
					     "overlaps the string table");
	bytes[0x14]++;
	bytes[0x18]--;
	/* The record starts in the last bytes of the file table. */
	bytes[0x34] -= 4;
	memcpy(bytes + strings, "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	expect_problem(bytes, size, strings - 4,
		       "function record at offset 0x60 overlaps the file "
		       "table");
	free(bytes);
}

/* Functions may share a record, and a record may start where the one before
 * ends.  All records together have no more bytes than the file. */
Test(verify, shared_records)
{
	for (uint32_t count = 2; count <= 11; count++) {
		struct gb b;
		size_t size;
		uint8_t *bytes;

		gb_init(&b, 1, false, 4, 0);
		for (uint32_t i = 0; i + 1 < count; i++)
			gb_plain(&b, 4 * i, 4, "");
		gb_plain(&b, 4 * count, 4, "f");
		for (uint32_t i = 0; i < count; i++)
			b.offsets[i] = b.offsets[count - 1];
		b.records.size = b.offsets[count - 1] + 16;
		memmove(b.records.data, b.records.data +
			b.offsets[count - 1], 16);
		b.records.size = 16;
		for (uint32_t i = 0; i < count; i++)
			b.offsets[i] = 0;
		bytes = gb_finish(&b, &size);
		/* COUNT records of 16 bytes in 80 + 8 * COUNT bytes. */
		cr_assert(size == 80 + 8 * count);
		if (16 * count <= size)
			expect_sound(bytes, size);
		else
			expect_problem(bytes, size, 48 + 4 * count + 40,
				       "up to entry 10 they have more bytes");
		free(bytes);
	}
}
