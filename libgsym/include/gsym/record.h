/* SPDX-License-Identifier: MIT */
/*
 * gsym/record.h - the records that describe functions to a builder, and the
 * sink that takes them.
 *
 * Strings and files are added first and then referred to by the number that
 * the sink returned for them.  Numbers are valid for that sink only, and the
 * output does not depend on them.  String 0 is the empty string, and file 0
 * means "no source known here"; both need not be added.
 *
 * A function of 32 bytes with two rows, and a call of "min" that was inlined
 * into its second half:
 *
 *	struct gsym_row rows[] = { { 0, file, 10 }, { 16, file, 3 } };
 *	struct gsym_range ranges[] = { { 0x1010, 0x1020 } };
 *	struct gsym_inline_node nodes[] = {
 *		{ .depth = 1, .name = min, .call_file = file, .call_line = 11,
 *		  .first_range = 0, .range_count = 1 } };
 *	struct gsym_record record = {
 *		.rank = GSYM_RANK_FUNCTION, .start = 0x1000, .size = 32,
 *		.name = name, .rows = rows, .row_count = 2, .inlines = nodes,
 *		.inline_count = 1, .inline_ranges = ranges };
 *
 * A lookup of 0x1018 then answers "min", line 3, inlined at line 11 into the
 * function: inside an inlined call the row has the line of the inlined code.
 *
 * Every struct here is the caller's.  A call that takes one reads it, and all
 * that it points to, during the call only.
 *
 * Addresses are those that the program is linked to.  They and sizes are in
 * bytes.
 */
#ifndef GSYM_RECORD_H
#define GSYM_RECORD_H

#include <gsym/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The file number of code without a source: the debug info gives it line 0,
 *  or does not cover it.  Lookups then answer without file and line. */
#define GSYM_FILE_NOSRC 0u
/** The file number of a source file whose name is not known.  Lookups answer
 *  with the base name "??". */
#define GSYM_FILE_UNKNOWN UINT32_MAX

/** A row of a line table: from OFFSET on, until the next row or the end of the
 *  function, the code comes from LINE of FILE. */
struct gsym_row {
	/** Bytes from the start of the function; below its size. */
	uint32_t offset;
	/** A file number of the sink, GSYM_FILE_NOSRC or
	 *  GSYM_FILE_UNKNOWN. */
	uint32_t file;
	/** From 1 on; 0: not known.  Ignored with GSYM_FILE_NOSRC. */
	uint32_t line;
};

/** A call that was inlined: a node of the tree of inlined calls.  The nodes of
 *  a function come in an array in preorder: a node is followed by its children,
 *  each of them with all nodes below it. */
struct gsym_inline_node {
	/** 1 for a call in the body of the function, one more than the depth
	 *  of the parent for any other; up to GSYM_MAX_INLINE_DEPTH of
	 *  gsym/reader.h.  The parent is the nearest earlier node whose depth
	 *  is one less. */
	uint32_t depth;
	/** String number of the name of the inlined function; 0 if it has
	 *  none. */
	uint32_t name;
	/** The place of the call, in the function of the parent.  With
	 *  GSYM_FILE_NOSRC the call gets GSYM_FILE_UNKNOWN, because readers
	 *  show a call only if it has a file. */
	uint32_t call_file;
	uint32_t call_line;
	/** The code of the call: RANGE_COUNT (not 0) ranges of the record's
	 *  INLINE_RANGES, from index FIRST_RANGE on.  They are not empty,
	 *  ascend and do not overlap; touching ones are joined.  Each lies
	 *  within one single range of the parent. */
	uint32_t first_range;
	uint32_t range_count;
};

/** A call site: a call that was not inlined, by its return address. */
struct gsym_call {
	/** Return address minus start of the function; at most the size of
	 *  the function. */
	uint64_t return_offset;
	/** GSYM_CALL_INTERNAL, GSYM_CALL_EXTERNAL of gsym/reader.h. */
	uint8_t flags;
	/** The possible callees: PATTERN_COUNT (may be 0) string numbers of
	 *  the record's CALL_PATTERNS, from index FIRST_PATTERN on.  Each is a
	 *  name or a regular expression for names. */
	uint32_t first_pattern;
	uint32_t pattern_count;
};

/** How much is known about a range of code.  Where records overlap, the higher
 *  rank answers; gsym/builder.h has all rules. */
enum gsym_rank {
	/** A name for an address, without a size.  Its range is computed: it
	 *  ends at the next record or at LIMIT. */
	GSYM_RANK_LABEL,
	/** A symbol with a size. */
	GSYM_RANK_SYMBOL,
	/** A function that the debug info describes. */
	GSYM_RANK_FUNCTION,
};

/** The origin of a name, which decides between the names of records that have
 *  one start; gsym/builder.h has the rules. */
enum gsym_name_kind {
	/** The name in the source, with or without scopes ("ns::f"). */
	GSYM_NAME_SOURCE,
	/** The linkage name in the debug info (DW_AT_linkage_name). */
	GSYM_NAME_LINKAGE,
	/** A name in a symbol table, by its binding. */
	GSYM_NAME_SYMBOL_LOCAL,
	GSYM_NAME_SYMBOL_WEAK,
	GSYM_NAME_SYMBOL_GLOBAL,
};

