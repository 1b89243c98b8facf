/* SPDX-License-Identifier: MIT */
/* The tables of the kinds of information; reads lists and merged functions. */
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

static const struct gsym_list_kind lists[] = {
	{ GSYM_INFO_CALL_SITES, GSYM_CALLS, true, { 8, 1, 4 },
	  "call sites", "call site", "returns", "pattern of a call site" },
};

const struct gsym_list_kind *gsym_list_kind(uint32_t type)
{
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		if (lists[i].type == type)
			return &lists[i];
	return NULL;
}

bool gsym_list_read(struct gsym_cursor *c, const struct gsym_list_kind *kind,
		    unsigned string_size, struct gsym_list_item *ret)
{
	unsigned columns = gsym_arrays[kind->array].columns;

	for (unsigned i = 0; i < columns; i++)
		ret->fields[i] = gsym_cursor_uint(
			c, kind->sizes[i] ? kind->sizes[i] : string_size);
	if (kind->has_strings)
		ret->strings = gsym_cursor_bytes(
			c, ret->fields[columns - 1] * string_size);
	return !c->failed;
}

/* The fewest bytes of an entry of a tuple of TYPE; 0 if it has no entries. */
static unsigned smallest_entry(uint32_t type, unsigned string_size)
{
	const struct gsym_list_kind *kind = gsym_list_kind(type);
	unsigned sum = 0;

	/* A merged function: length, size, name, and the end of the record. */
	if (type == GSYM_INFO_MERGED)
		return 4 + 4 + string_size + 8;
	for (unsigned i = 0; kind && i < gsym_arrays[kind->array].columns; i++)
		sum += kind->sizes[i] ? kind->sizes[i] : string_size;
	return sum;
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

	if (!data)
		return false;
	*ret = gsym_cursor_init(data, size, c->swap);
	return true;
}
