/* SPDX-License-Identifier: MIT */
/*
 * Makes bodies of parts of records: packs the content of a body; cuts out the
 * part of a record in an address range (its rows, beginning with the row in
 * force at the start, its inlined calls, clipped to the range, and the items of
 * its lists, such as call sites, that are in the range); leaves lines or
 * inlined calls out of settled records.  Settling looks at these, so the same
 * records answer as in a file that has everything.
 */
#include "writer/state.h"
#include "base/order.h"

/* ---- packing ------------------------------------------------------------ */

size_t gsym_writer_complete_rows(struct gsym_row *rows, size_t row_count,
				 size_t inline_count)
{
	if (!row_count && inline_count)
		rows[row_count++] = (struct gsym_row){ 0, W_FILE_NOSRC, 0 };
	else if (!inline_count && row_count == 1 && rows->file == W_FILE_NOSRC)
		row_count = 0;
	return row_count;
}

enum gsym_status gsym_writer_pack_body(struct w_lane *lane,
				       const struct gsym_shape_body *head,
				       const struct gsym_shape_body **ret)
{
	struct gsym_shape_body measured = *head, *body;

	*ret = NULL;
	if (gsym_shape_is_empty(head))
		return GSYM_OK;
	gsym_shape_measure(&measured, lane->scratch.items);
	body = gsym_arena_alloc(&lane->arena,
				offsetof(struct gsym_shape_body, bytes) +
					gsym_shape_bytes(&measured));
	if (!body)
		return GSYM_ERR_MEMORY;
	memcpy(body, &measured, offsetof(struct gsym_shape_body, bytes));
	gsym_shape_pack(body, lane->scratch.items, body->bytes);
	*ret = body;
	return GSYM_OK;
}

/* ---- cutting ------------------------------------------------------------ */

/* SHAPE is cut to [FROM, TO), in bytes from its start.  The part is written to
 * the scratch words of LANE, which have room for the whole record: a part takes
 * no more. */
struct cutting {
	struct w_lane *lane;
	const struct gsym_shape *shape;
	const struct gsym_shape_body *body;
	struct gsym_shape_view view;
	uint32_t from;
	uint32_t to;
	/* The counts and merged functions of the part. */
	struct gsym_shape_body head;
};

uint64_t gsym_writer_cut_cost(const struct gsym_shape *shape)
{
	const struct gsym_shape_body *body = shape->body;
	uint64_t cost = 1;

	if (!body)
		return cost;
	/* Rows do not count: the rows of the part are found by binary
	 * search. */
	for (unsigned i = GSYM_ROWS + 1; i < GSYM_ARRAYS; i++)
		cost += body->counts[i];
	for (uint32_t i = 0; i < body->merged_count; i++)
		cost += gsym_writer_cut_cost(&body->merged[i]);
	return cost;
}

/* The row in force at OFFSET: the first row has offset 0, so there is one. */
static uint32_t row_at(const struct cutting *c, uint32_t offset)
{
	return (uint32_t)GSYM_FIRST(i, 1, c->body->counts[GSYM_ROWS],
				    gsym_shape_at(&c->view, GSYM_ROW_OFFSET,
						  (uint32_t)i) > offset) -
	       1;
}

static void cut_rows(struct cutting *c)
{
	struct gsym_row *out = (struct gsym_row *)c->lane->scratch.items;
	uint32_t first, last;
	size_t count = 0;

	c->lane->scratch.count = 0;
	if (!c->body->counts[GSYM_ROWS])
		return;
	first = row_at(c, c->from);
	last = row_at(c, c->to - 1);
	for (uint32_t i = first; i <= last; i++) {
		struct gsym_row row = gsym_shape_row(&c->view, i);

		row.offset = row.offset > c->from ? row.offset - c->from : 0;
		count = w_append_row(out, count, row);
	}
	count = gsym_writer_complete_rows(out, count,
					  c->head.counts[GSYM_INLINES]);
	c->head.counts[GSYM_ROWS] = (uint32_t)count;
	c->lane->scratch.count = count * GSYM_SHAPE_ROW_WORDS;
}

/* Fill RET with the part of range INDEX in [FROM, TO), in bytes from FROM;
 * false if they do not overlap. */
static bool clip(const struct cutting *c, uint32_t index,
		 struct gsym_shape_range *ret)
{
	struct gsym_shape_range range = gsym_shape_range(&c->view, index);
	uint64_t start = range.start, end = start + range.size;

