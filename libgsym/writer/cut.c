/* SPDX-License-Identifier: MIT */
/* Cuts out the part of a record in an address range: its rows, beginning with
 * the row in force at the start; its inlined calls, clipped to the range; and
 * its call sites that return into the range. */
#include "writer/state.h"

#include "base/search.h"

/* SHAPE is cut to [FROM, TO), in bytes from its start.  The part is written to
 * the scratch words of B.  They have room for it: accept.c reserved them for
 * the whole record, and a part takes no more. */
struct cutting {
	struct gsym_builder *b;
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
	cost += (uint64_t)body->inline_count + body->range_count +
		body->call_count + body->pattern_count;
	for (uint32_t i = 0; i < body->merged_count; i++)
		cost += gsym_writer_cut_cost(&body->merged[i]);
	return cost;
}

/* The row in force at OFFSET: the first row has offset 0, so there is one. */
static uint32_t row_at(const struct cutting *c, uint32_t offset)
{
	return (uint32_t)GSYM_FIRST(i, 1, c->body->row_count,
				    gsym_shape_at(&c->view, GSYM_ROW_OFFSET,
						  (uint32_t)i) > offset) -
	       1;
}

static void cut_rows(struct cutting *c)
{
	struct gsym_row *out = (struct gsym_row *)c->b->scratch.items;
	uint32_t first, last;
	size_t count = 0;

	if (!c->body->row_count)
		return;
	first = row_at(c, c->from);
	last = row_at(c, c->to - 1);
	for (uint32_t i = first; i <= last; i++) {
		struct gsym_row row = gsym_shape_row(&c->view, i);

		row.offset = row.offset > c->from ? row.offset - c->from : 0;
		count = w_append_row(out, count, row);
	}
	count = gsym_writer_complete_rows(out, count, c->head.inline_count);
	c->head.row_count = (uint32_t)count;
	c->b->scratch.count = count * GSYM_SHAPE_ROW_WORDS;
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

/* Count the nodes and ranges that overlap [FROM, TO).  The ranges of children
 * lie in the ranges of their parents, so the parent of a counted node is
 * counted, too. */
static void count_inlines(struct cutting *c)
{
	struct gsym_shape_range clipped;
	uint32_t range = 0;

	for (uint32_t i = 0; i < c->body->inline_count; i++) {
		uint32_t before = c->head.range_count;
		uint32_t end = range + gsym_shape_at(&c->view,
						     GSYM_INLINE_RANGES, i);

		for (; range < end; range++)
			c->head.range_count += clip(c, range, &clipped);
		c->head.inline_count += c->head.range_count > before;
	}
}

static void cut_inlines(struct cutting *c)
{
	uint32_t *words = c->b->scratch.items;
	struct gsym_shape_inline *out;
	struct gsym_shape_range *out_ranges;
	uint32_t range = 0;

	if (!c->head.inline_count)
		return;
	out = (struct gsym_shape_inline *)(words + c->b->scratch.count);
	out_ranges = (struct gsym_shape_range *)(out + c->head.inline_count);
	for (uint32_t i = 0; i < c->body->inline_count; i++) {
		struct gsym_shape_inline node = gsym_shape_inline(&c->view, i);
		struct gsym_shape_range clipped;
		uint32_t end = range + node.range_count, kept = 0;

		for (; range < end; range++) {
			if (!clip(c, range, &clipped))
				continue;
			*out_ranges++ = clipped;
			kept++;
		}
		if (kept) {
			*out = node;
			out++->range_count = kept;
		}
	}
	c->b->scratch.count = (size_t)((uint32_t *)out_ranges - words);
}

/* Whether CALL returns into [FROM, TO).  A call that returns to the end of
 * SHAPE belongs to the part that ends there. */
static bool returns_here(const struct cutting *c,
			 const struct gsym_shape_call *call)
{
	return call->return_offset >= c->from &&
	       (call->return_offset < c->to ||
		(c->to == c->shape->size && call->return_offset == c->to));
}

static void cut_calls(struct cutting *c)
{
	struct gsym_shape_call *out;
	uint32_t *out_patterns, pattern = 0;

	for (uint32_t i = 0; i < c->body->call_count; i++) {
		struct gsym_shape_call call = gsym_shape_call(&c->view, i);

		if (returns_here(c, &call)) {
			c->head.call_count++;
			c->head.pattern_count += call.pattern_count;
		}
	}
	if (!c->head.call_count)
		return;
	out = (struct gsym_shape_call *)(c->b->scratch.items +
					 c->b->scratch.count);
	out_patterns = (uint32_t *)(out + c->head.call_count);
	for (uint32_t i = 0; i < c->body->call_count; i++) {
		struct gsym_shape_call call = gsym_shape_call(&c->view, i);

		if (returns_here(c, &call)) {
			*out = call;
			out++->return_offset -= c->from;
			for (uint32_t k = 0; k < call.pattern_count; k++)
				*out_patterns++ = gsym_shape_pattern(
					&c->view, pattern + k);
		}
		pattern += call.pattern_count;
	}
}

/* Cut the merged functions to [START, END). */
static enum gsym_status cut_merged(struct cutting *c, uint64_t start,
				   uint64_t end)
{
	uint32_t count = c->body->merged_count;
	struct gsym_shape *merged;

	if (!count)
		return GSYM_OK;
	merged = gsym_arena_alloc(&c->b->arena, count * sizeof(*merged));
	if (!merged)
		return GSYM_ERR_MEMORY;
	for (uint32_t i = 0; i < count; i++) {
		enum gsym_status status = gsym_writer_cut(
			c->b, &c->body->merged[i], start, end, &merged[i]);

		if (status != GSYM_OK)
			return status;
	}
	c->head.merged = merged;
	c->head.merged_count = count;
	return GSYM_OK;
}

enum gsym_status gsym_writer_cut(struct gsym_builder *b,
				 const struct gsym_shape *shape, uint64_t start,
				 uint64_t end, struct gsym_shape *ret)
{
	struct cutting c = {
		.b = b,
		.shape = shape,
		.body = shape->body,
		.from = (uint32_t)(start - shape->start),
		.to = (uint32_t)(end - shape->start),
	};
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
	c.view = gsym_shape_look(shape->body);
	b->scratch.count = 0;
	count_inlines(&c);
	cut_rows(&c);
	cut_inlines(&c);
	cut_calls(&c);
	return gsym_writer_pack_body(b, &c.head, &ret->body);
}
