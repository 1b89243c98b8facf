/* SPDX-License-Identifier: MIT */
/* format/layout: headers and tables of both versions, sound and damaged. */
#include "format/layout.h"
#include "support/gsym_bytes.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>

static uint8_t bytes[4096];
static size_t size;

static void take(const uint8_t *data, size_t n)
{
	memcpy(bytes, data, n);
	size = n;
}

static void take_v2(void)
{
	size_t n;
	uint8_t *data = gb_example_v2(&n);

	take(data, n);
	free(data);
}

/* Expect that gsym_layout_read fails with STATUS and error offset OFFSET; LINE
 * is the caller's. */
static void refuse(enum gsym_status status, uint64_t offset, int line)
{
	struct gsym_error error = { 0 };
	struct gsym_layout l;
	enum gsym_status got = gsym_layout_read(bytes, size, true, &l, &error);

	cr_expect(got == status && error.offset == offset,
		  "line %d: status %d at 0x%" PRIx64 ": %s", line, got,
		  error.offset, error.message);
}

#define REFUSE(status, offset) refuse(status, offset, __LINE__)

static void expect_section(const struct gsym_layout *l, int section,
			   uint64_t offset, uint64_t bytes_wanted)
{
	cr_expect(l->sections[section].offset == offset &&
		  l->sections[section].size == bytes_wanted,
		  "section %d: 0x%" PRIx64 ", %" PRIu64, section,
		  l->sections[section].offset, l->sections[section].size);
}

Test(layout, version_1)
{
	struct gsym_layout l;

	take(gb_example_v1, sizeof(gb_example_v1));
	cr_assert(gsym_layout_read(bytes, size, true, &l, NULL) == GSYM_OK);
	cr_expect(l.version == 1 && l.swap == GSYM_HOST_BIG_ENDIAN);
	cr_expect(l.address_size == 2 && l.string_size == 4);
	cr_expect(l.count == 2 && l.file_count == 2);
	cr_expect(l.base_address == 0x400000);
	expect_section(&l, GSYM_SECTION_HEADER, 0, 48);
	expect_section(&l, GSYM_SECTION_DIRECTORY, 0, 0);
	expect_section(&l, GSYM_SECTION_UUID, 28, 8);
	expect_section(&l, GSYM_SECTION_ADDRESSES, 0x30, 4);
	expect_section(&l, GSYM_SECTION_ADDRESS_INFO, 0x34, 8);
	expect_section(&l, GSYM_SECTION_FILES, 0x3c, 20);
	expect_section(&l, GSYM_SECTION_STRINGS, 0x50, 26);
	expect_section(&l, GSYM_SECTION_FUNCTIONS, 0x6c, 209 - 0x6c);
	cr_expect(gsym_layout_start(&l, 1) == 0x1028);
	cr_expect(gsym_layout_record(&l, 1) == 0xb0);
}

Test(layout, version_2)
{
	struct gsym_layout l;

	take_v2();
	cr_assert_eq(size, 373);
	cr_assert(gsym_layout_read(bytes, size, true, &l, NULL) == GSYM_OK);
	cr_expect(l.version == 2 && l.address_size == 2 && l.string_size == 8);
	cr_expect(l.count == 2 && l.file_count == 2);
	expect_section(&l, GSYM_SECTION_HEADER, 0, 20);
	expect_section(&l, GSYM_SECTION_DIRECTORY, 20, 140);
	expect_section(&l, GSYM_SECTION_UUID, 0xa0, 8);
	expect_section(&l, GSYM_SECTION_ADDRESSES, 0xa8, 4);
	expect_section(&l, GSYM_SECTION_ADDRESS_INFO, 0xb0, 16);
	expect_section(&l, GSYM_SECTION_FILES, 0xc0, 36);
	expect_section(&l, GSYM_SECTION_STRINGS, 0xe4, 26);
	expect_section(&l, GSYM_SECTION_FUNCTIONS, 0x100, 117);
	cr_expect(gsym_layout_record(&l, 1) == 0x150);
}

Test(layout, what_is_not_gsym)
{
	size = 0;
	REFUSE(GSYM_ERR_FORMAT, 0);
	take((const uint8_t *)"MYS", 3);
	REFUSE(GSYM_ERR_FORMAT, 0);
	take((const uint8_t *)"hello, world", 12);
	REFUSE(GSYM_ERR_FORMAT, 0);
	take((const uint8_t *)"MYSG\1", 5);
	REFUSE(GSYM_ERR_CORRUPT, 5);
	take((const uint8_t *)"MYSG\3\0", 6);
	REFUSE(GSYM_ERR_UNSUPPORTED, 4);
	take((const uint8_t *)"GSYM\1\0", 6);
	REFUSE(GSYM_ERR_UNSUPPORTED, 4);
}

