/* SPDX-License-Identifier: MIT */
/* Keeps what was added without a record: rows that belong to no function, which
 * symbols and labels get, and call sites with the name of their function, which
 * are placed after settling, when the names of all records are known. */
#include "writer/state.h"

#include "base/error.h"
#include "base/order.h"

#include <stdlib.h>

/* Add the range [START, END) with the COUNT rows at ROWS, which are in the
 * arena of LANE. */
static enum gsym_status add_range(struct w_lane *lane, uint64_t start,
				  uint64_t end, const struct gsym_row *rows,
				  size_t count)
{
	struct w_loose *loose = gsym_vec_push(&lane->loose);

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
		    (rows[i].file >= gsym_intern_count(&b->files) &&
		     rows[i].file != GSYM_FILE_UNKNOWN))
			return false;
		last = rows[i].address;
	}
	return range.start < range.end;
}

/* Add the COUNT rows, which are sound, to LANE. */
static enum gsym_status add_rows(struct w_lane *lane, struct gsym_range range,
				 const struct gsym_loose_row *rows,
				 size_t count)
{
	struct gsym_row *copy, *at;
	uint64_t start = range.start;
	enum gsym_status status = GSYM_OK;
	size_t kept = 0, before = lane->loose.count;

	/* The rows at ROWS, which are larger, are in memory: the product does
	 * not overflow. */
	copy = gsym_arena_alloc(&lane->arena, (count + 1) * sizeof(*copy));
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
			status = add_range(lane, start, rows[i].address, at,
					   kept);
			start = rows[i].address;
			at += kept;
			kept = 0;
		}
		row.offset = (uint32_t)(rows[i].address - start);
		kept = w_append_row(at, kept, row);
	}
	if (status == GSYM_OK)
		status = add_range(lane, start, range.end, at, kept);
	if (status != GSYM_OK)
		lane->loose.count = before;
	return status;
}

