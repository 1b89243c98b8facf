/* SPDX-License-Identifier: MIT */
/* batch/batch.h - the parts of a batch: addresses to frames, frames to columns.
 * Knows nothing of files. */
#ifndef GSYM_BATCH_BATCH_H
#define GSYM_BATCH_BATCH_H

#include "base/memory.h"
#include "base/vec.h"

#include <gsym/batch.h>

/** COUNT addresses from number FIRST on that have one build ID. */
struct batch_run {
	const uint8_t *id;
	size_t id_size;
	size_t first;
	size_t count;
};

struct gsym_batch {
	struct gsym_store *store;
	unsigned flags;
	struct gsym_arena ids;
	GSYM_VEC_OF(uint64_t) addresses;
	GSYM_VEC_OF(struct batch_run) runs;
	/** The most bytes of the texts of a column: INT32_MAX, but for
	 *  tests. */
	size_t most_text;
};

/** The values of the column status. */
enum batch_status {
	BATCH_OK,
	BATCH_NOT_COVERED,
	BATCH_NO_FILE,
	BATCH_DAMAGED,
	BATCH_BAD_INPUT,
	BATCH_UNREADABLE
};

/** The answer for an address: COUNT frames from number FIRST on. */
struct batch_row {
	uint32_t first;
	uint32_t count;
	enum batch_status status;
};

/** The answers for a batch.  The strings of FRAMES live as long as the files
 *  of ENTRIES are in use. */
struct batch_answers {
	struct batch_row *rows;
	size_t count;
	/** As in struct gsym_batch. */
	size_t most_text;
	GSYM_VEC_OF(struct gsym_frame) frames;
	GSYM_VEC_OF(const struct gsym_store_entry *) entries;
};

/** Set RET to the schema of the columns FLAGS; false without memory. */
bool gsym_batch_make_schema(struct ArrowSchema *ret, unsigned flags);
/** Set RET to the columns FLAGS of ANSWERS.  GSYM_ERR_LIMIT,
 *  GSYM_ERR_MEMORY; RET needs no release then. */
enum gsym_status gsym_batch_make_array(struct ArrowArray *ret, unsigned flags,
				       const struct batch_answers *answers,
				       struct gsym_error *error);

#endif
