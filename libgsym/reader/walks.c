/* SPDX-License-Identifier: MIT */
/* reader/walks.c - walks over the rows and the inline tree of a function.
 * Knows nothing of lookups. */
#include "base/error.h"
#include "base/sized.h"
#include "format/inlines.h"
#include "format/lines.h"
#include "reader/image.h"

#include <inttypes.h>

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

	if (!f || !iter)
		return gsym_fail_argument(error);
	*iter = (struct gsym_line_iter){ .reader = f->reader, .done = true };
	if (!f->has_lines)
		return GSYM_OK;
	if (!gsym_line_begin(&d, f->reader->layout.data + f->lines_offset,
			     (size_t)f->lines_size, f->start))
		return fail_lines(f->reader, f->lines_offset, error);
	iter->at = f->lines_offset + gsym_cursor_offset(&d.c);
	iter->end = f->lines_offset + f->lines_size;
	iter->row_address = d.address;
	iter->min_delta = d.min_delta;
	iter->max_delta = (int64_t)((uint64_t)d.min_delta + d.range - 1);
	iter->row_file = d.file;
	iter->row_line = d.line;
	iter->done = false;
	return GSYM_OK;
}

enum gsym_status gsym_line_next_sized(struct gsym_line_iter *iter,
				      struct gsym_line *ret, size_t ret_size,
				      struct gsym_error *error)
{
	struct gsym_line_decoder d;
	enum gsym_line_step step;
	struct gsym_line row;

	if (!iter || !ret ||
	    ret_size < GSYM_SIZE_THROUGH(struct gsym_line, line))
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
	row = (struct gsym_line){ d.address, d.file, d.line };
	gsym_sized_copy(ret, ret_size, &row, sizeof(row));
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
	iter->at = f->inlines_offset;
	iter->end = f->inlines_offset + f->inlines_size;
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

static void fill_node(const struct gsym_inline_iter *iter,
		      const struct gsym_inline_entry *entry,
		      struct gsym_inline *ret, size_t ret_size)
{
	uint64_t ranges = (uint64_t)(entry->ranges -
				     iter->reader->layout.data);
	struct gsym_inline node = {
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

	gsym_sized_copy(ret, ret_size, &node, sizeof(node));
}

/* ITER->depth is the depth of the next node, and ITER->base[depth] the address
 * that its ranges are relative to. */
enum gsym_status gsym_inline_next_sized(struct gsym_inline_iter *iter,
					struct gsym_inline *ret,
					size_t ret_size,
					struct gsym_error *error)
{
	if (!iter || !ret ||
	    ret_size < GSYM_SIZE_THROUGH(struct gsym_inline, spare))
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
		fill_node(iter, &entry, ret, ret_size);
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
