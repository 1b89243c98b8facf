/* SPDX-License-Identifier: MIT */
/* The tables of the kinds of information; reads lists and merged functions;
 * finds the row of a line table that covers an address; reads or skips a node
 * of an inline tree. */
#include "format/record.h"

const struct gsym_array_row gsym_arrays[GSYM_ARRAYS] = {
	[GSYM_ROWS] = { GSYM_ROW_OFFSET, 3, false },
	[GSYM_INLINES] = { GSYM_INLINE_DEPTH, 5, false },
	[GSYM_RANGES] = { GSYM_RANGE_START, 2, true },
	[GSYM_CALLS] = { GSYM_CALL_OFFSET, 3, false },
	[GSYM_PATTERNS] = { GSYM_PATTERN, 1, true },
};

const struct gsym_column_row gsym_columns[GSYM_COLUMNS] = {
	[GSYM_ROW_OFFSET] = { GSYM_ROWS, GSYM_NUMBER },
	[GSYM_ROW_FILE] = { GSYM_ROWS, GSYM_FILE },
	[GSYM_ROW_LINE] = { GSYM_ROWS, GSYM_NUMBER },
	[GSYM_INLINE_DEPTH] = { GSYM_INLINES, GSYM_NUMBER },
	[GSYM_INLINE_RANGES] = { GSYM_INLINES, GSYM_NUMBER },
	[GSYM_INLINE_LINE] = { GSYM_INLINES, GSYM_NUMBER },
	[GSYM_INLINE_NAME] = { GSYM_INLINES, GSYM_STRING },
	[GSYM_INLINE_FILE] = { GSYM_INLINES, GSYM_FILE },
	[GSYM_RANGE_START] = { GSYM_RANGES, GSYM_NUMBER },
	[GSYM_RANGE_SIZE] = { GSYM_RANGES, GSYM_NUMBER },
	[GSYM_CALL_OFFSET] = { GSYM_CALLS, GSYM_NUMBER },
	[GSYM_CALL_FLAGS] = { GSYM_CALLS, GSYM_NUMBER },
	[GSYM_CALL_PATTERNS] = { GSYM_CALLS, GSYM_NUMBER },
	[GSYM_PATTERN] = { GSYM_PATTERNS, GSYM_STRING },
};

bool gsym_call_read(struct gsym_cursor *c, unsigned string_size,
		    struct gsym_call_item *ret)
{
	ret->return_offset = gsym_cursor_u64(c);
	ret->flags = gsym_cursor_u8(c);
	ret->pattern_count = gsym_cursor_u32(c);
	ret->patterns = gsym_cursor_bytes(c, (uint64_t)ret->pattern_count *
						     string_size);
	return !c->failed;
}

/* The fewest bytes of an entry of a tuple of TYPE; 0 if it has no entries. */
static unsigned smallest_entry(uint32_t type, unsigned string_size)
{
	switch (type) {
	case GSYM_INFO_MERGED:
		/* Length, size, name, and the end of the record. */
		return 4 + 4 + string_size + 8;
	case GSYM_INFO_CALL_SITES:
		return 8 + 1 + 4;
	default:
		return 0;
	}
}

uint32_t gsym_list_count(struct gsym_cursor *c, uint32_t type,
			 unsigned string_size)
{
	unsigned smallest = smallest_entry(type, string_size);
	uint32_t count;

	if (!smallest)
		return 0;
	count = gsym_cursor_u32(c);
	if (count <= gsym_cursor_left(c) / smallest)
		return count;
	gsym_cursor_fail(c);
	return 0;
}

bool gsym_merged_read(struct gsym_cursor *c, struct gsym_cursor *ret)
{
	uint32_t size = gsym_cursor_u32(c);
	const uint8_t *data = gsym_cursor_bytes(c, size);

	/* Without a size there are no bytes, either; they would be 0 bytes. */
	if (c->failed)
		return false;
	*ret = gsym_cursor_init(data, size, c->swap);
	return true;
}

/* ---- line tables and inline trees ---------------------------------------- */

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

enum gsym_inline_step gsym_inline_read(struct gsym_cursor *cursor,
				       unsigned string_size, uint64_t relative,
				       struct gsym_inline_entry *ret)
{
	struct gsym_cursor c = *cursor;
	uint64_t count = gsym_cursor_uleb(&c);
	bool holds = false;

	/* A loop over more ranges than bytes would take too long. */
	if (count > gsym_cursor_left(&c))
		return GSYM_INLINE_STEP_DAMAGE;
	ret->ranges = c.at;
	ret->range_count = count;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t offset = gsym_cursor_uleb(&c);
		uint64_t size = gsym_cursor_uleb(&c);

		if (i == 0) {
			ret->first = offset;
			ret->first_size = size;
		}
		holds |= relative >= offset && relative - offset < size;
	}
	if (count) {
		ret->holds = holds;
		ret->has_children = gsym_cursor_u8(&c) != 0;
		ret->name = gsym_cursor_uint(&c, string_size);
		ret->call_file = gsym_narrow_file(gsym_cursor_uleb(&c));
		ret->call_line = gsym_cursor_uleb(&c);
	}
	if (c.failed)
		return GSYM_INLINE_STEP_DAMAGE;
	*cursor = c;
	return count ? GSYM_INLINE_STEP_NODE : GSYM_INLINE_STEP_END;
}

bool gsym_inline_skip(struct gsym_cursor *cursor, unsigned string_size,
		      unsigned level)
{
	struct gsym_cursor c = *cursor;
	unsigned deepest = level;

	while (deepest >= level) {
		uint64_t count = gsym_cursor_uleb(&c);

		if (!count) {
			deepest--;
		} else {
			if (deepest > GSYM_MAX_INLINE_DEPTH ||
			    count > gsym_cursor_left(&c))
				return false;
			for (; count; count--) {
				gsym_cursor_skip_leb(&c);
				gsym_cursor_skip_leb(&c);
			}
			if (gsym_cursor_u8(&c))
				deepest++;
			gsym_cursor_skip(&c, string_size);
			gsym_cursor_skip_leb(&c);
			gsym_cursor_skip_leb(&c);
		}
		if (c.failed)
			return false;
	}
	*cursor = c;
	return true;
}
