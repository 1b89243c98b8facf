/* SPDX-License-Identifier: MIT */
/* Reads the counts of lists, and merged functions one by one. */
#include "format/record.h"

uint32_t gsym_list_count(struct gsym_cursor *c, unsigned smallest)
{
	uint32_t count = gsym_cursor_u32(c);

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
