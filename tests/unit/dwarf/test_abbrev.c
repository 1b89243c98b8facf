/* SPDX-License-Identifier: MIT */
/* Where an abbreviation table ends, and attributes that take no bytes. */
#include "dwarf/sections.h"

#include <criterion/criterion.h>
#include <string.h>

Test(abbrev, a_table_ends_at_the_given_end)
{
	enum { UNITS = 64 };
	/* An abbreviation: a unit DIE with a name. */
	static const uint8_t one[] = { 1, DW_TAG_compile_unit, 0, DW_AT_name,
				       DW_FORM_string, 0, 0 };
	uint8_t bytes[UNITS * sizeof(one) + 1] = { 0 };
	struct dw_encoding encoding = { 4, 8, 4 };
	struct dw_sections s = { 0 };
	struct dw_abbrevs table;

	for (unsigned i = 0; i < UNITS; i++)
		memcpy(bytes + i * sizeof(one), one, sizeof(one));
	s.abbrev = gsym_cursor_init(bytes, sizeof(bytes), GSYM_HOST_BIG_ENDIAN);
	cr_assert(gsym_dw_abbrevs_read(&table, &s, 0, UINT64_MAX, encoding));
	cr_expect_eq(table.list.count, UNITS);
	cr_expect(!table.damaged);
	gsym_dw_abbrevs_fini(&table);
	cr_assert(gsym_dw_abbrevs_read(&table, &s, sizeof(one), 4 * sizeof(one),
				       encoding));
	cr_expect_eq(table.list.count, 3);
	gsym_dw_abbrevs_fini(&table);
	cr_assert(gsym_dw_abbrevs_read(&table, &s, sizeof(bytes) + 9, 1,
				       encoding));
	cr_expect_eq(table.list.count, 0);
	gsym_dw_abbrevs_fini(&table);
}

/* Read the DIE BYTES, by the only abbreviation of TABLE. */
static struct dw_attributes read_die(const struct dw_abbrevs *table,
				     const uint8_t *bytes, size_t size)
{
	struct dw_encoding encoding = { 5, 8, 4 };
	struct gsym_cursor c = gsym_cursor_init(bytes, size,
						GSYM_HOST_BIG_ENDIAN);
	struct dw_attributes ret;

	cr_assert_eq(table->list.count, 1);
	gsym_dw_abbrev_read(table, &table->list.items[0], &c, encoding, &ret);
	cr_expect(!c.failed);
	cr_expect_eq(gsym_cursor_left(&c), 0);
	return ret;
}

/* Any number of attributes without bytes is one step for each DIE, and the last
 * attribute counts. */
Test(abbrev, attributes_without_bytes)
{
	enum { REPEATED = 1000 };
	static const uint8_t die[] = { 7, 9 };
	static const uint8_t ends[][7] = {
		{ DW_AT_call_line, DW_FORM_implicit_const, 3, 0, 0 },
		{ DW_AT_call_line, DW_FORM_data1, 0, 0 },
		{ DW_AT_call_line, DW_FORM_flag_present, 0, 0 },
	};
	static const uint64_t expected[] = { 3, 9, 1 };

	for (unsigned k = 0; k < 3; k++) {
		uint8_t bytes[16 + 3 * REPEATED + sizeof(ends[0])] = {
			1, DW_TAG_inlined_subroutine, 0, DW_AT_call_file,
			DW_FORM_data1, DW_AT_call_line, DW_FORM_data1
		};
		struct dw_encoding encoding = { 5, 8, 4 };
		struct dw_sections s = { 0 };
		struct dw_attributes a;
		struct dw_abbrevs table;
		size_t size = k == 1 ? 5 : 7;

		for (unsigned i = 0; i < REPEATED; i++) {
			bytes[size++] = DW_AT_call_line;
			bytes[size++] = DW_FORM_implicit_const;
			bytes[size++] = i % 64;
		}
		memcpy(bytes + size, ends[k], sizeof(ends[k]));
		s.abbrev = gsym_cursor_init(bytes, sizeof(bytes),
					    GSYM_HOST_BIG_ENDIAN);
		cr_assert(gsym_dw_abbrevs_read(&table, &s, 0, UINT64_MAX,
					       encoding));
		cr_expect_lt(table.programs.count, 64);
		a = read_die(&table, die, sizeof(die));
		cr_expect_eq(a.slots[DW_SLOT_CALL_FILE].u, 7);
		cr_expect_eq(a.slots[DW_SLOT_CALL_LINE].u, expected[k]);
		gsym_dw_abbrevs_fini(&table);
	}
}

/* Step over a DIE of one attribute of FORM, SIZE BYTES of it, of which the DIE
 * takes TAKEN; -1: the DIE is damaged. */
