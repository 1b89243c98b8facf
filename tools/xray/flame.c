/* SPDX-License-Identifier: MIT */
/* gsym-xray flame: a page with a flame graph and a time line.  This file walks
 * over the traces, and keeps the calls of threads over time, of which it merges
 * short ones when a budget is used up; flame_page.c writes the page. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/out.h"
#include "common/report.h"
#include "xray/xray.h"

/* The longest entry, in quanta, that several calls may share.  In a longer
 * entry the times of the calls could not be seen. */
#define LONGEST 16

/* ---- lanes: calls ------------------------------------------------------ */

static int by_time(const void *a, const void *b)
{
	const struct lane_call *x = a, *y = b;
	return GSYM_ORDER(x->start, y->start) ?:
	       GSYM_ORDER(x->end, y->end) ?:
	       GSYM_ORDER(x->function, y->function) ?:
	       GSYM_ORDER(x->busy, y->busy);
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

/* Merge entries of T by QUANTUM; returns the number of those that are left. */
static size_t compact(struct lane_thread *t, uint64_t quantum)
{
	size_t all = 0;
	for (size_t d = 0; d < t->lanes.count; d++) {
		struct lane *lane = &t->lanes.items[d];
		size_t kept = 0;
		sort(lane);
		for (size_t i = 0; i < lane->count; i++)
			if (!kept || !merge(&lane->items[kept - 1],
					    &lane->items[i], quantum))
				lane->items[kept++] = lane->items[i];
		lane->count = kept;
		all += kept;
	}
	return all;
}

/* Count another entry of B.  If there are too many, double the quantum until a
 * quarter of the budget is free: SHRINK merges the entries of a thread. */
static void count_entry(struct lanes *l, struct lane_budget *b,
			size_t (*shrink)(struct lane_thread *t,
					 uint64_t quantum))
{
	if (++b->count <= b->most)
		return;
	while (b->count > b->most / 4 * 3 && b->quantum < UINT64_C(1) << 62) {
		b->quantum = b->quantum ? 2 * b->quantum : 1;
		b->count = 0;
		for (uint32_t t = 0; t < l->thread_count; t++)
			b->count += shrink(&l->threads[t], b->quantum);
	}
}

/* The lane of T at DEPTH; adds it if need be. */
static struct lane *lane_at(struct lane_thread *t, uint32_t depth)
{
	while (t->lanes.count <= depth)
		*must_push(&t->lanes) = (struct lane){ 0 };
	return &t->lanes.items[depth];
}

/* Add CALL to thread number THREAD.  The calls of a thread come in the order of
 * their ends. */
static void lanes_call(struct lanes *l, uint32_t thread,
		       const struct gsym_xray_call *call)
{
	struct lane_thread *t = &l->threads[thread];
	if (call->depth >= LANES_DEPTH) {
		t->deeper++;
		return;
	}
	struct lane *lane = lane_at(t, call->depth);
	struct lane_call new = {
		.start = call->enter,
		.end = call->leave,
		.longest = call->leave - call->enter,
		.busy = call->leave - call->enter,
		.function = call->function,
		.calls = 1,
		.flags = call->end == GSYM_XRAY_INFERRED     ? LANE_INFERRED
			 : call->end == GSYM_XRAY_UNFINISHED ? LANE_UNFINISHED
							     : 0,
	};
	struct lane_call *last =
		lane->count ? &lane->items[lane->count - 1] : NULL;
	if (last && new.start < last->start)
		lane->unsorted = true;
	else if (last && l->calls.quantum &&
		 merge(last, &new, l->calls.quantum))
		return;
	*must_push(lane) = new;
	count_entry(l, &l->calls, compact);
}

/* ---- lanes: events ----------------------------------------------------- */

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

/* Add the custom or typed EVENT at TIME to thread number THREAD. */
static void lanes_mark(struct lanes *l, uint32_t thread,
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
	if (t->marks.count && l->marks.quantum &&
	    merge_mark(&t->marks.items[t->marks.count - 1], &new,
		       l->marks.quantum))
		return;
	*must_push(&t->marks) = new;
	count_entry(l, &l->marks, compact_marks);
}

static int by_mark_time(const void *a, const void *b)
{
	const struct lane_mark *x = a, *y = b;
	return GSYM_ORDER(x->time, y->time) ?:
	       GSYM_ORDER(x->count, y->count) ?:
	       memcmp(x->data, y->data, sizeof(x->data));
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

/* Sort all entries and marks by time, once everything is added. */
static void lanes_finish(struct lanes *l)
{
	for (uint32_t t = 0; t < l->thread_count; t++) {
		for (uint32_t d = 0; d < l->threads[t].lanes.count; d++)
			sort(&l->threads[t].lanes.items[d]);
		sort_marks(&l->threads[t]);
	}
}

static void lanes_fini(struct lanes *l)
{
	for (uint32_t t = 0; t < l->thread_count; t++) {
		for (uint32_t d = 0; d < l->threads[t].lanes.count; d++)
			gsym_vec_fini(&l->threads[t].lanes.items[d]);
		gsym_vec_fini(&l->threads[t].lanes);
		gsym_vec_fini(&l->threads[t].marks);
	}
	free(l->threads);
}

/* ---- threads ----------------------------------------------------------- */

/* A thread of one or several traces, which has events. */
struct seen {
	const struct gsym_xray_thread *thread;
	/* The number of threads that the walk met before. */
	uint32_t place;
};

static int by_place(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;
	return GSYM_ORDER(x->place, y->place);
}

static int by_events(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;
	return GSYM_ORDER(y->thread->events, x->thread->events) ?:
	       GSYM_ORDER(x->place, y->place);
}

/* Fill the threads of the page: the first COUNT threads of LIST, then one
 * thread for the OTHERS.  PROCESSES: threads are named with their process. */
static void show_threads(struct flame *f, const struct seen *list, size_t count,
			 size_t others, bool processes)
{
	f->shown = (uint32_t)count;
	f->other_threads = (uint32_t)others;
	f->thread_count = f->shown + (others > 0);
	f->threads = must_have(
		calloc((size_t)f->thread_count + 1, sizeof(*f->threads)));
	for (size_t i = 0; i < count; i++)
		snprintf(f->threads[i].name, sizeof(f->threads[i].name),
			 processes ? "thread %" PRId32 " of process %" PRIu32
				   : "thread %" PRId32,
			 (int32_t)list[i].thread->tid, list[i].thread->pid);
	if (others)
		snprintf(f->threads[count].name, sizeof(f->threads[0].name),
			 "%zu other threads", others);
}

/* Fill the threads of the page, in the order in which the walk meets them. */
static void place_threads(struct flame *f)
{
	struct xray_walk w = { .x = f->x };
	uint32_t busy = 0, shown;
	struct seen *list;
	bool processes = false;
	f->known = xray_threads(f->x, &f->known_count);
	f->places = must_have(calloc(f->known_count + 1, sizeof(*f->places)));
	list = must_have(calloc(f->known_count + 1, sizeof(*list)));
	while (xray_walk_thread(&w)) {
		size_t index = xray_thread_index(&w.thread, f->known,
						 f->known_count);
		/* Without events, or seen before. */
		if (!f->known[index].events || f->places[index]++)
			continue;
		list[busy] = (struct seen){ &f->known[index], busy };
		busy++;
		processes |= w.thread.pid != list[0].thread->pid;
	}
	shown = busy < FLAME_THREADS ? busy : FLAME_THREADS;
	if (shown < busy) {
		qsort(list, busy, sizeof(*list), by_events);
		qsort(list, shown, sizeof(*list), by_place);
	}
	show_threads(f, list, shown, busy - shown, processes);
	for (uint32_t i = 0; i < busy; i++)
		f->places[list[i].thread - f->known] = i < shown ? i : shown;
	free(list);
}

/* ---- calls ------------------------------------------------------------- */

/* The walk over the traces. */
struct pass {
	struct flame *f;
	struct gsym_xray_tree *tree;
	/* The clock, and the index on the page, of the thread whose events are
	 * read. */
	const struct xray_clock *clock;
	uint32_t thread;
	/* The traces have different clocks: ticks become nanoseconds. */
	bool nanoseconds;
};

/* TSC since time 0. */
static uint64_t time_of(const struct pass *p, uint64_t tsc)
{
	if (p->nanoseconds)
		return xray_time(p->clock, tsc);
	return tsc > p->clock->zero ? tsc - p->clock->zero : 0;
}

static uint64_t enter(void *context, const struct gsym_xray_event *event,
		      uint64_t caller)
{
	struct pass *p = context;
	return gsym_xray_tree_enter(p->tree, event, caller);
}

static bool leave(void *context, const struct gsym_xray_call *call)
{
	struct pass *p = context;
	struct gsym_xray_call c = *call;
	c.enter = time_of(p, call->enter);
	c.leave = time_of(p, call->leave);
	if (p->nanoseconds)
		c.children = gsym_xray_nanoseconds(call->children,
						   p->clock->frequency);
	p->f->threads[p->thread].calls++;
	p->f->calls++;
	if (p->thread < p->f->shown)
		lanes_call(&p->f->lanes, p->thread, &c);
	return gsym_xray_tree_leave(p->tree, &c);
}

static void begin_thread(void *context, const struct xray_walk *w)
{
	struct pass *p = context;
	p->clock = &p->f->x->traces[w->trace].clock;
	p->thread = p->f->places[xray_thread_index(&w->thread, p->f->known,
						   p->f->known_count)];
	must(gsym_xray_tree_root(p->tree, p->thread));
}

static void mark(void *context, const struct xray_walk *w)
{
	struct pass *p = context;
	if (p->thread < p->f->shown)
		lanes_mark(&p->f->lanes, p->thread, &w->event,
			   time_of(p, w->event.tsc));
}

/* The time from 0 to the last event of all traces. */
static uint64_t find_span(struct pass *p)
{
	const struct xray *x = p->f->x;
	uint64_t first, last, span = 0;
	for (size_t i = 0; i < x->trace_count; i++) {
		p->clock = &x->traces[i].clock;
		if (gsym_xray_span(x->traces[i].log, &first, &last) &&
		    time_of(p, last) > span)
			span = time_of(p, last);
	}
	return span;
}

/* Walk over all events.  Returns the tree, which has a root for each thread. */
static struct gsym_xray_tree *walk(struct flame *f)
{
	struct pass p = { .f = f,
			  .tree = must_have(gsym_xray_tree_new(FLAME_STACKS)),
			  .nanoseconds = !xray_one_clock(f->x) };
	const struct xray_replay r = { .enter = enter, .leave = leave,
				       .thread = begin_thread, .custom = mark,
				       .context = &p };
	f->frequency = p.nanoseconds ? 1000000000 : xray_frequency(f->x);
	f->span = find_span(&p);
	f->repairs = xray_replay(f->x, "reading calls", &r);
	lanes_finish(&f->lanes);
	return p.tree;
}

/* Find the root of each thread, and count the calls that have no node. */
static void find_roots(struct flame *f, const struct gsym_xray_tree *tree)
{
	for (uint32_t i = 0; i < gsym_xray_tree_count(tree); i++) {
		struct gsym_xray_node n = xray_node(tree, i);
		f->merged += n.merged;
		if (i && !n.caller)
			f->threads[n.function].root = i;
	}
}

/* The tree of the calls of all threads. */
static struct gsym_xray_tree *add_threads(struct flame *f,
					  const struct gsym_xray_tree *tree)
{
	struct gsym_xray_tree *whole = must_have(gsym_xray_tree_new(0));
	for (uint32_t t = 0; t < f->thread_count; t++)
		if (f->threads[t].root)
			must(gsym_xray_tree_add(whole, tree,
						f->threads[t].root));
	return whole;
}

/* ---- words ------------------------------------------------------------- */

/* Write ", 1,234 calls", where N is 1234 and WHAT is "call". */
static void count(FILE *to, uint64_t n, const char *what)
{
	char text[NUMBER_GROUPED];
	fprintf(to, ", %.*s %s%s", (int)number_grouped(text, n), text, what,
		n == 1 ? "" : "s");
}

/* Make title and summary of the page. */
static void describe(struct flame *f)
{
	const struct xray *x = f->x;
	const struct xray_clock *clock = &x->traces[0].clock;
	char span[FLAME_DURATION], wall[XRAY_WALL_SIZE];
	const char *name = x->objects[0].path ? x->objects[0].path
					      : x->traces[0].path;
	size_t size;
	FILE *to = open_memstream(&f->summary, &size);
	must(to != NULL);
	fputs(flame_duration(f, f->span, span), to);
	count(to, f->shown + f->other_threads, "thread");
	count(to, f->calls, "call");
	count(to, gsym_xray_tree_count(f->whole.tree) - 1u, "stack");
	if (clock->wall == XRAY_WALL_DATE && xray_one_clock(x)) {
		xray_wall_text(clock, clock->zero, wall);
		fprintf(to, ", begun %s", wall);
	}
	f->title = x->trace_count > 1 && !x->objects[0].path
			   ? path_print("%s and %zu more", path_base(name),
					x->trace_count - 1)
			   : path_print("%s", path_base(name));
	bool failed = ferror(to);
	must(fclose(to) == 0 && !failed && f->summary);
}

void xray_flame(struct xray *x)
{
	struct flame f = { .x = x };
	xray_allow_clocks(x);
	place_threads(&f);
	f.lanes = (struct lanes){
		.thread_count = f.thread_count,
		.calls.most = x->detail ? x->detail : FLAME_CALLS,
		.marks.most = FLAME_MARKS,
		.threads = must_have(calloc((size_t)f.thread_count + 1,
					    sizeof(*f.lanes.threads))),
	};
	struct gsym_xray_tree *tree = walk(&f);
	find_roots(&f, tree);
	struct gsym_xray_tree *whole = add_threads(&f, tree);
	flame_tree_init(&f.by_thread, tree, FLAME_NODES);
	flame_tree_init(&f.whole, whole, FLAME_NODES);
	describe(&f);
	if (x->picture == XRAY_SVG) {
		out_text(&x->out, "<?xml version=\"1.0\" "
				  "encoding=\"UTF-8\"?>\n");
		flame_svg(&f, true);
	} else {
		flame_page(&f);
	}
	xray_warn_repairs(x, &f.repairs);
	flame_tree_fini(&f.by_thread);
	flame_tree_fini(&f.whole);
	gsym_xray_tree_free(tree);
	gsym_xray_tree_free(whole);
	lanes_fini(&f.lanes);
	gsym_vec_fini(&f.functions);
	free(f.threads);
	free(f.title);
	free(f.summary);
	free(f.known);
	free(f.places);
}
