/* SPDX-License-Identifier: MIT */
/*
 * format/record.h - what a function record consists of.  Reads its head, the
 * tuples of type, length and data that follow, call sites, a line
 * table row by row, and an inline tree node by node.  Knows string offsets
 * and file numbers, but no names, and nothing of the order of the records.
 *
 * The numbers of each kind of information (enum gsym_info) are columns of
 * arrays.  The tables below say where they are and what they mean; the writer
 * compares and counts all kinds, and packs their numbers, by these tables
 * alone.  Each kind has code of its own that encodes, reads and cuts it.
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

/* ---- head, tuples and lists ---------------------------------------------- */

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

/** A call site, as a list of them has it. */
struct gsym_call_item {
	/** From the start of the function. */
	uint64_t return_offset;
	uint8_t flags;
	uint32_t pattern_count;
	/** String offsets of the patterns, in the byte order of the file. */
	const uint8_t *patterns;
};

/** Read the call site at C.  String offsets have STRING_SIZE bytes.  Returns
 *  false, with a failed cursor, if the list is cut off. */
bool gsym_call_read(struct gsym_cursor *c, unsigned string_size,
		    struct gsym_call_item *ret);

/** Read the number of entries that a tuple of TYPE starts with.  0, and a
 *  failed cursor, if the rest of the tuple is too short for so many entries.
 *  0 for other tuples than merged functions and call sites. */
uint32_t gsym_list_count(struct gsym_cursor *c, uint32_t type,
			 unsigned string_size);

/** Move C over the next record of a list of merged functions.  RET becomes a
 *  cursor over that record.  Returns false, with a failed C, if the list is
 *  cut off. */
bool gsym_merged_read(struct gsym_cursor *c, struct gsym_cursor *ret);

/* ---- line tables --------------------------------------------------------- */

/* Opcodes of a line table (llvm/DebugInfo/GSYM/LineTable.cpp).
 * GSYM_LINE_FIRST_SPECIAL and all higher ones are special opcodes, which
 * advance address and line and emit a row. */
enum {
	GSYM_LINE_END = 0,
	GSYM_LINE_SET_FILE = 1,
	GSYM_LINE_ADVANCE_PC = 2,
	GSYM_LINE_ADVANCE_LINE = 3,
	GSYM_LINE_FIRST_SPECIAL = 4,
};

/* The addresses of the rows never descend: each opcode adds to the address, and
 * a sum that overflows 64 bits is damage. */

enum gsym_line_step {
	GSYM_LINE_STEP_ROW,
	GSYM_LINE_STEP_END,
	GSYM_LINE_STEP_DAMAGE,
};

struct gsym_line_decoder {
	struct gsym_cursor c;
	int64_t min_delta; /**< the smallest line delta of a special opcode */
	/** The number of line deltas of special opcodes, max - min + 1; 0
	 *  stands for 2^64. */
	uint64_t range;
	/** ceil(2^16 / range): a product with it and a shift divide by RANGE
	 *  exactly.  0 if RANGE is so large that every quotient is 0. */
	uint32_t reciprocal;
	/** The row of the last step that returned GSYM_LINE_STEP_ROW. */
	uint64_t address;
	uint32_t file;
	uint32_t line;
};

/** Let the special opcodes of D have line deltas from MIN to MAX.  Returns
 *  false if MAX is below MIN. */
static inline bool gsym_line_window(struct gsym_line_decoder *d, int64_t min,
				    int64_t max)
{
	if (max < min)
		return false;
	d->min_delta = min;
	d->range = (uint64_t)max - (uint64_t)min + 1;
	/* The quotient is exact if opcode * (reciprocal * range - 2^16) is
	 * below 2^16, and both factors are below 256. */
	d->reciprocal = d->range && d->range < 256 ?
				(0xffff + (uint32_t)d->range) /
					(uint32_t)d->range : 0;
	return true;
}

/** Start to read the line table of SIZE bytes at DATA, of the function at
 *  START.  Returns false if its head is damaged. */
static inline bool gsym_line_begin(struct gsym_line_decoder *d,
				   const uint8_t *data, size_t size,
				   uint64_t start)
{
	int64_t min, max;

	d->c = gsym_cursor_init(data, size, false);
	min = gsym_cursor_sleb(&d->c);
	max = gsym_cursor_sleb(&d->c);
	d->line = (uint32_t)gsym_cursor_uleb(&d->c);
	d->file = 1;
	d->address = start;
	return !d->c.failed && gsym_line_window(d, min, max);
}

/** FILE as a file number of 32 bits.  A larger one becomes UINT32_MAX, which
 *  no file table has. */
static inline uint32_t gsym_narrow_file(uint64_t file)
{
	return file < UINT32_MAX ? (uint32_t)file : UINT32_MAX;
}

/** Advance the address of D.  Returns false if it overflows. */
static inline bool gsym_line_advance(struct gsym_line_decoder *d,
				     uint64_t by)
{
	d->address += by;
	return d->address >= by;
}

/** Advance the line of D.  *WRAPS becomes true if the line leaves 32 bits. */
static inline void gsym_line_move(struct gsym_line_decoder *d, int64_t by,
				  bool *wraps)
{
	if (wraps && (by < -(int64_t)d->line ||
		      by > (int64_t)(UINT32_MAX - d->line)))
		*wraps = true;
	d->line += (uint32_t)by;
}

