/* SPDX-License-Identifier: MIT */
/*
 * breakpad/body.h - reads the body of a function, which is its line records and
 * INLINE records, into a batch.  Runs in workers.
 */
#ifndef GSYM_BREAKPAD_BODY_H
#define GSYM_BREAKPAD_BODY_H

#include "breakpad/batch.h"
#include "breakpad/tree.h"

/** A line record, cut to its function and counted from its start. */
struct bp_body_line {
	uint32_t start;
	uint32_t end;
	uint32_t line;
	uint32_t file; /**< index in the map of files */
};

/** An INLINE record without its ranges. */
struct bp_inline_record {
	uint32_t line;	 /**< line of the call */
	uint32_t file;	 /**< file of the call, as an index of the map of
			  *   files */
	uint32_t origin; /**< name, as an index of the map of origins */
};

/** The function that a worker reads, and the worker's memory.  A struct that is
 *  zeroed except for FILE is ready for use.  Memory is kept from one function
 *  to the next. */
struct bp_body {
	const struct bp_file *file;
	const struct bp_function *function;
	struct bp_batch *batch; /**< takes the results */
	struct bp_lines { GSYM_VEC(struct bp_body_line); } lines;
	/** Scratch for sorting LINES. */
	struct bp_lines sorted;
	struct { GSYM_VEC(uint64_t); } keys;
	struct { GSYM_VEC(struct bp_inline_record); } inlines;
	struct bp_tree tree; /**< tree of INLINES */
	/** Nodes of TREE, parents first; for each node the index of its first
	 *  range. */
	struct { GSYM_VEC(uint32_t); } order;
	struct { GSYM_VEC(uint32_t); } first;
	/** For a large body: the file, to report the progress.  Else NULL. */
	struct bp_file *reports;
	bool cancelled; /**< the progress callback returned false */
};

void gsym_bp_body_fini(struct bp_body *body);

/** The index of the file ID; notes ID if no file has it, unless ID is negative,
 *  which stands for no file. */
static inline uint32_t bp_file_index(struct bp_body *body, int64_t id)
{
	uint32_t index = bp_map_index(&body->file->files, id);

	if (index == bp_unknown_file(body->file))
		gsym_bp_batch_missing(body->batch, id);
	return index;
}

/** Read FUNCTION's body into BATCH.  False without memory, or if BODY's
 *  CANCELLED is set. */
bool gsym_bp_read_body(struct bp_body *body, const struct bp_function *function,
		       struct bp_batch *batch);

/* ---- inlines.c ----------------------------------------------------------- */

/** Read TEXT, the fields of an INLINE record in any form, into BODY.  False,
 *  with nothing added, if they cannot be read. *OK becomes false without
 *  memory. */
bool gsym_bp_inline_carefully(struct bp_body *body, struct bp_text text,
			      bool *ok);

/** Read the INLINE record whose fields begin AT into BODY, if it has the form
 *  that producers write.  Returns the start of the next line; NULL, with
 *  nothing added, if the record has another form. *OK becomes false without
 *  memory. */
const char *gsym_bp_inline_quickly(struct bp_body *body, const char *at,
				   bool *ok);

/** Make the inline tree of BODY's INLINE records, and add it to the batch and
 *  ITEM.  False without memory. */
bool gsym_bp_make_inlines(struct bp_body *body, struct bp_item *item);

#endif
