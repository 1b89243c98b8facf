/* SPDX-License-Identifier: MIT */
/*
 * gsym/builder.h - collect functions in any order, and write them as GSYM.
 *
 *	struct gsym_builder *b = gsym_builder_new();
 *	gsym_builder_string(b, "main", 4, &name);
 *	gsym_builder_record(b, &(struct gsym_record){
 *		.rank = GSYM_RANK_FUNCTION, .start = 0x1000, .size = 16,
 *		.name = name });
 *	gsym_builder_finish(b, &options, &bytes, &size, &summary, &error);
 *
 * The bytes depend on the set of records alone: not on the order in which
 * they came, the thread count, or the run.
 *
 * How gsym_builder_finish settles what the records contradict each other in:
 *
 *  1. At every address one record answers: code before data, then the one
 *     of the highest rank (function, symbol, label), among equals the innermost (the latest
 *     start, then the earliest end), then the one that knows more (inline
 *     nodes, then rows, then call sites, then merged functions), then the
 *     one whose content sorts first.  A record keeps what is left of its
 *     range; where others cut it into pieces each piece becomes a record of
 *     its own, with its share of rows, inlined calls, call sites and merged
 *     functions.  A piece begins with the row in force at its start; ranges
 *     of inlined calls are clipped to it; a call site goes where it returns
 *     to.  Offsets into the function count from the piece's start.
 *  2. Records of one start lend each other names.  The one of them that
 *     comes first by rule 1 is called, if it is a function and has a name,
 *     by the first that applies of
 *       a. a symbol that is its name and a suffix behind a dot (f.cold,
 *          f.part.0);
 *       b. its linkage name;
 *       c. a symbol that is mangled (_Z, _R, ?, $s), if its name is not;
 *       d. its name;
 *     otherwise, as all symbols and labels are, by
 *       e. any symbol of that start, itself included; else another function
 *          of that start;
 *       f. what would answer without it.
 *     Symbols are what has a lower rank than functions, or a name from a
 *     symbol table; labels count except in a.  Where several fit: functions and symbols before labels,
 *     global before weak before local, without a version (@) before with
 *     one, then the one that sorts first.  What is still without a name
 *     does not get into the file.
 *  3. Labels inside a function or symbol, its start included, go.  Of
 *     several at one start one stays, with the lowest limit.  It reaches to
 *     the next record or its limit, 4 GiB at most.  One whose limit is not
 *     known and behind which nothing follows gets size 0.  One that reaches
 *     its limit at once goes.  Functions and symbols of size 0 are labels.
 *  4. Records below function rank that hold nothing but a name take the
 *     loose rows that lie in them, from the row in force at their start on;
 *     NOSRC rows (gsym(5)) stand for the parts that no loose rows cover.
 *  5. Rows that no lookup can reach go (of one address all but the last;
 *     repeats of file and line).  A line table starts at the function's
 *     start: if its first row is later, a NOSRC row fills the gap.  One that
 *     says nothing but NOSRC is left out, unless there are inlined calls,
 *     which need one: without any row such a function gets a NOSRC row.
 *     Calls from GSYM_FILE_NOSRC are calls from GSYM_FILE_UNKNOWN.
 *  6. Where merged functions are asked for (struct gsym_build_options),
 *     functions and symbols of equal range become merged functions of the
 *     one of them that comes first by rule 1, in the order of their names:
 *     folded ones (struct gsym_record) too.  Those that say nothing more
 *     than it, or than another of the same name, go.  Folded records have no
 *     other effect than this.
 */
#ifndef GSYM_BUILDER_H
#define GSYM_BUILDER_H

#include <gsym/record.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gsym_builder;

/** A new, empty builder; NULL without memory. */
GSYM_API struct gsym_builder *gsym_builder_new(void);
/** Free BUILDER and all that it holds.  NULL is fine. */
GSYM_API void gsym_builder_free(struct gsym_builder *builder);

/** The number of the string of LENGTH bytes at BYTES, which are copied.
 *  GSYM_ERR_ARGUMENT if there is a NUL in them. */
GSYM_API enum gsym_status gsym_builder_string(struct gsym_builder *builder,
					      const char *bytes, size_t length,
					      uint32_t *number);
/** The number of the file of two strings.  Both 0 give GSYM_FILE_NOSRC; no
 *  directory and "??" give GSYM_FILE_UNKNOWN. */
GSYM_API enum gsym_status gsym_builder_file(struct gsym_builder *builder,
					    uint32_t directory,
					    uint32_t basename,
					    uint32_t *number);
/** Add a record.  GSYM_ERR_ARGUMENT if it breaks a rule of
 *  struct gsym_record: numbers that were not given, rows out of order or
 *  outside, nodes deeper than their parent allows or outside of it, a size
 *  beyond UINT32_MAX; nothing was added then. */
GSYM_API enum gsym_status gsym_builder_record(struct gsym_builder *builder,
					      const struct gsym_record *record);
/** Add loose rows; see struct gsym_sink.  GSYM_ERR_ARGUMENT if RANGE is
 *  empty, or rows are out of order or outside. */
GSYM_API enum gsym_status
gsym_builder_loose_rows(struct gsym_builder *builder, struct gsym_range range,
			const struct gsym_loose_row *rows, size_t count);
