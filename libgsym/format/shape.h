/* SPDX-License-Identifier: MIT */
/*
 * format/shape.h - the compact form of a function record on its way to the
 * bytes: what the writer keeps of a struct gsym_record and the encoders
 * read.  Holds no strings and no files, only their numbers; knows nothing
 * of where they came from or which ones will be kept.
 */
#ifndef GSYM_FORMAT_SHAPE_H
#define GSYM_FORMAT_SHAPE_H

#include <gsym/record.h>

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

/**
 * What a record holds besides its range and name: one piece of memory, all
 * of it 32-bit words, in the order of the accessors below.
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
	uint32_t words[];
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
	GSYM_SHAPE_ROW_WORDS = sizeof(struct gsym_row) / 4,
	GSYM_SHAPE_INLINE_WORDS = sizeof(struct gsym_shape_inline) / 4,
	GSYM_SHAPE_RANGE_WORDS = sizeof(struct gsym_shape_range) / 4,
	GSYM_SHAPE_CALL_WORDS = sizeof(struct gsym_shape_call) / 4,
};

static inline const struct gsym_row *
gsym_shape_rows(const struct gsym_shape_body *body)
{
	return (const struct gsym_row *)body->words;
}

static inline const struct gsym_shape_inline *
gsym_shape_inlines(const struct gsym_shape_body *body)
{
	return (const struct gsym_shape_inline *)
		(gsym_shape_rows(body) + body->row_count);
}

static inline const struct gsym_shape_range *
gsym_shape_ranges(const struct gsym_shape_body *body)
{
	return (const struct gsym_shape_range *)
		(gsym_shape_inlines(body) + body->inline_count);
}

static inline const struct gsym_shape_call *
gsym_shape_calls(const struct gsym_shape_body *body)
{
	return (const struct gsym_shape_call *)
		(gsym_shape_ranges(body) + body->range_count);
}

static inline const uint32_t *
gsym_shape_patterns(const struct gsym_shape_body *body)
{
	return (const uint32_t *)(gsym_shape_calls(body) + body->call_count);
}

#endif
