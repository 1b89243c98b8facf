/* SPDX-License-Identifier: MIT */
/*
 * gsym/record.h - the shape in which every input hands functions over, and
 * the sink that takes them.
 *
 * Strings and files are handed over once and referred to by the numbers
 * that the sink gives them.  Number 0 of a string is the empty string;
 * number 0 of a file is NOSRC, "no source known here".  Numbers mean
 * nothing outside the sink that gave them, and nothing in the output
 * depends on them.
 */
#ifndef GSYM_RECORD_H
#define GSYM_RECORD_H

#include <gsym/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** File number of a place without a source: the debug info covers it with
 *  line 0 or not at all. */
#define GSYM_FILE_NOSRC 0u
/** File number of a file whose name is not known although there is one:
 *  printed as "??". */
#define GSYM_FILE_UNKNOWN UINT32_MAX

/** From OFFSET on (bytes from the function's start), until the next row,
 *  the code stems from LINE of FILE. */
struct gsym_row {
	uint32_t offset;
	uint32_t file;
	uint32_t line;
};

/** A call that was inlined.  Nodes come in an array, parents before
 *  children, siblings in order; DEPTH is 1 for calls in the function's own
 *  body, and one more than the parent's for all others. */
struct gsym_inline_node {
	uint32_t depth;
	/** The inlined function's name; 0 if it has none. */
	uint32_t name;
	/** The position of the call. */
	uint32_t call_file;
	uint32_t call_line;
	/** Its ranges: RANGE_COUNT (not 0) of the record's inline_ranges,
	 *  from FIRST_RANGE on, ascending and not overlapping (touching ones
	 *  are joined); each inside one single range of the parent. */
	uint32_t first_range;
	uint32_t range_count;
};

/** A call, by the address it returns to. */
struct gsym_call {
	/** Bytes from the function's start to the return address; at most
	 *  the function's size. */
	uint64_t return_offset;
	/** GSYM_CALL_INTERNAL, GSYM_CALL_EXTERNAL of gsym/reader.h. */
	uint8_t flags;
	/** PATTERN_COUNT of the record's call_patterns (string numbers),
	 *  from FIRST_PATTERN on. */
	uint32_t first_pattern;
	uint32_t pattern_count;
};

/** How much is known about a range of code; more wins over less where
 *  records overlap. */
enum gsym_rank {
	/** A name for a place: it reaches to the next record or to LIMIT. */
	GSYM_RANK_LABEL,
	/** A sized symbol: the innermost one answers. */
	GSYM_RANK_SYMBOL,
	/** Debug info describes it as a function. */
	GSYM_RANK_FUNCTION,
};

/** How good a name is.  Between records of one start the names are weighed
 *  as gsym/builder.h says. */
enum gsym_name_kind {
	/** The name of the source, perhaps qualified (ns::f). */
	GSYM_NAME_SOURCE,
	/** DW_AT_linkage_name or its like. */
	GSYM_NAME_LINKAGE,
	/** From a symbol table, by binding. */
	GSYM_NAME_SYMBOL_LOCAL,
	GSYM_NAME_SYMBOL_WEAK,
	GSYM_NAME_SYMBOL_GLOBAL,
};

/** A function, or as much as is known of one, with one range. */
struct gsym_record {
	enum gsym_rank rank;
	enum gsym_name_kind name_kind;
	uint64_t start;
	/** Bytes.  At most UINT32_MAX; 0 for GSYM_RANK_LABEL.  A record of
	 *  another rank with size 0 is taken as a label.  Labels hold neither
	 *  rows nor anything that follows them here. */
	uint64_t size;
	/** For labels: the end of the section, which they cannot cross;
	 *  UINT64_MAX or 0 if not known. */
	uint64_t limit;
	uint32_t name;
	/** Another record answers for its addresses: it is there to become
	 *  a merged function of that one, if their ranges are equal.  Not
	 *  for labels. */
	bool folded;
	/** It is data, not code: it gives way to code, and is counted apart.
	 *  A row says where it is declared. */
	bool data;

	/** Ascending by offset; all below SIZE.  Of several rows of one
	 *  offset the last one counts. */
	const struct gsym_row *rows;
	size_t row_count;

	const struct gsym_inline_node *inlines;
	size_t inline_count;
	const struct gsym_range *inline_ranges;

	const struct gsym_call *calls;
	size_t call_count;
	const uint32_t *call_patterns;

	/** Other functions with the same start and size, folded into this
	 *  one.  They hold none themselves.  Those without a name go. */
	const struct gsym_record *merged;
	size_t merged_count;
};

/** A row that no function owns. */
struct gsym_loose_row {
	uint64_t address;
	uint32_t file;
	uint32_t line;
};

/** LENGTH bytes. */
struct gsym_text {
	const char *bytes;
	size_t length;
};

/**
 * Where an input puts what it reads.  All pointers passed in are read
 * during the call only.  Calls come from one thread at a time.  A status
 * other than GSYM_OK ends the input, which passes it on.
 */
struct gsym_sink {
	void *self;
	/** A string; equal ones get equal numbers. */
	enum gsym_status (*string)(void *self, const char *bytes, size_t length,
				   uint32_t *number);
	/** A file, of two strings.  The directory may be 0; so may both, for
	 *  GSYM_FILE_NOSRC. */
	enum gsym_status (*file)(void *self, uint32_t directory,
				 uint32_t basename, uint32_t *number);
	/** A function. */
	enum gsym_status (*record)(void *self, const struct gsym_record *record);
	/** Rows of [RANGE), ascending, for records of lower rank than
	 *  GSYM_RANK_FUNCTION (they have none of their own) that turn out to
	 *  lie there.  Of two calls whose ranges overlap the one with the
	 *  lower start wins. */
	enum gsym_status (*loose_rows)(void *self, struct gsym_range range,
				       const struct gsym_loose_row *rows,
				       size_t count);
	/** COUNT strings, as if by string() one after the other, but faster.
	 *  NULL: the sink has no such thing. */
	enum gsym_status (*strings)(void *self, const struct gsym_text *texts,
				    size_t count, uint32_t *numbers);
};

#ifdef __cplusplus
}
#endif
#endif /* GSYM_RECORD_H */
