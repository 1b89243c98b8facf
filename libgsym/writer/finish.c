/* SPDX-License-Identifier: MIT */
/*
 * Ends the adding to a builder and writes its records: one file, piece by piece
 * or in memory, or several files, the segments, each of them within a size
 * limit.  A segment gets records for as long as its size stays below the
 * limit, by an estimate that is never too small: no string shares bytes with
 * another, and file indexes are as long as the longest one could be.  A record
 * that is beyond the limit alone gets a segment of its own.
 */
#include "writer/state.h"

#include "base/error.h"

#include <stdlib.h>

/* The records of a builder that is used up. */
struct finish {
	struct gsym_builder *b;
	const struct gsym_build_options *options;
	struct gsym_error *error;
	struct w_shapes records;
	struct gsym_build_summary summary;
};

/* End the adding to F->b: settle the records, place the call sites, and fill
 * F->records.  GSYM_NOT_FOUND if there are none. */
static enum gsym_status begin(struct finish *f)
{
	static const struct gsym_build_options defaults;
	struct gsym_builder *b = f->b;
	enum gsym_status status;

	if (!f->options)
		f->options = &defaults;
	if (b->finished)
		return gsym_fail(f->error, GSYM_ERR_ARGUMENT, 0,
				 "the builder is used up");
	if (f->options->version > 2)
		return gsym_fail(f->error, GSYM_ERR_ARGUMENT, 0,
				 "there is no version %u", f->options->version);
	b->finished = true;
	status = gsym_writer_settle(b, f->options, &f->records, &f->summary,
				    f->error);
	if (status == GSYM_OK && !f->records.count)
		status = GSYM_NOT_FOUND;
	if (status == GSYM_OK)
		status = gsym_writer_place_calls(b, &f->records, f->error);
	if (status == GSYM_OK &&
	    (f->options->no_lines || f->options->no_inlines))
		status = gsym_writer_leave_out(&b->lanes[0], f->options,
					       f->records.items,
					       f->records.count);
	/* The records that the file needs were copied. */
	for (size_t i = 0; i < W_LANES; i++)
		gsym_vec_fini(&b->lanes[i].records);
	return status;
}

bool gsym_builder_contradiction(const struct gsym_builder *b,
				struct gsym_contradiction *ret)
{
	if (!b || !ret || !b->contradiction.symbol)
		return false;
	*ret = (struct gsym_contradiction){
		.address = b->contradiction.address,
		.symbol = w_text(b, b->contradiction.symbol),
		.function = w_text(b, b->contradiction.function),
	};
	return true;
}

/* Write the COUNT records from FIRST on as a file. */
static enum gsym_status write_file(struct finish *f, size_t first, size_t count,
				   const struct w_pieces *pieces,
				   uint64_t *size)
{
	const struct w_records records = { f->records.items + first, count };

	return gsym_writer_lay_out(f->b, f->options, records, pieces, size,
				   &f->summary, f->error);
}

/* Free the records of F, and hand its summary over if STATUS is GSYM_OK.
 * Returns STATUS. */
static enum gsym_status end(struct finish *f, enum gsym_status status,
			    struct gsym_build_summary *summary)
{
	gsym_vec_fini(&f->records);
	if (status == GSYM_OK && summary)
		*summary = f->summary;
	return status;
}

/* ---- one file ----------------------------------------------------------- */

enum gsym_status gsym_builder_write(struct gsym_builder *b,
				    const struct gsym_build_options *options,
				    gsym_piece_fn *put, void *context,
				    uint64_t *size,
				    struct gsym_build_summary *summary,
				    struct gsym_error *error)
{
	struct finish f = { .b = b, .options = options, .error = error };
	const struct w_pieces pieces = { put, context };
	enum gsym_status status;