/* The example with VALUE as the byte at OFFSET is refused with STATUS, and the
 * error names the offset AT. */
static void refuse_v1(size_t offset, uint8_t value, enum gsym_status status,
		      uint64_t at)
{
	take(gb_example_v1, sizeof(gb_example_v1));
	bytes[offset] = value;
	refuse(status, at, (int)offset);
}

static void refuse_v2(size_t offset, uint8_t value, enum gsym_status status,
		      uint64_t at)
{
	take_v2();
	bytes[offset] = value;
	refuse(status, at, (int)offset);
}

Test(layout, bad_fields_of_version_1)
{
	refuse_v1(6, 0, GSYM_ERR_CORRUPT, 6);
	refuse_v1(6, 3, GSYM_ERR_CORRUPT, 6);
	refuse_v1(6, 16, GSYM_ERR_CORRUPT, 6);
	refuse_v1(7, 21, GSYM_ERR_CORRUPT, 7);
	refuse_v1(0x12, 1, GSYM_ERR_CORRUPT, 0x30); /* 65538 addresses */
	refuse_v1(0x13, 0xff, GSYM_ERR_CORRUPT, 0x30);
	refuse_v1(0x16, 1, GSYM_ERR_CORRUPT, 209);  /* strings */
	refuse_v1(0x19, 1, GSYM_ERR_CORRUPT, 0x50);
	refuse_v1(0x1b, 0xff, GSYM_ERR_CORRUPT, 0x50);
	refuse_v1(0x3d, 1, GSYM_ERR_CORRUPT, 0x3c); /* 258 files */
	refuse_v1(0x3f, 0xff, GSYM_ERR_CORRUPT, 0x3c);
}

Test(layout, bad_fields_of_version_2)
{
	refuse_v2(6, 0, GSYM_ERR_CORRUPT, 6);
	refuse_v2(6, 9, GSYM_ERR_CORRUPT, 6);
	refuse_v2(6, 3, GSYM_ERR_UNSUPPORTED, 6);
	refuse_v2(7, 1, GSYM_ERR_UNSUPPORTED, 7);
	refuse_v2(0x10, 3, GSYM_ERR_CORRUPT, 0xa8);  /* 3 addresses */
	refuse_v2(0x48, 0x18, GSYM_ERR_CORRUPT, 0xb0); /* info too large */
	refuse_v2(0x34, 0, GSYM_ERR_CORRUPT, 0x28);  /* empty section */
	refuse_v2(0x2f, 0xff, GSYM_ERR_CORRUPT, 0x28); /* overflow */
	refuse_v2(0x84, 0x76, GSYM_ERR_CORRUPT, 0x78); /* one byte more */
	refuse_v2(0x14, 1, GSYM_ERR_CORRUPT, 0x28);  /* a second table */
	refuse_v2(0x64, 7, GSYM_ERR_CORRUPT, 20);    /* no strings */
	refuse_v2(0x78, 0, GSYM_ERR_CORRUPT, 20);    /* ends too early */
	refuse_v2(0xc1, 1, GSYM_ERR_CORRUPT, 0xc0);  /* files */
}

Test(layout, unknown_sections_are_passed_over)
{
	struct gsym_layout l;

	take_v2();
	bytes[0x14] = 77; /* was the UUID */
	cr_assert(gsym_layout_read(bytes, size, true, &l, NULL) == GSYM_OK);
	expect_section(&l, GSYM_SECTION_UUID, 0, 0);
}

Test(layout, strings_end_at_the_last_nul)
{
	struct gsym_layout l;

	take(gb_example_v1, sizeof(gb_example_v1));
	bytes[0x69] = 'x'; /* the end of "sq" */
	cr_assert(gsym_layout_read(bytes, size, true, &l, NULL) == GSYM_OK);
	cr_expect(gsym_layout_string(&l, 0x17) == NULL);
	cr_expect(gsym_layout_string(&l, 0x19) == NULL);
	cr_assert(gsym_layout_string(&l, 0x12) != NULL);
	cr_expect_str_eq(gsym_layout_string(&l, 0x12), "work");
	cr_expect_str_eq(gsym_layout_string(&l, 0x13), "ork");
}

