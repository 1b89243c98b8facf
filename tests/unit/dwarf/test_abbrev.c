/* SPDX-License-Identifier: MIT */
/* Where an abbreviation table ends, and attributes that take no bytes. */
#include "dwarf/abbrev.h"

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
	s.abbrev = gsym_cursor_init(bytes, sizeof(bytes), false);
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
	struct gsym_cursor c = gsym_cursor_init(bytes, size, false);
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
		s.abbrev = gsym_cursor_init(bytes, sizeof(bytes), false);
		cr_assert(gsym_dw_abbrevs_read(&table, &s, 0, UINT64_MAX,
					       encoding));
		cr_expect_lt(table.programs.count, 64);
		a = read_die(&table, die, sizeof(die));
		cr_expect_eq(a.slots[DW_SLOT_CALL_FILE].u, 7);
		cr_expect_eq(a.slots[DW_SLOT_CALL_LINE].u, expected[k]);
		gsym_dw_abbrevs_fini(&table);
	}
}
