/* SPDX-License-Identifier: MIT */
/* A budget gives out work until its limit is reached. */
#include "base/error.h"

#include <criterion/criterion.h>

Test(budget, work_up_to_the_limit)
{
	struct gsym_budget budget = { .limit = 10 };

	cr_expect(gsym_budget_take(&budget, 4));
	cr_expect(gsym_budget_take(&budget, 0));
	cr_expect(!budget.exceeded);
	cr_expect(!gsym_budget_take(&budget, 7));
	cr_expect(budget.exceeded);
	/* Refused work uses nothing. */
	cr_expect_eq(budget.used, 4);
	cr_expect(gsym_budget_take(&budget, 6));
	cr_expect(!gsym_budget_take(&budget, 1));
	cr_expect(!gsym_budget_take(&budget, UINT64_MAX));
	cr_expect_eq(budget.used, 10);
}

Test(budget, a_zeroed_budget_has_no_limit)
{
	struct gsym_budget budget = { 0 };

	cr_expect(gsym_budget_take(&budget, 1));
	cr_expect(gsym_budget_take(&budget, UINT64_MAX / 2));
	cr_expect(!budget.exceeded);
	cr_expect_eq(budget.used, UINT64_MAX / 2 + 1);
}
