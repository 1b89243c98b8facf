/* SPDX-License-Identifier: MIT */
/* dwarf/warn.c - the warnings of a unit. */
#include "dwarf/unit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Warnings of one unit: a byte of debug info can be a reason for one. */
enum { MOST_WARNINGS = 100000 };

void gsym_dw_unit_warn(struct dw_unit *unit, enum gsym_warning kind,
		       const char *format, ...)
{
	struct dw_warning *warning;
	char text[256];
	const char *copy;
	va_list args;

	if (unit->warnings.count >= MOST_WARNINGS)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	copy = gsym_arena_string(&unit->arena, text, strlen(text));
	warning = copy ? gsym_vec_push(&unit->warnings) : NULL;
	if (warning)
		*warning = (struct dw_warning){ kind, copy };
}
