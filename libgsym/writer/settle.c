/* SPDX-License-Identifier: MIT */
/*
 * One record for every address: the records are listed by their starts, and
 * clusters of them (cluster.c) are settled in that order.
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

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct settling {
	struct gsym_builder *b;
	struct w_settling shared;
	/* All records, by start. */
	struct gsym_sort_item *items;
	size_t count;
	/* How many are folded, and whether some are symbols with local
	 * binding. */
	atomic_uint folded;
	atomic_bool has_local;
	size_t job_count;
	/* With several threads, by worker and job: the greatest end of the
	 * records that start from the first record of the job on, and before
	 * that of the next job.  Once they are joined, by job: of all records
	 * that start before the first record of the next job. */
	uint64_t *ends;
	/* With one thread, which settles one job after the other: the record at
	 * which the next job begins.  Several threads use find_begin. */
	size_t next;
	unsigned threads;
	struct w_cluster *clusters; /* by worker */
	/* The jobs that were begun and not joined, by number modulo
	 * SLOT_COUNT. */
	struct w_settled *slots;
	size_t slot_count;
	/* All jobs that were joined. */
	struct w_settled all;
};

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

/* Fill GROUP with the records of one start from *PLACE on, which becomes the
 * place after them.
 * *REACH becomes the greatest end of its records, unless it is greater.  The
 * records that start before NEXT and follow are of the same job.  False without
 * memory. */
static bool take_group(const struct settling *s, struct w_group *group,
		       size_t *place, uint64_t *reach, uint64_t next)
{
	uint64_t start = s->items[*place].key;

	group->count = 0;
	for (; *place < s->count && s->items[*place].key == start; ++*place) {
		struct gsym_shape **shape = gsym_vec_push(group);

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
static bool find_begin(const struct settling *s, struct w_cluster *c,
		       size_t number, size_t *place)
{
	uint64_t from = bound(s, number), next = bound(s, number + 1);
	uint64_t reach = 0;

	*place = GSYM_FIRST(i, 0, number * s->b->job, s->items[i].key >= from);
	if (number)
		reach = s->ends[number - 1];
	while (*place < s->count && s->items[*place].key < reach &&
	       s->items[*place].key < next)
		/* The job before may be settling the group. */
		if (!take_group(s, &c->group, place, &reach, 0))
			return false;
	return true;
}

/* Settle the clusters of job NUMBER, from the record at *PLACE on.  *PLACE
 * becomes the first record of the next cluster. */
static enum gsym_status walk(const struct settling *s, struct w_cluster *c,
			     size_t number, size_t *place)
{
	uint64_t next = bound(s, number + 1), reach = 0;
	enum gsym_status status = GSYM_OK;
	bool last = number + 1 == s->job_count;

	while (*place < s->count && status == GSYM_OK) {
		uint64_t start = s->items[*place].key;

		if (!last && start >= next && start >= reach)
			break;
		status = take_group(s, &c->group, place, &reach, next)
				 ? gsym_writer_add_group(c)
				 : GSYM_ERR_MEMORY;
	}
	return status == GSYM_OK ? gsym_writer_end_cluster(c) : status;
}

/* Settle job INDEX. */
static enum gsym_status settle_job(void *context, size_t index, unsigned worker)
{
	struct settling *s = context;
	struct w_cluster *c = &s->clusters[worker];
	struct w_settled *to = &s->slots[index % s->slot_count];
	struct w_shapes out = to->out;
	enum gsym_status status = GSYM_OK;
	size_t place = s->next;

	out.count = 0;
	*to = (struct w_settled){ .out = out };
	c->s = &s->shared;
	c->to = to;
	c->members.count = c->marked = c->end = 0;
	c->lane = w_take_lane(s->b);
	if (s->threads > 1 && !find_begin(s, c, index, &place))
		status = GSYM_ERR_MEMORY;
	if (status == GSYM_OK)
		status = walk(s, c, index, &place);
	pthread_mutex_unlock(&c->lane->lock);
	if (s->threads == 1)
		s->next = place;
	return status;
}

/* Append the result of job INDEX to those of the jobs before it. */
static enum gsym_status join_job(void *context, size_t index, unsigned worker)
{
	struct settling *s = context;
	struct w_settled *job = &s->slots[index % s->slot_count];
	struct w_settled *all = &s->all;

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
	gsym_writer_close_label(all, job->out.items[0].start);
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

/* Contradicting symbols may cause this part of all cuts, so that they never end
 * a conversion.  Each job has an equal share. */
enum { MARKED_SHARE = 16 };

/* List the records by start, and divide them into jobs. */
static enum gsym_status list_records(struct settling *s)
{
	enum gsym_status status;

	s->job_count = (s->count + s->b->job - 1) / s->b->job;
	s->threads = gsym_pool_threads(s->threads, s->job_count);
	s->slot_count = s->threads > 1 ? (size_t)s->threads * 4 : 1;
	s->shared.most_marked = s->b->limits.cuts / MARKED_SHARE / s->job_count;
	s->items = calloc(s->count, 2 * sizeof(*s->items));
	s->shared.cuts = (size_t)s->b->limits.cuts;
	s->ends = calloc(s->job_count, s->threads * sizeof(*s->ends));
	s->clusters = calloc(s->threads, sizeof(*s->clusters));
	s->slots = calloc(s->slot_count, sizeof(*s->slots));
	if (!s->items || !s->ends || !s->clusters || !s->slots ||
	    !gsym_vec_reserve(&s->all.out, s->count))
		return GSYM_ERR_MEMORY;
	gsym_pages_large(s->items, s->count * 2 * sizeof(*s->items));
	status =
		gsym_pool_run(s->threads, W_LANES, 0, list_lane, NULL, NULL, s);
	if (status != GSYM_OK)
		return status;
	s->shared.has_folded = s->folded;
	s->shared.has_local = s->has_local;
	gsym_sort_on_threads(s->items, s->count, s->items + s->count,
			     s->threads);
	if (s->threads < 2)
		return GSYM_OK;
	status =
		gsym_pool_run(s->threads, W_LANES, 0, note_ends, NULL, NULL, s);
	join_ends(s);
	return status;
}

static void settling_fini(struct settling *s)
{
	for (unsigned i = 0; s->clusters && i < s->threads; i++)
		gsym_writer_cluster_fini(&s->clusters[i]);
	for (size_t i = 0; s->slots && i < s->slot_count; i++)
		gsym_vec_fini(&s->slots[i].out);
	free(s->clusters);
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
	const struct w_settled *all = &s->all;

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
	gsym_writer_close_label(&s->all, UINT64_MAX);
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
		.shared = { .b = b, .merge = options->merge },
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
	    (gsym_writer_sort_loose_rows(b, options->threads) != GSYM_OK ||
	     gsym_pool_run(options->threads, (out->count + CHUNK - 1) / CHUNK,
			   0, give_rows, NULL, NULL, &s) != GSYM_OK))
		status = GSYM_ERR_MEMORY;
	if (status == GSYM_ERR_MEMORY)
		gsym_fail_memory(error);
	if (status == GSYM_OK)
		summarize(&s, summary);
	return status;
}
