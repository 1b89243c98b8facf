/* SPDX-License-Identifier: MIT */
/*
 * format/encode.h - the compact form of a function: the writer makes it of a
 * struct gsym_record and keeps it in memory.  It holds numbers of strings and
 * files, not the strings and files themselves.  Writes function records of
 * compact forms, and the header and directory of a file, in both versions.
 */
#ifndef GSYM_FORMAT_ENCODE_H
#define GSYM_FORMAT_ENCODE_H

#include "base/emit.h"
#include "format/layout.h"
#include "format/record.h"

#include <gsym/record.h>

#include <stddef.h>

/** An inlined call.  Parents come before children, as with struct
 *  gsym_inline_node of gsym/record.h, which has the same fields.  Here and
 *  below, the fields are in the order of enum gsym_column. */
struct gsym_shape_inline {
	uint32_t depth;
	uint32_t range_count;
	uint32_t call_line;
	uint32_t name;
	uint32_t call_file;
};

/** A range of an inlined call; START counts from the start of the function. */
struct gsym_shape_range {
	uint32_t start;
	uint32_t size;
};

/** A call site, as struct gsym_call of gsym/record.h. */
struct gsym_shape_call {
	uint32_t return_offset;
	uint32_t flags;
	uint32_t pattern_count;
};

struct gsym_shape;

/**
 * The body of a function: all of it but range and name, in one block of memory.
 *
 * Bodies are most of the memory of the builder of a large program, and few of
 * their numbers need 32 bits.  So the columns follow each other without gaps,
 * and each is as wide as its largest number needs.  Numbers are
 * little-endian.
 *
 * Rows have strictly ascending offsets, neighbours differ in file or line, and
 * the first row has offset 0.  A body with inlined calls has a row.
 */
struct gsym_shape_body {
	/** The functions merged into this one; they have no merged functions
	 *  of their own. */
	const struct gsym_shape *merged;
	/** By column, two bits each: the bytes of a number, minus 1. */
	uint64_t widths;
	uint32_t merged_count;
	/** The number of items of each array. */
	uint32_t counts[GSYM_ARRAYS];
	/** The columns, and GSYM_SHAPE_SLACK bytes after the last one. */
	uint8_t bytes[];
};

/** A function; the fields are those of struct gsym_record. */
struct gsym_shape {
	uint64_t start;
	/** For labels, whose size is computed last. */
	uint64_t limit;
	/** NULL: the function has a name and a range only. */
	const struct gsym_shape_body *body;
	uint32_t size;
	uint32_t name;
	uint8_t rank;      /**< enum gsym_rank */
	uint8_t name_kind; /**< enum gsym_name_kind */
	bool folded : 1;
	bool unclaimed : 1;
	bool right : 1; /**< a symbol that answers before functions */
	bool data;
};

enum {
	/* Every number is read as four bytes, whatever its width: up to three
	 * bytes after the last column are read, too. */
	GSYM_SHAPE_SLACK = 3,
	GSYM_SHAPE_ROW_WORDS = sizeof(struct gsym_row) / 4,
	GSYM_SHAPE_INLINE_WORDS = sizeof(struct gsym_shape_inline) / 4,
	GSYM_SHAPE_RANGE_WORDS = sizeof(struct gsym_shape_range) / 4,
	GSYM_SHAPE_CALL_WORDS = sizeof(struct gsym_shape_call) / 4,
};

/* ---- putting away ------------------------------------------------------ */

/* WORDS below is the content of a body in words of 32 bits: its arrays, one
 * after the other. */

/** The number of words that ARRAY of BODY takes. */
static inline size_t gsym_shape_array_words(const struct gsym_shape_body *body,
					    enum gsym_array array)
{
	return (size_t)body->counts[array] * gsym_arrays[array].columns;
}

/** The number of words of all arrays of BODY before ARRAY; with GSYM_ARRAYS,
 *  the number of words that the content of BODY takes. */
static inline size_t gsym_shape_words(const struct gsym_shape_body *body,
				      unsigned array)
{
	size_t words = 0;

	while (array-- > 0)
		words += gsym_shape_array_words(body, array);
	return words;
}

/** Whether BODY has neither items nor merged functions. */
static inline bool gsym_shape_is_empty(const struct gsym_shape_body *body)
{
	uint32_t any = body->merged_count;

	for (unsigned i = 0; i < GSYM_ARRAYS; i++)
		any |= body->counts[i];
	return !any;
}

/** Set the widths of the columns of BODY for the content WORDS.  The counts of
 *  BODY are set. */
void gsym_shape_measure(struct gsym_shape_body *body, const uint32_t *words);
/** The bytes of all columns of BODY, and GSYM_SHAPE_SLACK. */
size_t gsym_shape_bytes(const struct gsym_shape_body *body);
/** Pack WORDS into columns as BODY describes them, to BYTES, which has room
 *  for gsym_shape_bytes(BODY). */
void gsym_shape_pack(const struct gsym_shape_body *body, const uint32_t *words,
		     uint8_t *bytes);
/** Unpack the columns of BODY to WORDS, which has room for
 *  the content. */
void gsym_shape_unpack(const struct gsym_shape_body *body, uint32_t *words);

/* ---- looking ----------------------------------------------------------- */

/** The place and width of each column of a body, for quick access. */
struct gsym_shape_view {
	struct {
		const uint8_t *bytes;
		uint32_t width;
		uint32_t mask;
	} columns[GSYM_COLUMNS];
};

/** The view of BODY, which has to outlive it.  Columns without numbers are
 *  left undefined. */
struct gsym_shape_view gsym_shape_look(const struct gsym_shape_body *body);

/** Number I of COLUMN. */
static inline uint32_t gsym_shape_at(const struct gsym_shape_view *view,
				     enum gsym_column column, uint32_t i)
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
		.range_count = gsym_shape_at(view, GSYM_INLINE_RANGES, i),
		.call_line = gsym_shape_at(view, GSYM_INLINE_LINE, i),
		.name = gsym_shape_at(view, GSYM_INLINE_NAME, i),
		.call_file = gsym_shape_at(view, GSYM_INLINE_FILE, i),
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

/* ---- writing ----------------------------------------------------------- */

/** By number in a shape: the offset of the string in the file, or the index of
 * the file. */
struct gsym_encode_tables {
	/** Offset in the string table, by string number. */
	const uint64_t *strings;
	/** Index in the file table, by file number. */
	const uint32_t *files;
	/** Bytes of a string offset: 4 in version 1, 8 in version 2. */
	unsigned string_size;
};

/** Append the record of SHAPE to OUT; the caller aligns OUT.  Returns false if
 *  the record has 4 GiB or more.  If memory runs out, OUT is marked as
 *  failed. */
bool gsym_encode_record(struct gsym_emit *out, const struct gsym_shape *shape,
			const struct gsym_encode_tables *tables);

/** Append the line table of the COUNT (not 0) rows of VIEW.  FILES is the
 *  index in the file table, by file number. */
void gsym_encode_lines(struct gsym_emit *out,
		       const struct gsym_shape_view *view, uint32_t count,
		       const uint32_t *files);

/** Append the header of LAYOUT to OUT; for version 2 also the directory and the
 *  UUID, which is at UUID. */
void gsym_encode_header(struct gsym_emit *out, const struct gsym_layout *layout,
			const uint8_t *uuid);

/** Append the checksum of a file to OUT: CRC is that of the COVERED bytes
 *  before. */
void gsym_encode_checksum(struct gsym_emit *out, uint64_t covered,
			  uint32_t crc);

#endif
