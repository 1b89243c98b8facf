/* SPDX-License-Identifier: MIT */
/*
 * One record for every address, by the rules of gsym/builder.h.
 *
 * The records are walked in address order.  Records of one start are a group;
 * groups that overlap are a cluster.  Nearly all clusters are a function and
 * its symbols at one start: the first record covers the others and becomes a
 * record of the file.  All other clusters are swept from address to address:
 * wherever a record begins or the answering one ends, the record on top of a
 * heap answers next.
 */
#include "writer/state.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/pool.h"
#include "base/symbol_name.h"

#include <inttypes.h>
#include <stdlib.h>

/* A binary heap of members of the cluster, by index; the one that answers
 * where all of them are is on top. */
struct heap { GSYM_VEC(uint32_t); };

/* A function or symbol of the cluster. ANSWERS: it has a piece. */
struct member {
	struct gsym_shape *shape;
	bool answers;
};

/* In [START, END) MEMBER answers, under NAME. */
struct piece {
	uint64_t start;
	uint64_t end;
	uint32_t member;
	uint32_t name;
};

/* A record to be sorted; qsort has no context, so the builder is here. */
struct place {
	const struct gsym_builder *b;
	struct gsym_shape *shape;
};

struct settling {
	struct gsym_builder *b;
	bool merge;
	struct w_shapes *out;
	struct gsym_error *error;
	/* How many records answer somewhere, how many became merged functions
	 * and how many are folded. */
	uint64_t answering;
	uint64_t merged;
	uint64_t folded;
	/* Words that all cuts so far looked at. */
	uint64_t cuts;
	/* The last record of OUT is a label that has no size yet. */
	bool open_label;
	/* Some symbols have local binding: not only aliases are left. */
	bool has_local;
	/* The number of places at which symbols contradict functions. */
	uint32_t contradictions;
	/* The cluster by start.  END: its greatest end.  FUNCTION_END: that of
	 * the functions in it.  FUNCTION: the function that has that end. */
	struct { GSYM_VEC(struct member); } cluster;
	uint64_t end;
	uint64_t function_end;
	const struct gsym_shape *function;
	/* Words that all cuts by contradicting symbols may look at. */
	uint64_t marked;
	/* Two heaps: the members at the present address of the sweep, perhaps
	 * with members that ended before; and the members among them that have
	 * a name. */
	struct heap active;
	struct heap named;
	struct { GSYM_VEC(struct piece); } pieces;
	/* The records of the present start: folded ones and all others. */
	struct w_group folds;
	struct w_group group;
	struct {
		GSYM_VEC(struct place);
	} places;
};

/* Let the open label, if there is one, reach to END or to its limit. */
static void close_label(struct settling *s, uint64_t end)
{
	struct gsym_shape *label;
	uint64_t size;

	if (!s->open_label)
		return;
	s->open_label = false;
	label = &s->out->items[s->out->count - 1];
	if (label->limit < end)
		end = label->limit;
	/* No record follows and the limit is not known: size 0. */
	if (end == UINT64_MAX)
		return;
	size = end - label->start;
	label->size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
}

/* A new last record of OUT, to be filled by the caller and to start at START;
 * NULL without memory. */
static struct gsym_shape *push_out(struct settling *s, uint64_t start)
{
	close_label(s, start);
	return gsym_vec_push(s->out);
}

/* Whether member A, not C, answers where both are: rules 1 and 7. */
static bool is_before(const struct settling *s, uint32_t a, uint32_t c)
{
	const struct gsym_shape *x = s->cluster.items[a].shape;
	const struct gsym_shape *y = s->cluster.items[c].shape;

	if (x->data != y->data)
		return y->data;
	if (w_rank(x) != w_rank(y))
		return w_rank(x) > w_rank(y);
	if (x->start != y->start)
		return x->start > y->start;
	return gsym_writer_compare_records(s->b, x, y) < 0;
}

static bool heap_push(const struct settling *s, struct heap *heap,
		      uint32_t member)
{
	return GSYM_HEAP_PUSH(heap, member, a, b, is_before(s, *a, *b));
}

/* The top of HEAP after removing members that end at or before ADDRESS from
 * it; NULL if the heap is empty then. */
static struct gsym_shape *heap_top(const struct settling *s, struct heap *heap,
				   uint64_t address)
{
	while (heap->count) {
		struct gsym_shape *top =
			s->cluster.items[heap->items[0]].shape;

		if (w_end(top) > address)
			return top;
		GSYM_HEAP_POP(heap, a, b, is_before(s, *a, *b));
	}
	return NULL;
}