static void expect_skip(uint16_t form, const uint8_t *bytes, size_t size,
			int taken)
{
	const uint8_t table_bytes[] = {
		1, DW_TAG_variable, 0, 0x7f, (uint8_t)(form & 0x7f) | 0x80,
		(uint8_t)(form >> 7), 0, 0, 0
	};
	struct dw_encoding encoding = { 5, 8, 4 };
	struct gsym_cursor c = gsym_cursor_init(bytes, size,
						GSYM_HOST_BIG_ENDIAN);
	struct dw_sections s = { 0 };
	struct dw_abbrevs table;
	uint64_t sibling;

	s.abbrev = gsym_cursor_init(table_bytes, sizeof(table_bytes),
				    GSYM_HOST_BIG_ENDIAN);
	cr_assert(gsym_dw_abbrevs_read(&table, &s, 0, UINT64_MAX, encoding));
	cr_assert_eq(table.list.count, 1);
	gsym_dw_abbrev_skip(&table, &table.list.items[0], &c, encoding,
			    &sibling);
	cr_expect_eq(c.failed, taken < 0, "form 0x%x, %zu bytes", form, size);
	if (taken >= 0)
		cr_expect_eq(gsym_cursor_offset(&c), taken,
			     "form 0x%x, %zu bytes: %zu", form, size,
			     gsym_cursor_offset(&c));
	gsym_dw_abbrevs_fini(&table);
}

/* Lengths of one byte are read by the loop that skips attributes, longer ones
 * by the cursor. */
Test(abbrev, lengths_of_blocks_and_numbers)
{
	static const uint16_t blocks[] = { DW_FORM_block, DW_FORM_exprloc };
	static const uint16_t numbers[] = { DW_FORM_udata, DW_FORM_sdata,
					    DW_FORM_strx, DW_FORM_addrx };
	uint8_t bytes[600] = { 0 };

	for (unsigned i = 0; i < 2; i++) {
		bytes[0] = 127;
		expect_skip(blocks[i], bytes, 128, 128);
		expect_skip(blocks[i], bytes, 127, -1);
		bytes[0] = 0x80;
		bytes[1] = 1;
		expect_skip(blocks[i], bytes, 130, 130);
		expect_skip(blocks[i], bytes, 129, -1);
		bytes[1] = 4;
		expect_skip(blocks[i], bytes, 600, 514);
		bytes[0] = 0;
		expect_skip(blocks[i], bytes, 1, 1);
		expect_skip(blocks[i], bytes, 0, -1);
	}
	for (unsigned i = 0; i < 4; i++) {
		bytes[0] = 127;
		expect_skip(numbers[i], bytes, 1, 1);
		bytes[0] = 0x80;
		bytes[1] = 0x81;
		bytes[2] = 1;
		expect_skip(numbers[i], bytes, 9, 3);
		expect_skip(numbers[i], bytes, 2, -1);
		expect_skip(numbers[i], bytes, 0, -1);
	}
	bytes[0] = 200;
	expect_skip(DW_FORM_block1, bytes, 201, 201);
	expect_skip(DW_FORM_block1, bytes, 200, -1);
	bytes[0] = 0x01;
	bytes[1] = 0x02;
	expect_skip(DW_FORM_block2, bytes, 515, 515);
	expect_skip(DW_FORM_block2, bytes, 514, -1);
	bytes[2] = bytes[3] = 0;
	expect_skip(DW_FORM_block4, bytes, 517, 517);
	expect_skip(DW_FORM_block4, bytes, 516, -1);
	expect_skip(DW_FORM_data16, bytes, 17, 16);
	expect_skip(DW_FORM_data16, bytes, 15, -1);
	expect_skip(DW_FORM_flag_present, bytes, 0, 0);
	bytes[0] = DW_FORM_data2;
	expect_skip(DW_FORM_indirect, bytes, 9, 3);
	bytes[0] = DW_FORM_indirect;
	expect_skip(DW_FORM_indirect, bytes, 9, -1);
	bytes[0] = DW_FORM_implicit_const;
	expect_skip(DW_FORM_indirect, bytes, 9, -1);
	/* Forms of no standard, from the first after the standard's on. */
	for (uint16_t form = 0x2d; form < 0x80; form++)
		expect_skip(form, bytes, 9, -1);
	expect_skip(0x1f00, bytes, 9, -1);
}

/* Tags and forms of more than 16 bits, and the largest of 16 bits, are of no
 * known kind. */
Test(abbrev, tags_of_many_bits)
{
	static const uint8_t tags[][4] = {
		{ 0xff, 0xff, 0x03 }, /* 0xffff */
		{ 0x80, 0x80, 0x04 }, /* 0x10000 */
		{ 0xae, 0x80, 0x04 }, /* 0x1002e: DW_TAG_subprogram, and more */
	};

	for (unsigned i = 0; i < 3; i++) {
		uint8_t bytes[16] = { 1 };
		struct dw_encoding encoding = { 5, 8, 4 };
		struct dw_sections s = { 0 };
		struct dw_abbrevs table;

		memcpy(bytes + 1, tags[i], 3);
		s.abbrev = gsym_cursor_init(bytes, sizeof(bytes),
					    GSYM_HOST_BIG_ENDIAN);
		cr_assert(gsym_dw_abbrevs_read(&table, &s, 0, UINT64_MAX,
					       encoding));
		cr_assert_eq(table.list.count, 1);
		cr_expect_eq(table.list.items[0].kinds, DW_KIND_OTHER);
		cr_expect_eq(table.list.items[0].skip,
			     table.list.items[0].read);
		gsym_dw_abbrevs_fini(&table);
	}
}
