/* SPDX-License-Identifier: MIT */
/* How a conversion shares its work out to units. */
#include "dwarf/unit.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 100, OWN = SIZE * DW_WORK_OWN };

/* Use all work that UNIT is granted, but no more than WANTED. */
static void use(struct dw_unit *unit, uint64_t wanted)
{
	while (wanted && dw_unit_take(unit, DW_CUT_ROWS, 1))
		wanted--;
}

static struct dw_work work_of(uint64_t pool)
{
	struct dw_work work = { 0 };

	gsym_dw_work_init(&work, 0, 0);
	cr_assert_eq(work.left, DW_WORK_SPARE);
	work.left = pool;
	return work;
}

Test(work, follows_the_size_of_the_debug_info)
{
	struct dw_work work = { 0 };

	gsym_dw_work_init(&work, 1000, 1000);
	cr_expect_eq(work.left, 1000 * DW_WORK_SHARE + DW_WORK_SPARE);
	gsym_dw_work_init(&work, UINT64_MAX, UINT64_MAX);
	cr_expect_gt(work.left, UINT64_MAX / 4);
}

/* Debug info that is compressed exceptionally well counts as less. */
Test(work, follows_the_size_of_compressed_debug_info)
{
	enum { PACKED = 1000, COUNTED = PACKED * DW_WORK_PACKED };
	static const struct {
		uint64_t size, counted;
		uint64_t own; /* of OWN */
	} cases[] = {
		{ COUNTED, COUNTED, OWN },
		{ 5 * COUNTED, COUNTED, OWN / 6 / DW_WORK_OWN * DW_WORK_OWN },
	};

	for (size_t i = 0; i < 2; i++) {
		struct dw_work work = { 0 };
		struct dw_unit unit = { 0 };

		gsym_dw_work_init(&work, cases[i].size, PACKED);
		cr_expect_eq(work.left, cases[i].counted * DW_WORK_SHARE +
						DW_WORK_SPARE);
		work.left = 0;
		gsym_dw_work_grant(&work, &unit, SIZE, 1);
		cr_expect_eq(unit.work.limit, cases[i].own + 1);
	}
	/* Sections of nothing. */
	struct dw_work work = { 0 };

	gsym_dw_work_init(&work, 1 << 20, 0);
	cr_expect_eq(work.left, DW_WORK_SPARE);
}

Test(work, the_own_share_does_not_come_from_the_pool)
{
	struct dw_work work = work_of(500);
	struct dw_unit unit = { 0 };

	gsym_dw_work_grant(&work, &unit, SIZE, 1);
	use(&unit, OWN);
	cr_expect(gsym_dw_work_settle(&work, &unit, SIZE));
	cr_expect_eq(work.left, 500);
	cr_expect_eq(unit.warnings.count, 0);
	gsym_dw_unit_fini(&unit);
}

/* Work for a split unit does not come from the pool either. */
Test(work, split_units)
{
	enum { MORE = 10 * DW_WORK_SHARE };
	struct dw_work work = work_of(500);
	struct dw_unit unit = { 0 };

	gsym_dw_work_grant(&work, &unit, SIZE, 1);
	cr_expect_eq(unit.own_work, OWN);
	gsym_dw_work_extend(&unit, 10);
	use(&unit, OWN + MORE + 100);
	cr_expect(!unit.work.exceeded);
	cr_expect(gsym_dw_work_settle(&work, &unit, SIZE));
	cr_expect_eq(work.left, 400);
	gsym_dw_unit_clear(&unit);
	gsym_dw_work_grant(&work, &unit, SIZE, 1);
	cr_expect_eq(unit.split_work, 0);
	/* Without a limit there is nothing to extend. */
	unit.work.limit = 0;
	gsym_dw_work_extend(&unit, 10);
	cr_expect_eq(unit.work.limit, 0);
	gsym_dw_unit_fini(&unit);
}

Test(work, units_share_the_pool_in_their_order)
{
	struct dw_work work = work_of(500);
	struct dw_unit unit = { 0 };

	for (int i = 0; i < 3; i++) {
		static const uint64_t left[] = { 200, 0, 0 };

		gsym_dw_unit_clear(&unit);
		gsym_dw_work_grant(&work, &unit, SIZE, 1);
		use(&unit, OWN + 300);
		cr_expect(gsym_dw_work_settle(&work, &unit, SIZE));
		cr_expect_eq(work.left, left[i]);
		cr_expect_eq(unit.warnings.count, i > 0);
	}
	gsym_dw_unit_fini(&unit);
}

Test(work, a_guess_that_did_not_matter_stands)
{
	struct dw_work work = { 0 };
	struct dw_unit unit = { 0 };
	uint64_t pool;

	gsym_dw_work_init(&work, 100000, 100000);
	pool = work.left;
	gsym_dw_work_grant(&work, &unit, SIZE, 4);
	cr_expect_lt(unit.work.limit, OWN + pool / 4 + 2);
	use(&unit, OWN + 1000);
	cr_expect(gsym_dw_work_settle(&work, &unit, SIZE));
	cr_expect_eq(work.left, pool - 1000);
	gsym_dw_unit_fini(&unit);
}