	if (start < c->from)
		start = c->from;
	if (end > c->to)
		end = c->to;
	if (start >= end)
		return false;
	*ret = (struct gsym_shape_range){ (uint32_t)(start - c->from),
					  (uint32_t)(end - start) };
	return true;
}

/* Write the nodes and ranges that overlap [FROM, TO) to OUT.  The ranges of
 * children lie in the ranges of their parents, so the parent of a node that is
 * kept is kept, too.  Returns the end of what was written. */
static uint32_t *cut_inlines(struct cutting *c, uint32_t *out)
{
	struct gsym_shape_inline *nodes = (struct gsym_shape_inline *)out;
	struct gsym_shape_range *first = (struct gsym_shape_range *)
		(nodes + c->body->counts[GSYM_INLINES]), *ranges = first;
	uint32_t range = 0;

	for (uint32_t i = 0; i < c->body->counts[GSYM_INLINES]; i++) {
		struct gsym_shape_inline node = gsym_shape_inline(&c->view, i);
		uint32_t end = range + node.range_count;

		node.range_count = 0;
		for (; range < end; range++)
			node.range_count += clip(c, range,
						 &ranges[node.range_count]);
		ranges += node.range_count;
		if (node.range_count)
			*nodes++ = node;
	}
	c->head.counts[GSYM_INLINES] =
		(uint32_t)(nodes - (struct gsym_shape_inline *)out);
	c->head.counts[GSYM_RANGES] = (uint32_t)(ranges - first);
	memmove(nodes, first, (size_t)(ranges - first) * sizeof(*first));
	return (uint32_t *)nodes + (ranges - first) * GSYM_SHAPE_RANGE_WORDS;
}

/* Whether OFFSET is in [FROM, TO).  A call that returns to the end of SHAPE
 * belongs to the part that ends there. */
static bool is_inside(const struct cutting *c, uint32_t offset)
{
	return offset >= c->from &&
	       (offset < c->to || (c->to == c->shape->size && offset == c->to));
}

/* Copy the call sites that are inside, and their patterns. */
static void cut_calls(struct cutting *c)
{
	const uint32_t count = c->body->counts[GSYM_CALLS];
	uint32_t *out = c->lane->scratch.items + c->lane->scratch.count;
	uint32_t *patterns = out + gsym_shape_array_words(c->body, GSYM_CALLS);
	uint32_t pattern = 0, kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t offset = gsym_shape_at(&c->view, GSYM_CALL_OFFSET, i);
		uint32_t end = pattern +
			       gsym_shape_at(&c->view, GSYM_CALL_PATTERNS, i);

		if (is_inside(c, offset)) {
			c->head.counts[GSYM_CALLS]++;
			*out++ = offset - c->from;
			*out++ = gsym_shape_at(&c->view, GSYM_CALL_FLAGS, i);
			*out++ = end - pattern;
			for (; pattern < end; pattern++)
				patterns[kept++] = gsym_shape_at(
					&c->view, GSYM_PATTERN, pattern);
		}
		pattern = end;
	}
	c->head.counts[GSYM_PATTERNS] = kept;
	memmove(out, patterns, kept * sizeof(*out));
	c->lane->scratch.count = (size_t)(out + kept - c->lane->scratch.items);
}

/* Cut the merged functions to [START, END). */
static enum gsym_status cut_merged(struct cutting *c, uint64_t start,
				   uint64_t end)
{
	uint32_t count = c->body->merged_count;
	struct gsym_shape *merged;

	if (!count)
		return GSYM_OK;
	merged = gsym_arena_alloc(&c->lane->arena, count * sizeof(*merged));
	if (!merged)
		return GSYM_ERR_MEMORY;
	for (uint32_t i = 0; i < count; i++) {
		enum gsym_status status = gsym_writer_cut(
			c->lane, &c->body->merged[i], start, end, &merged[i]);

		if (status != GSYM_OK)
			return status;
	}
	c->head.merged = merged;
	c->head.merged_count = count;
	return GSYM_OK;
}

