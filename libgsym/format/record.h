/* SPDX-License-Identifier: MIT */
/*
 * format/record.h - a function record: its head, and the tuples of
 * information that follow, by kind and length.  A list of merged functions
 * is a list of records, so it is read here too.  Knows nothing of the order
 * of the records or of what the tuples hold.
 */
#ifndef GSYM_FORMAT_RECORD_H
#define GSYM_FORMAT_RECORD_H

#include "base/cursor.h"

struct gsym_record_head {
	/** Bytes of the function. */
	uint32_t size;
	/** String offset of its name. */
	uint64_t name;
};

/** Read the head of a record; the cursor then stands at the first tuple. */
static inline bool gsym_record_read(struct gsym_cursor *c,
				    unsigned string_size,
				    struct gsym_record_head *ret)
{
	ret->size = gsym_cursor_u32(c);
	ret->name = gsym_cursor_uint(c, string_size);
	return !c->failed;
}

struct gsym_tuple {
	uint32_t type;
	uint32_t size;
	const uint8_t *data;
};

enum gsym_tuple_step {
	GSYM_TUPLE_STEP_TUPLE,
	/** The end of the list; TYPE and SIZE of it were read. */
	GSYM_TUPLE_STEP_END,
	GSYM_TUPLE_STEP_DAMAGE,
};

static inline enum gsym_tuple_step gsym_tuple_read(struct gsym_cursor *c,
						   struct gsym_tuple *ret)
{
	ret->type = gsym_cursor_u32(c);
	ret->size = gsym_cursor_u32(c);
	if (!c->failed && ret->type == 0)
		return GSYM_TUPLE_STEP_END;
	ret->data = gsym_cursor_bytes(c, ret->size);
	return c->failed ? GSYM_TUPLE_STEP_DAMAGE : GSYM_TUPLE_STEP_TUPLE;
}

/** The number of entries that a list of merged functions or call sites
 *  starts with; 0 and a failed cursor if they cannot all be there. */
uint32_t gsym_list_count(struct gsym_cursor *c, unsigned smallest);

/** The fewest bytes that a merged function can have. */
static inline unsigned gsym_merged_smallest(unsigned string_size)
{
	return 4 + 4 + string_size + 8;
}

/** The next record of a list of merged functions: a cursor over its bytes
 *  goes to RET. */
bool gsym_merged_read(struct gsym_cursor *c, struct gsym_cursor *ret);

#endif
