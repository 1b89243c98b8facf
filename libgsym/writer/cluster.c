/* SPDX-License-Identifier: MIT */
/*
 * Which record answers where several overlap, by the rules of gsym/builder.h.
 *
 * Records of one start are a group; groups that overlap are a cluster.  Nearly
 * all clusters are a function and its symbols at one start: the first record
 * covers the others and becomes a record of the file.  All other clusters are
 * swept from address to address: wherever a record begins or the answering one
 * ends, the record on top of a heap answers next.
 */
#include "writer/state.h"

#include "base/memory.h"
#include "base/order.h"
#include "base/symbol_name.h"

#include <stdlib.h>

/* A function or symbol of the cluster. ANSWERS: it has a piece. */
struct w_member {
	struct gsym_shape *shape;
	bool answers;
};

/* In [START, END) MEMBER answers, under NAME. */
struct w_piece {
	uint64_t start;
	uint64_t end;
	uint32_t member;
	uint32_t name;
};

/* A record to be sorted; qsort has no context, so the builder is here. */
struct w_place {
	const struct gsym_builder *b;
	struct gsym_shape *shape;
};

void gsym_writer_close_label(struct w_settled *to, uint64_t end)
{
	struct gsym_shape *label;
	uint64_t size;

	if (!to->open_label)
		return;
	to->open_label = false;
	label = &to->out.items[to->out.count - 1];
	if (label->limit < end)
		end = label->limit;
	/* No record follows and the limit is not known: size 0. */
	if (end == UINT64_MAX)
		return;
	size = end - label->start;
	label->size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
}

/* A new last record of the file, to be filled by the caller and to start at
 * START; NULL without memory. */
static struct gsym_shape *push_out(struct w_cluster *c, uint64_t start)
{
	gsym_writer_close_label(c->to, start);
	return gsym_vec_push(&c->to->out);
}

/* Whether member A, not OTHER, answers where both are: rules 1 and 7. */
static bool is_before(const struct w_cluster *c, uint32_t a, uint32_t other)
{
	const struct gsym_shape *x = c->members.items[a].shape;
	const struct gsym_shape *y = c->members.items[other].shape;

	if (x->data != y->data)
		return y->data;
	if (w_rank(x) != w_rank(y))
		return w_rank(x) > w_rank(y);
	if (x->start != y->start)
		return x->start > y->start;
	return gsym_writer_compare_records(c->s->b, x, y) < 0;
}

static bool heap_push(const struct w_cluster *c, struct w_heap *heap,
		      uint32_t member)
{
	return GSYM_HEAP_PUSH(heap, member, a, b, is_before(c, *a, *b));
}

/* The top of HEAP after removing members that end at or before ADDRESS from
 * it; NULL if the heap is empty then. */
static struct gsym_shape *heap_top(const struct w_cluster *c,
				   struct w_heap *heap, uint64_t address)
{
	while (heap->count) {
		struct gsym_shape *top = c->members.items[heap->items[0]].shape;

		if (w_end(top) > address)
			return top;
		GSYM_HEAP_POP(heap, a, b, is_before(c, *a, *b));
	}
	return NULL;
}

/* Add a piece, or extend the last one if that ends at START and has the same
 * member and name.  A NAME of 0 adds nothing, as a record without a name does
 * not get into the file.  False without memory. */
static bool add_piece(struct w_cluster *c, uint32_t member, uint32_t name,
		      uint64_t start, uint64_t end)
{
	struct w_piece *last;

	if (!name)
		return true;
	if (c->pieces.count) {
		last = &c->pieces.items[c->pieces.count - 1];
		if (last->member == member && last->name == name &&
		    last->end == start) {
			last->end = end;
			return true;
		}
	}
	last = gsym_vec_push(&c->pieces);
	if (!last)
		return false;
	*last = (struct w_piece){ start, end, member, name };
	return true;
}

