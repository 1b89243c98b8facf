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
 *
 * Threads share the work: the sorted records are cut into jobs.  A job settles
 * the clusters that begin from the start of its first record on, and before
 * those of the next job.  So it may begin after its first record, where a
 * cluster of the job before reaches further, and end after its last one.  The
 * results of the jobs are joined in their order.  The jobs do not depend on the
 * number of threads.
 */
#include "writer/state.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/pool.h"
#include "base/symbol_name.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

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

/* The result of a job. */
struct job {
	/* The records of the file. */
	struct w_shapes out;
	/* The last one is a label that has no size yet. */
	bool open_label;
	/* How many records answer somewhere, and how many became merged
	 * functions. */
	uint64_t answering;
	uint64_t merged;
	/* The number of places at which symbols contradict functions, and the
	 * first of them. */
	uint32_t contradictions;
	struct w_contradiction first;
};

/* What all jobs share. */
struct settling {
	struct gsym_builder *b;
	bool merge;
	/* All records, by start. */
	struct gsym_sort_item *items;
	size_t count;
	/* How many are folded. */
	atomic_uint folded;
	/* Some symbols have local binding: not only aliases are left. */
	atomic_bool has_local;
	size_t job_count;
	/* With several threads, by worker and job: the greatest end of the
	 * records that start from the first record of the job on, and before
	 * that of the next job.  Once they are joined, by job: of all records
	 * that start before the first record of the next job. */
	uint64_t *ends;
	/* Words that all cuts from now on may look at. */
	atomic_size_t cuts;
	/* Words that all cuts by contradicting symbols of a job may look at. */
	uint64_t most_marked;
	/* With one thread, which settles one job after the other: the record at
	 * which the next job begins.  Several threads use find_begin. */
	size_t next;
	unsigned threads;
	struct worker *workers; /* by worker */
	/* The jobs that were begun and not joined, by number modulo SLOTS. */
	struct job *slots;
	size_t slot_count;
	/* All jobs that were joined. */
	struct job all;
};