Test(work, a_guess_that_was_too_low_is_made_good)
{
	struct dw_work work = { 0 };
	struct dw_unit unit = { 0 };
	uint64_t pool;

	gsym_dw_work_init(&work, 100000, 100000);
	pool = work.left;
	gsym_dw_work_grant(&work, &unit, SIZE, 4);
	use(&unit, OWN + pool / 2);
	cr_expect(unit.work.exceeded);
	cr_expect(!gsym_dw_work_settle(&work, &unit, SIZE));
	cr_expect_eq(work.left, pool);
	gsym_dw_unit_clear(&unit);
	gsym_dw_work_grant(&work, &unit, SIZE, 1);
	use(&unit, OWN + pool / 2);
	cr_expect(!unit.work.exceeded);
	cr_expect(gsym_dw_work_settle(&work, &unit, SIZE));
	cr_expect_eq(work.left, pool - pool / 2);
	gsym_dw_unit_fini(&unit);
}

/* Earlier units have used the pool in the meantime. */
Test(work, a_guess_that_was_too_high_is_made_good)
{
	struct dw_work work = { 0 };
	struct dw_unit unit = { 0 };

	gsym_dw_work_init(&work, 100000, 100000);
	gsym_dw_work_grant(&work, &unit, SIZE, 2);
	use(&unit, OWN + 1000);
	cr_expect(!unit.work.exceeded);
	/* A limit is one unit of work more than what is left. */
	work.left = 998;
	cr_expect(!gsym_dw_work_settle(&work, &unit, SIZE));
	work.left = 999;
	cr_expect(gsym_dw_work_settle(&work, &unit, SIZE));
	cr_expect_eq(work.left, 0);
	gsym_dw_unit_fini(&unit);
}

Test(work, without_a_limit)
{
	struct dw_work work = { .limited = false };
	struct dw_unit unit = { 0 };

	gsym_dw_work_grant(&work, &unit, 0, 1);
	use(&unit, 100000);
	cr_expect_eq(unit.work.used, 100000);
	cr_expect(gsym_dw_work_settle(&work, &unit, 0));
	gsym_dw_unit_fini(&unit);
}

Test(work, any_size_of_a_split_unit)
{
	struct dw_unit unit = { .work = { .limit = 10 } };

	gsym_dw_work_extend(&unit, UINT64_MAX);
	cr_expect_eq(unit.split_work, UINT64_MAX / 8);
	cr_expect_eq(unit.work.limit, 10 + UINT64_MAX / 8);
	gsym_dw_work_extend(&unit, 3);
	cr_expect_eq(unit.split_work, UINT64_MAX / 8 + 3 * DW_WORK_SHARE);
	gsym_dw_unit_fini(&unit);
}

Test(work, each_cut_is_one_warning)
{
	struct dw_unit unit = { .offset = 0x123, .work = { .limit = 1 } };

	cr_expect(dw_unit_take(&unit, DW_CUT_ROWS, 1));
	cr_expect(!dw_unit_take(&unit, DW_CUT_ROWS, 1));
	cr_expect(!dw_unit_take(&unit, DW_CUT_ROWS, 1));
	cr_expect(!dw_unit_take(&unit, DW_CUT_RANGES, 1));
	cr_assert_eq(unit.warnings.count, 2);
	cr_expect_eq(unit.warnings.items[0].kind, GSYM_WARN_WORK_LIMIT);
	cr_expect_str_eq(unit.warnings.items[0].text,
			 "the unit at .debug_info+0x123 takes more work than "
			 "debug info of this size may; left out: lines");
	gsym_dw_unit_fini(&unit);
}

/* No product and no sum exceeds 64 bits, however large the debug info is. */
Test(work, limits_of_huge_debug_info)
{
	enum { POOL = 2 * DW_WORK_SHARE, OWN_PART = 4 * DW_WORK_OWN,
	       SPLIT = 8 * DW_WORK_SHARE };
	const uint64_t pool = UINT64_MAX / POOL, own = UINT64_MAX / OWN_PART,
		       split = UINT64_MAX / SPLIT;
	struct dw_work work = { 0 };
	struct dw_unit unit = { 0 };

	gsym_dw_work_init(&work, pool - 1, pool - 1);
	cr_expect_eq(work.left, (pool - 1) * DW_WORK_SHARE + DW_WORK_SPARE);
	gsym_dw_work_init(&work, pool, pool);
	cr_expect_eq(work.left, UINT64_MAX / 2);
	/* A guess has 32 bits, of 64 Ki each. */
	gsym_dw_work_grant(&work, &unit, 0, 2);
	cr_expect_eq(unit.work.limit, ((uint64_t)UINT32_MAX << 16) / 2 + 1);
	gsym_dw_work_grant(&work, &unit, 0, 3);
	cr_expect_eq(unit.work.limit, ((uint64_t)UINT32_MAX << 16) / 3 + 1);
	work.left = 0;
	gsym_dw_work_grant(&work, &unit, own - 1, 1);
	cr_expect_eq(unit.own_work, (own - 1) * DW_WORK_OWN);
	cr_expect_eq(unit.work.limit, unit.own_work + 1);
	gsym_dw_work_grant(&work, &unit, own, 1);
	cr_expect_eq(unit.own_work, UINT64_MAX / 4);
	gsym_dw_work_grant(&work, &unit, 0, 1);
	gsym_dw_work_extend(&unit, split - 1);
	cr_expect_eq(unit.split_work, (split - 1) * DW_WORK_SHARE);
	gsym_dw_work_grant(&work, &unit, 0, 1);
	gsym_dw_work_extend(&unit, split);
	cr_expect_eq(unit.split_work, UINT64_MAX / 8);
	cr_expect_eq(unit.work.limit, UINT64_MAX / 8 + 1);
}