/* The name of TOP where no member has one. */
static uint32_t unknown_name(const struct gsym_shape *top)
{
	bool lines = top->rank == GSYM_RANK_FUNCTION && top->body &&
		     top->body->counts[GSYM_ROWS];

	return lines ? W_STRING_UNKNOWN : 0;
}

/* Find the pieces of the cluster.  A member without a name answers under the
 * best name of another member, so its piece ends where that member ends.  False
 * without memory. */
static bool sweep(struct w_cluster *c)
{
	uint64_t at = 0;
	uint32_t next = 0;
	uint32_t count = (uint32_t)c->members.count;

	c->pieces.count = c->active.count = c->named.count = 0;
	for (;;) {
		struct gsym_shape *top = heap_top(c, &c->active, at), *name;
		uint64_t end;

		if (!top) {
			if (next == count)
				return true;
			at = c->members.items[next].shape->start;
		}
		for (;
		     next < count && c->members.items[next].shape->start <= at;
		     next++) {
			if (!heap_push(c, &c->active, next) ||
			    (c->members.items[next].shape->name &&
			     !heap_push(c, &c->named, next)))
				return false;
		}
		top = heap_top(c, &c->active, at);
		name = heap_top(c, &c->named, at);
		end = w_end(top);
		if (top->name)
			name = top;
		else if (name && w_end(name) < end)
			end = w_end(name);
		if (next < count && c->members.items[next].shape->start < end)
			end = c->members.items[next].shape->start;
		if (!add_piece(c, c->active.items[0],
			       name ? name->name : unknown_name(top), at, end))
			return false;
		at = end;
	}
}

/* Take COST words from those that all cuts may look at.  False if there are
 * fewer. */
static bool take_cut(struct w_settling *s, uint64_t cost)
{
	size_t left = s->cuts;

	do {
		if (cost > left)
			return false;
	} while (!atomic_compare_exchange_weak(&s->cuts, &left,
					       left - (size_t)cost));
	return true;
}

/* Append the pieces to the records of the file. */
static enum gsym_status put_pieces(struct w_cluster *c)
{
	for (size_t i = 0; i < c->pieces.count; i++) {
		const struct w_piece *piece = &c->pieces.items[i];
		struct w_member *member = &c->members.items[piece->member];
		const struct gsym_shape *shape = member->shape;
		struct gsym_shape *out = push_out(c, piece->start);
		enum gsym_status status;

		if (!out)
			return GSYM_ERR_MEMORY;
		c->to->answering += !member->answers;
		member->answers = true;
		if (piece->start == shape->start &&
		    piece->end == w_end(shape)) {
			*out = *shape;
			out->name = piece->name;
			continue;
		}
		if (!take_cut(c->s, gsym_writer_cut_cost(shape)))
			return GSYM_ERR_LIMIT;
		status = gsym_writer_cut(c->lane, shape, piece->start,
					 piece->end, out);
		if (status != GSYM_OK)
			return GSYM_ERR_MEMORY;
		out->name = piece->name;
	}
	return GSYM_OK;
}

/* Returns true if the first member answers everywhere in the cluster.  It
 * answers at its start; so all members must start there, and none may reach
 * further. */
static bool is_simple(const struct w_cluster *c)
{
	const struct w_member *members = c->members.items;
	const struct gsym_shape *first = members[0].shape;

	return first->name && w_end(first) == c->end &&
	       members[c->members.count - 1].shape->start == first->start;
}

enum gsym_status gsym_writer_end_cluster(struct w_cluster *c)
{
	enum gsym_status status = GSYM_OK;

	if (!c->members.count)
		return GSYM_OK;
	if (is_simple(c)) {
		const struct gsym_shape *shape = c->members.items[0].shape;
		struct gsym_shape *out;

		c->members.count = 0;
		c->to->answering++;
		out = push_out(c, shape->start);
		if (!out)
			return GSYM_ERR_MEMORY;
		*out = *shape;
		return GSYM_OK;
	}
	status = sweep(c) ? put_pieces(c) : GSYM_ERR_MEMORY;
	c->members.count = 0;
	return status;
}

