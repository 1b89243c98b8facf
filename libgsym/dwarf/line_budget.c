/* SPDX-License-Identifier: MIT */
/* Shares a budget of line-table bytes among the units of a file. */
#include "dwarf/line_budget.h"

#include <inttypes.h>

enum {
	/* Bytes to read: SHARE for each byte of the section, and SPARE more. */
	SHARE = 16,
	SPARE = 16 << 20,
};

uint64_t gsym_dw_line_table_size(struct gsym_cursor line, uint64_t offset)
{
	uint64_t length;
	size_t left;

	gsym_cursor_seek(&line, offset);
	length = gsym_cursor_u32(&line);
	if (length == UINT32_MAX)
		length = gsym_cursor_u64(&line);
	left = gsym_cursor_left(&line);
	return length < left ? length : left;
}

static void share(struct gsym_cursor line, bool claims,
		  struct dw_line_use *uses, size_t count, uint64_t *left)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t size;

		if (!uses[i].has_lines || uses[i].claims != claims)
			continue;
		size = gsym_dw_line_table_size(line, uses[i].offset);
		uses[i].refused = size > *left;
		if (!uses[i].refused)
			*left -= size;
	}
}

void gsym_dw_line_budget_share(const struct dw_reader *reader, void *self,
			       const struct dw_work *work,
			       struct gsym_cursor line,
			       const struct dw_claims *claims,
			       struct dw_line_use *uses)
{
	uint64_t packing = work->packing ? work->packing : 1;
	uint64_t left = gsym_cursor_left(&line) / packing * SHARE + SPARE;
	size_t count = reader->unit_count(self);

	for (size_t i = 0; i < count; i++) {
		uses[i] = (struct dw_line_use){ .offset = 0 };
		uses[i].has_lines =
			reader->unit_lines(self, i, &uses[i].offset,
					   &uses[i].directory);
	}
	for (size_t i = 0; i < claims->count; i++)
		if (claims->items[i].unit < count)
			uses[claims->items[i].unit].claims = true;
	share(line, true, uses, count, &left);
	share(line, false, uses, count, &left);
}

void gsym_dw_line_budget_warn(struct dw_unit *unit,
			      const struct dw_line_use *use)
{
	if (use->claims || unit->nodes.count)
		gsym_dw_unit_warn(
			unit, GSYM_WARN_BAD_LINE_TABLE,
			"line table at .debug_line+0x%" PRIx64
			" left out for the unit at .debug_info+0x%" PRIx64
			": too many units share it",
			use->offset, unit->offset);
}
