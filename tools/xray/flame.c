/* SPDX-License-Identifier: MIT */
/* gsym-xray flame: a page with a flame graph and a time line.  This file walks
 * over the traces; flame_page.c and its neighbours write the page. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/must.h"
#include "common/number.h"
#include "common/path.h"
#include "common/report.h"
#include "xray/flame.h"

/* ---- threads ----------------------------------------------------------- */

/* A thread of a trace. */
struct seen {
	/* With the events of all traces of the thread, once these were added
	 * up.  The first member: a struct seen compares as a thread. */
	struct gsym_xray_thread thread;
	/* PLACE is the thread's index among the threads of all traces, NUMBER
	 * its index among the threads of the page. */
	uint32_t place, number;
};

static int by_place(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* A thread that left several traces is in the list several times; these entries
 * are ordered by place. */
static int by_thread(const void *a, const void *b)
{
	int order = xray_by_thread(a, b);
	return order ? order : by_place(a, b);
}

static int by_events(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;
	if (x->thread.events != y->thread.events)
		return x->thread.events > y->thread.events ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* The threads of all traces, malloc'ed, in the order of their places. */
static struct seen *list_threads(struct xray *x, size_t *count)
{
	struct xray_walk w = { .x = x };
	struct seen *list =
		must_have(calloc(xray_thread_count(x) + 1, sizeof(*list)));
	for (*count = 0; xray_walk_thread(&w); ++*count)
		list[w.place] = (struct seen){ w.thread, w.place, 0 };
	return list;
}

/* Copy the COUNT threads at LIST, which are sorted by thread, to MERGED.
 * Threads without events are left out.  A thread of several traces is copied
 * once, with the events of all of them.  Returns the number of threads in
 * MERGED. */
static size_t merge_threads(const struct seen *list, size_t count,
			    struct seen *merged)
{
	size_t n = 0;
	for (size_t i = 0; i < count; i++) {
		if (i && !xray_by_thread(&list[i], &list[i - 1]))
			merged[n - 1].thread.events += list[i].thread.events;
		else
			merged[n++] = list[i];
	}
	size_t busy = 0;
	for (size_t i = 0; i < n; i++)
		if (merged[i].thread.events)
			merged[busy++] = merged[i];
	return busy;
}

/* Whether threads of more than one process are shown. */
static bool many_processes(const struct seen *list, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (list[i].thread.pid != list[0].thread.pid)
			return true;
	return false;
}

/* The index, on the page, of the thread that LIKE is an entry of; COUNT if it
 * is not among the COUNT threads at SHOWN, which are sorted by thread. */
static uint32_t number_of(const struct seen *shown, size_t count,
			  const struct seen *like)
{
	const struct seen *found = bsearch(like, shown, count, sizeof(*shown),
					   xray_by_thread);
	return found ? found->number : (uint32_t)count;
}

/* Fill the threads of the page: the first COUNT threads of MERGED, in the order
 * of their places, then one thread for the OTHERS. */
static void show_threads(struct flame *f, struct seen *merged, size_t count,
			 size_t others)
{
	bool processes = many_processes(merged, count + others);
	f->shown = (uint32_t)count;
	f->other_threads = (uint32_t)others;
	f->thread_count = f->shown + (others > 0);
	f->threads = must_have(
		calloc((size_t)f->thread_count + 1, sizeof(*f->threads)));
	if (count)
		qsort(merged, count, sizeof(*merged), by_place);
	for (uint32_t i = 0; i < count; i++) {
		struct flame_thread *t = &f->threads[i];
		snprintf(t->name, sizeof(t->name),
			 processes ? "thread %" PRIu32 " of process %" PRIu32
				   : "thread %" PRIu32, merged[i].thread.tid,
			 merged[i].thread.pid);
		merged[i].number = i;
	}
	if (others)
		snprintf(f->threads[count].name, sizeof(f->threads[0].name),
			 "%zu other threads", others);
}

/* Fill the threads of the page.  Returns an array, malloc'ed: by place, the
 * index of each thread on the page. */
static uint32_t *place_threads(struct flame *f)
{
	size_t count;
	struct seen *list = list_threads(f->x, &count);
	struct seen *merged = must_have(calloc(count + 1, sizeof(*merged)));
	uint32_t *numbers = must_have(calloc(count + 1, sizeof(*numbers)));
	if (count)
		qsort(list, count, sizeof(*list), by_thread);
	size_t busy = merge_threads(list, count, merged), shown = busy;
	if (busy > FLAME_THREADS) {
		shown = FLAME_THREADS;
		qsort(merged, busy, sizeof(*merged), by_events);
	}
	show_threads(f, merged, shown, busy - shown);
	if (shown)
		qsort(merged, shown, sizeof(*merged), by_thread);
	for (size_t i = 0; i < count; i++)
		numbers[list[i].place] = number_of(merged, shown, &list[i]);
	free(list);
	free(merged);
	return numbers;
}

/* ---- calls ------------------------------------------------------------- */

/* The walk over the traces. */
struct pass {
	struct flame *f;
	struct gsym_xray_tree *tree;
	/* The result of place_threads. */
	const uint32_t *numbers;
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
		lanes_call(&p->f->lanes, p->thread, &c, c.enter, c.leave);
	return gsym_xray_tree_leave(p->tree, &c);
}

static void begin_thread(void *context, const struct xray_walk *w)
{
	struct pass *p = context;
	p->clock = &p->f->x->clocks[w->trace];
	p->thread = p->numbers[w->place];
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
		p->clock = &x->clocks[i];
		if (gsym_xray_span(x->logs[i], &first, &last) &&
		    time_of(p, last) > span)
			span = time_of(p, last);
	}
	return span;
}

/* Walk over all events.  NUMBERS is the result of place_threads.  Returns the
 * tree, which has a root for each thread. */
static struct gsym_xray_tree *walk(struct flame *f, const uint32_t *numbers)
{
	struct pass p = { .f = f,
			  .tree = must_have(gsym_xray_tree_new(FLAME_STACKS)),
			  .numbers = numbers,
			  .nanoseconds = !xray_one_clock(f->x) };
	const struct xray_replay r = {
		.stack = must_have(gsym_xray_stack_new(enter, leave, &p)),
		.thread = begin_thread,
		.custom = mark,
		.context = &p,
	};
	f->frequency = p.nanoseconds ? 1000000000 : f->x->clocks[0].frequency;
	f->span = find_span(&p);
	xray_replay(f->x, "reading calls", &r);
	gsym_xray_stack_repairs(r.stack, &f->repairs);
	gsym_xray_stack_free(r.stack);
	lanes_finish(&f->lanes);
	return p.tree;
}

/* Find the root of each thread, and count the calls that have no node. */
static void find_roots(struct flame *f, const struct gsym_xray_tree *tree)
{
	struct gsym_xray_node n;
	for (uint32_t i = 0; i < gsym_xray_tree_count(tree); i++) {
		gsym_xray_tree_node(tree, i, &n);
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
	const struct xray_clock *clock = &x->clocks[0];
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
	uint32_t *numbers = place_threads(&f);
	lanes_init(&f.lanes, f.thread_count,
		   x->detail ? x->detail : FLAME_CALLS, FLAME_MARKS);
	struct gsym_xray_tree *tree = walk(&f, numbers);
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
	out_flush(&x->out);
	xray_warn_repairs(&f.repairs);
	flame_tree_fini(&f.by_thread);
	flame_tree_fini(&f.whole);
	gsym_xray_tree_free(tree);
	gsym_xray_tree_free(whole);
	lanes_fini(&f.lanes);
	gsym_vec_fini(&f.functions);
	free(f.threads);
	free(f.title);
	free(f.summary);
	free(numbers);
}
