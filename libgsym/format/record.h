/* SPDX-License-Identifier: MIT */
/*
 * format/record.h - what a function record consists of.  Reads its head, the
 * tuples of type, length and data that follow, and the tuples that are lists.
 * Knows nothing of the order of the records.
 *
 * The numbers of each kind of information (enum gsym_info) are columns of
 * arrays.  The tables below say where they are and what they mean; the writer
 * stores, compares, cuts and counts all kinds by these tables alone, except for
 * rows and inlined calls, which depend on their neighbours.
 */
#ifndef GSYM_FORMAT_RECORD_H
#define GSYM_FORMAT_RECORD_H

#include "base/cursor.h"

#include <gsym/reader.h>

/** The arrays of a function.  The items of an array have one number in each of
 *  its columns. */
enum gsym_array {
	GSYM_ROWS,
	GSYM_INLINES,
	/** The ranges of a node follow those of the node before it. */
	GSYM_RANGES,
	GSYM_CALLS,
	/** The patterns of a call follow those of the call before it. */
	GSYM_PATTERNS,
	GSYM_ARRAYS,
};

/** The columns, array by array. */
enum gsym_column {
	GSYM_ROW_OFFSET,
	GSYM_ROW_FILE,
	GSYM_ROW_LINE,
	GSYM_INLINE_DEPTH,
	GSYM_INLINE_RANGES,
	GSYM_INLINE_LINE,
	GSYM_INLINE_NAME,
	GSYM_INLINE_FILE,
	GSYM_RANGE_START,
	GSYM_RANGE_SIZE,
	GSYM_CALL_OFFSET,
	GSYM_CALL_FLAGS,
	GSYM_CALL_PATTERNS,
	GSYM_PATTERN,
	GSYM_COLUMNS,
};

/** What the numbers of a column are. */
enum gsym_meaning { GSYM_NUMBER, GSYM_STRING, GSYM_FILE };

/** By array: the first column, and the number of columns.  INNER: the items
 *  belong to those of the array before it, which have their numbers. */
extern const struct gsym_array_row {
	uint8_t first;
	uint8_t columns;
	bool inner;
} gsym_arrays[GSYM_ARRAYS];
/** By column. */
extern const struct gsym_column_row {
	uint8_t array;
	uint8_t meaning;
} gsym_columns[GSYM_COLUMNS];

/** The most columns of an array. */
enum { GSYM_MOST_COLUMNS = 5 };

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
	uint32_t type; /**< enum gsym_info, or unknown */
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

/**
 * A kind of information that is a list: a number of 32 bits, and so many items.
 * The first field of an item counts from the start of the function.  Files are
 * indexes, and strings are string offsets.
 */
struct gsym_list_kind {
	uint32_t type;
	/** The array of the items. */
	uint8_t array;
	/** The last field counts strings: string offsets after the item.  They
	 *  are the array after ARRAY. */
	bool has_strings;
	/** By field: its bytes in the file; 0: those of a string offset. */
	uint8_t sizes[GSYM_MOST_COLUMNS];
	/** For messages: the list, an item, an item whose first field is beyond
	 *  the end of the function, and a string. */
	const char *list, *item, *beyond, *string;
};

/** The kind of lists that has TYPE; NULL if TYPE is no such kind. */
const struct gsym_list_kind *gsym_list_kind(uint32_t type);

/** An item of a list. */
struct gsym_list_item {
	uint64_t fields[GSYM_MOST_COLUMNS];
	/** The strings of the item, string offsets in the byte order of the
	 *  file. */
	const uint8_t *strings;
};

/** Read the item at C of a list of KIND.  String offsets have STRING_SIZE
 *  bytes.  Returns false, with a failed cursor, if the list is cut off. */
bool gsym_list_read(struct gsym_cursor *c, const struct gsym_list_kind *kind,
		    unsigned string_size, struct gsym_list_item *ret);

/** Read the number of entries that a tuple of TYPE starts with.  0, and a
 *  failed cursor, if the rest of the tuple is too short for so many entries.
 *  0 for other tuples than merged functions and lists. */
uint32_t gsym_list_count(struct gsym_cursor *c, uint32_t type,
			 unsigned string_size);

/** Move C over the next record of a list of merged functions.  RET becomes a
 *  cursor over that record.  Returns false, with a failed C, if the list is
 *  cut off. */
bool gsym_merged_read(struct gsym_cursor *c, struct gsym_cursor *ret);

#endif
