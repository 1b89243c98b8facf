/* SPDX-License-Identifier: MIT */
/* Which addresses units claim: by .debug_aranges, or by their DIEs. */
#include "cases.h"
#include "dwarf/resolve.h"
#include "second/second.h"
#include "support/dwarf_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

/* The claims that READER finds in A, as text, and the kinds of the warnings
 * about them. */
static void expect_of(const struct dw_reader *reader, struct dwa *a,
		      const char *expected, bool is_damaged)
{
	struct dw_claims claims = { 0 };
	struct dw_work work = { .limited = false };
	struct dw_unit notes = { 0 };
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);
	void *self;

	cr_assert_eq(reader->open(dwa_container(a), false, 1,
				  &notes, &self, NULL),
		     GSYM_OK);
	cr_assert_eq(gsym_dw_claims_read(reader, self, &work, &claims, &notes),
		     GSYM_OK);
	dwtext_claims(out, &claims);
	fclose(out);
	cr_expect_str_eq(text, expected);
	cr_expect_eq(notes.warnings.count, is_damaged);
	if (notes.warnings.count)
		cr_expect_eq(notes.warnings.items[0].kind, GSYM_WARN_BAD_UNIT);
	reader->close(self);
	gsym_dw_unit_fini(&notes);
	gsym_vec_fini(&claims);
	free(text);
}

static void expect(struct dwa *a, const char *expected, bool is_damaged)
{
	expect_of(&gsym_dwarf_scan, a, expected, is_damaged);
	expect_of(&gsym_libdwarf_reader, a, expected, is_damaged);
}

/* A unit whose DIE says [START, START + 0x10).  Returns its offset. */
static size_t unit(struct dwa *a, uint64_t start)
{
	size_t offset = dwa_unit(a, 0);

	dwa_die(a, DW_TAG_compile_unit, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "directory/a.c");
	case_range(a, start, start + 0x10);
	dwa_unit_end(a);
	return offset;
}

/* A unit whose DIE says 0x1000, with a set of .debug_aranges that says 0x5000
 * and is for the unit at OFFSET. */
static void unit_with_set(struct dwa *a, uint64_t offset)
{
	const struct dwa_pair pair = { 0x5000, 0x10 };

	dwa_init(a, false, 8, 4);
	unit(a, 0x1000);
	dwa_aranges(a, offset, &pair, 1);
}

Test(claims, a_set_counts_more_than_the_unit_die)
{
	struct dwa a;

	unit_with_set(&a, 0);
	expect(&a, "claim 0 [5000,5010)\n", false);
	dwa_fini(&a);
}

Test(claims, units_without_a_set_claim_what_their_dies_say)
{
	const struct dwa_pair pairs[] = { { 0x5000, 0x10 }, { 0x6000, 0x20 } };
	size_t second;
	struct dwa a;

	dwa_init(&a, true, 4, 4);
	unit(&a, 0x1000);
	second = unit(&a, 0x2000);
	unit(&a, 0x3000);
	dwa_aranges(&a, second, pairs, 2);
	expect(&a,
	       "claim 0 [1000,1010)\n"
	       "claim 1 [5000,5010)\n"
	       "claim 1 [6000,6020)\n"
	       "claim 2 [3000,3010)\n",
	       false);
	dwa_fini(&a);
}

/* Only version 2 of .debug_aranges is known. */
Test(claims, a_set_of_another_version_is_damage)
{
	static const unsigned versions[] = { 0, 1, 3, 9 };

	for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
		struct dwa a;

		unit_with_set(&a, 0);
		dwa_patch(&a, DWA_ARANGES, 4, versions[i], 2);
		expect(&a, "claim 0 [1000,1010)\n", true);
		dwa_fini(&a);
	}
}

/* A set for the middle of a unit belongs to no unit. */
Test(claims, a_set_for_no_unit_does_not_count)
{
	struct dwa a;

	unit_with_set(&a, 5);
	expect(&a, "claim 0 [1000,1010)\n", false);
	dwa_fini(&a);
}
