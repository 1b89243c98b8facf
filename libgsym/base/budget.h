/* SPDX-License-Identifier: MIT */
/* base/budget.h - a limit on work, for input that may be hostile.  Knows
 * nothing of the work. */
#ifndef GSYM_BASE_BUDGET_H
#define GSYM_BASE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/** Work is counted in units of the user's choice.  A zeroed struct has no
 *  limit. */
struct gsym_budget {
	uint64_t limit; /**< units that may be used; 0: any number */
	uint64_t used;
	bool exceeded; /**< some work was refused */
};

/** Use UNITS of the budget.  False if they exceed the limit: the work must not
 *  be done then, and nothing is used. */
static inline bool gsym_budget_take(struct gsym_budget *budget, uint64_t units)
{
	if (budget->limit && units > budget->limit - budget->used) {
		budget->exceeded = true;
		return false;
	}
	budget->used += units;
	return true;
}

#endif
