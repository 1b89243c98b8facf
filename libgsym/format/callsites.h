/* SPDX-License-Identifier: MIT */
/* format/callsites.h - the call sites of a function record.  Knows nothing
 * of what the patterns mean. */
#ifndef GSYM_FORMAT_CALLSITES_H
#define GSYM_FORMAT_CALLSITES_H

#include "base/cursor.h"

struct gsym_call_entry {
	uint64_t return_offset;
	uint8_t flags;
	uint32_t pattern_count;
	/** The string offsets of the patterns, as they are stored. */
	const uint8_t *patterns;
};

enum {
	/** The fewest bytes that a call site can have. */
	GSYM_CALL_SMALLEST = 8 + 1 + 4,
};

static inline bool gsym_call_read(struct gsym_cursor *c, unsigned string_size,
				  struct gsym_call_entry *ret)
{
	ret->return_offset = gsym_cursor_u64(c);
	ret->flags = gsym_cursor_u8(c);
	ret->pattern_count = gsym_cursor_u32(c);
	ret->patterns = gsym_cursor_bytes(c, (uint64_t)ret->pattern_count *
						     string_size);
	return !c->failed;
}

#endif
