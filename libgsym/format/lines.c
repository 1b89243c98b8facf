/* SPDX-License-Identifier: MIT */
/* Finds the row of a line table that covers an address. */
#include "format/lines.h"

bool gsym_line_find(const uint8_t *data, size_t size, uint64_t start,
		    uint64_t address, uint32_t *file, uint32_t *line)
{
	struct gsym_line_decoder d;
	enum gsym_line_step step;
	bool found = false;

	if (!gsym_line_begin(&d, data, size, start))
		return false;
	for (;;) {
		step = gsym_line_step(&d);
		if (step != GSYM_LINE_STEP_ROW || d.address > address)
			break;
		*file = d.file;
		*line = d.line;
		found = true;
	}
	return found && step != GSYM_LINE_STEP_DAMAGE;
}