/** Read up to the next row.  A line that leaves 32 bits wraps around, as in
 *  LLVM's reader; then *WRAPS becomes true, unless WRAPS is NULL. */
static inline __attribute__((always_inline)) enum gsym_line_step
gsym_line_step_noting(struct gsym_line_decoder *d, bool *wraps)
{
	while (d->c.at < d->c.end) {
		uint32_t op = *d->c.at++;

		if (op >= GSYM_LINE_FIRST_SPECIAL) {
			uint32_t a = op - GSYM_LINE_FIRST_SPECIAL;
			uint32_t quotient = a * d->reciprocal >> 16;
			uint32_t remainder = a - quotient * (uint32_t)d->range;

			/* At most the largest delta, so there is no
			 * overflow. */
			gsym_line_move(d, d->min_delta + remainder, wraps);
			return gsym_line_advance(d, quotient) ?
				       GSYM_LINE_STEP_ROW :
				       GSYM_LINE_STEP_DAMAGE;
		}
		switch (op) {
		case GSYM_LINE_END:
			return GSYM_LINE_STEP_END;
		case GSYM_LINE_SET_FILE:
			d->file = gsym_narrow_file(gsym_cursor_uleb(&d->c));
			break;
		case GSYM_LINE_ADVANCE_PC: {
			uint64_t by = gsym_cursor_uleb(&d->c);

			if (d->c.failed || !gsym_line_advance(d, by))
				return GSYM_LINE_STEP_DAMAGE;
			return GSYM_LINE_STEP_ROW;
		}
		default:
			gsym_line_move(d, gsym_cursor_sleb(&d->c), wraps);
			break;
		}
	}
	return GSYM_LINE_STEP_DAMAGE;
}

/** As gsym_line_step_noting, without WRAPS. */
static inline enum gsym_line_step gsym_line_step(struct gsym_line_decoder *d)
{
	return gsym_line_step_noting(d, NULL);
}

/** A search for the rows in force at ascending addresses. */
struct gsym_line_search {
	/** The first row after the last address; STEP is what it is. */
	struct gsym_line_decoder next;
	enum gsym_line_step step;
	/** There is a row at or before the last address; its file and line. */
	bool found;
	uint32_t file, line;
};

/** Begin a search in the table of SIZE bytes at DATA, of the function at
 *  START. */
void gsym_line_search_begin(struct gsym_line_search *s, const uint8_t *data,
			    size_t size, uint64_t start);

/** Set S->file and S->line to those of the row in force at ADDRESS: the last
 *  row at or before ADDRESS, which is not below the address of the last call.
 *  Returns false, and both are undefined, if there is no such row, or if the
 *  table is damaged before the end of that row is known. */
bool gsym_line_search_go(struct gsym_line_search *s, uint64_t address);

/** As gsym_line_search_go, for one address: set *FILE and *LINE. */
bool gsym_line_find(const uint8_t *data, size_t size, uint64_t start,
		    uint64_t address, uint32_t *file, uint32_t *line);

/* ---- inline trees -------------------------------------------------------- */

/* Parents come before children, and nodes have no length field: skipping a node
 * takes reading all nodes below it. */

enum gsym_inline_step {
	GSYM_INLINE_STEP_NODE,
	/** A node without ranges, which ends a list of siblings. */
	GSYM_INLINE_STEP_END,
	GSYM_INLINE_STEP_DAMAGE,
};

/** A node.  Its ranges are relative to a base address: the start of the
 *  function for the root, the start of the parent's first range for all other
 *  nodes. */
struct gsym_inline_entry {
	/** The stored ranges: pairs of ULEB128, start minus base and size. */
	const uint8_t *ranges;
	uint64_t range_count;
	/** Start of the first range minus the base address.  The base address
	 *  of the children is the base address plus FIRST. */
	uint64_t first;
	/** Size of the first range. */
	uint64_t first_size;
	/** One of the ranges holds the address that RELATIVE gave. */
	bool holds;
	bool has_children;
	uint64_t name;      /**< string offset */
	uint32_t call_file; /**< index in the file table */
	uint64_t call_line; /**< sound ones fit into 32 bits */
};

/** Read the node at C to RET.  RELATIVE is the address that sets HOLDS, minus
 *  the base address, modulo 2^64.  String offsets have STRING_SIZE bytes.
 *  Returns GSYM_INLINE_STEP_DAMAGE, and C does not move, if the data end in
 *  the node, or if it has more ranges than there are bytes for. */
enum gsym_inline_step gsym_inline_read(struct gsym_cursor *c,
				       unsigned string_size, uint64_t relative,
				       struct gsym_inline_entry *ret);

/** Skip a list of siblings and all nodes below them.  The siblings are LEVEL
 *  levels below the root.  Returns false, and C does not move, if the list is
 *  damaged or has nodes more than GSYM_MAX_INLINE_DEPTH levels below the
 *  root. */
bool gsym_inline_skip(struct gsym_cursor *c, unsigned string_size,
		      unsigned level);

#endif
