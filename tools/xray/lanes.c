/* SPDX-License-Identifier: MIT */
/*
 * Keeps the calls of threads over time, merging short ones when the budget is
 * used up.
 */
#include "config.h"

#include "xray/flame.h"

#include <stdlib.h>
#include <string.h>

#include "common/must.h"
#include "common/report.h"

/* The longest entry, in quanta, that several calls may share.  In a longer
 * entry the times of the calls could not be seen. */
#define LONGEST 16

void lanes_init(struct lanes *l, uint32_t threads, size_t budget,
		size_t mark_budget)
{
	*l = (struct lanes){ .thread_count = threads,
			     .budget = budget,
			     .mark_budget = mark_budget,
			     .threads =
				     must_have(calloc((size_t)threads + 1,
						      sizeof(*l->threads))) };
}

void lanes_fini(struct lanes *l)
{
	for (uint32_t t = 0; t < l->thread_count; t++) {
		for (uint32_t d = 0; d < l->threads[t].lanes.count; d++)
			gsym_vec_fini(&l->threads[t].lanes.items[d]);
		gsym_vec_fini(&l->threads[t].lanes);
		gsym_vec_fini(&l->threads[t].marks);
	}
	free(l->threads);
}

/* ---- calls ------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
	const struct lane_call *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return x->busy < y->busy ? -1 : x->busy > y->busy;
}

/* Sort LANE by start.  It is sorted already, unless a thread left several
 * traces that overlap in time. */
static void sort(struct lane *lane)
{
	if (lane->unsorted)
		qsort(lane->items, lane->count, sizeof(*lane->items),
		      by_time);
	lane->unsorted = false;
}

/* Add the calls of NEXT to the entry LAST.  Adds nothing, and returns false, if
 * one of the entries has a call of QUANTUM or more, if NEXT does not follow
 * within QUANTUM, or if LAST would become too long. */
static bool merge(struct lane_call *last, const struct lane_call *next,
		  uint64_t quantum)
{
	if (last->longest >= quantum || next->longest >= quantum ||
	    next->start < last->start ||
	    (next->start > last->end && next->start - last->end >= quantum) ||
	    (next->end > last->start &&
	     (next->end - last->start) / LONGEST > quantum))
		return false;
	if (next->end > last->end)
		last->end = next->end;
	if (next->longest > last->longest) {
		last->longest = next->longest;
		last->function = next->function;
	}
	last->busy += next->busy;
	last->calls += next->calls;
	last->flags |= next->flags | LANE_MERGED;
	return true;
}

/* Merge entries of LANE by QUANTUM; returns the number of entries that are
 * left. */
static size_t compact(struct lane *lane, uint64_t quantum)
{
	size_t kept = 0;
	sort(lane);
	for (size_t i = 0; i < lane->count; i++)
		if (!kept || !merge(&lane->items[kept - 1], &lane->items[i],
				    quantum))
			lane->items[kept++] = lane->items[i];
	lane->count = kept;
	return kept;
}

/* Double the quantum until a quarter of the budget is free. */
static void make_room(struct lanes *l)
{
	while (l->count > l->budget / 4 * 3 &&
	       l->quantum < UINT64_C(1) << 62) {
		l->quantum = l->quantum ? 2 * l->quantum : 1;
		l->count = 0;
		for (uint32_t t = 0; t < l->thread_count; t++)
			for (uint32_t d = 0; d < l->threads[t].lanes.count; d++)
				l->count +=
					compact(&l->threads[t].lanes.items[d],
						l->quantum);
	}
}

/* The lane of T at DEPTH; adds it if need be. */
static struct lane *lane_at(struct lane_thread *t, uint32_t depth)
{
	while (t->lanes.count <= depth)
		*must_push(&t->lanes) = (struct lane){ 0 };
	return &t->lanes.items[depth];
}

