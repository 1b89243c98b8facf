/* SPDX-License-Identifier: MIT */
/* Makes and frees a builder; adds strings and files; makes a sink of a builder;
 * writes one file: in memory, or piece by piece. */
#include "writer/state.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static bool intern_file(struct gsym_builder *b, struct w_file file,
			uint32_t *number)
{
	char bytes[sizeof(file)];

	memcpy(bytes, &file, sizeof(file));
	return gsym_intern_add(&b->files, bytes, sizeof(bytes), number);
}

struct gsym_builder *gsym_builder_new(void)
{
	struct gsym_builder *b = calloc(1, sizeof(*b));
	uint32_t number;

	if (!b)
		return NULL;
	b->limits = (struct w_limits){ UINT32_MAX, UINT32_MAX,
				       (uint64_t)1 << 30 };
	/* The first strings and files get the numbers W_STRING_* and
	 * W_FILE_*. */
	if (!gsym_intern_add(&b->strings, "", 0, &number) ||
	    !gsym_intern_add(&b->strings, "??", 2, &number) ||
	    !intern_file(b, (struct w_file){ 0, 0 }, &number) ||
	    !intern_file(b, (struct w_file){ 0, W_STRING_UNKNOWN }, &number)) {
		gsym_builder_free(b);
		return NULL;
	}
	return b;
}

void gsym_builder_free(struct gsym_builder *b)
{
	if (!b)
		return;
	gsym_intern_fini(&b->strings);
	gsym_intern_fini(&b->files);
	gsym_arena_fini(&b->arena);
	gsym_vec_fini(&b->records);
	gsym_vec_fini(&b->loose);
	gsym_vec_fini(&b->calls);
	gsym_vec_fini(&b->scratch);
	if (b->spills)
		gsym_spill_close(&b->spill);
	free(b->uuid);
	free(b);
}

enum gsym_status
gsym_builder_set_temporary_directory(struct gsym_builder *b, const char *path,
				     struct gsym_error *error)
{
	if (!b || !path || b->finished || b->spills)
		return gsym_fail_argument(error);
	/* "%m" prints the text of errno, and uses no shared buffer. */
	if (!gsym_spill_open(&b->spill, path))
		return gsym_fail(error, GSYM_ERR_IO, 0,
				 "cannot make a temporary file: %m");
	b->spills = true;
	b->strings.arena.spill = b->arena.spill = &b->spill;
	return GSYM_OK;
}

enum gsym_status gsym_builder_string(struct gsym_builder *b, const char *bytes,
				     size_t length, uint32_t *number)
{
	if (!b || !number || b->finished ||
	    (length && (!bytes || memchr(bytes, 0, length))))
		return GSYM_ERR_ARGUMENT;
	if (!gsym_intern_add(&b->strings, length ? bytes : "", length, number))
		return GSYM_ERR_MEMORY;
	return GSYM_OK;
}

enum gsym_status gsym_builder_file(struct gsym_builder *b, uint32_t directory,
				   uint32_t basename, uint32_t *number)
{
	if (!b || !number || b->finished || directory >= b->strings.count ||
	    basename >= b->strings.count)
		return GSYM_ERR_ARGUMENT;
	if (!intern_file(b, (struct w_file){ directory, basename }, number))
		return GSYM_ERR_MEMORY;
	/* For callers the number of this file is GSYM_FILE_UNKNOWN. */
	if (*number == W_FILE_UNKNOWN)
		*number = GSYM_FILE_UNKNOWN;
	return GSYM_OK;
}

enum gsym_status gsym_builder_set_uuid(struct gsym_builder *b,
				       const uint8_t *uuid, size_t size)
{
	uint8_t *copy = NULL;

	if (!b || (!uuid && size))
		return GSYM_ERR_ARGUMENT;
	if (size) {
		copy = malloc(size);
		if (!copy)
			return GSYM_ERR_MEMORY;
		memcpy(copy, uuid, size);
	}
	free(b->uuid);
	b->uuid = copy;
	b->uuid_size = size;
	return GSYM_OK;
}

void gsym_builder_set_base(struct gsym_builder *b, uint64_t base)
{
	if (!b)
		return;
	b->base = base;
	b->has_base = true;
}

static enum gsym_status sink_string(void *self, const char *bytes,
				    size_t length, uint32_t *number)
{
	return gsym_builder_string(self, bytes, length, number);
}

