/* SPDX-License-Identifier: MIT */
/* Decodes function records, their merged functions and lists; walks over the
 * rows and the inline tree of a function. */
#include "reader/reader.h"

#include <inttypes.h>

/* Store the place of TUPLE in F.  A second tuple of one type replaces the
 * first. */
static void take_tuple(struct gsym_function *f, const struct gsym_tuple *tuple)
{
	const struct gsym_layout *l = &f->reader->layout;
	uint64_t offset = (uint64_t)(tuple->data - l->data);
	struct gsym_cursor c =
		gsym_cursor_init(tuple->data, tuple->size, l->swap);

	if (!tuple->type || tuple->type >= GSYM_INFO_COUNT) {
		f->unknown_count++;
		return;
	}
	f->info[tuple->type].offset = offset;
	f->info[tuple->type].size = tuple->size;
	f->info[tuple->type].next_offset = offset + 4;
	f->info[tuple->type].count =
		gsym_list_count(&c, tuple->type, l->string_size);
}

/* Decode the record at C, of the function at START, to RET.  GSYM_ERR_CORRUPT
 * if it is cut off or has no name; RET then holds the fields that could be
 * read, and "" for a missing name. */
static enum gsym_status read_function(const struct gsym_reader *reader,
				      struct gsym_cursor *c, uint64_t start,
				      struct gsym_function *ret,
				      struct gsym_error *error)
{
	const uint8_t *record = c->at, *at;
	struct gsym_record_head head;
	struct gsym_tuple tuple;
	enum gsym_tuple_step step;
	enum gsym_status status;

	*ret = (struct gsym_function){
		.start = start, .name = "", .reader = reader,
		.record_offset = (uint64_t)(record - reader->layout.data)
	};
	status = gsym_lookup_head(reader, c, &head, error);
	if (c->failed)
		return status;
	ret->size = head.size;
	if (status == GSYM_OK)
		ret->name = gsym_reader_string(reader, head.name);
	do {
		at = c->at;
		step = gsym_tuple_read(c, &tuple);
		if (step == GSYM_TUPLE_STEP_TUPLE)
			take_tuple(ret, &tuple);
	} while (step == GSYM_TUPLE_STEP_TUPLE);
	ret->record_size = (uint64_t)(c->at - record);
	ret->has_lines = ret->info[GSYM_INFO_LINES].offset;
	ret->has_inlines = ret->info[GSYM_INFO_INLINES].offset;
	ret->merged_count = ret->info[GSYM_INFO_MERGED].count;
	ret->call_site_count = ret->info[GSYM_INFO_CALL_SITES].count;
	if (status == GSYM_OK && step == GSYM_TUPLE_STEP_DAMAGE)
		return gsym_fail(error, GSYM_ERR_CORRUPT,
				 gsym_reader_place(reader, at),
				 "function record at offset 0x%" PRIx64
				 " has no end",
				 gsym_reader_place(reader, record));
	return status;
}

enum gsym_status gsym_function_at(const struct gsym_reader *reader,
				  uint32_t index, struct gsym_function *ret,
				  struct gsym_error *error)
{
	struct gsym_cursor c;

	if (!reader || !ret)
		return gsym_fail_argument(error);
	if (index >= reader->layout.count)
		return GSYM_NOT_FOUND;
	if (gsym_reader_record(reader, index, &c))
		return read_function(reader, &c,
				     gsym_reader_start(reader, index), ret,
				     error);
	*ret = (struct gsym_function){
		.start = gsym_reader_start(reader, index),
		.name = "", .reader = reader,
	};
	return gsym_search_fail(reader, index, error);
}

enum gsym_status gsym_find_function(const struct gsym_reader *reader,
				    const char *name, uint32_t from,
				    uint32_t *index)
{
	if (!reader || !name || !index)
		return GSYM_ERR_ARGUMENT;
	for (uint32_t i = from; i < reader->layout.count; i++) {
		uint64_t offset = gsym_reader_name(reader, i);

		if (offset &&
		    !strcmp(gsym_reader_string(reader, offset), name)) {
			*index = i;
			return GSYM_OK;
		}
	}
	return GSYM_NOT_FOUND;
}

