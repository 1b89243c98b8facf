/* SPDX-License-Identifier: MIT */
/* Rule 6 of gsym/builder.h: of records of equal range the first one answers,
 * and the others become its merged functions. */
#include "writer/state.h"

#include <stdlib.h>

/* A record to be merged; qsort has no context, so the builder is here. */
struct candidate {
	const struct gsym_builder *b;
	struct gsym_shape *shape;
};

/* By size, then folded records after others, then by rule 1. */
static int by_size(const void *a, const void *c)
{
	const struct candidate *x = a, *y = c;
	int order = GSYM_ORDER(x->shape->size, y->shape->size);

	if (!order)
		order = GSYM_ORDER(x->shape->folded, y->shape->folded);
	return order ? order
		     : gsym_writer_compare_records(x->b, x->shape, y->shape);
}

/* By name, then by rule 1, so that a record without a body comes last. */
static int by_name(const void *a, const void *c)
{
	const struct candidate *x = a, *y = c;
	int order = w_compare_strings(x->b, x->shape->name, y->shape->name);

	return order ? order
		     : gsym_writer_compare_records(x->b, x->shape, y->shape);
}

/* Whether SHAPE has another name than OTHER, or a body that differs from
 * OTHER's. */
static bool adds_to(const struct gsym_builder *b,
		    const struct gsym_shape *shape,
		    const struct gsym_shape *other)
{
	return shape->name != other->name ||
	       (shape->body &&
		gsym_writer_compare_bodies(b, shape->body, other->body) != 0);
}

/* A copy of BODY, or an empty body if it is NULL.  NULL without memory. */
static struct gsym_shape_body *copy_body(struct gsym_builder *b,
					 const struct gsym_shape_body *body)
{
	const size_t head = offsetof(struct gsym_shape_body, bytes);
	size_t bytes = body ? gsym_shape_bytes(body) : GSYM_SHAPE_SLACK;
	struct gsym_shape_body *copy = gsym_arena_alloc(&b->arena,
							head + bytes);

	if (copy && body)
		memcpy(copy, body, head + bytes);
	else if (copy)
		memset(copy, 0, head + bytes);
	return copy;
}

/* Make the COUNT candidates at FROM, which have OWNER's range, merged functions
 * of OWNER.  Candidates without a name are left out, and so are those that add
 * nothing to OWNER or to the merged function before them. */
static enum gsym_status merge(struct gsym_builder *b, struct gsym_shape *owner,
			      struct candidate *from, size_t count,
			      uint64_t *merged)
{
	const struct gsym_shape_body *body = owner->body;
	struct gsym_shape_body *copy;
	const struct gsym_shape *last = owner;
	struct gsym_shape *out;
	uint32_t had = body ? body->merged_count : 0, all = had;

	if (!count || count > UINT32_MAX - had)
		return GSYM_OK;
	qsort(from, count, sizeof(*from), by_name);
	out = gsym_arena_alloc(&b->arena, (had + count) * sizeof(*out));
	if (!out)
		return GSYM_ERR_MEMORY;
	for (uint32_t i = 0; i < had; i++)
		out[i] = body->merged[i];
	for (size_t i = 0; i < count; i++) {
		struct gsym_shape *shape = from[i].shape;

		if (!shape->name || !adds_to(b, shape, owner) ||
		    !adds_to(b, shape, last))
			continue;
		*merged += !shape->folded;
		out[all] = *shape;
		last = &out[all++];
	}
	if (all == had)
		return GSYM_OK;
	copy = copy_body(b, body);
	if (!copy)
		return GSYM_ERR_MEMORY;
	copy->merged = out;
	copy->merged_count = all;
	owner->body = copy;
	return GSYM_OK;
}

enum gsym_status gsym_writer_merge(struct gsym_builder *b,
				   const struct w_group *group,
				   const struct w_group *folded,
				   uint64_t *merged)
{
	size_t count = 0, next;
	struct candidate *all = malloc((group->count + folded->count) *
				       sizeof(*all));
	enum gsym_status status = GSYM_OK;

	if (!all)
		return GSYM_ERR_MEMORY;
	for (size_t i = 0; i < group->count; i++)
		if (group->items[i]->rank != GSYM_RANK_LABEL)
			all[count++] = (struct candidate){ b, group->items[i] };
	for (size_t i = 0; i < folded->count; i++)
		all[count++] = (struct candidate){ b, folded->items[i] };
	qsort(all, count, sizeof(*all), by_size);
	for (size_t i = 0; i < count && status == GSYM_OK; i = next) {
		struct gsym_shape *owner = all[i].shape;

		for (next = i + 1;
		     next < count && all[next].shape->size == owner->size;
		     next++)
			;
		/* A record without a name answers under another one's name,
		 * so it has no merged functions. */
		if (!owner->folded && owner->name)
			status = merge(b, owner, all + i + 1, next - i - 1,
				       merged);
	}
	free(all);
	return status;
}