enum gsym_status gsym_writer_cut(struct w_lane *lane,
				 const struct gsym_shape *shape, uint64_t start,
				 uint64_t end, struct gsym_shape *ret)
{
	struct cutting c = {
		.lane = lane,
		.shape = shape,
		.body = shape->body,
		.from = (uint32_t)(start - shape->start),
		.to = (uint32_t)(end - shape->start),
	};
	uint32_t *inlines, *end_of_inlines;
	enum gsym_status status;

	*ret = *shape;
	ret->start = start;
	ret->size = c.to - c.from;
	if (!shape->body)
		return GSYM_OK;
	/* This comes first because it overwrites the scratch words. */
	status = cut_merged(&c, start, end);
	if (status != GSYM_OK)
		return status;
	/* A body of merged functions alone has no words. */
	lane->scratch.count = 0;
	if (!gsym_vec_reserve(&lane->scratch,
			      gsym_shape_words(c.body, GSYM_ARRAYS) + 1))
		return GSYM_ERR_MEMORY;
	c.view = gsym_shape_look(shape->body);
	/* How many rows there are depends on whether there are inlined calls,
	 * which are first written behind the room for all rows. */
	inlines =
		lane->scratch.items + gsym_shape_array_words(c.body, GSYM_ROWS);
	end_of_inlines = cut_inlines(&c, inlines);
	cut_rows(&c);
	memmove(lane->scratch.items + lane->scratch.count, inlines,
		(size_t)(end_of_inlines - inlines) * sizeof(*inlines));
	lane->scratch.count += (size_t)(end_of_inlines - inlines);
	cut_calls(&c);
	return gsym_writer_pack_body(lane, &c.head, &ret->body);
}

/* ---- leaving out -------------------------------------------------------- */

/* Remove the items of ARRAY from WORDS, the content of HEAD. */
static void remove_array(struct gsym_shape_body *head, uint32_t *words,
			 enum gsym_array array)
{
	uint32_t *at = words + gsym_shape_words(head, array);
	uint32_t *after = at + gsym_shape_array_words(head, array);
	uint32_t *end = words + gsym_shape_words(head, GSYM_ARRAYS);

	memmove(at, after, (size_t)(end - after) * sizeof(*at));
	head->counts[array] = 0;
}

/* Remove the places of the inlined calls from WORDS, the content of HEAD. */
static void remove_places(const struct gsym_shape_body *head, uint32_t *words)
{
	struct gsym_shape_inline *inlines = (struct gsym_shape_inline *)
		(words + gsym_shape_words(head, GSYM_INLINES));

	for (uint32_t i = 0; i < head->counts[GSYM_INLINES]; i++) {
		inlines[i].call_file = W_FILE_UNKNOWN;
		inlines[i].call_line = 0;
	}
}

/* Complete the rows in WORDS, the content of HEAD, which has room for one row
 * more. */
static void complete(struct gsym_shape_body *head, uint32_t *words)
{
	uint32_t had = head->counts[GSYM_ROWS];
	size_t count;

	if (!had)
		memmove(words + GSYM_SHAPE_ROW_WORDS, words,
			gsym_shape_words(head, GSYM_ARRAYS) * sizeof(*words));
	count = gsym_writer_complete_rows((struct gsym_row *)words, had,
					  head->counts[GSYM_INLINES]);
	head->counts[GSYM_ROWS] = had ? had : 1;
	if (!count)
		remove_array(head, words, GSYM_ROWS);
}

/* Leave out what OPTIONS say from SHAPE itself. */
static enum gsym_status strip(struct w_lane *lane,
			      const struct gsym_build_options *options,
			      struct gsym_shape *shape)
{
	struct gsym_shape_body head = *shape->body;
	uint32_t *words;

	lane->scratch.count = 0;
	if (!gsym_vec_reserve(&lane->scratch,
			      gsym_shape_words(&head, GSYM_ARRAYS) +
				      GSYM_SHAPE_ROW_WORDS))
		return GSYM_ERR_MEMORY;
	words = lane->scratch.items;
	gsym_shape_unpack(shape->body, words);
	if (options->no_inlines) {
		remove_array(&head, words, GSYM_INLINES);
		remove_array(&head, words, GSYM_RANGES);
	}
	if (options->no_lines) {
		remove_array(&head, words, GSYM_ROWS);
		remove_places(&head, words);
	}
	complete(&head, words);
	return gsym_writer_pack_body(lane, &head, &shape->body);
}

enum gsym_status gsym_writer_leave_out(struct w_lane *lane,
				       const struct gsym_build_options *options,
				       struct gsym_shape *shapes, size_t count)
{
	enum gsym_status status = GSYM_OK;

	for (size_t i = 0; i < count && status == GSYM_OK; i++) {
		if (!shapes[i].body)
			continue;
		/* Merged functions are in the builder's arena. */
		status = gsym_writer_leave_out(
			lane, options,
			(struct gsym_shape *)shapes[i].body->merged,
			shapes[i].body->merged_count);
		if (status == GSYM_OK)
			status = strip(lane, options, &shapes[i]);
	}
	return status;
}