/* A thread, and the cluster that it settles. */
struct worker {
	struct settling *s;
	const struct gsym_builder *b;
	struct w_lane *lane;
	struct job *job;
	/* The cluster by start.  END: its greatest end.  FUNCTION_END: that of
	 * the functions in it.  FUNCTION: the function that has that end. */
	struct { GSYM_VEC(struct member); } cluster;
	uint64_t end;
	uint64_t function_end;
	const struct gsym_shape *function;
	/* Words that cuts by contradicting symbols look at. */
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

/* Let the open label of JOB, if there is one, reach to END or to its limit. */
static void close_label(struct job *job, uint64_t end)
{
	struct gsym_shape *label;
	uint64_t size;

	if (!job->open_label)
		return;
	job->open_label = false;
	label = &job->out.items[job->out.count - 1];
	if (label->limit < end)
		end = label->limit;
	/* No record follows and the limit is not known: size 0. */
	if (end == UINT64_MAX)
		return;
	size = end - label->start;
	label->size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
}

/* A new last record of the job, to be filled by the caller and to start at
 * START; NULL without memory. */
static struct gsym_shape *push_out(struct worker *w, uint64_t start)
{
	close_label(w->job, start);
	return gsym_vec_push(&w->job->out);
}

/* Whether member A, not C, answers where both are: rules 1 and 7. */
static bool is_before(const struct worker *w, uint32_t a, uint32_t c)
{
	const struct gsym_shape *x = w->cluster.items[a].shape;
	const struct gsym_shape *y = w->cluster.items[c].shape;

	if (x->data != y->data)
		return y->data;
	if (w_rank(x) != w_rank(y))
		return w_rank(x) > w_rank(y);
	if (x->start != y->start)
		return x->start > y->start;
	return gsym_writer_compare_records(w->b, x, y) < 0;
}

static bool heap_push(const struct worker *w, struct heap *heap,
		      uint32_t member)
{
	return GSYM_HEAP_PUSH(heap, member, a, b, is_before(w, *a, *b));
}

/* The top of HEAP after removing members that end at or before ADDRESS from
 * it; NULL if the heap is empty then. */
static struct gsym_shape *heap_top(const struct worker *w, struct heap *heap,
				   uint64_t address)
{
	while (heap->count) {
		struct gsym_shape *top = w->cluster.items[heap->items[0]].shape;

		if (w_end(top) > address)
			return top;
		GSYM_HEAP_POP(heap, a, b, is_before(w, *a, *b));
	}
	return NULL;
}

/* Add a piece, or extend the last one if that ends at START and has the same
 * member and name.  A NAME of 0 adds nothing, as a record without a name does
 * not get into the file.  False without memory. */
static bool add_piece(struct worker *w, uint32_t member, uint32_t name,
		      uint64_t start, uint64_t end)
{
	struct piece *last;

	if (!name)
		return true;
	if (w->pieces.count) {
		last = &w->pieces.items[w->pieces.count - 1];
		if (last->member == member && last->name == name &&
		    last->end == start) {
			last->end = end;
			return true;
		}
	}
	last = gsym_vec_push(&w->pieces);
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
static bool sweep(struct worker *w)
{
	uint64_t at = 0;
	uint32_t next = 0;
	uint32_t count = (uint32_t)w->cluster.count;

	w->pieces.count = w->active.count = w->named.count = 0;
	for (;;) {
		struct gsym_shape *top = heap_top(w, &w->active, at), *name;
		uint64_t end;

		if (!top) {
			if (next == count)
				return true;
			at = w->cluster.items[next].shape->start;
		}
		for (;
		     next < count && w->cluster.items[next].shape->start <= at;
		     next++) {
			if (!heap_push(w, &w->active, next) ||
			    (w->cluster.items[next].shape->name &&
			     !heap_push(w, &w->named, next)))
				return false;
		}
		top = heap_top(w, &w->active, at);
		name = heap_top(w, &w->named, at);
		end = w_end(top);
		if (top->name)
			name = top;
		else if (name && w_end(name) < end)
			end = w_end(name);
		if (next < count && w->cluster.items[next].shape->start < end)
			end = w->cluster.items[next].shape->start;
		if (!add_piece(w, w->active.items[0],
			       name ? name->name : unknown_name(top), at, end))
			return false;
		at = end;
	}
}

/* Take COST words from those that all cuts may look at.  False if there are
 * fewer. */
static bool take_cut(struct settling *s, uint64_t cost)
{
	size_t left = s->cuts;

	do {
		if (cost > left)
			return false;
	} while (!atomic_compare_exchange_weak(&s->cuts, &left,
					       left - (size_t)cost));
	return true;
}

/* Append the pieces to the records of the job. */
static enum gsym_status put_pieces(struct worker *w)
{
	for (size_t i = 0; i < w->pieces.count; i++) {
		const struct piece *piece = &w->pieces.items[i];
		struct member *member = &w->cluster.items[piece->member];
		const struct gsym_shape *shape = member->shape;
		struct gsym_shape *out = push_out(w, piece->start);
		enum gsym_status status;

		if (!out)
			return GSYM_ERR_MEMORY;
		w->job->answering += !member->answers;
		member->answers = true;
		if (piece->start == shape->start &&
		    piece->end == w_end(shape)) {
			*out = *shape;
			out->name = piece->name;
			continue;
		}
		if (!take_cut(w->s, gsym_writer_cut_cost(shape)))
			return GSYM_ERR_LIMIT;
		status = gsym_writer_cut(w->lane, shape, piece->start,
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
static bool is_simple(const struct worker *w)
{
	const struct member *members = w->cluster.items;
	const struct gsym_shape *first = members[0].shape;

	return first->name && w_end(first) == w->end &&
	       members[w->cluster.count - 1].shape->start == first->start;
}

/* The cluster is complete: append its records to those of the job, and empty
 * the cluster. */
static enum gsym_status end_cluster(struct worker *w)
{
	enum gsym_status status = GSYM_OK;

	if (!w->cluster.count)
		return GSYM_OK;
	if (is_simple(w)) {
		const struct gsym_shape *shape = w->cluster.items[0].shape;
		struct gsym_shape *out;

		w->cluster.count = 0;
		w->job->answering++;
		out = push_out(w, shape->start);
		if (!out)
			return GSYM_ERR_MEMORY;
		*out = *shape;
		return GSYM_OK;
	}
	status = sweep(w) ? put_pieces(w) : GSYM_ERR_MEMORY;
	w->cluster.count = 0;
	return status;
}

/* Append the first label of a group of labels to the records of the job, with
 * the lowest limit of all of them. */
static enum gsym_status put_label(struct worker *w)
{
	struct gsym_shape *first = w->group.items[0], *out;
	uint64_t limit = UINT64_MAX;

	for (size_t i = 0; i < w->group.count; i++)
		if (w->group.items[i]->limit < limit)
			limit = w->group.items[i]->limit;
	if (limit <= first->start || !first->name)
		return GSYM_OK;
	w->job->answering++;
	out = push_out(w, first->start);
	if (!out)
		return GSYM_ERR_MEMORY;
	*out = *first;
	out->limit = limit;
	w->job->open_label = true;
	return GSYM_OK;
}

/* Note that SYMBOL contradicts FUNCTION at ADDRESS; both are string numbers. */
static void note_contradiction(struct worker *w, uint64_t address,
			       uint32_t symbol, uint32_t function)
{
	if (!w->job->contradictions)
		w->job->first =
			(struct w_contradiction){ address, symbol, function };
	w->job->contradictions += w->job->contradictions < UINT32_MAX;
}

/* Exchange the name OLD, which the first record of the group had, with that of
 * the symbol of its range whose name it has now: such symbols differ in nothing
 * else, and all names are to become merged functions. */
static void exchange_names(struct worker *w, uint32_t old)
{
	struct gsym_shape **group = w->group.items;

	if (!w->s->merge || group[0]->rank != GSYM_RANK_SYMBOL ||
	    group[0]->name == old)
		return;
	for (size_t i = 1; i < w->group.count; i++) {
		if (group[i]->name != group[0]->name ||
		    group[i]->size != group[0]->size)
			continue;
		group[i]->name = old;
		return;
	}
}

/* Name the first record of the group. */
static void name_group(struct worker *w)
{
	struct gsym_shape **group = w->group.items;
	const struct gsym_shape *symbol = NULL;
	uint32_t old = group[0]->name;

	if (w->s->has_local)
		symbol = gsym_writer_contradicting(w->b, group, w->group.count);
	if (symbol)
		note_contradiction(w, symbol->start, symbol->name,
				   group[0]->name);
	group[0]->name =
		symbol ? symbol->name
		       : gsym_writer_choose_name(w->b, group, w->group.count);
	exchange_names(w, old);
}

/* Contradicting symbols may cause this part of all cuts, so that they never end
 * a conversion.  Each job has an equal share. */
enum { MARKED_SHARE = 16 };

/* Let the symbols of the group answer, if a function of the cluster that began
 * before covers their start. */
static void mark_right(struct worker *w)
{
	struct gsym_shape *first = w->group.items[0];

	if (first->rank != GSYM_RANK_SYMBOL || first->data || !first->name ||
	    w->function_end <= first->start || !w->cluster.count)
		return;
	/* A part of the function: f.__part.2 of f. */
	if (w->function->name &&
	    gsym_symbol_stands_for(w_text(w->b, first->name),
				   w_text(w->b, w->function->name)))
		return;
	/* Each of many symbols would cut a function with many inlined calls. */
	w->marked += gsym_writer_cut_cost(w->function);
	if (w->marked > w->s->most_marked)
		return;
	note_contradiction(w, first->start, first->name, w->function->name);
	for (size_t i = 0; i < w->group.count; i++)
		w->group.items[i]->right =
			w->group.items[i]->rank == GSYM_RANK_SYMBOL;
}

/* Compare two places by rule 1.  The order of records that are equal in every
 * byte does not matter. */
static int by_rule(const void *a, const void *c)
{
	const struct place *x = a, *y = c;

	return gsym_writer_compare_records(x->b, x->shape, y->shape);
}

/* Sort the group but for its first record: the cluster must not depend on the
 * order in which records were added.  False without memory. */
static bool sort_rest(struct worker *w)
{
	size_t count = w->group.count - 1;
	struct gsym_shape **rest = w->group.items + 1;

	if (count < 2)
		return true;
	w->places.count = 0;
	if (!gsym_vec_reserve(&w->places, count))
		return false;
	for (size_t i = 0; i < count; i++)
		w->places.items[i] = (struct place){ w->b, rest[i] };
	qsort(w->places.items, count, sizeof(*w->places.items), by_rule);
	for (size_t i = 0; i < count; i++)
		rest[i] = w->places.items[i].shape;
	return true;
}

/* Move the first record of the group by rule 1 to the front, name it, give it
 * its merged functions, and remove records that answer nowhere because they
 * have its size.  The others are sorted.  False without memory. */
static bool order_group(struct worker *w)
{
	struct gsym_shape **group = w->group.items;
	size_t first = 0, kept = 1;
	struct gsym_shape *swap;

	if (w->group.count == 1 && !w->folds.count)
		return true;
	for (size_t i = 1; i < w->group.count; i++)
		if (gsym_writer_compare_records(w->b, group[i], group[first]) <
		    0)
			first = i;
	swap = group[0];
	group[0] = group[first];
	group[first] = swap;
	name_group(w);
	if (w->s->merge &&
	    gsym_writer_merge(w->b, w->lane, &w->group, &w->folds,
			      &w->job->merged) != GSYM_OK)
		return false;
	/* put_label needs the limits of all labels. */
	if (group[0]->rank == GSYM_RANK_LABEL)
		return true;
	for (size_t i = 1; i < w->group.count; i++)
		if (group[i]->size != group[0]->size)
			group[kept++] = group[i];
	w->group.count = kept;
	return sort_rest(w);
}

/* Move the folded records of the group to w->folds.  False without memory. */
static bool part_folded(struct worker *w)
{
	size_t kept = 0;

	w->folds.count = 0;
	if (!gsym_vec_reserve(&w->folds, w->group.count))
		return false;
	for (size_t i = 0; i < w->group.count; i++) {
		struct gsym_shape *shape = w->group.items[i];

		if (shape->folded)
			w->folds.items[w->folds.count++] = shape;
		else
			w->group.items[kept++] = shape;
	}
	w->group.count = kept;
	return true;
}

/* Settle the group: it is added to the cluster, or to a new one if it starts
 * at or after the end of the cluster. */
static enum gsym_status add_group(struct worker *w)
{
	uint64_t start = w->group.items[0]->start;

	if (w->s->folded && !part_folded(w))
		return GSYM_ERR_MEMORY;
	if (!w->group.count)
		return GSYM_OK;
	if (start >= w->end) {
		enum gsym_status status = end_cluster(w);

		if (status != GSYM_OK)
			return status;
	}
	if (!order_group(w))
		return GSYM_ERR_MEMORY;
	/* Labels inside a function or symbol are dropped. */
	if (w->group.items[0]->rank == GSYM_RANK_LABEL)
		return w->cluster.count ? GSYM_OK : put_label(w);
	if (!gsym_vec_reserve(&w->cluster, w->group.count))
		return GSYM_ERR_MEMORY;
	if (!w->cluster.count)
		w->end = w->function_end = 0;
	mark_right(w);
	for (size_t i = 0; i < w->group.count; i++) {
		struct gsym_shape *shape = w->group.items[i];

		w->cluster.items[w->cluster.count++] =
			(struct member){ shape, false };
		if (w_end(shape) > w->end)
			w->end = w_end(shape);
		if (shape->rank == GSYM_RANK_FUNCTION && !shape->data &&
		    w_end(shape) > w->function_end) {
			w->function_end = w_end(shape);
			w->function = shape;
		}
	}
	return GSYM_OK;
}

/* ---- jobs ---------------------------------------------------------------- */

static struct gsym_shape *record_of(const struct settling *s, size_t place)
{
	const struct gsym_sort_item *item = &s->items[place];

	return &s->b->lanes[item->extra].records.items[item->index];
}

/* Fetch records that walk will soon reach into the cache, and the names of
 * those that have one start: their names are compared.  The record at PLACE is
 * read now.  Records that start at or after NEXT may be those of another job,
 * which changes their names. */
static void prefetch(const struct settling *s, size_t place, uint64_t next)
{
	/* Each is fetched so many records before it is read, after what points
	 * to it. */
	enum { RECORD = 18, NAME = 12, TEXT = 6 };
	const struct gsym_sort_item *items = s->items + place;

	if (s->count - place <= RECORD || items[RECORD].key >= next)
		return;
	__builtin_prefetch(record_of(s, place + RECORD));
	if (items[NAME].key == items[NAME + 1].key)
		__builtin_prefetch(
			w_string(s->b, record_of(s, place + NAME)->name));
	if (items[TEXT].key == items[TEXT + 1].key)
		__builtin_prefetch(
			w_text(s->b, record_of(s, place + TEXT)->name));
}

/* The lowest start of a cluster of job NUMBER. */
static uint64_t bound(const struct settling *s, size_t number)
{
	return number < s->job_count ? s->items[number * s->b->job].key
				     : UINT64_MAX;
}

/* Take the group that begins at *PLACE, which becomes the place after it.
 * *REACH becomes the greatest end of its records, unless it is greater.  The
 * records that start before NEXT and follow are of the same job.  False without
 * memory. */
static bool take_group(struct worker *w, size_t *place, uint64_t *reach,
		       uint64_t next)
{
	const struct settling *s = w->s;
	uint64_t start = s->items[*place].key;

	w->group.count = 0;
	for (; *place < s->count && s->items[*place].key == start; ++*place) {
		struct gsym_shape **shape = gsym_vec_push(&w->group);

		if (!shape)
			return false;
		prefetch(s, *place, next);
		*shape = record_of(s, *place);
		if (w_end(*shape) > *reach)
			*reach = w_end(*shape);
	}
	return true;
}

/* Set *PLACE to the first record of the first cluster of job NUMBER, or of a
 * later job if the job has none.  False without memory. */
static bool find_begin(struct worker *w, size_t number, size_t *place)
{
	const struct settling *s = w->s;
	uint64_t from = bound(s, number), next = bound(s, number + 1);
	uint64_t reach = 0;

	*place = GSYM_FIRST(i, 0, number * s->b->job, s->items[i].key >= from);
	if (number)
		reach = s->ends[number - 1];
	while (*place < s->count && s->items[*place].key < reach &&
	       s->items[*place].key < next)
		/* The job before may be settling the group. */
		if (!take_group(w, place, &reach, 0))
			return false;
	return true;
}

/* Settle the clusters of job NUMBER, from the record at *PLACE on.  *PLACE
 * becomes the first record of the next cluster. */
static enum gsym_status walk(struct worker *w, size_t number, size_t *place)
{
	const struct settling *s = w->s;
	uint64_t next = bound(s, number + 1), reach = 0;
	enum gsym_status status = GSYM_OK;
	bool last = number + 1 == s->job_count;

	while (*place < s->count && status == GSYM_OK) {
		uint64_t start = s->items[*place].key;

		if (!last && start >= next && start >= reach)
			break;
		status = take_group(w, place, &reach, next) ? add_group(w)
							    : GSYM_ERR_MEMORY;
	}
	return status == GSYM_OK ? end_cluster(w) : status;
}

/* Settle job INDEX. */
static enum gsym_status settle_job(void *context, size_t index, unsigned worker)
{
	struct settling *s = context;
	struct worker *w = &s->workers[worker];
	struct job *job = &s->slots[index % s->slot_count];
	struct w_shapes out = job->out;
	enum gsym_status status = GSYM_OK;
	size_t place = s->next;

	*job = (struct job){ .out = out };
	job->out.count = 0;
	w->s = s;
	w->b = s->b;
	w->job = job;
	w->cluster.count = w->marked = w->end = 0;
	w->lane = w_take_lane(s->b);
	if (s->threads > 1 && !find_begin(w, index, &place))
		status = GSYM_ERR_MEMORY;
	if (status == GSYM_OK)
		status = walk(w, index, &place);
	pthread_mutex_unlock(&w->lane->lock);
	if (s->threads == 1)
		s->next = place;
	return status;
}

/* Append the result of job INDEX to those of the jobs before it. */
static enum gsym_status join_job(void *context, size_t index, unsigned worker)
{
	struct settling *s = context;
	struct job *job = &s->slots[index % s->slot_count], *all = &s->all;

	(void)worker;
	if (job->contradictions && !all->contradictions)
		all->first = job->first;
	all->contradictions =
		job->contradictions > UINT32_MAX - all->contradictions
			? UINT32_MAX
			: all->contradictions + job->contradictions;
	all->answering += job->answering;
	all->merged += job->merged;
	if (!job->out.count)
		return GSYM_OK;
	if (!gsym_vec_reserve(&all->out, job->out.count))
		return GSYM_ERR_MEMORY;
	close_label(all, job->out.items[0].start);
	memcpy(all->out.items + all->out.count, job->out.items,
	       job->out.count * sizeof(*job->out.items));
	all->out.count += job->out.count;
	all->open_label = job->open_label;
	return GSYM_OK;
}

/* ---- the list of records ------------------------------------------------- */

static bool is_local_symbol(const struct gsym_shape *shape)
{
	return shape->rank == GSYM_RANK_SYMBOL &&
	       shape->name_kind == GSYM_NAME_SYMBOL_LOCAL;
}

/* List the records of lane INDEX: EXTRA is the lane. */
static enum gsym_status list_lane(void *context, size_t index, unsigned worker)
{
	struct settling *s = context;
	const struct w_shapes *records = &s->b->lanes[index].records;
	struct gsym_sort_item *to = s->items;
	unsigned folded = 0;
	bool local = false;

	(void)worker;
	for (size_t i = 0; i < index; i++)
		to += s->b->lanes[i].records.count;
	for (size_t i = 0; i < records->count; i++) {
		const struct gsym_shape *shape = &records->items[i];

		to[i] = (struct gsym_sort_item){ shape->start, (uint32_t)i,
						 (uint32_t)index };
		folded += shape->folded;
		local |= is_local_symbol(shape);
	}
	s->folded += folded;
	if (local)
		s->has_local = true;
	return GSYM_OK;
}

/* Note the ends of the records of lane INDEX for find_begin. */
static enum gsym_status note_ends(void *context, size_t index, unsigned worker)
{
	struct settling *s = context;
	const struct w_shapes *records = &s->b->lanes[index].records;
	uint64_t *ends = s->ends + worker * s->job_count;
	size_t job = 0;

	for (size_t i = 0; i < records->count; i++) {
		uint64_t start = records->items[i].start;
		uint64_t end = w_end(&records->items[i]);

		/* Most records of a lane lie close together. */
		if ((job && start < bound(s, job)) ||
		    (job + 1 < s->job_count && start >= bound(s, job + 1)))
			job = GSYM_FIRST(k, 1, s->job_count,
					 bound(s, k) > start) -
			      1;
		if (ends[job] < end)
			ends[job] = end;
	}
	return GSYM_OK;
}

/* Join what the workers have noted. */
static void join_ends(struct settling *s)
{
	uint64_t reach = 0;

	for (size_t i = 0; i < s->job_count; i++) {
		for (unsigned k = 0; k < s->threads; k++)
			if (s->ends[k * s->job_count + i] > reach)
				reach = s->ends[k * s->job_count + i];
		s->ends[i] = reach;
	}
}

/* List the records by start, and divide them into jobs. */
static enum gsym_status list_records(struct settling *s)
{
	enum gsym_status status;

	s->job_count = (s->count + s->b->job - 1) / s->b->job;
	s->threads = gsym_pool_threads(s->threads, s->job_count);
	s->slot_count = s->threads > 1 ? (size_t)s->threads * 4 : 1;
	s->most_marked = s->b->limits.cuts / MARKED_SHARE / s->job_count;
	s->items = calloc(s->count, 2 * sizeof(*s->items));
	s->cuts = (size_t)s->b->limits.cuts;
	s->ends = calloc(s->job_count, s->threads * sizeof(*s->ends));
	s->workers = calloc(s->threads, sizeof(*s->workers));
	s->slots = calloc(s->slot_count, sizeof(*s->slots));
	if (!s->items || !s->ends || !s->workers || !s->slots ||
	    !gsym_vec_reserve(&s->all.out, s->count))
		return GSYM_ERR_MEMORY;
	gsym_pages_large(s->items, s->count * 2 * sizeof(*s->items));
	status =
		gsym_pool_run(s->threads, W_LANES, 0, list_lane, NULL, NULL, s);
	if (status != GSYM_OK)
		return status;
	gsym_sort_by_key(s->items, s->count, s->items + s->count);
	if (s->threads < 2)
		return GSYM_OK;
	status =
		gsym_pool_run(s->threads, W_LANES, 0, note_ends, NULL, NULL, s);
	join_ends(s);
	return status;
}

static void settling_fini(struct settling *s)
{
	for (unsigned i = 0; s->workers && i < s->threads; i++) {
		struct worker *w = &s->workers[i];

		gsym_vec_fini(&w->places);
		gsym_vec_fini(&w->cluster);
		gsym_vec_fini(&w->active);
		gsym_vec_fini(&w->named);
		gsym_vec_fini(&w->pieces);
		gsym_vec_fini(&w->group);
		gsym_vec_fini(&w->folds);
	}
	for (size_t i = 0; s->slots && i < s->slot_count; i++)
		gsym_vec_fini(&s->slots[i].out);
	free(s->workers);
	free(s->slots);
	free(s->ends);
	free(s->items);
}

/* ---- all records --------------------------------------------------------- */

/* Say that too many pieces would be cut.  Which cut is one too many depends on
 * the threads, so the function that takes the most work to cut is named. */
static enum gsym_status fail_cuts(const struct settling *s,
				  struct gsym_error *error)
{
	uint64_t most = 0, start = 0;

	for (size_t i = 0; i < s->count; i++) {
		const struct gsym_shape *shape = record_of(s, i);
		uint64_t cost = gsym_writer_cut_cost(shape);

		if (cost > most) {
			most = cost;
			start = shape->start;
		}
	}
	return gsym_fail(error, GSYM_ERR_LIMIT, 0,
			 "functions at address 0x%" PRIx64
			 " overlap in too many pieces",
			 start);
}

enum { CHUNK = 1024 /* records */ };

/* Give the symbols and labels without rows of chunk INDEX of the records the
 * loose rows that lie in them. */
static enum gsym_status give_rows(void *context, size_t index, unsigned worker)
{
	const struct settling *s = context;
	const struct w_shapes *out = &s->all.out;
	struct w_lane *lane = w_take_lane(s->b);
	enum gsym_status status = GSYM_OK;

	(void)worker;
	for (size_t i = index * CHUNK;
	     i < out->count && i < (index + 1) * CHUNK && status == GSYM_OK;
	     i++) {
		struct gsym_shape *shape = &out->items[i];

		if (!shape->data && shape->rank < GSYM_RANK_FUNCTION &&
		    (!shape->body || !shape->body->counts[GSYM_ROWS]))
			status = gsym_writer_give_loose_rows(s->b, lane, shape);
	}
	pthread_mutex_unlock(&lane->lock);
	return status;
}

/* Fill SUMMARY in. */
static void summarize(const struct settling *s,
		      struct gsym_build_summary *summary)
{
	const struct job *all = &s->all;

	for (size_t i = 0; i < all->out.count; i++) {
		const struct gsym_shape *shape = &all->out.items[i];
		uint64_t *counts[] = { &summary->labels, &summary->symbols,
				       &summary->functions };

		++*(shape->data ? &summary->data : counts[shape->rank]);
	}
	summary->contradictions = all->contradictions;
	summary->dropped = s->count - all->answering - all->merged - s->folded;
}

/* Settle all records of S. */
static enum gsym_status settle_all(struct settling *s)
{
	enum gsym_status status = list_records(s);

	if (status == GSYM_OK)
		status = gsym_pool_run(s->threads, s->job_count, s->slot_count,
				       settle_job, join_job, NULL, s);
	close_label(&s->all, UINT64_MAX);
	s->b->contradiction = s->all.first;
	return status;
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
		.threads = options->threads,
	};
	enum gsym_status status = GSYM_OK;

	for (size_t i = 0; i < W_LANES; i++)
		s.count += b->lanes[i].records.count;
	/* struct gsym_sort_item has 32 bits for the index of a record. */
	if (s.count > UINT32_MAX)
		return gsym_fail(error, GSYM_ERR_LIMIT, 0,
				 "more than %" PRIu32 " records", UINT32_MAX);
	if (s.count)
		status = settle_all(&s);
	if (status == GSYM_ERR_LIMIT)
		fail_cuts(&s, error);
	settling_fini(&s);
	*out = s.all.out;
	if (status == GSYM_OK &&
	    (gsym_writer_sort_loose_rows(b) != GSYM_OK ||
	     gsym_pool_run(options->threads, (out->count + CHUNK - 1) / CHUNK,
			   0, give_rows, NULL, NULL, &s) != GSYM_OK))
		status = GSYM_ERR_MEMORY;
	if (status == GSYM_ERR_MEMORY)
		gsym_fail_memory(error);
	if (status == GSYM_OK)
		summarize(&s, summary);
	return status;
}