/* A writer may put the strings after the records. */
Test(layout, functions_before_the_strings)
{
	struct gsym_layout l;

	take(gb_example_v1, sizeof(gb_example_v1));
	bytes[0x14] = 209 - 26;
	cr_assert(gsym_layout_read(bytes, size, true, &l, NULL) == GSYM_OK);
	expect_section(&l, GSYM_SECTION_FUNCTIONS, 0x50, 209 - 26 - 0x50);
}

/* ---- limits of the tables ------------------------------------------------ */

/* Version 1 of TOTAL bytes: COUNT functions, FILES files, and SIZE bytes of
 * strings at offset AT. */
static void make_v1(unsigned width, uint32_t count, uint32_t files,
		    uint32_t at, uint32_t strings, size_t total)
{
	uint32_t info = (48 + count * width + 3) / 4 * 4;
	bool swap = GSYM_HOST_BIG_ENDIAN;

	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes, gb_example_v1, 6);
	bytes[6] = (uint8_t)width;
	gsym_store_u32(bytes + 16, count, swap);
	gsym_store_u32(bytes + 20, at, swap);
	gsym_store_u32(bytes + 24, strings, swap);
	gsym_store_u32(bytes + info + 4 * count, files, swap);
	size = total;
}

/* The tables of version 1 follow each other, aligned; each may end with the
 * data, and none beyond them. */
