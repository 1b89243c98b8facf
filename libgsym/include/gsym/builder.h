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
 *  1. At every address one record answers: the one of the highest rank
 *     (function, symbol, label), among equals the innermost (the latest
 *     start, then the earliest end), then the one that knows more (inline
 *     nodes, then rows, then call sites), then the one whose content sorts
 *     first.  A record keeps what is left of its range; where others cut it
 *     into pieces each piece becomes a record of its own, with its share of
 *     rows and inlined calls.
 *  2. Records of one start lend each other names.  The name is, of the
 *     first that applies:
 *       a. a symbol that is the winner's name and a suffix behind a dot
 *          (f.cold, f.part.0);
 *       b. the winner's linkage name;
 *       c. a symbol that is mangled (_Z, _R, ?, $s), if the winner's name is
 *          not;
 *       d. the winner's name, if it has one;
 *       e. any symbol.
 *     Where several symbols fit: global before weak before local, without
 *     a version (@) before with one, then the one that sorts first.
 *  3. Labels inside a function or symbol, its start included, go.  Any
 *     other reaches to the next record or its limit.  One whose limit is
 *     not known and behind which nothing follows gets size 0.
 *  4. Records below function rank take the loose rows that lie in them.
 *  5. Rows that no lookup can reach go (of one address all but the last;
 *     repeats of file and line).  A line table starts at the function's
 *     start: if its first row is later, a NOSRC row (gsym(5)) fills the gap.
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
/** The number of the file of two strings. */
GSYM_API enum gsym_status gsym_builder_file(struct gsym_builder *builder,
					    uint32_t directory,
					    uint32_t basename,
					    uint32_t *number);
/** Add a record.  GSYM_ERR_ARGUMENT if it breaks a rule of
 *  struct gsym_record: numbers that were not given, rows out of order,
 *  nodes deeper than their parent allows; nothing was added then. */
GSYM_API enum gsym_status gsym_builder_record(struct gsym_builder *builder,
					      const struct gsym_record *record);
/** Add loose rows; see struct gsym_sink. */
GSYM_API enum gsym_status
gsym_builder_loose_rows(struct gsym_builder *builder, struct gsym_range range,
			const struct gsym_loose_row *rows, size_t count);
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

struct gsym_build_options {
	/** 1 (also for 0) or 2. */
	unsigned version;
	bool big_endian;
	/** Threads to use, the caller's included; 0 means 1. */
	unsigned threads;
};

/** What gsym_builder_finish made of the records. */
struct gsym_build_summary {
	/** Records of the file, by the rank of their origin. */
	uint64_t functions;
	uint64_t symbols;
	uint64_t labels;
	/** Records that came in but answer nowhere. */
	uint64_t dropped;
	uint64_t rows;
	uint64_t inlined_calls;
	uint64_t call_sites;
	uint64_t merged;
	uint64_t strings;
	uint64_t files;
	/** Version 1 holds the first 20 bytes of the build ID. */
	bool uuid_cut;
};

/**
 * Settle the records and lay the file out in memory.  *BYTES is malloc'ed
 * and the caller's to free.  SUMMARY may be NULL.  The builder is used up:
 * the only calls left are gsym_builder_free.
 *
 * GSYM_NOT_FOUND: no function has any code.  GSYM_ERR_LIMIT: the data do
 * not fit into version 1 (more than 4 GiB of strings or records); version 2
 * would take them.
 */
GSYM_API enum gsym_status
gsym_builder_finish(struct gsym_builder *builder,
		    const struct gsym_build_options *options, uint8_t **bytes,
		    size_t *size, struct gsym_build_summary *summary,
		    struct gsym_error *error);

#ifdef __cplusplus
}
#endif
#endif /* GSYM_BUILDER_H */
