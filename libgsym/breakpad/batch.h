/* SPDX-License-Identifier: MIT */
/*
 * breakpad/batch.h - what a worker makes of the bodies of some functions.
 *
 * Workers run at once and touch nothing but their batch, so rows and inlined
 * calls have indexes of the file's maps (struct bp_map) where records have
 * numbers of the sink.  The merge replaces the indexes and passes the warnings
 * on.
 */
#ifndef GSYM_BREAKPAD_BATCH_H
#define GSYM_BREAKPAD_BATCH_H

#include "breakpad/file.h"

/** A function of a batch: where its rows and so on lie in the arrays. */
struct bp_item {
	const struct bp_function *function;
	size_t first_row, row_count;
	size_t first_inline, inline_count;
	size_t first_range;
};

struct bp_batch {
	struct { GSYM_VEC(struct bp_item); } items;
	struct { GSYM_VEC(struct gsym_row); } rows; /**< files: indexes */
	/** Files and names: indexes. */
	struct { GSYM_VEC(struct gsym_inline_node); } inlines;
	struct { GSYM_VEC(struct gsym_range); } ranges;
	uint64_t line_records; /**< read so far */
	/** In the order of the text. */
	struct {
		GSYM_VEC(struct bp_warning {
			enum gsym_warning kind;
			uint64_t line;
			const char *text;
			uint64_t count; /**< so many equal ones */
		});
	} warnings;
	/** For each kind: warnings beyond the number that is kept. */
	uint64_t more[GSYM_WARN_COUNT];
	/** Ids of the first files that were used and not defined. */
	struct { GSYM_VEC(uint32_t); } missing;
};

void gsym_bp_batch_fini(struct bp_batch *batch);

/** Add COUNT (perhaps 0) equal warnings about line number LINE. */
void gsym_bp_batch_warn(struct bp_batch *batch, enum gsym_warning kind,
			uint64_t line, const char *text, uint64_t count);

/** Note that the file ID is used and not defined. */
void gsym_bp_batch_missing(struct bp_batch *batch, int64_t id);

#endif
