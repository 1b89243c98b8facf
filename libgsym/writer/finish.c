/* SPDX-License-Identifier: MIT */
/* The public functions that write one file: in memory, or piece by piece. */
#include "writer/state.h"

#include "base/error.h"
#include "base/sized.h"

#include <stdlib.h>

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

bool gsym_writer_take_options(const struct gsym_build_options *options,
			      size_t options_size, size_t summary_size,
			      struct gsym_build_options *ret)
{
	if (options_size < GSYM_SIZE_THROUGH(struct gsym_build_options,
					     no_inlines) ||
	    summary_size < GSYM_SIZE_THROUGH(struct gsym_build_summary,
					     reserved))
		return false;
	*ret = (struct gsym_build_options){ 0 };
	if (options)
		gsym_sized_copy(ret, sizeof(*ret), options, options_size);
	return true;
}

enum gsym_status
gsym_builder_write_sized(struct gsym_builder *b,
			 const struct gsym_build_options *options,
			 size_t options_size, gsym_piece_fn *put,
			 void *context, uint64_t *size,
			 struct gsym_build_summary *summary,
			 size_t summary_size, struct gsym_error *error)
{
	const struct w_pieces pieces = { put, context };
	struct gsym_build_summary counts = { 0 };
	struct gsym_build_options known;
	struct w_shapes records = { 0 };
	enum gsym_status status;

	if (!b || !put || !size ||
	    !gsym_writer_take_options(options, options_size, summary_size,
				      &known))
		return gsym_fail_argument(error);
	status = gsym_writer_close(b, &known, &records, &counts, error);
	if (status == GSYM_OK)
		status = gsym_writer_lay_out(
			b, &known,
			(struct w_records){ records.items, records.count },
			&pieces, size, &counts, error);
	gsym_vec_fini(&records);
	if (status == GSYM_OK && summary)
		gsym_sized_copy(summary, summary_size, &counts,
				sizeof(counts));
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

enum gsym_status
gsym_builder_finish_sized(struct gsym_builder *b,
			  const struct gsym_build_options *options,
			  size_t options_size, uint8_t **bytes, size_t *size,
			  struct gsym_build_summary *summary,
			  size_t summary_size, struct gsym_error *error)
{
	struct gsym_emit image = { 0 };
	enum gsym_status status;
	uint64_t written;

	if (!bytes || !size)
		return gsym_fail_argument(error);
	status = gsym_builder_write_sized(b, options, options_size,
					  gsym_writer_put_image, &image,
					  &written, summary, summary_size,
					  error);
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
