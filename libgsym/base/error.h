/* SPDX-License-Identifier: MIT */
/* base/error.h - fill the caller's error struct, and limit work for input that
 * may be hostile.  Knows nothing of printing, nor of the work. */
#ifndef GSYM_BASE_ERROR_H
#define GSYM_BASE_ERROR_H

#include <gsym/types.h>

#include <stdbool.h>
#include <stdint.h>

/** Fill ERROR, unless it is NULL, with CODE, OFFSET and the message that
 *  FORMAT makes (as printf).  Returns CODE, so that a failure is one
 *  statement: return gsym_fail(error, GSYM_ERR_CORRUPT, at, "...", ...). */
enum gsym_status gsym_fail(struct gsym_error *error, enum gsym_status code,
			   uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/** gsym_fail with GSYM_ERR_MEMORY and a fixed message. */
enum gsym_status gsym_fail_memory(struct gsym_error *error);

/** gsym_fail with GSYM_ERR_ARGUMENT and a fixed message, for a call that breaks
 *  a rule which gsym/types.h states for all functions: a pointer is NULL, the
 *  size of a struct is too small, or a flag is not known. */
enum gsym_status gsym_fail_argument(struct gsym_error *error);

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