enum gsym_status gsym_builder_loose_rows(struct gsym_builder *b,
					 struct gsym_range range,
					 const struct gsym_loose_row *rows,
					 size_t count)
{
	struct w_lane *lane;
	enum gsym_status status;

	if (!b || (!rows && count) || b->finished ||
	    !rows_are_sound(b, range, rows, count))
		return GSYM_ERR_ARGUMENT;
	if (!count)
		return GSYM_OK;
	lane = w_take_lane(b);
	status = add_rows(lane, range, rows, count);
	pthread_mutex_unlock(&lane->lock);
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

/* Move the loose rows of all lanes to B->loose.  False without memory. */
static bool gather(struct gsym_builder *b)
{
	for (size_t i = 0; i < W_LANES; i++) {
		struct w_loose_list *from = &b->lanes[i].loose;

		if (!gsym_vec_reserve(&b->loose, from->count))
			return false;
		for (size_t k = 0; k < from->count; k++)
			b->loose.items[b->loose.count++] = from->items[k];
		gsym_vec_fini(from);
	}
	return true;
}

enum gsym_status gsym_writer_sort_loose_rows(struct gsym_builder *b,
					     unsigned threads)
{
	struct gsym_sort_item *items;
	struct w_loose *sorted;
	size_t count;

	if (!gather(b))
		return GSYM_ERR_MEMORY;
	count = b->loose.count;
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
		gsym_sort_on_threads(items, count, items + count, threads);
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

enum gsym_status gsym_writer_give_loose_rows(const struct gsym_builder *b,
					     struct w_lane *lane,
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
		if (!append_rows(&lane->scratch, &count, &b->loose.items[i],
				 shape->start, end))
			return GSYM_ERR_MEMORY;
	count = gsym_writer_complete_rows(
		(struct gsym_row *)lane->scratch.items, count, 0);
	head = (struct gsym_shape_body){ .counts[GSYM_ROWS] =
							 (uint32_t)count };
	if (shape->body) {
		head.merged = shape->body->merged;
		head.merged_count = shape->body->merged_count;
	}
	return gsym_writer_pack_body(lane, &head, &shape->body);
}

/* ---- call sites --------------------------------------------------------- */

enum gsym_status gsym_builder_call_site(struct gsym_builder *b, uint32_t name,
					const struct gsym_call *call,
					const uint32_t *patterns)
{
	struct w_call *item;
	uint32_t *copy = NULL;
	size_t count;

	if (!b || !call || (!patterns && call->pattern_count))
		return GSYM_ERR_ARGUMENT;
	count = call->pattern_count;
	if (b->finished || !name || name >= b->strings.count ||
	    call->return_offset > UINT32_MAX)
		return GSYM_ERR_ARGUMENT;
	for (size_t i = 0; i < count; i++)
		if (patterns[call->first_pattern + i] >= b->strings.count)
			return GSYM_ERR_ARGUMENT;
	if (count) {
		copy = gsym_arena_alloc(&b->lanes[0].arena,
					count * sizeof(*copy));
		if (!copy)
			return GSYM_ERR_MEMORY;
		memcpy(copy, patterns + call->first_pattern,
		       count * sizeof(*copy));
	}
	item = gsym_vec_push(&b->calls);
	if (!item)
		return GSYM_ERR_MEMORY;
	*item = (struct w_call){
		.b = b,
		.name = name,
		.call = { (uint32_t)call->return_offset, call->flags,
			  (uint32_t)count },
		.patterns = copy,
	};
	return GSYM_OK;
}

/* By name, then return offset, then the rest of the content. */
static int by_content(const void *a, const void *c)
{
	const struct w_call *x = a, *y = c;
	int order = w_compare_strings(x->b, x->name, y->name);
	uint32_t count = x->call.pattern_count;

	if (!order)
		order = GSYM_ORDER(x->call.return_offset,
				   y->call.return_offset);
	if (!order)
		order = GSYM_ORDER(x->call.flags, y->call.flags);
	if (!order)
		order = GSYM_ORDER(count, y->call.pattern_count);
	for (uint32_t i = 0; !order && i < count; i++)
		order = w_compare_strings(x->b, x->patterns[i], y->patterns[i]);
	return order;
}

/* WORDS are the call sites of HEAD, after them their patterns, and after these
 * the other words of HEAD.  Insert the COUNT call sites at FROM before the call
 * sites, and their PATTERNS patterns before the patterns. */
static void insert_calls(uint32_t *words, const struct gsym_shape_body *head,
			 struct w_call *from, size_t count, size_t patterns)
{
	size_t old = gsym_shape_array_words(head, GSYM_CALLS);
	size_t after = gsym_shape_words(head, GSYM_ARRAYS) -
		       gsym_shape_words(head, GSYM_PATTERNS);
	uint32_t *pattern = words + count * GSYM_SHAPE_CALL_WORDS + old;

	memmove(pattern + patterns, words + old, after * sizeof(*words));
	memmove(pattern - old, words, old * sizeof(*words));
	for (size_t i = 0; i < count; i++) {
		from[i].placed = true;
		memcpy(words, &from[i].call, sizeof(from[i].call));
		words += GSYM_SHAPE_CALL_WORDS;
		for (uint32_t k = 0; k < from[i].call.pattern_count; k++)
			*pattern++ = from[i].patterns[k];
	}
}

/* Give SHAPE the COUNT (not 0) call sites at FROM, before its own. */
static enum gsym_status give_calls(struct gsym_builder *b,
				   struct gsym_shape *shape,
				   struct w_call *from, size_t count)
{
	const struct gsym_shape_body *old = shape->body;
	struct gsym_shape_body head = { 0 };
	struct w_words *words = &b->lanes[0].scratch;
	size_t before, patterns = 0; /* words before the call sites */

	for (size_t i = 0; i < count; i++)
		patterns += from[i].call.pattern_count;
	if (old)
		head = *old;
	if (count > UINT32_MAX - head.counts[GSYM_CALLS] ||
	    patterns > UINT32_MAX - head.counts[GSYM_PATTERNS])
		return GSYM_ERR_LIMIT;
	before = gsym_shape_words(&head, GSYM_CALLS);
	words->count = 0;
	if (!gsym_vec_reserve(words, gsym_shape_words(&head, GSYM_ARRAYS) +
					     patterns +
					     count * GSYM_SHAPE_CALL_WORDS))
		return GSYM_ERR_MEMORY;
	if (old)
		gsym_shape_unpack(old, words->items);
	insert_calls(words->items + before, &head, from, count, patterns);
	head.counts[GSYM_CALLS] += (uint32_t)count;
	head.counts[GSYM_PATTERNS] += (uint32_t)patterns;
	return gsym_writer_pack_body(&b->lanes[0], &head, &shape->body);
}

/* The call sites of one name that are not placed yet: COUNT of the builder's
 * calls from FIRST on, by return offset. */
struct waiting {
	size_t first;
	size_t count;
};

/* Give SHAPE and its merged functions the call sites that wait for their
 * names and whose return offsets they reach. */
static enum gsym_status place_in(struct gsym_builder *b,
				 struct gsym_shape *shape,
				 struct waiting *by_name)
{
	struct waiting *calls = &by_name[shape->name];
	struct w_call *from = b->calls.items + calls->first;
	struct gsym_shape_body *body;
	struct gsym_shape *merged;
	enum gsym_status status = GSYM_OK;
	size_t count = 0;

	while (count < calls->count &&
	       from[count].call.return_offset <= shape->size)
		count++;
	if (count)
		status = give_calls(b, shape, from, count);
	/* Many functions may have this name: later ones need not look at the
	 * call sites that were just placed. */
	calls->first += count;
	calls->count -= count;
	if (status != GSYM_OK || !shape->body)
		return status;
	/* The body and its merged functions are in the builder's arena, where
	 * they may be written to. */
	body = (struct gsym_shape_body *)(uintptr_t)shape->body;
	merged = (struct gsym_shape *)(uintptr_t)body->merged;
	for (uint32_t i = 0; i < body->merged_count && status == GSYM_OK; i++)
		status = place_in(b, &merged[i], by_name);
	return status;
}

static enum gsym_status place_all(struct gsym_builder *b,
				  struct w_shapes *records,
				  struct waiting *by_name,
				  struct gsym_error *error)
{
	enum gsym_status status = GSYM_OK;

	for (size_t i = 0; i < records->count && status == GSYM_OK; i++)
		status = place_in(b, &records->items[i], by_name);
	if (status == GSYM_ERR_LIMIT)
		return gsym_fail(error, status, 0, "too many call sites");
	if (status != GSYM_OK)
		return gsym_fail_memory(error);
	for (size_t i = 0; i < b->calls.count; i++) {
		const struct w_call *call = &b->calls.items[i];

		if (!call->placed)
			return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
					 "call sites: no function is called "
					 "'%.120s' and has offset 0x%x",
					 w_text(b, call->name),
					 call->call.return_offset);
	}
	return GSYM_OK;
}

enum gsym_status gsym_writer_place_calls(struct gsym_builder *b,
					 struct w_shapes *records,
					 struct gsym_error *error)
{
	struct waiting *by_name;
	enum gsym_status status;

	if (!b->calls.count)
		return GSYM_OK;
	by_name = calloc(b->strings.count, sizeof(*by_name));
	if (!by_name)
		return gsym_fail_memory(error);
	qsort(b->calls.items, b->calls.count, sizeof(*b->calls.items),
	      by_content);
	for (size_t i = 0; i < b->calls.count; i++) {
		struct waiting *calls = &by_name[b->calls.items[i].name];

		if (!calls->count++)
			calls->first = i;
	}
	status = place_all(b, records, by_name, error);
	free(by_name);
	return status;
}
