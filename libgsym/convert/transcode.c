/* SPDX-License-Identifier: MIT */
/* Makes records of the functions of a GSYM file. */
#include "convert/convert.h"

#include "base/error.h"
#include "base/order.h"
#include "base/vec.h"

#include <gsym/reader.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A function, and the places of its rows and other parts in the arrays of
 * struct transcode.  The arrays move while they grow, so RECORD has no pointers
 * yet. */
struct part {
	struct gsym_record record;
	size_t first_row, first_inline, first_range, first_call;
	size_t first_pattern;
};

struct transcode {
	const struct gsym_reader *reader;
	const struct gsym_convert_options *options;
	struct gsym_sink sink;
	uint32_t *files; /* the sink's file numbers, by index in the file */
	uint32_t file_count;
	/* Bytes of records and strings that may still be read.  Without these
	 * limits a small file whose records share their bytes could make the
	 * work any size. */
	uint64_t record_bytes;
	uint64_t string_bytes;
	/* The start of the last record without a size, and the distance to the
	 * next higher start. */
	uint64_t asked;
	uint64_t distance;
	/* The function being read, then the functions merged into it. */
	GSYM_VEC_OF(struct part) parts;
	GSYM_VEC_OF(struct gsym_record) merged;
	GSYM_VEC_OF(struct gsym_row) rows;
	GSYM_VEC_OF(struct gsym_inline_node) inlines;
	struct gsym_range_set ranges;
	GSYM_VEC_OF(struct gsym_call) calls;
	GSYM_VEC_OF(uint32_t) patterns;
	/* For each depth: the ranges of the last node of that depth. */
	struct level {
		size_t first;
		size_t count;
	} levels[GSYM_MAX_INLINE_DEPTH + 1];
};

bool gsym_transcode_matches(const uint8_t *bytes, size_t size)
{
	return size >= 4 && (!memcmp(bytes, "GSYM", 4) ||
			     !memcmp(bytes, "MYSG", 4));
}

static void warn(const struct transcode *t, const struct gsym_function *f,
		 const char *problem)
{
	gsym_container_tell(t->options, GSYM_WARN_BAD_RECORD,
			    "record at 0x%" PRIx64
			    ", of the function at 0x%" PRIx64 ": %s",
			    f->record_offset, f->start, problem);
}

static enum gsym_status put_string(struct transcode *t, const char *text,
				   uint32_t *ret)
{
	size_t length = strlen(text);

	if (length > t->string_bytes)
		return GSYM_ERR_LIMIT;
	t->string_bytes -= length;
	return t->sink.string(t->sink.self, text, length, ret);
}

/* Hand all files to the sink, and fill T->files. */
static enum gsym_status number_files(struct transcode *t)
{
	enum gsym_status status = GSYM_OK;

	t->files = calloc((size_t)t->file_count + 1, sizeof(*t->files));
	if (!t->files)
		return GSYM_ERR_MEMORY;
	for (uint32_t i = 0; i < t->file_count && status == GSYM_OK; i++) {
		const char *directory, *basename;
		uint32_t strings[2];

		gsym_file_at(t->reader, i, &directory, &basename);
		status = put_string(t, directory, &strings[0]);
		if (status == GSYM_OK)
			status = put_string(t, basename, &strings[1]);
		if (status == GSYM_OK)
			status = t->sink.file(t->sink.self, strings[0],
					      strings[1], &t->files[i]);
	}
	return status;
}

static uint32_t file_number(const struct transcode *t, uint32_t index)
{
	return index < t->file_count ? t->files[index] : GSYM_FILE_UNKNOWN;
}

static enum gsym_status read_rows(struct transcode *t, struct part *part,
				  const struct gsym_function *f)
{
	struct gsym_line_iter iter;
	struct gsym_line line;
	enum gsym_status status = gsym_lines(f, &iter, NULL);

	while (status == GSYM_OK &&
	       (status = gsym_line_next(&iter, &line, NULL)) == GSYM_OK) {
		if (line.address < f->start ||
		    line.address - f->start >= part->record.size) {
			warn(t, f, "a line lies outside the function");
			break;
		}
		if (!gsym_vec_add(&t->rows,
				  (struct gsym_row){
					  (uint32_t)(line.address - f->start),
					  file_number(t, line.file),
					  line.line }))
			return GSYM_ERR_MEMORY;
		part->record.row_count++;
	}
	if (status == GSYM_ERR_CORRUPT)
		warn(t, f, "its line table is damaged");
	return GSYM_OK;
}