/**
 * Add a call site to the function that the file will call NAME; the first
 * one, in address order, that reaches up to the return offset, merged
 * functions included.  It comes before those that the function has already.
 * PATTERNS are what CALL's first_pattern counts in.  If there is no such
 * function in the end, gsym_builder_finish fails.
 */
GSYM_API enum gsym_status
gsym_builder_call_site(struct gsym_builder *builder, uint32_t name,
		       const struct gsym_call *call, const uint32_t *patterns);
/** BUILDER as a sink; valid as long as BUILDER. */
GSYM_API struct gsym_sink gsym_builder_sink(struct gsym_builder *builder);

/** The build ID of the program; copied.  SIZE 0 takes it away. */
GSYM_API enum gsym_status gsym_builder_set_uuid(struct gsym_builder *builder,
						const uint8_t *uuid,
						size_t size);
/** The preferred base address, as a rule that of the first segment.  If a
 *  function starts below it, that start is the base. */
GSYM_API void gsym_builder_set_base(struct gsym_builder *builder,
				    uint64_t base);

/** All zeros: version 1, little-endian, one thread. */
struct gsym_build_options {
	/** 1 (also for 0) or 2. */
	unsigned version;
	bool big_endian;
	/** Threads to use, the calling thread included: 0 means 1, more than
	 *  GSYM_THREADS_MAX means GSYM_THREADS_MAX.  The output is the same
	 *  for every number. */
	unsigned threads;
	/** Records of equal range become merged functions of the one that
	 *  answers, instead of giving way to it. */
	bool merge;
};

/** What gsym_builder_finish made of the records. */
struct gsym_build_summary {
	/** Records of the file, pieces included, by the rank of their
	 *  origin (labels: and of what had size 0). */
	uint64_t functions;
	uint64_t symbols;
	uint64_t labels;
	/** Those that are data, which are not among the former. */
	uint64_t data;
	/** Records that came in but answer nowhere. */
	uint64_t dropped;
	uint64_t rows;
	uint64_t inlined_calls;
	uint64_t call_sites;
	uint64_t merged;
	/** Different strings, and entries of the file table; the empty
	 *  string and entry 0, which every file has, aside. */
	uint64_t strings;
	uint64_t files;
	/** Version 1 holds the first 20 bytes of the build ID. */
	bool uuid_cut;
};

/**
 * Settle the records and lay the file out in memory.  *BYTES is malloc'ed
 * and the caller's to free.  OPTIONS and SUMMARY may be NULL; SUMMARY is
 * filled on success.  The builder is used up, also by a failure: the only
 * call left is gsym_builder_free.
 *
 * GSYM_NOT_FOUND: no record has any code.  GSYM_ERR_ARGUMENT: an unknown
 * version; a call site whose function there is not.  GSYM_ERR_LIMIT: the data do not fit into version 1 (more than
 * 4 GiB of strings or records), where version 2 would take them; more than
 * 2^32 - 1 functions or files; a function that takes more than 4 GiB; or
 * records that cut each other into so many pieces that no program can mean
 * it.
 */
GSYM_API enum gsym_status
gsym_builder_finish(struct gsym_builder *builder,
		    const struct gsym_build_options *options, uint8_t **bytes,
		    size_t *size, struct gsym_build_summary *summary,
		    struct gsym_error *error);

/** Takes a piece of a file: SIZE bytes that belong at OFFSET.  Pieces come in
 *  no certain order, but none twice, and what none covers is zeros; no piece
 *  reaches further than the last record, which is always there.  The bytes
 *  live for the call only.  Calls follow each other, but may come from other
 *  threads than the caller's.  A status other than GSYM_OK ends the writing. */
typedef enum gsym_status gsym_piece_fn(void *context, uint64_t offset,
				       const uint8_t *bytes, size_t size);

/**
 * As gsym_builder_finish, but piece by piece, so that the file need not fit
 * into memory: each goes to PUT as soon as it is there.  *SIZE is that of the
 * file.  When it fails, also because PUT did, pieces may have been put.
 */
GSYM_API enum gsym_status
gsym_builder_write(struct gsym_builder *builder,
		   const struct gsym_build_options *options,
		   gsym_piece_fn *put, void *context, uint64_t *size,
		   struct gsym_build_summary *summary,
		   struct gsym_error *error);

/** Takes a segment: a whole file of its own, whose first function starts at
 *  ADDRESS.  The bytes live for the call only.  A status other than GSYM_OK
 *  ends the writing. */
typedef enum gsym_status gsym_segment_fn(void *context, uint64_t address,
					 const uint8_t *bytes, size_t size);

/**
 * As gsym_builder_finish, but in segments of SEGMENT_SIZE bytes at most (0:
 * one segment): each goes to PUT, in address order, as soon as it is laid
 * out.  All have the build ID and the base address of the whole, and only
 * the strings and files that they use.  SUMMARY counts over all of them.
 *
 * A function that does not fit into SEGMENT_SIZE bytes gets a segment of its
 * own, which is larger: PUT sees that from its size.
 */
GSYM_API enum gsym_status
gsym_builder_finish_segments(struct gsym_builder *builder,
			     const struct gsym_build_options *options,
			     uint64_t segment_size, gsym_segment_fn *put,
			     void *context,
			     struct gsym_build_summary *summary,
			     struct gsym_error *error);

#ifdef __cplusplus
}
#endif
#endif /* GSYM_BUILDER_H */
