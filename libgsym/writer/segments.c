/* SPDX-License-Identifier: MIT */
/*
 * Write the records as several files, the segments, each of them within a
 * size limit.  A segment gets records for as long as its size stays below the
 * limit, by an estimate that is never too small: no string shares bytes with
 * another, and file indexes are as long as the longest one could be.  A record
 * that is beyond the limit alone gets a segment of its own.
 */
#include "writer/state.h"

#include "base/error.h"

#include <stdlib.h>

/* The most bytes that align the parts of a file: the addresses, their info, the
 * file table and the records.  (The bytes that align each record also align the
 * checksum after the last one.) */
enum { PADDING = 7 + 7 + 3 + 3 };

struct segments {
	struct gsym_builder *b;
	const struct gsym_build_options *options;
	struct gsym_error *error;
	gsym_segment_fn *put;
	void *context;
	struct w_shapes records;
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
	struct gsym_build_summary *summary;
};

/* The bytes that STRING adds to the tables of the segment. */
static uint64_t use_string(struct segments *s, uint32_t string)
{
	if (!string || s->strings[string] == s->number)
		return 0;
	s->strings[string] = s->number;
	return (uint64_t)s->b->strings.entries[string].length + 1;
}

/* The bytes that FILE adds to the tables of the segment. */
static uint64_t use_file(struct segments *s, uint32_t file)
{
	struct w_file parts;

	if (s->files[file] == s->number)
		return 0;
	s->files[file] = s->number;
	parts = w_file_of(s->b, file);
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
		return gsym_fail(s->error, GSYM_ERR_LIMIT, 0,
				 "function record: more than 4 GiB");
	if (s->trial.failed)
		return gsym_fail_memory(s->error);
	*ret = s->trial.size + 3 + 8 + s->offset_size;
	return GSYM_OK;
}

/* Set s->offset_size, and s->fixed to the most bytes of a segment without its
 * records: header, directory, entry 0 of the file table, the empty string,
 * padding, checksum. */
static void measure_fixed(struct segments *s)
{
	struct gsym_layout empty = {
		.version = w_version(s->options),
		.address_size = 8,
		.file_count = 1,
		.sections[GSYM_SECTION_STRINGS].size = 1,
		.sections[GSYM_SECTION_UUID].size = s->b->uuid_size,
	};

	gsym_layout_place(&empty);
	s->fixed = empty.sections[GSYM_SECTION_FUNCTIONS].offset + PADDING +
		   (s->options->checksum ? GSYM_CHECKSUM_SIZE : 0);
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
		*count = s->records.count;
		return GSYM_OK;
	}
	s->number++;
	for (i = first; i < s->records.count; i++) {
		const struct gsym_shape *shape = &s->records.items[i];
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
	const struct w_records records = { s->records.items + first, count };
	uint64_t strings = s->summary->strings, files = s->summary->files;
	struct gsym_emit image = { 0 };
	const struct w_pieces pieces = { gsym_writer_put_image, &image };
	uint64_t size;
	enum gsym_status status =
		gsym_writer_lay_out(s->b, s->options, records, &pieces, &size,
				    s->summary, s->error);

	if (status == GSYM_OK) {
		s->summary->strings += strings;
		s->summary->files += files;
		status = s->put(s->context, records.items->start, image.data,
				image.size);
		if (status != GSYM_OK)
			gsym_fail(s->error, status, 0,
				  "a segment was not taken");
	}
	gsym_emit_fini(&image);
	return status;
}

static enum gsym_status put_all(struct segments *s)
{
	struct gsym_builder *b = s->b;
	enum gsym_status status = GSYM_OK;
	size_t count;

	/* All segments share the base address. */
	if (!b->has_base || b->base > s->records.items[0].start)
		gsym_builder_set_base(b, s->records.items[0].start);
	for (size_t i = 0; i < s->records.count && status == GSYM_OK;
	     i += count) {
		status = count_fitting(s, i, &count);
		if (status == GSYM_OK)
			status = put_segment(s, i, count);
	}
	return status;
}

/* gsym_builder_finish_segments with all pointers but CONTEXT and ERROR. */
static enum gsym_status
finish_segments(struct gsym_builder *b,
		const struct gsym_build_options *options,
		uint64_t segment_size, gsym_segment_fn *put, void *context,
		struct gsym_build_summary *summary, struct gsym_error *error)
{
	struct segments s = {
		.b = b,
		.options = options,
		.error = error,
		.put = put,
		.context = context,
		.limit = segment_size,
		.summary = summary,
	};
	enum gsym_status status =
		gsym_writer_close(b, s.options, &s.records, summary, error);
	uint64_t *offsets = calloc(b->strings.count, sizeof(*offsets));
	uint32_t *indexes = calloc(b->files.count, sizeof(*indexes));

	measure_fixed(&s);
	s.strings = calloc(b->strings.count, sizeof(*s.strings));
	s.files = calloc(b->files.count, sizeof(*s.files));
	if (status == GSYM_OK &&
	    (!offsets || !indexes || !s.strings || !s.files))
		status = gsym_fail_memory(error);
	/* A line table starts with file index 1 and switches to other indexes.
	 * To measure no record too small, each file gets an index of its own
	 * that is not 1 and takes at least as many bytes as any index of a
	 * segment. */
	for (size_t i = 0; indexes && i < b->files.count; i++)
		indexes[i] = (uint32_t)(b->files.count + i);
	s.tables = (struct gsym_encode_tables){ offsets, indexes,
						s.offset_size };
	if (status == GSYM_OK)
		status = put_all(&s);
	gsym_emit_fini(&s.trial);
	gsym_vec_fini(&s.records);
	free(offsets);
	free(indexes);
	free(s.strings);
	free(s.files);
	return status;
}

enum gsym_status
gsym_builder_finish_segments(struct gsym_builder *b,
			     const struct gsym_build_options *options,
			     uint64_t segment_size, gsym_segment_fn *put,
			     void *context, struct gsym_build_summary *summary,
			     struct gsym_error *error)
{
	struct gsym_build_summary counts = { 0 };
	enum gsym_status status;

	if (!b || !put)
		return gsym_fail_argument(error);
	status = finish_segments(b, options ? options : &gsym_writer_defaults,
				 segment_size, put, context,
				 &counts, error);
	if (status == GSYM_OK && summary)
		*summary = counts;
	return status;
}