/* Cut RANGE to the range of the node at DEPTH (0: the function) that has its
 * start.  False if no range has it. */
static bool cut_to_caller(const struct transcode *t, const struct part *part,
			  uint32_t depth, struct gsym_range *range)
{
	const struct level *level = &t->levels[depth];
	struct gsym_range outer = { part->record.start,
				    part->record.start + part->record.size };

	if (depth) {
		size_t next =
			GSYM_FIRST(i, level->first, level->first + level->count,
				   t->ranges.items[i].start > range->start);

		if (next == level->first)
			return false;
		outer = t->ranges.items[next - 1];
	}
	if (range->start < outer.start || range->start >= outer.end)
		return false;
	if (range->end > outer.end)
		range->end = outer.end;
	return range->start < range->end;
}

/* Append the ranges of NODE, cut to the ranges of its caller. *CUT becomes true
 * if a range was changed. */
static enum gsym_status read_ranges(struct transcode *t,
				    const struct part *part,
				    struct gsym_inline *node, bool *cut)
{
	struct level *level = &t->levels[node->depth];
	struct gsym_range range;

	*level = (struct level){ t->ranges.count, 0 };
	for (uint32_t i = 0;
	     gsym_inline_range(node, i, &range) == GSYM_OK; i++) {
		const uint64_t end = range.end;

		if (level->count &&
		    range.start < t->ranges.items[t->ranges.count - 1].end)
			range.start = range.end;
		if (!cut_to_caller(t, part, node->depth - 1, &range)) {
			*cut = true;
			continue;
		}
		*cut |= range.end != end;
		if (!gsym_vec_add(&t->ranges, range))
			return GSYM_ERR_MEMORY;
		level->count++;
	}
	return GSYM_OK;
}

static enum gsym_status add_node(struct transcode *t, struct part *part,
				 const struct gsym_inline *node)
{
	const struct level *level = &t->levels[node->depth];
	struct gsym_inline_node *to = gsym_vec_push(&t->inlines);
	uint32_t file;

	if (!to)
		return GSYM_ERR_MEMORY;
	file = file_number(t, node->call_file);
	*to = (struct gsym_inline_node){
		.depth = node->depth,
		.call_file = node->call_file ? file : GSYM_FILE_UNKNOWN,
		.call_line = node->call_line,
		.first_range = (uint32_t)(level->first - part->first_range),
		.range_count = (uint32_t)level->count,
	};
	part->record.inline_count++;
	return put_string(t, node->name, &to->name);
}

static enum gsym_status read_inlines(struct transcode *t, struct part *part,
				     const struct gsym_function *f)
{
	struct gsym_inline_iter iter;
	struct gsym_inline node;
	uint32_t skip = UINT32_MAX; /* nodes deeper than this have no caller */
	enum gsym_status status = gsym_inlines(f, &iter, NULL), result;
	bool cut = false;

	while (status == GSYM_OK &&
	       (status = gsym_inline_next(&iter, &node, NULL)) == GSYM_OK) {
		if (!node.depth || node.depth > skip)
			continue;
		skip = UINT32_MAX;
		result = read_ranges(t, part, &node, &cut);
		if (result != GSYM_OK)
			return result;
		if (!t->levels[node.depth].count) {
			skip = node.depth;
			continue;
		}
		result = add_node(t, part, &node);
		if (result != GSYM_OK)
			return result;
	}
	if (status == GSYM_ERR_CORRUPT)
		warn(t, f, "its inline tree is damaged");
	if (cut)
		warn(t, f, "an inlined call lies outside its caller");
	return GSYM_OK;
}

static enum gsym_status read_calls(struct transcode *t, struct part *part,
				   struct gsym_function *f)
{
	struct gsym_call_site site;
	enum gsym_status status = GSYM_OK;

	for (uint32_t i = 0; i < f->call_site_count; i++) {
		struct gsym_call *call;

		if (gsym_call_site_at(f, i, &site, NULL) != GSYM_OK) {
			warn(t, f, "its call sites are damaged");
			break;
		}
		if (site.return_offset > part->record.size) {
			warn(t, f, "a call returns to an address outside it");
			continue;
		}
		call = gsym_vec_push(&t->calls);
		if (!call)
			return GSYM_ERR_MEMORY;
		*call = (struct gsym_call){
			.return_offset = site.return_offset,
			.flags = site.flags,
			.first_pattern = (uint32_t)(t->patterns.count -
						    part->first_pattern),
			.pattern_count = site.pattern_count,
		};
		part->record.call_count++;
		for (uint32_t k = 0; k < site.pattern_count; k++) {
			uint32_t *pattern = gsym_vec_push(&t->patterns);

			if (!pattern)
				return GSYM_ERR_MEMORY;
			status = put_string(t, gsym_call_site_pattern(&site, k),
					    pattern);
			if (status != GSYM_OK)
				return status;
		}
	}
	return status;
}

