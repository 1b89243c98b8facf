/* SPDX-License-Identifier: MIT */
/* format/callsites.h - reads the call sites of a function record.  Knows
 * nothing of the meaning of the patterns. */
#ifndef GSYM_FORMAT_CALLSITES_H
#define GSYM_FORMAT_CALLSITES_H

#include "base/cursor.h"

struct gsym_call_entry {
	uint64_t return_offset; /**< return address minus function start */
	uint8_t flags;          /**< GSYM_CALL_* of gsym/reader.h */
	uint32_t pattern_count;
	/** PATTERN_COUNT string offsets, in the byte order of the file. */
	const uint8_t *patterns;
};

enum {
	/** Bytes of a call site without patterns. */
	GSYM_CALL_SMALLEST = 8 + 1 + 4,
};

/** Read the call site at C, whose string offsets have STRING_SIZE bytes.
 *  Returns false, with a failed cursor, if the list is cut off. */
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