/* A cursor over the list TYPE of F, at the entry after the one that the last
 * call read; at entry 0 if entry WHICH comes before that. */
static struct gsym_cursor resume(struct gsym_function *f, enum gsym_info type,
				 uint32_t which)
{
	uint64_t offset = f->info[type].offset;

	if (which < f->info[type].next) {
		f->info[type].next = 0;
		f->info[type].next_offset = offset + 4;
	}
	return gsym_reader_cursor(f->reader, f->info[type].next_offset,
				  offset + f->info[type].size -
					  f->info[type].next_offset);
}

/* Note that the entry before AT of the list TYPE of F was read. */
static void pass(struct gsym_function *f, enum gsym_info type,
		 const uint8_t *at)
{
	f->info[type].next++;
	f->info[type].next_offset = (uint64_t)(at - f->reader->layout.data);
}

enum gsym_status gsym_merged_at(struct gsym_function *f, uint32_t which,
				struct gsym_function *ret,
				struct gsym_error *error)
{
	struct gsym_cursor list, record = { 0 };
	struct gsym_function function;
	enum gsym_status status;

	if (!f || !ret)
		return gsym_fail_argument(error);
	if (which >= f->merged_count)
		return GSYM_NOT_FOUND;
	list = resume(f, GSYM_INFO_MERGED, which);
	while (f->info[GSYM_INFO_MERGED].next <= which) {
		if (!gsym_merged_read(&list, &record))
			return gsym_fail(error, GSYM_ERR_CORRUPT,
					 gsym_reader_place(f->reader, list.at),
					 "merged functions of the record at "
					 "offset 0x%" PRIx64 " are cut off",
					 f->reader->image_offset +
						 f->record_offset);
		pass(f, GSYM_INFO_MERGED, list.at);
	}
	status = read_function(f->reader, &record, f->start, &function, error);
	*ret = function;
	return status;
}

static struct gsym_call_site site_of(const struct gsym_reader *reader,
				     const struct gsym_call_item *item)
{
	return (struct gsym_call_site){
		.return_offset = item->return_offset,
		.flags = item->flags,
		.pattern_count = item->pattern_count,
		.reader = reader,
		.patterns_offset =
			(uint64_t)(item->patterns - reader->layout.data),
	};
}

static enum gsym_status fail_sites(const struct gsym_function *f,
				   const struct gsym_cursor *c,
				   struct gsym_error *error)
{
	return gsym_fail(error, GSYM_ERR_CORRUPT,
			 gsym_reader_place(f->reader, c->at),
			 "call sites of the record at offset 0x%" PRIx64
			 " are cut off",
			 f->reader->image_offset + f->record_offset);
}

enum gsym_status gsym_call_site_at(struct gsym_function *f, uint32_t which,
				   struct gsym_call_site *ret,
				   struct gsym_error *error)
{
	struct gsym_call_item item = { 0 };
	struct gsym_cursor c;

	if (!f || !ret)
		return gsym_fail_argument(error);
	if (which >= f->call_site_count)
		return GSYM_NOT_FOUND;
	c = resume(f, GSYM_INFO_CALL_SITES, which);
	while (f->info[GSYM_INFO_CALL_SITES].next <= which) {
		if (!gsym_call_read(&c, f->reader->layout.string_size, &item))
			return fail_sites(f, &c, error);
		pass(f, GSYM_INFO_CALL_SITES, c.at);
	}
	*ret = site_of(f->reader, &item);
	return GSYM_OK;
}

enum gsym_status gsym_call_site_find(const struct gsym_function *f,
				     uint64_t address,
				     struct gsym_call_site *ret,
				     struct gsym_error *error)
{
	struct gsym_call_item item;
	struct gsym_cursor c;

