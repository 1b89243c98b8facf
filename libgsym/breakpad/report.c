/* SPDX-License-Identifier: MIT */
/* Warnings and progress; the warnings that a batch keeps until the merge. */
#include "breakpad/file.h"

#include <inttypes.h>
#include <stdio.h>

/* Memory of text is released in steps of so many bytes. */
enum { FORGET_BYTES = 4 << 20 };

void gsym_bp_warn(struct bp_file *file, enum gsym_warning kind, uint64_t line,
		  const char *text)
{
	char message[256];

	if (!file->options->warn)
		return;
	if (line)
		snprintf(message, sizeof(message), "line %" PRIu64 ": %s", line,
			 text);
	else
		snprintf(message, sizeof(message), "%s", text);
	file->options->warn(file->options->context, kind, message);
}

void gsym_bp_warn_missing_file(struct bp_file *file, uint32_t id)
{
	char text[64];
	uint32_t *added;

	if (file->missing.count >= BP_MAX_MISSING)
		return;
	for (size_t i = 0; i < file->missing.count; i++)
		if (file->missing.items[i] == id)
			return;
	added = gsym_vec_push(&file->missing);
	if (!added)
		return;
	*added = id;
	snprintf(text, sizeof(text), "FILE %" PRIu32 " is used and not defined",
		 id);
	gsym_bp_warn(file, GSYM_WARN_UNKNOWN_RECORD, 0, text);
}

void gsym_bp_forget(struct bp_file *file, const char *at)
{
	bool back = at < file->forgotten;

	if (!back && (size_t)(at - file->forgotten) < FORGET_BYTES)
		return;
	/* The second pass starts at the front again: release the end of the
	 * text, too, because it is needed last. */
	gsym_bp_spool_forget(file->text, back ? file->text.end : at);
	file->forgotten = at;
}

bool gsym_bp_progress(struct bp_file *file, const char *at, unsigned pass)
{
	uint64_t size = bp_length(file->text);

	gsym_bp_forget(file, at);
	return !file->options->progress ||
	       file->options->progress(file->options->context,
				       (uint64_t)(at - file->text.at) +
					       (pass + file->copied) * size,
				       (2 + file->copied) * size);
}

/* ---- batches ------------------------------------------------------------- */

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