Test(layout, tables_of_version_1_at_the_end_of_the_data)
{
	static const struct {
		unsigned width;
		uint32_t count, files;
		/* Offsets of the address info, the files, and their end. */
		uint32_t info, table, end;
	} cases[] = {
		{ 1, 0, 0, 48, 48, 52 }, { 1, 1, 0, 52, 56, 60 },
		{ 1, 3, 1, 52, 64, 76 }, { 1, 4, 1, 52, 68, 80 },
		{ 1, 5, 0, 56, 76, 80 }, { 2, 1, 2, 52, 56, 76 },
		{ 2, 2, 2, 52, 60, 80 }, { 2, 3, 0, 56, 68, 72 },
		{ 4, 1, 0, 52, 56, 60 }, { 4, 2, 3, 56, 64, 92 },
		{ 8, 1, 1, 56, 60, 72 }, { 8, 2, 0, 64, 72, 76 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t end = cases[i].end;
		struct gsym_layout l;

		/* The strings are bytes of the room for the UUID. */
		make_v1(cases[i].width, cases[i].count, cases[i].files, 40, 2,
			end);
		cr_assert(gsym_layout_read(bytes, size, true, &l, NULL) ==
				  GSYM_OK,
			  "case %zu", i);
		expect_section(&l, GSYM_SECTION_HEADER, 0, 48);
		expect_section(&l, GSYM_SECTION_UUID, 0, 0);
		expect_section(&l, GSYM_SECTION_ADDRESSES, 48,
			       cases[i].count * cases[i].width);
		expect_section(&l, GSYM_SECTION_ADDRESS_INFO, cases[i].info,
			       4 * cases[i].count);
		expect_section(&l, GSYM_SECTION_FILES, cases[i].table,
			       4 + 8 * cases[i].files);
		expect_section(&l, GSYM_SECTION_STRINGS, 40, 2);
		expect_section(&l, GSYM_SECTION_FUNCTIONS, 0, 0);
		cr_expect(l.info_base == 0 && l.info_end == end);
		for (size--; size >= 48; size--) {
			uint64_t at = size < 48 + cases[i].count *
					      cases[i].width ? 48 :
				      size < cases[i].table ? cases[i].info :
				      cases[i].table;

			/* Alignment may move a table beyond the data. */
			refuse(GSYM_ERR_CORRUPT, at < size ? at : size,
			       (int)i);
		}
	}
}

Test(layout, headers_that_are_cut_off)
{
	struct gsym_error error;
	struct gsym_layout l;

	for (size_t n = 6; n < 48; n++) {
		take(gb_example_v1, n);
		REFUSE(GSYM_ERR_CORRUPT, n);
	}
	for (size_t n = 6; n < 20; n++) {
		take_v2();
		size = n;
		REFUSE(GSYM_ERR_CORRUPT, n);
	}
	/* From here on the first entry is cut off, or its section is. */
	for (size_t n = 20; n < 0xa8; n++) {
		take_v2();
		size = n;
		REFUSE(GSYM_ERR_CORRUPT, 20);
		cr_assert(gsym_layout_read(bytes, n, true, &l, &error));
		cr_expect(strstr(error.message, "section directory"));
	}
}

/* A directory of entries of unknown type, without an end. */
Test(layout, directories_without_an_end)
{
	take_v2();
	for (size = 20; size < 200; size++) {
		for (size_t at = 20; at < 200; at += 20) {
			memset(bytes + at, 0, 20);
			bytes[at] = 77;
			bytes[at + 12] = 1;
		}
		REFUSE(GSYM_ERR_CORRUPT, size / 20 * 20);
	}
}

Test(layout, uuids_of_version_1)
{
	struct gsym_layout l;

	take(gb_example_v1, sizeof(gb_example_v1));
	for (unsigned n = 0; n <= 20; n++) {
		bytes[7] = (uint8_t)n;
		cr_assert(gsym_layout_read(bytes, size, true, &l, NULL) ==
			  GSYM_OK);
		expect_section(&l, GSYM_SECTION_UUID, n ? 28 : 0, n);
	}
}

/* The strings of version 1 may end with the data. */
Test(layout, strings_at_the_end_of_the_data)
{
	for (uint32_t n = 0; n < 8; n++) {
		struct gsym_layout l;

		make_v1(4, 0, 0, 52, n, 52 + n);
		cr_assert(gsym_layout_read(bytes, size, true, &l, NULL) ==
			  GSYM_OK);
		cr_expect(l.strings_size == n);
		expect_section(&l, GSYM_SECTION_FUNCTIONS, 0, 0);
		make_v1(4, 0, 0, 52, n + 1, 52 + n);
		REFUSE(GSYM_ERR_CORRUPT, 52);
		/* An empty table may be at the end, but not beyond. */
		make_v1(4, 0, 0, 52 + n, 0, 52 + n);
		cr_assert(gsym_layout_read(bytes, size, true, &l, NULL) ==
			  GSYM_OK);
		cr_expect(gsym_layout_string(&l, 0) == NULL);
		make_v1(4, 0, 0, 52 + n + 1, 0, 52 + n);
		REFUSE(GSYM_ERR_CORRUPT, 52 + n);
	}
}

/* Version 1 does not say where the records are.  They are taken to be in the
 * larger one of two places: after the strings, and between the files and the
 * strings. */
Test(layout, places_of_the_records)
{
	static const struct {
		uint32_t strings, strings_size;
		size_t total;
		uint64_t offset, size;
	} cases[] = {
		/* The files end at 52.  After the strings, aligned. */
		{ 52, 4, 100, 56, 44 }, { 52, 5, 100, 60, 40 },
		{ 52, 8, 100, 60, 40 }, { 52, 45, 100, 0, 0 },
		{ 52, 44, 97, 96, 1 }, { 52, 44, 96, 0, 0 },
		/* Before the strings, without anything after them. */
		{ 60, 4, 64, 52, 8 }, { 60, 1, 61, 52, 8 },
		{ 53, 3, 56, 52, 1 },
		/* On both sides: the larger one, or the later one. */
		{ 60, 4, 71, 52, 8 }, { 60, 4, 72, 64, 8 },
		{ 60, 4, 73, 64, 9 },
		/* Strings among the other tables, or over their end. */
		{ 40, 2, 60, 52, 8 }, { 50, 4, 60, 56, 4 },
		{ 40, 12, 60, 52, 8 }, { 40, 13, 60, 56, 4 },
		{ 48, 4, 52, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct gsym_layout l;

		make_v1(4, 0, 0, cases[i].strings, cases[i].strings_size,
			cases[i].total);
		cr_assert(gsym_layout_read(bytes, size, true, &l, NULL) ==
				  GSYM_OK,
			  "case %zu", i);
		cr_expect(l.sections[GSYM_SECTION_FUNCTIONS].offset ==
			  cases[i].offset &&
			  l.sections[GSYM_SECTION_FUNCTIONS].size ==
			  cases[i].size, "case %zu: %" PRIu64 " %" PRIu64, i,
			  l.sections[GSYM_SECTION_FUNCTIONS].offset,
			  l.sections[GSYM_SECTION_FUNCTIONS].size);
	}
}

/* The file table of version 2 may be larger than its files, not smaller. */
Test(layout, files_of_version_2)
{
	struct gsym_layout l;

	take_v2();
	for (uint8_t n = 40; n >= 36; n--) {
		bytes[0x5c] = n;
		cr_assert(gsym_layout_read(bytes, size, true, &l, NULL) ==
			  GSYM_OK);
		expect_section(&l, GSYM_SECTION_FILES, 0xc0, 36);
	}
	for (uint8_t n = 35; n > 0; n--) {
		bytes[0x5c] = n;
		REFUSE(GSYM_ERR_CORRUPT, 0xc0);
	}
	bytes[0xc0] = 0;
	bytes[0x5c] = 4;
	cr_expect(gsym_layout_read(bytes, size, true, &l, NULL) == GSYM_OK);
	bytes[0x5c] = 3;
	REFUSE(GSYM_ERR_CORRUPT, 0xc0);
}

/* A section of version 2 ends with the data at the latest. */
Test(layout, sections_of_version_2_at_the_end_of_the_data)
{
	for (unsigned entry = 0; entry < 6; entry++) {
		size_t at = 20 + 20 * entry;
		uint64_t count;

		take_v2();
		count = gsym_load_u64(bytes + at + 12, GSYM_HOST_BIG_ENDIAN);
		gsym_store_u64(bytes + at + 4, size - count,
			       GSYM_HOST_BIG_ENDIAN);
		if (entry == 3) /* the number of files */
			gsym_store_u32(bytes + size - count, 2,
				       GSYM_HOST_BIG_ENDIAN);
		cr_expect(gsym_layout_read(bytes, size, true,
					   &(struct gsym_layout){ 0 },
					   NULL) == GSYM_OK,
			  "entry %u", entry);
		gsym_store_u64(bytes + at + 4, size - count + 1,
			       GSYM_HOST_BIG_ENDIAN);
		REFUSE(GSYM_ERR_CORRUPT, at);
		gsym_store_u64(bytes + at + 4, size, GSYM_HOST_BIG_ENDIAN);
		REFUSE(GSYM_ERR_CORRUPT, at);
		gsym_store_u64(bytes + at + 4, UINT64_MAX,
			       GSYM_HOST_BIG_ENDIAN);
		REFUSE(GSYM_ERR_CORRUPT, at);
	}
}

/* Each of the sections but the UUID has to be there. */
Test(layout, sections_that_version_2_needs)
{
	struct gsym_error error;
	struct gsym_layout l;

	for (unsigned entry = 0; entry < 6; entry++) {
		take_v2();
		bytes[20 + 20 * entry] = 99;
		cr_expect(gsym_layout_read(bytes, size, true, &l, &error) ==
			  (entry ? GSYM_ERR_CORRUPT : GSYM_OK));
		if (entry)
			cr_expect(error.offset == 20 &&
				  strstr(error.message, "has no"));
	}
}

/* The number of functions of version 2 is that of both tables. */
Test(layout, entries_of_version_2)
{
	take_v2();
	bytes[0x34] = 3; /* the addresses */
	REFUSE(GSYM_ERR_CORRUPT, 0xa8);
	bytes[0x34] = 5;
	REFUSE(GSYM_ERR_CORRUPT, 0xa8);
	bytes[0x34] = 4;
	bytes[0x48] = 15; /* the address info */
	REFUSE(GSYM_ERR_CORRUPT, 0xb0);
	bytes[0x48] = 17;
	REFUSE(GSYM_ERR_CORRUPT, 0xb0);
}

Test(layout, address_sizes)
{
	for (unsigned n = 0; n < 256; n++) {
		bool known = n == 1 || n == 2 || n == 4 || n == 8;
		struct gsym_layout l;

		make_v1((uint8_t)n, 0, 0, 40, 1, 100);
		/* The address table is aligned to its width. */
		memset(bytes + 48, 0, 52);
		if (known)
			cr_expect(!gsym_layout_read(bytes, size, true, &l,
						    NULL) &&
				  l.address_size == n);
		else
			REFUSE(GSYM_ERR_CORRUPT, 6);
		take_v2();
		bytes[6] = (uint8_t)n;
		if (n == 0 || n > 8)
			REFUSE(GSYM_ERR_CORRUPT, 6);
		else if (!known)
			REFUSE(GSYM_ERR_UNSUPPORTED, 6);
		else if (n != 2)
			REFUSE(GSYM_ERR_CORRUPT, 0xa8);
	}
}

Test(layout, versions)
{
	for (unsigned n = 0; n < 0x10000; n += n < 300 ? 1 : 257) {
		take(gb_example_v1, sizeof(gb_example_v1));
		bytes[4] = (uint8_t)n;
		bytes[5] = (uint8_t)(n >> 8);
		if (n == 0 || n > 2)
			REFUSE(GSYM_ERR_UNSUPPORTED, 4);
	}
}

/* Sums of an address info entry and the offset of the records. */
Test(layout, offsets_of_records)
{
	struct gsym_layout l;

	take_v2();
	cr_assert(gsym_layout_read(bytes, size, true, &l, NULL) == GSYM_OK);
	cr_expect(l.info_base == 0x100 && l.info_end == 0x175);
	gsym_store_u64(bytes + 0xb8, UINT64_MAX - 0x101, GSYM_HOST_BIG_ENDIAN);
	cr_expect(gsym_layout_record(&l, 1) == UINT64_MAX - 1);
	gsym_store_u64(bytes + 0xb8, UINT64_MAX - 0x100, GSYM_HOST_BIG_ENDIAN);
	cr_expect(gsym_layout_record(&l, 1) == UINT64_MAX);
	gsym_store_u64(bytes + 0xb8, UINT64_MAX - 0xff, GSYM_HOST_BIG_ENDIAN);
	cr_expect(gsym_layout_record(&l, 1) == UINT64_MAX);
	gsym_store_u64(bytes + 0xb8, UINT64_MAX, GSYM_HOST_BIG_ENDIAN);
	cr_expect(gsym_layout_record(&l, 1) == UINT64_MAX);
}

Test(layout, entries_of_the_file_table)
{
	for (unsigned version = 1; version <= 2; version++)
		for (int big = 0; big < 2; big++) {
			uint64_t directory = 9, basename = 9;
			struct gsym_layout l;
			uint8_t *data;
			struct gb b;

			gb_init(&b, version, big, 1, 0);
			gb_file_raw(&b, 0x12345678, 0x9abcdef0);
			gb_file_raw(&b, 3, 4);
			gb_plain(&b, 0, 1, "f");
			data = gb_finish(&b, &size);
			cr_assert(
				!gsym_layout_read(data, size, true, &l, NULL));
			cr_expect(l.file_count == 3);
			cr_expect(gsym_layout_file(&l, 1, &directory,
						   &basename));
			cr_expect(directory == 0x12345678 &&
				  basename == 0x9abcdef0);
			cr_expect(gsym_layout_file(&l, 2, &directory,
						   &basename));
			cr_expect(directory == 3 && basename == 4);
			cr_expect(gsym_layout_file(&l, 0, &directory,
						   &basename));
			cr_expect(directory == 0 && basename == 0);
			cr_expect(!gsym_layout_file(&l, 3, &directory,
						    &basename));
			cr_expect(!gsym_layout_file(&l, UINT32_MAX,
						    &directory, &basename));
			free(data);
		}
}

/* The example of VERSION with VALUE as the byte at AT is refused with a message
 * that ends with WANTED. */
static void expect_number(unsigned version, size_t at, uint8_t value,
			  const char *wanted)
{
	struct gsym_error error = { 0 };
	struct gsym_layout l;

	if (version == 1)
		take(gb_example_v1, sizeof(gb_example_v1));
	else
		take_v2();
	bytes[at] = value;
	cr_expect(gsym_layout_read(bytes, size, true, &l, &error) != GSYM_OK);
	cr_expect_str_eq(error.message, wanted);
}

Test(layout, messages_have_the_number)
{
	expect_number(1, 4, 9, "header has the unknown version 9");
	expect_number(1, 6, 9, "header has the invalid address size 9");
	expect_number(1, 7, 29, "header has the invalid uuid size 29");
	expect_number(2, 6, 9, "header has the invalid address size 9");
	expect_number(2, 6, 6, "header has the unsupported address size 6");
	expect_number(2, 7, 9, "header has the unknown string encoding 9");
	expect_number(2, 0x10, 3, "address table at offset 0xa8 has 4 bytes "
				  "for 3 addresses");
	expect_number(2, 0x34, 0, "section directory entry of type 1 at "
				  "offset 0x28 is empty");
	expect_number(2, 0x2f, 0xff, "section directory entry of type 1 at "
				     "offset 0x28 reaches beyond the 373 "
				     "bytes of data");
	expect_number(2, 0x14, 1, "section directory entry at offset 0x28 is "
				  "a second address table");
	expect_number(1, 0x3d, 1, "file table at offset 0x3c has no room for "
				  "its 258 files");
	expect_number(1, 0x19, 1, "string table at offset 0x50 with 282 bytes "
				  "reaches beyond the 209 bytes of data");
}