	if (!f || !ret)
		return gsym_fail_argument(error);
	if (!f->call_site_count)
		return GSYM_NOT_FOUND;
	c = gsym_reader_cursor(f->reader,
			       f->info[GSYM_INFO_CALL_SITES].offset + 4,
			       f->info[GSYM_INFO_CALL_SITES].size - 4);
	for (uint32_t i = 0; i < f->call_site_count; i++) {
		if (!gsym_call_read(&c, f->reader->layout.string_size, &item))
			return fail_sites(f, &c, error);
		if (item.return_offset == address - f->start) {
			*ret = site_of(f->reader, &item);
			return GSYM_OK;
		}
	}
	return GSYM_NOT_FOUND;
}

const char *gsym_call_site_pattern(const struct gsym_call_site *site,
				   uint32_t which)
{
	const struct gsym_layout *l;
	const uint8_t *p;

	if (!site || which >= site->pattern_count)
		return NULL;
	l = &site->reader->layout;
	p = l->data + site->patterns_offset +
	    (uint64_t)which * l->string_size;
	return gsym_reader_string(site->reader,
				  gsym_load_uint(p, l->string_size, l->swap));
}

/* ---- rows -------------------------------------------------------------- */

static enum gsym_status fail_lines(const struct gsym_reader *reader,
				   uint64_t at, struct gsym_error *error)
{
	return gsym_fail(error, GSYM_ERR_CORRUPT, reader->image_offset + at,
			 "line table is damaged at offset 0x%" PRIx64,
			 reader->image_offset + at);
}

enum gsym_status gsym_lines(const struct gsym_function *f,
			    struct gsym_line_iter *iter,
			    struct gsym_error *error)
{
	struct gsym_line_decoder d;
	uint64_t offset, size;

	if (!f || !iter)
		return gsym_fail_argument(error);
	offset = f->info[GSYM_INFO_LINES].offset;
	size = f->info[GSYM_INFO_LINES].size;
	*iter = (struct gsym_line_iter){ .reader = f->reader, .done = true };
	if (!f->has_lines)
		return GSYM_OK;
	if (!gsym_line_begin(&d, f->reader->layout.data + offset,
			     (size_t)size, f->start))
		return fail_lines(f->reader, offset, error);
	iter->at = offset + gsym_cursor_offset(&d.c);
	iter->end = offset + size;
	iter->row_address = d.address;
	iter->min_delta = d.min_delta;
	iter->max_delta = (int64_t)((uint64_t)d.min_delta + d.range - 1);
	iter->row_file = d.file;
	iter->row_line = d.line;
	iter->done = false;
	return GSYM_OK;
}

enum gsym_status gsym_line_next(struct gsym_line_iter *iter,
				struct gsym_line *ret,
				struct gsym_error *error)
{
	struct gsym_line_decoder d;
	enum gsym_line_step step;

	if (!iter || !ret)
		return gsym_fail_argument(error);
	if (iter->done ||
	    !gsym_line_window(&d, iter->min_delta, iter->max_delta))
		return GSYM_NOT_FOUND;
	d.c = gsym_reader_cursor(iter->reader, iter->at,
				 iter->end - iter->at);
	d.address = iter->row_address;
	d.file = iter->row_file;
	d.line = iter->row_line;
	step = gsym_line_step(&d);
	iter->at += gsym_cursor_offset(&d.c);
	iter->row_address = d.address;
	iter->row_file = d.file;
	iter->row_line = d.line;
	iter->done = step != GSYM_LINE_STEP_ROW;
	if (step == GSYM_LINE_STEP_DAMAGE)
		return fail_lines(iter->reader, iter->at, error);
	if (step == GSYM_LINE_STEP_END)
		return GSYM_NOT_FOUND;
	*ret = (struct gsym_line){ d.address, d.file, d.line };
	return GSYM_OK;
}

/* ---- inline trees ------------------------------------------------------ */

