/* SPDX-License-Identifier: MIT */
/* batch/text.h - measure and write the texts of columns as UTF-8.  Knows
 * nothing of Arrow. */
#ifndef GSYM_BATCH_TEXT_H
#define GSYM_BATCH_TEXT_H

#include <gsym/reader.h>

/** Where texts go: the bytes at TO; if TO is NULL, texts are only measured.
 *  SIZE is the number of bytes so far. */
struct batch_out {
	char *to;
	uint64_t size;
};

/** Append to OUT a text of the COUNT frames at FRAMES, nothing if COUNT is 0:
 *  the name of the function of the first one, the path of its file, or the
 *  functions of all frames, the outermost first. */
typedef void gsym_batch_put_fn(struct batch_out *out,
			       const struct gsym_frame *frames, size_t count);
gsym_batch_put_fn gsym_batch_put_function;
gsym_batch_put_fn gsym_batch_put_file;
gsym_batch_put_fn gsym_batch_put_folded;

#endif
