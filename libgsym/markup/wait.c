/* SPDX-License-Identifier: MIT */
/* How long lines wait. */
#include "config.h"

#include "markup/wait.h"

struct gsym_mk_patience gsym_mk_patience(enum gsym_mk_reason reason)
{
	/* Tests have limits that are no constants. */
#define ROW(name, ...) [GSYM_MK_FOR_##name] = { __VA_ARGS__ },
	const struct gsym_mk_patience rows[] = { GSYM_MK_REASONS(ROW) };
#undef ROW

	return rows[reason];
}

/* Whether PATIENCE milliseconds have passed since SINCE.  If not, CLOCK is due
 * when they have. */
static bool passed(struct gsym_mk_clock *clock, uint64_t since,
		   uint64_t patience)
{
	uint64_t left;

	if (!patience)
		return false;
	if (clock->now >= since + patience)
		return true;
	left = since + patience - clock->now;
	if (left < clock->due)
		clock->due = left;
	return false;
}

bool gsym_mk_is_overdue(struct gsym_mk_clock *clock, enum gsym_mk_reason reason,
			uint64_t first, uint64_t last)
{
	const struct gsym_mk_patience p = gsym_mk_patience(reason);

	return passed(clock, first, p.since_first) ||
	       passed(clock, last, p.since_last);
}
