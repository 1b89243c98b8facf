/* SPDX-License-Identifier: MIT */
/* Reports the problems that gsym_verify finds. */
#include "reader/check.h"

#include <inttypes.h>

void gsym_check_report(struct gsym_check *check, enum gsym_status status)
{
	if (check->stop)
		return;
	if (status == GSYM_ERR_CORRUPT)
		check->found = true;
	if (check->report)
		check->cancelled = !check->report(check->context,
						  &check->problem);
	/* Without a callback the result is certain at the first damage. */
	check->stop = check->report ? check->cancelled : check->found;
}

void gsym_check_string(struct gsym_check *check, uint64_t offset,
		       const char *what, uint64_t place)
{
	if (!gsym_layout_string(&check->reader->layout, offset))
		gsym_check_damage(check, place,
				  "%s at offset 0x%" PRIx64
				  " is beyond the string table: 0x%" PRIx64,
				  what, place, offset);
}
