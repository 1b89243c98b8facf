/* SPDX-License-Identifier: MIT */
/* Finds the row of a line table that covers an address. */
#include "format/lines.h"

void gsym_line_search_begin(struct gsym_line_search *s, const uint8_t *data,
			    size_t size, uint64_t start)
{
	s->found = false;
	s->step = GSYM_LINE_STEP_DAMAGE;
	if (gsym_line_begin(&s->next, data, size, start))
		s->step = gsym_line_step(&s->next);
}

bool gsym_line_search_go(struct gsym_line_search *s, uint64_t address)
{
	/* Copies, which the compiler keeps in registers. */
	struct gsym_line_decoder d = s->next;
	enum gsym_line_step step = s->step;
	uint32_t file, line;

	if (step != GSYM_LINE_STEP_ROW || d.address > address)
		return s->found && step != GSYM_LINE_STEP_DAMAGE;
	do {
		file = d.file;
		line = d.line;
		step = gsym_line_step(&d);
	} while (step == GSYM_LINE_STEP_ROW && d.address <= address);
	s->next = d;
	s->step = step;
	s->found = true;
	s->file = file;
	s->line = line;
	return step != GSYM_LINE_STEP_DAMAGE;
}

bool gsym_line_find(const uint8_t *data, size_t size, uint64_t start,
		    uint64_t address, uint32_t *file, uint32_t *line)
{
	struct gsym_line_search s;

	gsym_line_search_begin(&s, data, size, start);
	if (!gsym_line_search_go(&s, address))
		return false;
	*file = s.file;
	*line = s.line;
	return true;
}
