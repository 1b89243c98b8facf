/* SPDX-License-Identifier: MIT */
/* batch/text.h - writes the texts of columns as UTF-8.  Knows nothing of
 * Arrow. */
#ifndef GSYM_BATCH_TEXT_H
#define GSYM_BATCH_TEXT_H

#include "base/emit.h"

#include <gsym/reader.h>

/** Where texts go.  A mapped file may change at any time, so each string of a
 *  file is read once: to OWN, and from there to TEXT. */
struct batch_out {
	/** The texts so far, MOST bytes at most. */
	struct gsym_emit text;
	size_t most;
	/** TEXT would have become longer than MOST; it is incomplete. */
	bool full;
	/** The string that is being written, ended by NUL. */
	struct gsym_emit own;
};

/** Append to OUT a text of the COUNT frames at FRAMES, nothing if COUNT is 0:
 *  the name of the function of the first one, the path of its file, or the
 *  functions of all frames or of the first one, in the form of folded stacks,
 *  the outermost first. */
typedef void gsym_batch_put_fn(struct batch_out *out,
			       const struct gsym_frame *frames, size_t count);
gsym_batch_put_fn gsym_batch_put_function;
gsym_batch_put_fn gsym_batch_put_file;
gsym_batch_put_fn gsym_batch_put_folded;
gsym_batch_put_fn gsym_batch_put_leaf;

#endif
