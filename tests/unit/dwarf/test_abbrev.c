/* SPDX-License-Identifier: MIT */
/* Where an abbreviation table ends. */
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
