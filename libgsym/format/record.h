/* SPDX-License-Identifier: MIT */
/*
 * format/record.h - reads a function record: its head, and the tuples of type,
 * length and data that follow.  The list of merged functions is read here,
 * too, because its entries are records.  Knows nothing of the order of the
 * records or of the data of other tuples.
 */
#ifndef GSYM_FORMAT_RECORD_H
#define GSYM_FORMAT_RECORD_H

#include "base/cursor.h"

struct gsym_record_head {
	uint32_t size; /**< bytes of the function; 0: not known */
	uint64_t name; /**< string offset */
};

/** Read the head of the record at C, whose string offsets have STRING_SIZE
 *  bytes, and move C to the first tuple.  Returns false, with a failed cursor,
 *  if the record is cut off. */
static inline bool gsym_record_read(struct gsym_cursor *c,
				    unsigned string_size,
				    struct gsym_record_head *ret)
{
	ret->size = gsym_cursor_u32(c);
	ret->name = gsym_cursor_uint(c, string_size);
	return !c->failed;
}

struct gsym_tuple {
	uint32_t type; /**< GSYM_INFO_* of format/format.h, or unknown */
	uint32_t size; /**< bytes at DATA */
	const uint8_t *data;
};

enum gsym_tuple_step {
	GSYM_TUPLE_STEP_TUPLE,
	/** The end of the record: TYPE is 0. SIZE should be 0, too. */
	GSYM_TUPLE_STEP_END,
	/** The tuple is cut off; the cursor failed. */
	GSYM_TUPLE_STEP_DAMAGE,
};

/** Read the next tuple of a record. */
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

/** Read the number of entries that a list of merged functions or call sites
 *  starts with.  0, and a failed cursor, if the rest of the list is too short
 *  for so many entries of SMALLEST bytes. */
uint32_t gsym_list_count(struct gsym_cursor *c, unsigned smallest);

/** The fewest bytes of a merged function: length, size, name, and the end of
 *  the record. */
static inline unsigned gsym_merged_smallest(unsigned string_size)
{
	return 4 + 4 + string_size + 8;
}

/** Move C over the next record of a list of merged functions.  RET becomes a
 *  cursor over that record.  Returns false, with a failed C, if the list is
 *  cut off. */
bool gsym_merged_read(struct gsym_cursor *c, struct gsym_cursor *ret);

#endif
