/* SPDX-License-Identifier: MIT */
/* Frees batches, and keeps the warnings of a batch until the merge. */
#include "breakpad/batch.h"

/* Warnings of a batch that are kept as text; further ones are counted by
 * kind. */
enum { MAX_WARNINGS = 4096 };

void gsym_bp_batch_fini(struct bp_batch *batch)
{
	gsym_vec_fini(&batch->items);
	gsym_vec_fini(&batch->rows);
	gsym_vec_fini(&batch->inlines);
	gsym_vec_fini(&batch->ranges);
	gsym_vec_fini(&batch->warnings);
	gsym_vec_fini(&batch->missing);
}

void gsym_bp_batch_warn(struct bp_batch *batch, enum gsym_warning kind,
			uint64_t line, const char *text, uint64_t count)
{
	struct bp_warning *added = NULL;

	if (!count)
		return;
	if (batch->warnings.count < MAX_WARNINGS)
		added = gsym_vec_push(&batch->warnings);
	if (added)
		*added = (struct bp_warning){ kind, line, text, count };
	else
		batch->more[kind] += count;
}

void gsym_bp_batch_missing(struct bp_batch *batch, int64_t id)
{
	uint32_t *added;

	if (id < 0 || batch->missing.count >= BP_MAX_MISSING)
		return;
	for (size_t i = 0; i < batch->missing.count; i++)
		if (batch->missing.items[i] == id)
			return;
	added = gsym_vec_push(&batch->missing);
	if (added)
		*added = (uint32_t)id;
}