static enum gsym_status sink_strings(void *self, const struct gsym_text *texts,
				     size_t count, uint32_t *numbers)
{
	enum gsym_status status = GSYM_OK;

	for (size_t i = 0; i < count && status == GSYM_OK; i++)
		status = gsym_builder_string(self, texts[i].bytes,
					     texts[i].length, &numbers[i]);
	return status;
}

static enum gsym_status sink_file(void *self, uint32_t directory,
				  uint32_t basename, uint32_t *number)
{
	return gsym_builder_file(self, directory, basename, number);
}

static enum gsym_status sink_record(void *self,
				    const struct gsym_record *record)
{
	return gsym_builder_record(self, record);
}

static enum gsym_status sink_loose_rows(void *self, struct gsym_range range,
					const struct gsym_loose_row *rows,
					size_t count)
{
	return gsym_builder_loose_rows(self, range, rows, count);
}

struct gsym_sink gsym_builder_sink(struct gsym_builder *b)
{
	if (!b)
		return (struct gsym_sink){ 0 };
	return (struct gsym_sink){ b, sink_string, sink_file, sink_record,
				   sink_loose_rows, sink_strings };
}

/* ---- writing a file ----------------------------------------------------- */

const struct gsym_build_options gsym_writer_defaults;

enum gsym_status gsym_writer_close(struct gsym_builder *b,
				   const struct gsym_build_options *options,
				   struct w_shapes *records,
				   struct gsym_build_summary *summary,
				   struct gsym_error *error)
{
	enum gsym_status status;

	if (b->finished)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "the builder is used up");
	if (options->version > 2)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "there is no version %u", options->version);
	b->finished = true;
	status = gsym_writer_settle(b, options, records, summary, error);
	if (status == GSYM_OK && !records->count)
		status = GSYM_NOT_FOUND;
	if (status == GSYM_OK)
		status = gsym_writer_place_calls(b, records, error);
	if (status == GSYM_OK && (options->no_lines || options->no_inlines))
		status = gsym_writer_leave_out(b, options, records->items,
					       records->count);
	/* The records that the file needs were copied to RECORDS. */
	gsym_vec_fini(&b->records);
	return status;
}

enum gsym_status gsym_builder_write(struct gsym_builder *b,
				    const struct gsym_build_options *options,
				    gsym_piece_fn *put, void *context,
				    uint64_t *size,
				    struct gsym_build_summary *summary,
				    struct gsym_error *error)
{
	const struct w_pieces pieces = { put, context };
	struct gsym_build_summary counts = { 0 };
	struct w_shapes records = { 0 };
	enum gsym_status status;

	if (!b || !put || !size)
		return gsym_fail_argument(error);
	if (!options)
		options = &gsym_writer_defaults;
	status = gsym_writer_close(b, options, &records, &counts, error);
	if (status == GSYM_OK)
		status = gsym_writer_lay_out(
			b, options,
			(struct w_records){ records.items, records.count },
			&pieces, size, &counts, error);
	gsym_vec_fini(&records);
	if (status == GSYM_OK && summary)
		*summary = counts;
	return status;
}

enum gsym_status gsym_writer_put_image(void *context, uint64_t offset,
				       const uint8_t *bytes, size_t size)
{
	struct gsym_emit *image = context;
	size_t more = 0;

	if (offset > SIZE_MAX - size)
		return GSYM_ERR_MEMORY;
	if (offset + size > image->size)
		more = (size_t)offset + size - image->size;
	if (more) {
		uint8_t *added = gsym_emit_reserve(image, more);

		if (!added)
			return GSYM_ERR_MEMORY;
		if (more > size)
			memset(added, 0, more - size);
	}
	memcpy(image->data + offset, bytes, size);
	return GSYM_OK;
}

enum gsym_status gsym_builder_finish(struct gsym_builder *b,
				     const struct gsym_build_options *options,
				     uint8_t **bytes, size_t *size,
				     struct gsym_build_summary *summary,
				     struct gsym_error *error)
{
	struct gsym_emit image = { 0 };
	enum gsym_status status;
	uint64_t written;

	if (!bytes || !size)
		return gsym_fail_argument(error);
	status = gsym_builder_write(b, options, gsym_writer_put_image, &image,
				    &written, summary, error);
	if (status == GSYM_OK) {
		/* Free the capacity beyond the size.  If realloc fails, the
		 * larger block is still valid. */
		uint8_t *fitting = realloc(image.data, image.size);

		*bytes = fitting ? fitting : image.data;
		*size = image.size;
		return GSYM_OK;
	}
	gsym_emit_fini(&image);
	return status;
}