void lanes_call(struct lanes *l, uint32_t thread,
		const struct gsym_xray_call *call, uint64_t start,
		uint64_t end)
{
	struct lane_thread *t = &l->threads[thread];
	if (call->depth >= LANES_DEPTH) {
		t->deeper++;
		return;
	}
	struct lane *lane = lane_at(t, call->depth);
	struct lane_call new = {
		.start = start,
		.end = end,
		.longest = end - start,
		.busy = end - start,
		.function = call->function,
		.calls = 1,
		.flags = call->end == GSYM_XRAY_INFERRED     ? LANE_INFERRED
			 : call->end == GSYM_XRAY_UNFINISHED ? LANE_UNFINISHED
							     : 0,
	};
	struct lane_call *last =
		lane->count ? &lane->items[lane->count - 1] : NULL;
	if (last && start < last->start)
		lane->unsorted = true;
	else if (last && l->quantum && merge(last, &new, l->quantum))
		return;
	*must_push(lane) = new;
	if (++l->count > l->budget)
		make_room(l);
}

/* ---- events ------------------------------------------------------------ */

/* Add the events of NEXT to LAST if NEXT follows within QUANTUM; otherwise
 * returns false. */
static bool merge_mark(struct lane_mark *last, const struct lane_mark *next,
		       uint64_t quantum)
{
	if (next->time < last->time || next->time - last->time >= quantum)
		return false;
	last->count += next->count;
	return true;
}

/* Merge marks of T by QUANTUM; returns the number of marks that are left. */
static size_t compact_marks(struct lane_thread *t, uint64_t quantum)
{
	size_t kept = 0;
	for (size_t i = 0; i < t->marks.count; i++)
		if (!kept || !merge_mark(&t->marks.items[kept - 1],
					 &t->marks.items[i], quantum))
			t->marks.items[kept++] = t->marks.items[i];
	t->marks.count = kept;
	return kept;
}

static void make_room_for_marks(struct lanes *l)
{
	while (l->mark_count > l->mark_budget / 4 * 3 &&
	       l->mark_quantum < UINT64_C(1) << 62) {
		l->mark_quantum = l->mark_quantum ? 2 * l->mark_quantum : 1;
		l->mark_count = 0;
		for (uint32_t t = 0; t < l->thread_count; t++)
			l->mark_count += compact_marks(&l->threads[t],
						       l->mark_quantum);
	}
}

void lanes_mark(struct lanes *l, uint32_t thread,
		const struct gsym_xray_event *event, uint64_t time)
{
	struct lane_thread *t = &l->threads[thread];
	struct lane_mark new = {
		.time = time,
		.count = 1,
		.size = event->size,
		.typed = event->kind == GSYM_XRAY_TYPED,
		.lost = event->size && !event->data,
		.type = event->type,
	};
	if (event->size && event->data)
		memcpy(new.data, event->data,
		       event->size < LANES_BYTES ? event->size : LANES_BYTES);
	if (t->marks.count && l->mark_quantum &&
	    merge_mark(&t->marks.items[t->marks.count - 1], &new,
		       l->mark_quantum))
		return;
	*must_push(&t->marks) = new;
	if (++l->mark_count > l->mark_budget)
		make_room_for_marks(l);
}

static int by_mark_time(const void *a, const void *b)
{
	const struct lane_mark *x = a, *y = b;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	return memcmp(x->data, y->data, sizeof(x->data));
}

static void sort_marks(struct lane_thread *t)
{
	for (size_t i = 1; i < t->marks.count; i++)
		if (t->marks.items[i].time < t->marks.items[i - 1].time) {
			qsort(t->marks.items, t->marks.count,
			      sizeof(*t->marks.items), by_mark_time);
			return;
		}
}

void lanes_finish(struct lanes *l)
{
	for (uint32_t t = 0; t < l->thread_count; t++) {
		for (uint32_t d = 0; d < l->threads[t].lanes.count; d++)
			sort(&l->threads[t].lanes.items[d]);
		sort_marks(&l->threads[t]);
	}
}