/* Append the first label of a group of labels to the records of the file, with
 * the lowest limit of all of them. */
static enum gsym_status put_label(struct w_cluster *c)
{
	struct gsym_shape *first = c->group.items[0], *out;
	uint64_t limit = UINT64_MAX;

	for (size_t i = 0; i < c->group.count; i++)
		if (c->group.items[i]->limit < limit)
			limit = c->group.items[i]->limit;
	if (limit <= first->start || !first->name)
		return GSYM_OK;
	c->to->answering++;
	out = push_out(c, first->start);
	if (!out)
		return GSYM_ERR_MEMORY;
	*out = *first;
	out->limit = limit;
	c->to->open_label = true;
	return GSYM_OK;
}

/* Note that SYMBOL contradicts FUNCTION at ADDRESS; both are string numbers. */
static void note_contradiction(struct w_cluster *c, uint64_t address,
			       uint32_t symbol, uint32_t function)
{
	if (!c->to->contradictions)
		c->to->first =
			(struct w_contradiction){ address, symbol, function };
	c->to->contradictions += c->to->contradictions < UINT32_MAX;
}

/* Exchange the name OLD, which the first record of the group had, with that of
 * the symbol of its range whose name it has now: such symbols differ in nothing
 * else, and all names are to become merged functions. */
static void exchange_names(struct w_cluster *c, uint32_t old)
{
	struct gsym_shape **group = c->group.items;

	if (!c->s->merge || group[0]->rank != GSYM_RANK_SYMBOL ||
	    group[0]->name == old)
		return;
	for (size_t i = 1; i < c->group.count; i++) {
		if (group[i]->name != group[0]->name ||
		    group[i]->size != group[0]->size)
			continue;
		group[i]->name = old;
		return;
	}
}

/* Name the first record of the group. */
static void name_group(struct w_cluster *c)
{
	struct gsym_shape **group = c->group.items;
	const struct gsym_shape *symbol = NULL;
	uint32_t old = group[0]->name;

	if (c->s->has_local)
		symbol = gsym_writer_contradicting(c->s->b, group,
						   c->group.count);
	if (symbol)
		note_contradiction(c, symbol->start, symbol->name,
				   group[0]->name);
	group[0]->name = symbol ? symbol->name
				: gsym_writer_choose_name(c->s->b, group,
							  c->group.count);
	exchange_names(c, old);
}

/* Let the symbols of the group answer, if a function of the cluster that began
 * before covers their start. */
static void mark_right(struct w_cluster *c)
{
	struct gsym_shape *first = c->group.items[0];

	if (first->rank != GSYM_RANK_SYMBOL || first->data || !first->name ||
	    c->function_end <= first->start || !c->members.count)
		return;
	/* A part of the function: f.__part.2 of f. */
	if (c->function->name &&
	    gsym_symbol_stands_for(w_text(c->s->b, first->name),
				   w_text(c->s->b, c->function->name)))
		return;
	/* Each of many symbols would cut a function with many inlined calls. */
	c->marked += gsym_writer_cut_cost(c->function);
	if (c->marked > c->s->most_marked)
		return;
	note_contradiction(c, first->start, first->name, c->function->name);
	for (size_t i = 0; i < c->group.count; i++)
		c->group.items[i]->right =
			c->group.items[i]->rank == GSYM_RANK_SYMBOL;
}

/* Compare two places by rule 1.  The order of records that are equal in every
 * byte does not matter. */
static int by_rule(const void *a, const void *c)
{
	const struct w_place *x = a, *y = c;

	return gsym_writer_compare_records(x->b, x->shape, y->shape);
}

/* Sort the group but for its first record: the cluster must not depend on the
 * order in which records were added.  False without memory. */