/* A guess is a multiple of 64 Ki. */
Test(work, a_guess_is_rounded_down)
{
	struct dw_work work = { 0 };
	struct dw_unit unit = { 0 };

	gsym_dw_work_init(&work, 1000, 1000);
	gsym_dw_work_grant(&work, &unit, 0, 2);
	cr_expect_eq(work.left, DW_WORK_SPARE + 64000);
	cr_expect_eq(unit.work.limit, DW_WORK_SPARE / 2 + 1);
	gsym_dw_work_init(&work, 1024, 1024);
	gsym_dw_work_grant(&work, &unit, 0, 2);
	cr_expect_eq(unit.work.limit, DW_WORK_SPARE / 2 + (1 << 15) + 1);
}

/* Debug info that takes no more than DW_WORK_PACKED times its bytes in the file
 * counts whole. */
Test(work, the_least_compression_that_counts)
{
	struct dw_work work = { 0 };

	gsym_dw_work_init(&work, 1000 * DW_WORK_PACKED + 1, 1000);
	cr_expect_eq(work.packing, 0);
	gsym_dw_work_init(&work, 1001 * DW_WORK_PACKED, 1000);
	cr_expect_eq(work.packing, 2);
	cr_expect_eq(work.left, 1000 * DW_WORK_PACKED * DW_WORK_SHARE +
					DW_WORK_SPARE);
	gsym_dw_work_init(&work, 4000 * DW_WORK_PACKED, 1000);
	cr_expect_eq(work.packing, 5);
	gsym_dw_work_init(&work, 1000, 1000);
	cr_expect_eq(work.packing, 0);
	/* With sections of nothing no unit has a share of its own. */
	struct dw_unit unit = { 0 };

	gsym_dw_work_init(&work, 4000, 0);
	work.left = 0;
	gsym_dw_work_grant(&work, &unit, UINT64_MAX - 1, 1);
	cr_expect_eq(unit.own_work, 0);
}

/* A text is measured no further than the budget reaches. */
Test(work, texts)
{
	struct dw_unit unit = { .work = { .limit = 10 * DW_COST_TEXT } };
	/* Without a NUL: AddressSanitizer reports a look beyond the end. */
	char *text = malloc(9);

	memset(text, 'x', 9);
	cr_expect(gsym_dw_unit_take_text(&unit, "xx"));
	cr_expect_eq(unit.work.used, 2 * DW_COST_TEXT);
	/* 8 bytes are left: the ninth shows that TEXT does not fit. */
	cr_expect(!gsym_dw_unit_take_text(&unit, text));
	cr_expect_eq(unit.warnings.count, 1);
	/* No other name after the first that was refused. */
	cr_expect(!gsym_dw_unit_take_text(&unit, "x"));
	cr_expect_eq(unit.work.used, 2 * DW_COST_TEXT);
	cr_expect_eq(unit.warnings.count, 1);
	gsym_dw_unit_clear(&unit);
	unit.work.limit = 8 * DW_COST_TEXT;
	text[8] = 0;
	cr_expect(gsym_dw_unit_take_text(&unit, text));
	cr_expect_eq(unit.work.used, unit.work.limit);
	gsym_dw_unit_fini(&unit);
	free(text);
}

/* The warnings name the unit and what is left out. */
Test(work, warnings)
{
	static const char *const expected[DW_CUT_COUNT] = {
		"its DIEs", "range lists", "addresses",
		"functions, inlined calls and variables", "lines",
		"inlined calls", "call sites", "folded functions", "names",
		"it and the units after it", "its split unit",
	};
	struct dw_unit unit = { .offset = 0x123 };

	for (unsigned cut = 0; cut < DW_CUT_COUNT; cut++) {
		char text[256];

		for (unsigned again = 0; again < 2; again++)
			cr_expect(!gsym_dw_unit_cut(&unit, cut));
		cr_assert_eq(unit.warnings.count, cut + 1);
		snprintf(text, sizeof(text),
			 "the unit at .debug_info+0x123 takes more work than "
			 "debug info of this size may; left out: %s",
			 expected[cut]);
		cr_expect_str_eq(unit.warnings.items[cut].text, text);
		cr_expect_eq(unit.warnings.items[cut].kind,
			     GSYM_WARN_WORK_LIMIT);
	}
	gsym_dw_unit_fini(&unit);
}
