/* SPDX-License-Identifier: MIT */
/*
 * breakpad/batch.h - the rows and inlined calls that a worker reads from the
 * bodies of some functions.
 *
 * Workers run at once and change nothing but their batch.  So in a batch rows
 * and inlined calls have indexes of the symbol file's maps (struct bp_map) in
 * place of numbers of the sink.  The merge replaces the indexes and passes the
 * warnings on.
 */
#ifndef GSYM_BREAKPAD_BATCH_H
#define GSYM_BREAKPAD_BATCH_H

#include "breakpad/file.h"

/** A function of a batch: the places of its rows and inlined calls in the
 * arrays. */
struct bp_item {
	const struct bp_function *function;
	size_t first_row, row_count;
	size_t first_inline, inline_count;
	size_t first_range;
};

struct bp_batch {
	struct { GSYM_VEC(struct bp_item); } items;
	struct { GSYM_VEC(struct gsym_row); } rows; /**< FILE is an index of the
						     *   map of files. */
	/** CALL_FILE and NAME are indexes of the maps. */
	struct { GSYM_VEC(struct gsym_inline_node); } inlines;
	struct { GSYM_VEC(struct gsym_range); } ranges;
	uint64_t line_records; /**< line records that were read */
	/** In the order of the text. */
	struct {
		GSYM_VEC(struct bp_warning {
			enum gsym_warning kind;
			uint64_t line;
			const char *text;
			uint64_t count; /**< the number of equal warnings */
		});
	} warnings;
	/** By kind: the number of warnings that were not kept. */
	uint64_t more[GSYM_WARN_COUNT];
	/** Ids of files that were used but not defined; the first ones only. */
	struct { GSYM_VEC(uint32_t); } missing;
};

void gsym_bp_batch_fini(struct bp_batch *batch);

/** Add COUNT (perhaps 0) equal warnings about line number LINE. */
void gsym_bp_batch_warn(struct bp_batch *batch, enum gsym_warning kind,
			uint64_t line, const char *text, uint64_t count);

/** Note that the file ID is used and not defined. */
void gsym_bp_batch_missing(struct bp_batch *batch, int64_t id);

#endif