static bool sort_rest(struct w_cluster *c)
{
	size_t count = c->group.count - 1;
	struct gsym_shape **rest = c->group.items + 1;

	if (count < 2)
		return true;
	c->places.count = 0;
	if (!gsym_vec_reserve(&c->places, count))
		return false;
	for (size_t i = 0; i < count; i++)
		c->places.items[i] = (struct w_place){ c->s->b, rest[i] };
	qsort(c->places.items, count, sizeof(*c->places.items), by_rule);
	for (size_t i = 0; i < count; i++)
		rest[i] = c->places.items[i].shape;
	return true;
}

/* Move the first record of the group by rule 1 to the front, name it, give it
 * its merged functions, and remove records that answer nowhere because they
 * have its size.  The others are sorted.  False without memory. */
static bool order_group(struct w_cluster *c)
{
	struct gsym_shape **group = c->group.items;
	size_t first = 0, kept = 1;
	struct gsym_shape *swap;

	if (c->group.count == 1 && !c->folds.count)
		return true;
	for (size_t i = 1; i < c->group.count; i++)
		if (gsym_writer_compare_records(c->s->b, group[i],
						group[first]) < 0)
			first = i;
	swap = group[0];
	group[0] = group[first];
	group[first] = swap;
	name_group(c);
	if (c->s->merge &&
	    gsym_writer_merge(c->s->b, c->lane, &c->group, &c->folds,
			      &c->to->merged) != GSYM_OK)
		return false;
	/* put_label needs the limits of all labels. */
	if (group[0]->rank == GSYM_RANK_LABEL)
		return true;
	for (size_t i = 1; i < c->group.count; i++)
		if (group[i]->size != group[0]->size)
			group[kept++] = group[i];
	c->group.count = kept;
	return sort_rest(c);
}

/* Move the folded records of the group to c->folds.  False without memory. */
static bool part_folded(struct w_cluster *c)
{
	size_t kept = 0;

	c->folds.count = 0;
	if (!gsym_vec_reserve(&c->folds, c->group.count))
		return false;
	for (size_t i = 0; i < c->group.count; i++) {
		struct gsym_shape *shape = c->group.items[i];

		if (shape->folded)
			c->folds.items[c->folds.count++] = shape;
		else
			c->group.items[kept++] = shape;
	}
	c->group.count = kept;
	return true;
}

enum gsym_status gsym_writer_add_group(struct w_cluster *c)
{
	uint64_t start = c->group.items[0]->start;

	if (c->s->has_folded && !part_folded(c))
		return GSYM_ERR_MEMORY;
	if (!c->group.count)
		return GSYM_OK;
	if (start >= c->end) {
		enum gsym_status status = gsym_writer_end_cluster(c);

		if (status != GSYM_OK)
			return status;
	}
	if (!order_group(c))
		return GSYM_ERR_MEMORY;
	/* Labels inside a function or symbol are dropped. */
	if (c->group.items[0]->rank == GSYM_RANK_LABEL)
		return c->members.count ? GSYM_OK : put_label(c);
	if (!gsym_vec_reserve(&c->members, c->group.count))
		return GSYM_ERR_MEMORY;
	if (!c->members.count)
		c->end = c->function_end = 0;
	mark_right(c);
	for (size_t i = 0; i < c->group.count; i++) {
		struct gsym_shape *shape = c->group.items[i];

		c->members.items[c->members.count++] =
			(struct w_member){ shape, false };
		if (w_end(shape) > c->end)
			c->end = w_end(shape);
		if (shape->rank == GSYM_RANK_FUNCTION && !shape->data &&
		    w_end(shape) > c->function_end) {
			c->function_end = w_end(shape);
			c->function = shape;
		}
	}
	return GSYM_OK;
}

void gsym_writer_cluster_fini(struct w_cluster *c)
{
	gsym_vec_fini(&c->places);
	gsym_vec_fini(&c->members);
	gsym_vec_fini(&c->active);
	gsym_vec_fini(&c->named);
	gsym_vec_fini(&c->pieces);
	gsym_vec_fini(&c->group);
	gsym_vec_fini(&c->folds);
}
