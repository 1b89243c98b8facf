/* SPDX-License-Identifier: MIT */
/* Keeps rows that belong to no function, and gives them to symbols and
 * labels. */
#include "writer/state.h"

#include "base/order.h"

#include <stdlib.h>

/* Add the range [START, END) with the COUNT rows at ROWS, which are in the
 * arena. */
static enum gsym_status add_range(struct gsym_builder *b, uint64_t start,
				  uint64_t end, const struct gsym_row *rows,
				  size_t count)
{
	struct w_loose *loose = gsym_vec_push(&b->loose);

	if (!loose)
		return GSYM_ERR_MEMORY;
	*loose = (struct w_loose){ start, end, start, rows, count };
	return GSYM_OK;
}

static bool rows_are_sound(const struct gsym_builder *b,
			   struct gsym_range range,
			   const struct gsym_loose_row *rows, size_t count)
{
	uint64_t last = range.start;

	for (size_t i = 0; i < count; i++) {
		if (rows[i].address < last || rows[i].address >= range.end ||
		    (rows[i].file >= b->files.count &&
		     rows[i].file != GSYM_FILE_UNKNOWN))
			return false;
		last = rows[i].address;
	}
	return range.start < range.end;
}

enum gsym_status gsym_builder_loose_rows(struct gsym_builder *b,
					 struct gsym_range range,
					 const struct gsym_loose_row *rows,
					 size_t count)
{
	struct gsym_row *copy, *at;
	uint64_t start = range.start;
	enum gsym_status status = GSYM_OK;
	size_t kept = 0, before;

	if (!b || (!rows && count) || b->finished ||
	    !rows_are_sound(b, range, rows, count))
		return GSYM_ERR_ARGUMENT;
	if (!count)
		return GSYM_OK;
	before = b->loose.count;
	/* The rows at ROWS, which are larger, are in memory: the product does
	 * not overflow. */
	copy = gsym_arena_alloc(&b->arena, (count + 1) * sizeof(*copy));
	if (!copy)
		return GSYM_ERR_MEMORY;
	at = copy;
	for (size_t i = 0; i < count && status == GSYM_OK; i++) {
		struct gsym_row row = { 0, rows[i].file, rows[i].line };

		if (row.file == GSYM_FILE_UNKNOWN)
			row.file = W_FILE_UNKNOWN;
		if (row.file == W_FILE_NOSRC)
			row.line = 0;
		/* Offsets of rows have 32 bits: begin another range. */
		if (rows[i].address - start > UINT32_MAX) {
			status = add_range(b, start, rows[i].address, at, kept);
			start = rows[i].address;
			at += kept;
			kept = 0;
		}
		row.offset = (uint32_t)(rows[i].address - start);
		kept = w_append_row(at, kept, row);
	}
	if (status == GSYM_OK)
		status = add_range(b, start, range.end, at, kept);
	if (status != GSYM_OK)
		b->loose.count = before;
	return status;
}

/* Whether A wins over C, which has the same start: if it reaches further, else
 * if it has more rows, else if its rows sort first. */
static bool is_better(const struct gsym_builder *b, const struct w_loose *a,
		      const struct w_loose *c)
{
	int order = GSYM_ORDER(c->end, a->end);

	if (!order)
		order = GSYM_ORDER(c->row_count, a->row_count);
	if (!order)
		order = gsym_writer_compare_rows(b, a->rows, c->rows,
						 a->row_count);
	return order < 0;
}

/* Keep the ranges of B that win, in the order of ITEMS.  Of the ranges with one
 * start the best one, which covers the others, is kept.  Of a range that begins
 * in another one, the part after the end of that one is kept.  SORTED is
 * scratch. */
static void make_disjoint(struct gsym_builder *b,
			  const struct gsym_sort_item *items,
			  struct w_loose *sorted)
{
	size_t count = b->loose.count, kept = 0, next;
	uint64_t covered = 0;

