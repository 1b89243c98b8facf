/* SPDX-License-Identifier: MIT */
/*
 * breakpad/body.h - the bodies of functions, read by workers.
 *
 * A worker reads a batch of functions and touches nothing that others could
 * see: files and names are indexes in the file's maps.  Whoever merges puts
 * the sink's numbers in their place.
 */
#ifndef GSYM_BREAKPAD_BODY_H
#define GSYM_BREAKPAD_BODY_H

#include "breakpad/file.h"

/** A line record, cut to its function, from whose start it counts. */
struct bp_body_line {
	uint32_t start;
	uint32_t end;
	uint32_t line;
	uint32_t file; /**< index */
};

/** What a worker needs for a function; memory is kept from one to the
 *  next. */
struct bp_body {
	const struct bp_file *file;
	const struct bp_function *function;
	struct bp_batch *batch; /**< where the results go */
	struct bp_lines { GSYM_VEC(struct bp_body_line); } lines;
	bool unsorted; /**< the lines are */
	struct bp_lines sorted;
	struct { GSYM_VEC(uint64_t); } keys;
	struct { GSYM_VEC(struct bp_call_record); } calls;
	struct { GSYM_VEC(uint32_t); } order; /**< nodes, parents first */
	struct { GSYM_VEC(uint32_t); } first; /**< by node: its ranges */
	struct bp_tree tree;
	/** FILE, to tell how far the work is, while nobody else does; NULL. */
	struct bp_file *reports;
	bool cancelled; /**< as a report was answered */
};

/** What a function of a batch has of the batch's rows and so on. */
struct bp_item {
	const struct bp_function *function;
	size_t first_row, row_count;
	size_t first_inline, inline_count;
	size_t first_range;
};

/** Functions that are read together. */
struct bp_batch {
	struct { GSYM_VEC(struct bp_item); } items;
	/** Indexes of files stand for their numbers. */
	struct { GSYM_VEC(struct gsym_row); } rows;
	/** So do indexes of names. */
	struct { GSYM_VEC(struct gsym_inline_node); } inlines;
	struct { GSYM_VEC(struct gsym_range); } ranges;
	uint64_t line_records; /**< that were read */
	/** In the order of the text. */
	struct {
		GSYM_VEC(struct bp_warning {
			enum gsym_warning kind;
			uint64_t line;
			const char *text;
			uint64_t count;
		});
	} warnings;
	/** Warnings that were too many to be kept, by kind. */
	uint64_t more[GSYM_WARN_COUNT];
	/** The first files that were used and not defined. */
	struct { GSYM_VEC(uint32_t); } missing;
};

void gsym_bp_body_fini(struct bp_body *body);
void gsym_bp_batch_fini(struct bp_batch *batch);

/** Note COUNT (perhaps 0) equal warnings for the merge. */
void gsym_bp_note(struct bp_batch *batch, enum gsym_warning kind, uint64_t line,
		  const char *text, uint64_t count);

/** Note that the file ID is used and not defined. */
void gsym_bp_note_missing(struct bp_batch *batch, int64_t id);

/** The index of the file ID. */
static inline uint32_t bp_source(struct bp_body *body, int64_t id)
{
	uint32_t index = bp_map_index(&body->file->files, id);

	if (index == bp_unknown_file(body->file))
		gsym_bp_note_missing(body->batch, id);
	return index;
}

/** Read FUNCTION's body into BATCH.  False without memory, or if it was
 *  cancelled. */
bool gsym_bp_read_function(struct bp_body *body,
			   const struct bp_function *function,
			   struct bp_batch *batch);

/** Read TEXT, an INLINE record behind its keyword.  False if it cannot be
 *  read; *OK is cleared without memory. */
bool gsym_bp_add_call(struct bp_body *body, struct bp_text text, bool *ok);

/** Read an INLINE record, as producers write it, from behind its keyword AT.
 *  Returns what follows the line; NULL, and nothing is added, if it is none or
 *  written in another way. */
const char *gsym_bp_read_call(struct bp_body *body, const char *at, bool *ok);

/** The inline tree of the calls that were added, into the batch.  False
 *  without memory. */
bool gsym_bp_make_inlines(struct bp_body *body, struct bp_item *item);

#endif
