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
	enum gsym_status got = gsym_layout_read(bytes, size, &l, &error);

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
	cr_assert(gsym_layout_read(bytes, size, &l, NULL) == GSYM_OK);
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
	cr_assert(gsym_layout_read(bytes, size, &l, NULL) == GSYM_OK);
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
	cr_assert(gsym_layout_read(bytes, size, &l, NULL) == GSYM_OK);
	expect_section(&l, GSYM_SECTION_UUID, 0, 0);
}

Test(layout, strings_end_at_the_last_nul)
{
	struct gsym_layout l;

	take(gb_example_v1, sizeof(gb_example_v1));
	bytes[0x69] = 'x'; /* the end of "sq" */
	cr_assert(gsym_layout_read(bytes, size, &l, NULL) == GSYM_OK);
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
	cr_assert(gsym_layout_read(bytes, size, &l, NULL) == GSYM_OK);
	expect_section(&l, GSYM_SECTION_FUNCTIONS, 0x50, 209 - 26 - 0x50);
}
