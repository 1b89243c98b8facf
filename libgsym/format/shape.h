/* SPDX-License-Identifier: MIT */
/*
 * format/shape.h - the compact form of a function record on its way to the
 * bytes: what the writer keeps of a struct gsym_record and the encoders
 * read.  Holds no strings and no files, only their numbers; knows nothing
 * of where they came from or which ones will be kept.
 */
#ifndef GSYM_FORMAT_SHAPE_H
#define GSYM_FORMAT_SHAPE_H

#include "base/bytes.h"

#include <gsym/record.h>

#include <stddef.h>

/** An inlined call.  Parents come before children, as in gsym/record.h. */
struct gsym_shape_inline {
	uint32_t depth;
	uint32_t name;
	uint32_t call_file;
	uint32_t call_line;
	/** Its ranges follow those of the node before it. */
	uint32_t range_count;
};

/** A range, in bytes from the start of the function. */
struct gsym_shape_range {
	uint32_t start;
	uint32_t size;
};

struct gsym_shape_call {
	uint32_t return_offset;
	uint32_t flags;
	/** Its patterns follow those of the call before it. */
	uint32_t pattern_count;
};

struct gsym_shape;

/** The numbers of a body: each field of its rows, inlined calls, ranges, calls
 *  and patterns is a column. */
enum gsym_shape_column {
	GSYM_ROW_OFFSET,
	GSYM_ROW_FILE,
	GSYM_ROW_LINE,
	GSYM_INLINE_DEPTH,
	GSYM_INLINE_NAME,
	GSYM_INLINE_FILE,
	GSYM_INLINE_LINE,
	GSYM_INLINE_RANGES,
	GSYM_RANGE_START,
	GSYM_RANGE_SIZE,
	GSYM_CALL_OFFSET,
	GSYM_CALL_FLAGS,
	GSYM_CALL_PATTERNS,
	GSYM_PATTERN,
	GSYM_SHAPE_COLUMNS,
};

/**
 * What a record holds besides its range and name, one piece of memory.
 *
 * Most of what a large program's builder has in memory are these, and few of
 * their numbers need 32 bits.  So the columns stand one behind the other, each
 * as wide as its largest number needs, little-endian.
 *
 * Rows have strictly ascending offsets, no two neighbours name the same
 * place, and the first one, if there is any, has offset 0.  Where there are
 * inlined calls there is a row.
 */
struct gsym_shape_body {
	const struct gsym_shape *merged;
	uint32_t merged_count;
	uint32_t row_count;
	uint32_t inline_count;
	uint32_t range_count;
	uint32_t call_count;
	uint32_t pattern_count;
	/** Two bits for each column: the bytes of a number, less 1. */
	uint32_t widths;
	/** Readable for GSYM_SHAPE_SLACK bytes behind the last column. */
	uint8_t bytes[];
};

struct gsym_shape {
	uint64_t start;
	/** For labels, which get their size in the end. */
	uint64_t limit;
	/** NULL: nothing but a name and a range. */
	const struct gsym_shape_body *body;
	uint32_t size;
	uint32_t name;
	uint8_t rank;
	uint8_t name_kind;
	bool folded;
	bool data;
};

enum {
	/* A number is read as four bytes, however wide it is. */
	GSYM_SHAPE_SLACK = 3,
	GSYM_SHAPE_ROW_WORDS = sizeof(struct gsym_row) / 4,
	GSYM_SHAPE_INLINE_WORDS = sizeof(struct gsym_shape_inline) / 4,
	GSYM_SHAPE_RANGE_WORDS = sizeof(struct gsym_shape_range) / 4,
	GSYM_SHAPE_CALL_WORDS = sizeof(struct gsym_shape_call) / 4,
};

/* ---- putting away ---------------------------------------------------------- */

/** The words of an open body: rows, inlined calls, ranges, calls, patterns,
 *  each kind as an array of its struct. */
size_t gsym_shape_words(const struct gsym_shape_body *body);
/** Find the widths of the columns of BODY, whose counts are set, if its
 *  content is WORDS. */
void gsym_shape_measure(struct gsym_shape_body *body, const uint32_t *words);
/** The size of the bytes of BODY, slack included. */
size_t gsym_shape_bytes(const struct gsym_shape_body *body);
/** Write WORDS to the gsym_shape_bytes(BODY) at BYTES. */
void gsym_shape_pack(const struct gsym_shape_body *body, const uint32_t *words,
		     uint8_t *bytes);
/** The other way round: WORDS have room for gsym_shape_words(BODY). */
void gsym_shape_unpack(const struct gsym_shape_body *body, uint32_t *words);

/* ---- looking --------------------------------------------------------------- */

/** Where the columns of a body are. */
struct gsym_shape_view {
	struct {
		const uint8_t *bytes;
		uint32_t width;
		uint32_t mask;
	} columns[GSYM_SHAPE_COLUMNS];
};

struct gsym_shape_view gsym_shape_look(const struct gsym_shape_body *body);

static inline uint32_t gsym_shape_at(const struct gsym_shape_view *view,
				     enum gsym_shape_column column, uint32_t i)
{
	const uint8_t *bytes = view->columns[column].bytes +
			       (size_t)i * view->columns[column].width;

	return gsym_load_u32(bytes, GSYM_HOST_BIG_ENDIAN) &
	       view->columns[column].mask;
}

static inline struct gsym_row
gsym_shape_row(const struct gsym_shape_view *view, uint32_t i)
{
	return (struct gsym_row){
		.offset = gsym_shape_at(view, GSYM_ROW_OFFSET, i),
		.file = gsym_shape_at(view, GSYM_ROW_FILE, i),
		.line = gsym_shape_at(view, GSYM_ROW_LINE, i),
	};
}

static inline struct gsym_shape_inline
gsym_shape_inline(const struct gsym_shape_view *view, uint32_t i)
{
	return (struct gsym_shape_inline){
		.depth = gsym_shape_at(view, GSYM_INLINE_DEPTH, i),
		.name = gsym_shape_at(view, GSYM_INLINE_NAME, i),
		.call_file = gsym_shape_at(view, GSYM_INLINE_FILE, i),
		.call_line = gsym_shape_at(view, GSYM_INLINE_LINE, i),
		.range_count = gsym_shape_at(view, GSYM_INLINE_RANGES, i),
	};
}

static inline struct gsym_shape_range
gsym_shape_range(const struct gsym_shape_view *view, uint32_t i)
{
	return (struct gsym_shape_range){
		.start = gsym_shape_at(view, GSYM_RANGE_START, i),
		.size = gsym_shape_at(view, GSYM_RANGE_SIZE, i),
	};
}

static inline struct gsym_shape_call
gsym_shape_call(const struct gsym_shape_view *view, uint32_t i)
{
	return (struct gsym_shape_call){
		.return_offset = gsym_shape_at(view, GSYM_CALL_OFFSET, i),
		.flags = gsym_shape_at(view, GSYM_CALL_FLAGS, i),
		.pattern_count = gsym_shape_at(view, GSYM_CALL_PATTERNS, i),
	};
}

static inline uint32_t gsym_shape_pattern(const struct gsym_shape_view *view,
					  uint32_t i)
{
	return gsym_shape_at(view, GSYM_PATTERN, i);
}

#endif