enum gsym_status gsym_inlines(const struct gsym_function *f,
			      struct gsym_inline_iter *iter,
			      struct gsym_error *error)
{
	if (!f || !iter)
		return gsym_fail_argument(error);
	iter->reader = f->reader;
	iter->at = f->info[GSYM_INFO_INLINES].offset;
	iter->end = iter->at + f->info[GSYM_INFO_INLINES].size;
	iter->depth = 0;
	iter->done = !f->has_inlines;
	iter->base[0] = f->start;
	return GSYM_OK;
}

static enum gsym_status fail_inlines(struct gsym_inline_iter *iter,
				     const char *what,
				     struct gsym_error *error)
{
	uint64_t at = iter->reader->image_offset + iter->at;

	iter->done = true;
	return gsym_fail(error, GSYM_ERR_CORRUPT, at,
			 "inline tree is %s at offset 0x%" PRIx64, what, at);
}

static struct gsym_inline node_of(const struct gsym_inline_iter *iter,
				  const struct gsym_inline_entry *entry)
{
	uint64_t ranges = (uint64_t)(entry->ranges -
				     iter->reader->layout.data);

	return (struct gsym_inline){
		.depth = iter->depth,
		.name = gsym_reader_string(iter->reader, entry->name),
		.call_file = entry->call_file,
		.call_line = (uint32_t)entry->call_line,
		/* Fits: each range takes two bytes of less than 4 GiB. */
		.range_count = (uint32_t)entry->range_count,
		.reader = iter->reader,
		.ranges_offset = ranges,
		.ranges_end = iter->end,
		.base = iter->base[iter->depth],
		.next_range_offset = ranges,
	};
}

/* ITER->depth is the depth of the next node, and ITER->base[depth] the address
 * that its ranges are relative to. */
enum gsym_status gsym_inline_next(struct gsym_inline_iter *iter,
				  struct gsym_inline *ret,
				  struct gsym_error *error)
{
	if (!iter || !ret)
		return gsym_fail_argument(error);
	while (!iter->done) {
		unsigned width = iter->reader->layout.string_size;
		struct gsym_cursor c = gsym_reader_cursor(
			iter->reader, iter->at, iter->end - iter->at);
		struct gsym_inline_entry entry;
		enum gsym_inline_step step =
			gsym_inline_read(&c, width, 0, &entry);

		if (step == GSYM_INLINE_STEP_DAMAGE)
			return fail_inlines(iter, "damaged", error);
		iter->at += gsym_cursor_offset(&c);
		if (step == GSYM_INLINE_STEP_END) {
			/* The end of a list of depth 1 is the end of the tree:
			 * the root has no siblings. */
			iter->done = iter->depth <= 1;
			iter->depth--;
			continue;
		}
		*ret = node_of(iter, &entry);
		if (entry.has_children) {
			if (iter->depth == GSYM_MAX_INLINE_DEPTH)
				return fail_inlines(iter, "too deep", error);
			iter->base[iter->depth + 1] =
				iter->base[iter->depth] + entry.first;
			iter->depth++;
		} else if (!iter->depth) {
			iter->done = true;
		}
		return GSYM_OK;
	}
	return GSYM_NOT_FOUND;
}

enum gsym_status gsym_inline_range(struct gsym_inline *node, uint32_t which,
				   struct gsym_range *ret)
{
	struct gsym_cursor c;
	uint64_t offset = 0, size = 0;

	if (!node || !ret)
		return GSYM_ERR_ARGUMENT;
	if (which >= node->range_count)
		return GSYM_NOT_FOUND;
	if (which < node->next_range) {
		node->next_range = 0;
		node->next_range_offset = node->ranges_offset;
	}
	c = gsym_reader_cursor(node->reader, node->next_range_offset,
			       node->ranges_end - node->next_range_offset);
	for (; node->next_range <= which; node->next_range++) {
		offset = gsym_cursor_uleb(&c);
		size = gsym_cursor_uleb(&c);
	}
	node->next_range_offset += gsym_cursor_offset(&c);
	ret->start = node->base + offset;
	ret->end = ret->start + size;
	return GSYM_OK;
}