	if (!b || !put || !size)
		return gsym_fail_argument(error);
	status = begin(&f);
	if (status == GSYM_OK)
		status = write_file(&f, 0, f.records.count, &pieces, size);
	return end(&f, status, summary);
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


/* ---- segments ----------------------------------------------------------- */

/* The most bytes that align the parts of a file: the addresses, their info, the
 * file table and the records.  (The bytes that align each record also align the
 * checksum after the last one.) */
enum { PADDING = 7 + 7 + 3 + 3 };

struct segments {
	struct finish f;
	gsym_segment_fn *put;
	void *context;
	uint64_t limit;
	uint64_t fixed;       /* bytes of a segment without its records */
	unsigned offset_size; /* bytes of a string offset, and of a record
			       * offset */
	/* The number of the segment, from 1 on; and by number of string or
	 * file the last segment that uses it. */
	uint32_t number;
	uint32_t *strings;
	uint32_t *files;
	/* Records are encoded here to learn their size. */
	struct gsym_emit trial;
	struct gsym_encode_tables tables;
};

/* The bytes that STRING adds to the tables of the segment. */
static uint64_t use_string(struct segments *s, uint32_t string)
{
	if (!string || s->strings[string] == s->number)
		return 0;
	s->strings[string] = s->number;
	return (uint64_t)w_string(s->f.b, string)->length + 1;
}

/* The bytes that FILE adds to the tables of the segment. */
static uint64_t use_file(struct segments *s, uint32_t file)
{
	struct w_file parts;

	if (s->files[file] == s->number)
		return 0;
	s->files[file] = s->number;
	parts = w_file_of(s->f.b, file);
	return 2 * s->offset_size + use_string(s, parts.directory) +
	       use_string(s, parts.basename);
}

static uint64_t use(struct segments *s, enum gsym_meaning meaning,
		    uint32_t number)
{
	return meaning == GSYM_FILE ? use_file(s, number)
				    : use_string(s, number);
}

/* The bytes that the strings and files of SHAPE add to the tables of the
 * segment. */
static uint64_t use_shape(struct segments *s, const struct gsym_shape *shape)
{
	const struct gsym_shape_body *body = shape->body;
	uint64_t bytes = use_string(s, shape->name);
	struct gsym_shape_view view;

	if (!body)
		return bytes;
	view = gsym_shape_look(body);
	for (unsigned k = 0; k < GSYM_COLUMNS; k++)
		for (uint32_t i = 0;
		     gsym_columns[k].meaning != GSYM_NUMBER &&
		     i < body->counts[gsym_columns[k].array]; i++)
			bytes += use(s, gsym_columns[k].meaning,
				     gsym_shape_at(&view, k, i));
	for (uint32_t i = 0; i < body->merged_count; i++)
		bytes += use_shape(s, &body->merged[i]);
	return bytes;
}

/* The most bytes that SHAPE takes: its record, the zeros that align it, and
 * its entries in the tables of addresses and address info. */
static enum gsym_status record_bytes(struct segments *s,
				     const struct gsym_shape *shape,
				     uint64_t *ret)
{
	s->trial.size = 0;
	if (!gsym_encode_record(&s->trial, shape, &s->tables))
		return gsym_fail(s->f.error, GSYM_ERR_LIMIT, 0,
				 "function record: more than 4 GiB");
	if (s->trial.failed)
		return gsym_fail_memory(s->f.error);
	*ret = s->trial.size + 3 + 8 + s->offset_size;
	return GSYM_OK;
}

/* Set s->offset_size, and s->fixed to the most bytes of a segment without its
 * records: header, directory, entry 0 of the file table, the empty string,
 * padding, checksum. */
static void measure_fixed(struct segments *s)
{
	struct gsym_layout empty = {
		.version = w_version(s->f.options),
		.address_size = 8,
		.file_count = 1,
		.sections[GSYM_SECTION_STRINGS].size = 1,
		.sections[GSYM_SECTION_UUID].size = s->f.b->uuid_size,
	};

	gsym_layout_place(&empty);
	s->fixed = empty.sections[GSYM_SECTION_FUNCTIONS].offset + PADDING +
		   (s->f.options->checksum ? GSYM_CHECKSUM_SIZE : 0);
	s->offset_size = empty.string_size;
}

/* Set *COUNT to the number of records from FIRST on that fit into a segment; to
 * 1 if not even the first one does. */
static enum gsym_status count_fitting(struct segments *s, size_t first,
				      size_t *count)
{
	uint64_t total = s->fixed;
	size_t i;

	if (!s->limit) {
		*count = s->f.records.count;
		return GSYM_OK;
	}
	s->number++;
	for (i = first; i < s->f.records.count; i++) {
		const struct gsym_shape *shape = &s->f.records.items[i];
		uint64_t bytes = 0;
		enum gsym_status status = record_bytes(s, shape, &bytes);

		if (status != GSYM_OK)
			return status;
		total += bytes + use_shape(s, shape);
		if (total > s->limit && i > first)
			break;
	}
	*count = i - first;
	return GSYM_OK;
}

static enum gsym_status put_segment(struct segments *s, size_t first,
				    size_t count)
{
	struct gsym_build_summary *summary = &s->f.summary;
	uint64_t strings = summary->strings, files = summary->files;
	struct gsym_emit image = { 0 };
	const struct w_pieces pieces = { gsym_writer_put_image, &image };
	uint64_t size;
	enum gsym_status status =
		write_file(&s->f, first, count, &pieces, &size);

	if (status == GSYM_OK) {
		summary->strings += strings;
		summary->files += files;
		status = s->put(s->context, s->f.records.items[first].start,
				image.data, image.size);
		if (status != GSYM_OK)
			gsym_fail(s->f.error, status, 0,
				  "a segment was not taken");
	}
	gsym_emit_fini(&image);
	return status;
}

static enum gsym_status put_all(struct segments *s)
{
	struct gsym_builder *b = s->f.b;
	enum gsym_status status = GSYM_OK;
	size_t count;