/* Append a part for the function F of SIZE bytes, without the functions that
 * are merged into F. */
static enum gsym_status read_part(struct transcode *t, struct gsym_function *f,
				  uint64_t size)
{
	struct part part = {
		.record = {
			.rank = size ? GSYM_RANK_FUNCTION : GSYM_RANK_LABEL,
			.name_kind = GSYM_NAME_LINKAGE,
			.start = f->start,
			.size = size,
		},
		.first_row = t->rows.count,
		.first_inline = t->inlines.count,
		.first_range = t->ranges.count,
		.first_call = t->calls.count,
		.first_pattern = t->patterns.count,
	};
	enum gsym_status status = put_string(t, f->name, &part.record.name);

	if (f->unknown_count)
		warn(t, f, "information of an unknown kind is left out");
	if (status == GSYM_OK && size)
		status = read_rows(t, &part, f);
	if (status == GSYM_OK && size)
		status = read_inlines(t, &part, f);
	if (status == GSYM_OK && size)
		status = read_calls(t, &part, f);
	if (status != GSYM_OK)
		return status;
	if (!gsym_vec_add(&t->parts, part))
		return GSYM_ERR_MEMORY;
	return GSYM_OK;
}

/* The record of PART with its pointers, for arrays that are complete. */
static struct gsym_record record_of(const struct transcode *t,
				    const struct part *part)
{
	struct gsym_record record = part->record;

	record.rows = gsym_vec_from(&t->rows, part->first_row);
	record.inlines = gsym_vec_from(&t->inlines, part->first_inline);
	record.inline_ranges = gsym_vec_from(&t->ranges, part->first_range);
	record.calls = gsym_vec_from(&t->calls, part->first_call);
	record.call_patterns = gsym_vec_from(&t->patterns,
					     part->first_pattern);
	return record;
}

static enum gsym_status put_parts(struct transcode *t)
{
	struct gsym_record record;

	t->merged.count = 0;
	if (!gsym_vec_reserve(&t->merged, t->parts.count))
		return GSYM_ERR_MEMORY;
	for (size_t i = 1; i < t->parts.count; i++)
		t->merged.items[t->merged.count++] =
			record_of(t, &t->parts.items[i]);
	record = record_of(t, &t->parts.items[0]);
	record.merged = t->merged.items;
	record.merged_count = t->merged.count;
	return gsym_sink_record(&t->sink, &record);
}

/* The size of F, which is record INDEX.  A function without a size ends at the
 * next higher start, as in a lookup. */
static uint64_t size_of(struct transcode *t, const struct gsym_function *f,
			uint32_t index)
{
	uint32_t count = gsym_function_count(t->reader);
	uint64_t size = f->size, next;

	if (!size && t->distance && t->asked == f->start)
		size = t->distance;
	while (!size && ++index < count) {
		next = gsym_address_at(t->reader, index);
		if (next > f->start)
			t->distance = size = next - f->start;
		t->asked = f->start;
	}
	if (!size && (f->has_lines || f->has_inlines || f->call_site_count ||
		      f->merged_count))
		warn(t, f,
		     "it has no size and no record follows: "
		     "only its name is kept");
	return size > UINT32_MAX ? UINT32_MAX : size;
}

static enum gsym_status read_record(struct transcode *t, uint32_t index)
{
	struct gsym_function f, merged;
	struct gsym_error why;
	enum gsym_status status;
	uint64_t size;

