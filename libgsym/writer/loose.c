/* SPDX-License-Identifier: MIT */
/* Rows that no function owns, and the bare records that take them. */
#include "writer/state.h"

#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

/* Note COUNT of the rows in the arena at ROWS as those of [START, END). */
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
	size_t kept = 0, before = b->loose.count;
	enum gsym_status status = GSYM_OK;

	if (b->finished || !rows_are_sound(b, range, rows, count))
		return GSYM_ERR_ARGUMENT;
	if (!count)
		return GSYM_OK;
	if (count > SIZE_MAX / sizeof(*copy) - 2)
		return GSYM_ERR_MEMORY;
	copy = gsym_arena_alloc(&b->arena, (count + 2) * sizeof(*copy));
	if (!copy)
		return GSYM_ERR_MEMORY;
	at = copy;
	for (size_t i = 0; i < count && status == GSYM_OK; i++) {
		struct gsym_row row = { 0, rows[i].file, rows[i].line };

		if (row.file == GSYM_FILE_UNKNOWN)
			row.file = W_FILE_UNKNOWN;
		if (row.file == W_FILE_NOSRC)
			row.line = 0;
		/* Offsets have 32 bits: go on in a range of its own. */
		if (rows[i].address - start > UINT32_MAX) {
			status = add_range(b, start, rows[i].address, at, kept);
			start = rows[i].address;
			at += kept;
			kept = 0;
		}
		row.offset = (uint32_t)(rows[i].address - start);
		kept = w_put_row(at, kept, row);
	}
	if (status == GSYM_OK)
		status = add_range(b, start, range.end, at, kept);
	if (status != GSYM_OK)
		b->loose.count = before;
	return status;
}

/* Of two ranges of one start: the one that reaches further, then the one
 * whose rows sort first. */
static bool is_better(const struct gsym_builder *b, const struct w_loose *a,
		      const struct w_loose *c)
{
	if (a->end != c->end)
		return a->end > c->end;
	if (a->row_count != c->row_count)
		return a->row_count > c->row_count;
	return gsym_writer_compare_rows(b, a->rows, c->rows, a->row_count) < 0;
}

/* Walk the ranges in the order of ITEMS; those of one start lie wholly in
 * the best of them, and what a former one covers is gone. */
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

enum gsym_status gsym_writer_sort_loose(struct gsym_builder *b)
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

/* The number of LOOSE's rows at or before ADDRESS; there is at least one. */
static size_t rows_until(const struct w_loose *loose, uint64_t address)
{
	size_t low = 0, high = loose->row_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (loose->base + loose->rows[middle].offset <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Append the rows of LOOSE in [START, END), and NOSRC behind them if they
 * end before END. */
static bool put_rows(struct w_words *words, size_t *count,
		     const struct w_loose *loose, uint64_t start, uint64_t end)
{
	uint64_t from = loose->start > start ? loose->start : start;
	size_t first = rows_until(loose, from) - 1;
	struct gsym_row *rows;

	words->count = *count * GSYM_SHAPE_ROW_WORDS;
	if (!gsym_vec_reserve(words, (loose->row_count - first + 3) *
					     GSYM_SHAPE_ROW_WORDS))
		return false;
	rows = (struct gsym_row *)words->items;
	for (size_t i = first; i < loose->row_count; i++) {
		uint64_t at = loose->base + loose->rows[i].offset;
		struct gsym_row row = loose->rows[i];

		if (at >= end)
			break;
		row.offset = (uint32_t)((at < from ? from : at) - start);
		*count = w_put_row(rows, *count, row);
	}
	if (loose->end < end)
		*count = w_put_row(rows, *count, (struct gsym_row){
			(uint32_t)(loose->end - start), W_FILE_NOSRC, 0 });
	return true;
}

enum gsym_status gsym_writer_take_loose(struct gsym_builder *b,
					struct gsym_shape *shape)
{
	size_t low = 0, high = b->loose.count, count = 0;
	struct gsym_shape_body head = { 0 };
	uint64_t end = w_end(shape);

	/* One whose end is not known reaches as far as offsets do. */
	if (!shape->size)
		end = shape->start > UINT64_MAX - UINT32_MAX
			      ? UINT64_MAX
			      : shape->start + UINT32_MAX;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (b->loose.items[middle].end <= shape->start)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < b->loose.count && b->loose.items[low].start < end; low++)
		if (!put_rows(&b->scratch, &count, &b->loose.items[low],
			      shape->start, end))
			return GSYM_ERR_MEMORY;
	count = gsym_writer_end_rows((struct gsym_row *)b->scratch.items, count,
				     0);
	b->scratch.count = count * GSYM_SHAPE_ROW_WORDS;
	head.row_count = (uint32_t)count;
	if (shape->body) {
		head.merged = shape->body->merged;
		head.merged_count = shape->body->merged_count;
	}
	return gsym_writer_make_body(b, &head, &shape->body);
}