	/* All segments share the base address. */
	if (!b->has_base || b->base > s->f.records.items[0].start)
		gsym_builder_set_base(b, s->f.records.items[0].start);
	for (size_t i = 0; i < s->f.records.count && status == GSYM_OK;
	     i += count) {
		status = count_fitting(s, i, &count);
		if (status == GSYM_OK)
			status = put_segment(s, i, count);
	}
	return status;
}

/* Allocate what is counted by number of string or file.  False without
 * memory. */
static bool make_tables(struct segments *s, uint64_t **offsets,
			uint32_t **indexes)
{
	const struct gsym_builder *b = s->f.b;
	uint64_t first = 2, end = 128;

	*offsets = calloc(b->strings.count, sizeof(**offsets));
	*indexes = calloc(b->files.count, sizeof(**indexes));
	s->strings = calloc(b->strings.count, sizeof(*s->strings));
	s->files = calloc(b->files.count, sizeof(*s->files));
	/* A line table starts with file index 1 and switches to other indexes.
	 * To measure no record too small, each file gets an index of its own
	 * that is not 1 and takes at least as many bytes as any index of a
	 * segment.  The indexes from FIRST up to END take the same number of
	 * bytes each, so the measure does not depend on the order of the
	 * numbers of files. */
	for (; end - first < b->files.count; end *= 128)
		first = end;
	for (size_t i = 0; *indexes && i < b->files.count; i++)
		(*indexes)[i] = (uint32_t)(first + i);
	s->tables = (struct gsym_encode_tables){ *offsets, *indexes,
						 s->offset_size };
	return *offsets && *indexes && s->strings && s->files;
}

enum gsym_status
gsym_builder_finish_segments(struct gsym_builder *b,
			     const struct gsym_build_options *options,
			     uint64_t segment_size, gsym_segment_fn *put,
			     void *context, struct gsym_build_summary *summary,
			     struct gsym_error *error)
{
	struct segments s = {
		.f = { .b = b, .options = options, .error = error },
		.put = put, .context = context, .limit = segment_size,
	};
	uint64_t *offsets = NULL;
	uint32_t *indexes = NULL;
	enum gsym_status status;

	if (!b || !put)
		return gsym_fail_argument(error);
	status = begin(&s.f);
	if (status == GSYM_OK) {
		measure_fixed(&s);
		status = make_tables(&s, &offsets, &indexes)
				 ? put_all(&s)
				 : gsym_fail_memory(error);
	}
	gsym_emit_fini(&s.trial);
	free(offsets);
	free(indexes);
	free(s.strings);
	free(s.files);
	return end(&s.f, status, summary);
}