	if (gsym_function_at(t->reader, index, &f, &why) != GSYM_OK) {
		gsym_container_tell(t->options, GSYM_WARN_BAD_RECORD, "%s",
				    why.message);
		return GSYM_OK;
	}
	if (f.record_size > t->record_bytes)
		return GSYM_ERR_LIMIT;
	t->record_bytes -= f.record_size;
	t->parts.count = t->rows.count = t->inlines.count = 0;
	t->ranges.count = t->calls.count = t->patterns.count = 0;
	size = size_of(t, &f, index);
	status = read_part(t, &f, size);
	for (uint32_t i = 0;
	     i < f.merged_count && size && status == GSYM_OK; i++) {
		if (gsym_merged_at(&f, i, &merged, NULL) != GSYM_OK) {
			warn(t, &f, "its merged functions are damaged");
			break;
		}
		if (merged.merged_count)
			warn(t, &f, "merged functions have merged functions");
		status = read_part(t, &merged, size);
	}
	return status == GSYM_OK ? put_parts(t) : status;
}

static enum gsym_status read_records(struct transcode *t)
{
	uint32_t count = gsym_function_count(t->reader);
	enum gsym_status status = number_files(t);

	for (uint32_t i = 0; i < count && status == GSYM_OK; i++) {
		status = read_record(t, i);
		if (status == GSYM_OK && i % 4096 == 0 &&
		    t->options->progress &&
		    !t->options->progress(t->options->context, i, count))
			status = GSYM_ERR_CANCELLED;
	}
	free(t->files);
	gsym_vec_fini(&t->parts);
	gsym_vec_fini(&t->merged);
	gsym_vec_fini(&t->rows);
	gsym_vec_fini(&t->inlines);
	gsym_vec_fini(&t->ranges);
	gsym_vec_fini(&t->calls);
	gsym_vec_fini(&t->patterns);
	return status;
}

/* gsym_convert_reader, with FACTS never NULL. */
static enum gsym_status
convert_reader(const struct gsym_reader *reader,
	       const struct gsym_convert_options *options,
	       struct gsym_builder *builder, struct gsym_convert_facts *facts,
	       struct gsym_error *error)
{
	struct transcode *t;
	struct gsym_header header;
	enum gsym_status status;

	gsym_get_header(reader, &header);
	t = calloc(1, sizeof(*t));
	if (!t)
		return gsym_fail_memory(error);
	t->reader = reader;
	t->options = options;
	t->sink = gsym_builder_sink(builder);
	t->file_count = header.file_count;
	t->record_bytes = 4 * header.image_size;
	t->string_bytes = 64 * header.image_size + ((uint64_t)1 << 20);
	gsym_builder_set_base(builder, header.base_address);
	status = gsym_builder_set_uuid(builder, header.uuid, header.uuid_size);
	if (status == GSYM_OK)
		status = read_records(t);
	free(t);
	if (status == GSYM_ERR_MEMORY)
		return gsym_fail_memory(error);
	if (status == GSYM_ERR_LIMIT)
		return gsym_fail(error, GSYM_ERR_CORRUPT, 0,
				 "its records or strings share bytes and have "
				 "many times the size of the file");
	if (status != GSYM_OK)
		return gsym_fail(error, status, 0,
				 "cannot copy its records: %s",
				 gsym_status_text(status));
	facts->format = GSYM_FORMAT_GSYM;
	facts->input_bytes = header.image_size;
	facts->big_endian = header.big_endian;
	facts->uuid_size = header.uuid_size < sizeof(facts->uuid)
				   ? header.uuid_size
				   : sizeof(facts->uuid);
	if (facts->uuid_size)
		memcpy(facts->uuid, header.uuid, facts->uuid_size);
	return GSYM_OK;
}

enum gsym_status gsym_convert_reader(const struct gsym_reader *reader,
				     const struct gsym_convert_options *options,
				     struct gsym_builder *builder,
				     struct gsym_convert_facts *ret,
				     struct gsym_error *error)
{
	struct gsym_convert_facts facts = { 0 };
	enum gsym_status status;

	if (!reader || !builder || !gsym_program_options_ok(options))
		return gsym_fail_argument(error);
	status = convert_reader(reader, options, builder, &facts, error);
	if (ret && status == GSYM_OK)
		*ret = facts;
	return status;
}

enum gsym_status
gsym_transcode_file(const char *path,
		    const struct gsym_convert_options *options,
		    struct gsym_builder *builder,
		    struct gsym_convert_facts *facts, struct gsym_error *error)
{
	struct gsym_reader *reader;
	enum gsym_status status = gsym_open(path, &reader, error);

	if (status != GSYM_OK)
		return status;
	status = gsym_checksum(reader, error);
	if (status == GSYM_OK || status == GSYM_NOT_FOUND)
		status = convert_reader(reader, options, builder, facts, error);
	gsym_close(reader);
	return status;
}