	for (size_t i = 0; i < count; i = next) {
		const struct w_loose *best = &b->loose.items[items[i].index];

		for (next = i + 1;
		     next < count && items[next].key == items[i].key; next++)
			if (is_better(b, &b->loose.items[items[next].index],
				      best))
				best = &b->loose.items[items[next].index];
		if (best->end <= covered)
			continue;
		sorted[kept] = *best;
		if (sorted[kept].start < covered)
			sorted[kept].start = covered;
		covered = sorted[kept++].end;
	}
	memcpy(b->loose.items, sorted, kept * sizeof(*sorted));
	b->loose.count = kept;
}

enum gsym_status gsym_writer_sort_loose_rows(struct gsym_builder *b)
{
	size_t count = b->loose.count;
	struct gsym_sort_item *items;
	struct w_loose *sorted;

	if (!count)
		return GSYM_OK;
	if (count > UINT32_MAX)
		return GSYM_ERR_LIMIT;
	items = calloc(count, 2 * sizeof(*items));
	sorted = calloc(count, sizeof(*sorted));
	if (items && sorted) {
		for (size_t i = 0; i < count; i++)
			items[i] = (struct gsym_sort_item){
				b->loose.items[i].start, (uint32_t)i, 0
			};
		gsym_sort_by_key(items, count, items + count);
		make_disjoint(b, items, sorted);
	}
	free(items);
	free(sorted);
	return items && sorted ? GSYM_OK : GSYM_ERR_MEMORY;
}

/* The index of the row of LOOSE in force at ADDRESS, which is not before its
 * first row. */
static size_t row_at(const struct w_loose *loose, uint64_t address)
{
	return GSYM_FIRST(i, 1, loose->row_count,
			  loose->base + loose->rows[i].offset > address) -
	       1;
}

/* Append the rows of LOOSE in [START, END) to the *COUNT rows in WORDS.  If
 * LOOSE ends before END, append a NOSRC row at that place.  False without
 * memory. */
static bool append_rows(struct w_words *words, size_t *count,
			const struct w_loose *loose, uint64_t start,
			uint64_t end)
{
	uint64_t from = loose->start > start ? loose->start : start;
	size_t first = row_at(loose, from);
	struct gsym_row *rows;

	words->count = *count * GSYM_SHAPE_ROW_WORDS;
	/* A NOSRC row before them and one after them. */
	if (!gsym_vec_reserve(words, (loose->row_count - first + 2) *
					     GSYM_SHAPE_ROW_WORDS))
		return false;
	rows = (struct gsym_row *)words->items;
	for (size_t i = first; i < loose->row_count; i++) {
		uint64_t at = loose->base + loose->rows[i].offset;
		struct gsym_row row = loose->rows[i];

		if (at >= end)
			break;
		row.offset = (uint32_t)((at < from ? from : at) - start);
		*count = w_append_row(rows, *count, row);
	}
	if (loose->end < end)
		*count = w_append_row(
			rows, *count,
			(struct gsym_row){ (uint32_t)(loose->end - start),
					   W_FILE_NOSRC, 0 });
	return true;
}

enum gsym_status gsym_writer_give_loose_rows(struct gsym_builder *b,
					     struct gsym_shape *shape)
{
	struct gsym_shape_body head;
	uint64_t end = w_end(shape);
	size_t count = 0;

	/* A record without a known end takes rows as far as offsets reach. */
	if (!shape->size)
		end = shape->start > UINT64_MAX - UINT32_MAX
			      ? UINT64_MAX
			      : shape->start + UINT32_MAX;
	for (size_t i = GSYM_FIRST(k, 0, b->loose.count,
				   b->loose.items[k].end > shape->start);
	     i < b->loose.count && b->loose.items[i].start < end; i++)
		if (!append_rows(&b->scratch, &count, &b->loose.items[i],
				 shape->start, end))
			return GSYM_ERR_MEMORY;
	count = gsym_writer_complete_rows((struct gsym_row *)b->scratch.items,
					  count, 0);
	head = (struct gsym_shape_body){ .counts[GSYM_ROWS] =
							 (uint32_t)count };
	if (shape->body) {
		head.merged = shape->body->merged;
		head.merged_count = shape->body->merged_count;
	}
	return gsym_writer_pack_body(b, &head, &shape->body);
}