/* Add a piece, or extend the last one if that ends at START and has the same
 * member and name.  A NAME of 0 adds nothing, as a record without a name does
 * not get into the file.  False without memory. */
static bool add_piece(struct settling *s, uint32_t member, uint32_t name,
		      uint64_t start, uint64_t end)
{
	struct piece *last;

	if (!name)
		return true;
	if (s->pieces.count) {
		last = &s->pieces.items[s->pieces.count - 1];
		if (last->member == member && last->name == name &&
		    last->end == start) {
			last->end = end;
			return true;
		}
	}
	last = gsym_vec_push(&s->pieces);
	if (!last)
		return false;
	*last = (struct piece){ start, end, member, name };
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
static bool sweep(struct settling *s)
{
	uint64_t at = 0;
	uint32_t next = 0;
	uint32_t count = (uint32_t)s->cluster.count;

	s->pieces.count = s->active.count = s->named.count = 0;
	for (;;) {
		struct gsym_shape *top = heap_top(s, &s->active, at), *name;
		uint64_t end;

		if (!top) {
			if (next == count)
				return true;
			at = s->cluster.items[next].shape->start;
		}
		for (; next < count &&
		       s->cluster.items[next].shape->start <= at; next++) {
			if (!heap_push(s, &s->active, next) ||
			    (s->cluster.items[next].shape->name &&
			     !heap_push(s, &s->named, next)))
				return false;
		}
		top = heap_top(s, &s->active, at);
		name = heap_top(s, &s->named, at);
		end = w_end(top);
		if (top->name)
			name = top;
		else if (name && w_end(name) < end)
			end = w_end(name);
		if (next < count && s->cluster.items[next].shape->start < end)
			end = s->cluster.items[next].shape->start;
		if (!add_piece(s, s->active.items[0],
			       name ? name->name : unknown_name(top), at, end))
			return false;
		at = end;
	}
}

/* Append the pieces to OUT. */
static enum gsym_status put_pieces(struct settling *s)
{
	for (size_t i = 0; i < s->pieces.count; i++) {
		const struct piece *piece = &s->pieces.items[i];
		struct member *member = &s->cluster.items[piece->member];
		const struct gsym_shape *shape = member->shape;
		struct gsym_shape *out = push_out(s, piece->start);
		enum gsym_status status;

		if (!out)
			return gsym_fail_memory(s->error);
		s->answering += !member->answers;
		member->answers = true;
		if (piece->start == shape->start &&
		    piece->end == w_end(shape)) {
			*out = *shape;
			out->name = piece->name;
			continue;
		}
		s->cuts += gsym_writer_cut_cost(shape);
		if (s->cuts > s->b->limits.cuts)
			return gsym_fail(s->error, GSYM_ERR_LIMIT, 0,
					 "functions at address 0x%" PRIx64
					 " overlap in too many pieces",
					 shape->start);
		status = gsym_writer_cut(&s->b->lanes[0], shape, piece->start,
					 piece->end, out);
		if (status != GSYM_OK)
			return gsym_fail_memory(s->error);
		out->name = piece->name;
	}
	return GSYM_OK;
}

/* Returns true if the first member answers everywhere in the cluster.  It
 * answers at its start; so all members must start there, and none may reach
 * further. */
static bool is_simple(const struct settling *s)
{
	const struct member *members = s->cluster.items;
	const struct gsym_shape *first = members[0].shape;

	return first->name && w_end(first) == s->end &&
	       members[s->cluster.count - 1].shape->start == first->start;
}

/* The cluster is complete: append its records to OUT and empty it. */
static enum gsym_status end_cluster(struct settling *s)
{
	enum gsym_status status = GSYM_OK;

	if (!s->cluster.count)
		return GSYM_OK;
	if (is_simple(s)) {
		const struct gsym_shape *shape = s->cluster.items[0].shape;
		struct gsym_shape *out;

		s->cluster.count = 0;
		s->answering++;
		out = push_out(s, shape->start);
		if (!out)
			return gsym_fail_memory(s->error);
		*out = *shape;
		return GSYM_OK;
	}
	status = sweep(s) ? put_pieces(s) : gsym_fail_memory(s->error);
	s->cluster.count = 0;
	return status;
}

/* Append the first label of a group of labels to OUT, with the lowest limit
 * of all of them. */
static enum gsym_status put_label(struct settling *s)
{
	struct gsym_shape *first = s->group.items[0], *out;
	uint64_t limit = UINT64_MAX;

	for (size_t i = 0; i < s->group.count; i++)
		if (s->group.items[i]->limit < limit)
			limit = s->group.items[i]->limit;
	if (limit <= first->start || !first->name)
		return GSYM_OK;
	s->answering++;
	out = push_out(s, first->start);
	if (!out)
		return gsym_fail_memory(s->error);
	*out = *first;
	out->limit = limit;
	s->open_label = true;
	return GSYM_OK;
}

/* Note that SYMBOL contradicts FUNCTION at ADDRESS; both are string numbers. */
static void note_contradiction(struct settling *s, uint64_t address,
			       uint32_t symbol, uint32_t function)
{
	if (!s->contradictions)
		s->b->contradiction = (struct w_contradiction){
			address, symbol, function
		};
	s->contradictions += s->contradictions < UINT32_MAX;
}

/* Exchange the name OLD, which the first record of the group had, with that of
 * the symbol of its range whose name it has now: such symbols differ in nothing
 * else, and all names are to become merged functions. */
static void exchange_names(struct settling *s, uint32_t old)
{
	struct gsym_shape **group = s->group.items;

	if (!s->merge || group[0]->rank != GSYM_RANK_SYMBOL ||
	    group[0]->name == old)
		return;
	for (size_t i = 1; i < s->group.count; i++) {
		if (group[i]->name != group[0]->name ||
		    group[i]->size != group[0]->size)
			continue;
		group[i]->name = old;
		return;
	}
}

/* Name the first record of the group. */
static void name_group(struct settling *s)
{
	struct gsym_shape **group = s->group.items;
	const struct gsym_shape *symbol = NULL;
	uint32_t old = group[0]->name;

	if (s->has_local)
		symbol = gsym_writer_contradicting(s->b, group,
						   s->group.count);
	if (symbol)
		note_contradiction(s, symbol->start, symbol->name,
				   group[0]->name);
	group[0]->name =
		symbol ? symbol->name
		       : gsym_writer_choose_name(s->b, group, s->group.count);
	exchange_names(s, old);
}

/* Contradicting symbols may cause this part of all cuts, so that they never end
 * a conversion. */
enum { MARKED_SHARE = 16 };

/* Let the symbols of the group answer, if a function of the cluster that began
 * before covers their start. */
static void mark_right(struct settling *s)
{
	struct gsym_shape *first = s->group.items[0];

	if (first->rank != GSYM_RANK_SYMBOL || first->data || !first->name ||
	    s->function_end <= first->start || !s->cluster.count)
		return;
	/* A part of the function: f.__part.2 of f. */
	if (s->function->name &&
	    gsym_symbol_stands_for(w_text(s->b, first->name),
				   w_text(s->b, s->function->name)))
		return;
	/* Each of many symbols would cut a function with many inlined calls. */
	s->marked += gsym_writer_cut_cost(s->function);
	if (s->marked > s->b->limits.cuts / MARKED_SHARE)
		return;
	note_contradiction(s, first->start, first->name, s->function->name);
	for (size_t i = 0; i < s->group.count; i++)
		s->group.items[i]->right =
			s->group.items[i]->rank == GSYM_RANK_SYMBOL;
}

/* By rule 1.  Records that are equal in every byte stay equal in any order. */
static int by_rule(const void *a, const void *c)
{
	const struct place *x = a, *y = c;

	return gsym_writer_compare_records(x->b, x->shape, y->shape);
}

/* Sort the group but for its first record: the cluster must not depend on the
 * order in which records were added.  False without memory. */
static bool sort_rest(struct settling *s)
{
	size_t count = s->group.count - 1;
	struct gsym_shape **rest = s->group.items + 1;

	if (count < 2)
		return true;
	s->places.count = 0;
	if (!gsym_vec_reserve(&s->places, count))
		return false;
	for (size_t i = 0; i < count; i++)
		s->places.items[i] = (struct place){ s->b, rest[i] };
	qsort(s->places.items, count, sizeof(*s->places.items), by_rule);
	for (size_t i = 0; i < count; i++)
		rest[i] = s->places.items[i].shape;
	return true;
}

/* Move the first record of the group by rule 1 to the front, name it, give it
 * its merged functions, and remove records that answer nowhere because they
 * have its size.  The others are sorted.  False without memory. */
static bool order_group(struct settling *s)
{
	struct gsym_shape **group = s->group.items;
	size_t first = 0, kept = 1;
	struct gsym_shape *swap;

	if (s->group.count == 1 && !s->folds.count)
		return true;
	for (size_t i = 1; i < s->group.count; i++)
		if (gsym_writer_compare_records(s->b, group[i], group[first]) <
		    0)
			first = i;
	swap = group[0];
	group[0] = group[first];
	group[first] = swap;
	name_group(s);
	if (s->merge && gsym_writer_merge(s->b, &s->b->lanes[0], &s->group,
					  &s->folds, &s->merged) != GSYM_OK)
		return false;
	/* put_label needs the limits of all labels. */
	if (group[0]->rank == GSYM_RANK_LABEL)
		return true;
	for (size_t i = 1; i < s->group.count; i++)
		if (group[i]->size != group[0]->size)
			group[kept++] = group[i];
	s->group.count = kept;
	return sort_rest(s);
}

/* Move the folded records of the group to s->folds.  False without memory. */
static bool part_folded(struct settling *s)
{
	size_t kept = 0;

	s->folds.count = 0;
	if (!gsym_vec_reserve(&s->folds, s->group.count))
		return false;
	for (size_t i = 0; i < s->group.count; i++) {
		struct gsym_shape *shape = s->group.items[i];

		if (shape->folded)
			s->folds.items[s->folds.count++] = shape;
		else
			s->group.items[kept++] = shape;
	}
	s->group.count = kept;
	return true;
}

/* Settle the group: it is added to the cluster, or to a new one if it starts
 * at or after the end of the cluster. */
static enum gsym_status add_group(struct settling *s)
{
	uint64_t start = s->group.items[0]->start;

	if (s->folded && !part_folded(s))
		return gsym_fail_memory(s->error);
	if (!s->group.count)
		return GSYM_OK;
	if (start >= s->end) {
		enum gsym_status status = end_cluster(s);

		if (status != GSYM_OK)
			return status;
	}
	if (!order_group(s))
		return gsym_fail_memory(s->error);
	/* Labels inside a function or symbol are dropped. */
	if (s->group.items[0]->rank == GSYM_RANK_LABEL)
		return s->cluster.count ? GSYM_OK : put_label(s);
	if (!gsym_vec_reserve(&s->cluster, s->group.count))
		return gsym_fail_memory(s->error);
	if (!s->cluster.count)
		s->end = s->function_end = 0;
	mark_right(s);
	for (size_t i = 0; i < s->group.count; i++) {
		struct gsym_shape *shape = s->group.items[i];

		s->cluster.items[s->cluster.count++] =
			(struct member){ shape, false };
		if (w_end(shape) > s->end)
			s->end = w_end(shape);
		if (shape->rank == GSYM_RANK_FUNCTION && !shape->data &&
		    w_end(shape) > s->function_end) {
			s->function_end = w_end(shape);
			s->function = shape;
		}
	}
	return GSYM_OK;
}

static struct gsym_shape *record_of(const struct settling *s,
				    const struct gsym_sort_item *item)
{
	return &s->b->lanes[item->extra].records.items[item->index];
}

/* Fetch records that walk will soon reach into the cache, and the names of
 * those that have one start: their names are compared.  COUNT records are left,
 * at ITEMS. */
static void prefetch(const struct settling *s,
		     const struct gsym_sort_item *items, size_t count)
{
	/* Each is fetched so many records before it is read, after what points
	 * to it. */
	enum { RECORD = 18, NAME = 12, TEXT = 6 };

	if (count <= RECORD)
		return;
	__builtin_prefetch(record_of(s, &items[RECORD]));
	if (items[NAME].key == items[NAME + 1].key)
		__builtin_prefetch(
			w_string(s->b, record_of(s, &items[NAME])->name));
	if (items[TEXT].key == items[TEXT + 1].key)
		__builtin_prefetch(
			w_text(s->b, record_of(s, &items[TEXT])->name));
}

/* Walk the COUNT records of ITEMS, group by group. */
static enum gsym_status walk(struct settling *s,
			     const struct gsym_sort_item *items, size_t count)
{
	enum gsym_status status = GSYM_OK;

	for (size_t i = 0; i < count && status == GSYM_OK;) {
		uint64_t start = items[i].key;

		s->group.count = 0;
		for (; i < count && items[i].key == start; i++) {
			struct gsym_shape **shape = gsym_vec_push(&s->group);

			if (!shape)
				return gsym_fail_memory(s->error);
			prefetch(s, &items[i], count - i);
			*shape = record_of(s, &items[i]);
		}
		status = add_group(s);
	}
	if (status == GSYM_OK)
		status = end_cluster(s);
	close_label(s, UINT64_MAX);
	return status;
}

static bool is_local_symbol(const struct gsym_shape *shape)
{
	return shape->rank == GSYM_RANK_SYMBOL &&
	       shape->name_kind == GSYM_NAME_SYMBOL_LOCAL;
}

/* Fill ITEMS with the records of all lanes: EXTRA is the lane. */
static void list_records(struct settling *s, struct gsym_sort_item *items)
{
	for (uint32_t lane = 0; lane < W_LANES; lane++) {
		const struct w_shapes *records = &s->b->lanes[lane].records;

		for (size_t i = 0; i < records->count; i++) {
			const struct gsym_shape *shape = &records->items[i];

			*items++ = (struct gsym_sort_item){ shape->start,
							    (uint32_t)i, lane };
			s->folded += shape->folded;
			s->has_local |= is_local_symbol(shape);
		}
	}
}

static enum gsym_status sort_and_walk(struct settling *s, size_t count)
{
	struct gsym_sort_item *items = calloc(count, 2 * sizeof(*items));
	enum gsym_status status;

	if (!items || !gsym_vec_reserve(s->out, count)) {
		free(items);
		return gsym_fail_memory(s->error);
	}
	gsym_pages_large(items, count * 2 * sizeof(*items));
	list_records(s, items);
	gsym_sort_by_key(items, count, items + count);
	status = walk(s, items, count);
	free(items);
	return status;
}

enum { CHUNK = 1024 /* records */ };

/* Give the symbols and labels without rows of chunk INDEX of the records the
 * loose rows that lie in them. */
static enum gsym_status give_rows(void *context, size_t index, unsigned worker)
{
	const struct settling *s = context;
	struct w_lane *lane = w_take_lane(s->b);
	enum gsym_status status = GSYM_OK;

	(void)worker;
	for (size_t i = index * CHUNK;
	     i < s->out->count && i < (index + 1) * CHUNK && status == GSYM_OK;
	     i++) {
		struct gsym_shape *shape = &s->out->items[i];

		if (!shape->data && shape->rank < GSYM_RANK_FUNCTION &&
		    (!shape->body || !shape->body->counts[GSYM_ROWS]))
			status = gsym_writer_give_loose_rows(s->b, lane, shape);
	}
	pthread_mutex_unlock(&lane->lock);
	return status;
}

/* Fill SUMMARY in.  COUNT records were added. */
static void summarize(const struct settling *s, size_t count,
		      struct gsym_build_summary *summary)
{
	for (size_t i = 0; i < s->out->count; i++) {
		const struct gsym_shape *shape = &s->out->items[i];
		uint64_t *counts[] = { &summary->labels, &summary->symbols,
				       &summary->functions };

		++*(shape->data ? &summary->data : counts[shape->rank]);
	}
	summary->contradictions = s->contradictions;
	summary->dropped = count - s->answering - s->merged - s->folded;
}

enum gsym_status gsym_writer_settle(struct gsym_builder *b,
				    const struct gsym_build_options *options,
				    struct w_shapes *out,
				    struct gsym_build_summary *summary,
				    struct gsym_error *error)
{
	struct settling s = {
		.b = b,
		.merge = options->merge,
		.out = out,
		.error = error,
	};
	enum gsym_status status = GSYM_OK;
	size_t count = 0;

	for (size_t i = 0; i < W_LANES; i++)
		count += b->lanes[i].records.count;
	/* struct gsym_sort_item has 32 bits for the index of a record. */
	if (count > UINT32_MAX)
		return gsym_fail(error, GSYM_ERR_LIMIT, 0,
				 "more than %" PRIu32 " records", UINT32_MAX);
	if (count)
		status = sort_and_walk(&s, count);
	if (status == GSYM_OK &&
	    (gsym_writer_sort_loose_rows(b) != GSYM_OK ||
	     gsym_pool_run(options->threads, (out->count + CHUNK - 1) / CHUNK,
			   0, give_rows, NULL, NULL, &s) != GSYM_OK))
		status = gsym_fail_memory(error);
	if (status == GSYM_OK)
		summarize(&s, count, summary);
	gsym_vec_fini(&s.places);
	gsym_vec_fini(&s.cluster);
	gsym_vec_fini(&s.active);
	gsym_vec_fini(&s.named);
	gsym_vec_fini(&s.pieces);
	gsym_vec_fini(&s.group);
	gsym_vec_fini(&s.folds);
	return status;
}
