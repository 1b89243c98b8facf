/* SPDX-License-Identifier: MIT */
#include "dwarf/unit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void dw_unit_clear(struct dw_unit *unit)
{
	unit->offset = 0;
	unit->nodes.count = 0;
	unit->ranges.count = 0;
	unit->rows.count = 0;
	unit->sequences.count = 0;
	unit->files.count = 0;
	unit->warnings.count = 0;
	gsym_arena_fini(&unit->arena);
}

void dw_unit_fini(struct dw_unit *unit)
{
	gsym_vec_fini(&unit->nodes);
	gsym_vec_fini(&unit->ranges);
	gsym_vec_fini(&unit->rows);
	gsym_vec_fini(&unit->sequences);
	gsym_vec_fini(&unit->files);
	gsym_vec_fini(&unit->warnings);
	gsym_arena_fini(&unit->arena);
}

void dw_unit_warn(struct dw_unit *unit, enum gsym_warning kind,
		  const char *format, ...)
{
	struct dw_warning *warning;
	char text[256];
	const char *copy;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	copy = gsym_arena_string(&unit->arena, text, strlen(text));
	warning = copy ? gsym_vec_push(&unit->warnings) : NULL;
	if (warning)
		*warning = (struct dw_warning){ kind, copy };
}