/** A function, or a symbol or label, with one range of addresses.  A zeroed
 *  struct is the base to fill in: members that are not set mean "none". */
struct gsym_record {
	enum gsym_rank rank;
	enum gsym_name_kind name_kind;
	/** The start address. */
	uint64_t start;
	/** Bytes; at most UINT32_MAX.  0 for GSYM_RANK_LABEL.  A record of
	 *  another rank with size 0 is treated as a label.  A record of size 0
	 *  has no rows, inlined calls, call sites or merged functions, and
	 *  cannot be FOLDED. */
	uint64_t size;
	/** Of a label: the address that its range cannot cross, as a rule the
	 *  end of its section; UINT64_MAX or 0 if not known. */
	uint64_t limit;
	/** String number; 0: no name. */
	uint32_t name;
	/** The record does not answer for addresses.  It becomes a merged
	 *  function of the record of equal range that does, if merging is
	 *  asked for and there is such a record.  Not for labels. */
	bool folded;
	/** Data, not code: code that overlaps it answers in its place, and
	 *  struct gsym_build_summary counts it separately.  A row at offset 0
	 *  is the place of the declaration. */
	bool data;
	/** The unit of the debug info that this function is from does not own
	 *  all of its code.  Of functions of equal range one that is not
	 *  UNCLAIMED answers. */
	bool unclaimed;

	/** ROW_COUNT rows, by ascending offset.  Of several rows with one
	 *  offset the last counts. */
	const struct gsym_row *rows;
	size_t row_count;

	/** INLINE_COUNT inlined calls, and their ranges in absolute addresses.
	 *  The nodes say which ranges are theirs. */
	const struct gsym_inline_node *inlines;
	size_t inline_count;
	const struct gsym_range *inline_ranges;

	/** CALL_COUNT call sites, and their patterns as string numbers. */
	const struct gsym_call *calls;
	size_t call_count;
	const uint32_t *call_patterns;

	/** MERGED_COUNT other functions with the same start and size, which
	 *  the linker folded into this one.  They have no merged functions of
	 *  their own; those without a name are dropped. */
	const struct gsym_record *merged;
	size_t merged_count;
	uint64_t spare[4]; /**< 0 */
};

/** A row that belongs to no function: the code at ADDRESS comes from LINE of
 *  FILE.  See LOOSE_ROWS of struct gsym_sink. */
struct gsym_loose_row {
	uint64_t address;
	uint32_t file;
	uint32_t line;
};

/** A text of LENGTH bytes, of which none is NUL.  No NUL need follow. */
struct gsym_text {
	const char *bytes;
	size_t length;
};

/**
 * The receiver of strings, files and records.  gsym_builder_sink of
 * gsym/builder.h makes one; a program may implement its own.
 *
 * Threads: one call at a time, from any thread.  Each function returns GSYM_OK
 * or the status with which the conversion is to end: the caller of the sink
 * makes no further call then and returns that status.  SELF of the struct is
 * the first argument of every function.
 */
struct gsym_sink {
	void *self;
	/** Add a string of LENGTH bytes, without NUL among them.  Its number
	 *  goes to *NUMBER; equal strings get equal numbers. */
	enum gsym_status (*string)(void *self, const char *bytes, size_t length,
				   uint32_t *number);
	/** Add a file: DIRECTORY and BASENAME are string numbers.  DIRECTORY
	 *  may be 0; if both are 0, the number is GSYM_FILE_NOSRC. */
	enum gsym_status (*file)(void *self, uint32_t directory,
				 uint32_t basename, uint32_t *number);
	/** Add a record. */
	enum gsym_status (*record)(void *self,
				   const struct gsym_record *record);
	/** Add COUNT rows of the addresses in RANGE, by ascending address.
	 *  They are given to the symbols and labels that lie there, which have
	 *  no rows of their own; functions keep theirs.  Where the ranges of
	 *  two calls overlap, the one with the lower start counts. */
	enum gsym_status (*loose_rows)(void *self, struct gsym_range range,
				       const struct gsym_loose_row *rows,
				       size_t count);
	/** Add COUNT strings: the same as COUNT calls of STRING in order, but
	 *  faster for many strings.  NULL if the sink has no such function:
	 *  call STRING then. */
	enum gsym_status (*strings)(void *self, const struct gsym_text *texts,
				    size_t count, uint32_t *numbers);
};

/** Add RECORD to SINK; see RECORD of struct gsym_sink. */
static inline enum gsym_status
gsym_sink_record(const struct gsym_sink *sink, const struct gsym_record *record)
{
	return sink->record(sink->self, record);
}

/** Add COUNT strings to SINK; see STRINGS of struct gsym_sink. */
static inline enum gsym_status gsym_sink_strings(const struct gsym_sink *sink,
						 const struct gsym_text *texts,
						 size_t count,
						 uint32_t *numbers)
{
	enum gsym_status status = GSYM_OK;

	if (sink->strings)
		return sink->strings(sink->self, texts, count, numbers);
	for (size_t i = 0; i < count && status == GSYM_OK; i++)
		status = sink->string(sink->self, texts[i].bytes,
				      texts[i].length, &numbers[i]);
	return status;
}

#ifdef __cplusplus
}
#endif
#endif /* GSYM_RECORD_H */
