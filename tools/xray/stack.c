/* SPDX-License-Identifier: MIT */
/* gsym-xray stack and graph: callers and callees. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/must.h"
#include "common/report.h"
#include "xray/xray.h"

/* ---- stack --------------------------------------------------------------- */

static void show_node(struct xray *x, const struct gsym_xray_node *n,
		      unsigned depth, uint64_t frequency)
{
	struct out *out = &x->out;
	char buffer[64];
	out_printf(out, "%10" PRIu64 " %14" PRIu64 " %14" PRIu64 " %c%c ",
		   n->calls, gsym_xray_nanoseconds(n->total, frequency),
		   gsym_xray_nanoseconds(n->self, frequency),
		   n->inferred ? '~' : ' ', n->unfinished ? '!' : ' ');
	/* The depth of deep nodes is shown as a number, so that the line fits
	 * on the screen. */
	if (depth > 30)
		out_printf(out, "%*s%u: ", 60, "", depth);
	else
		out_printf(out, "%*s", 2 * (int)depth, "");
	out_foreign(out, xray_name(x, n->function, buffer, sizeof(buffer),
				   NULL));
	out_text(out, "\n");
}

static void json_node(struct xray *x, const struct gsym_xray_node *n,
		      unsigned depth, uint64_t frequency,
		      const struct gsym_xray_thread *thread)
{
	struct json *json = &x->json;
	char buffer[64];
	json_object(json, NULL);
	if (thread) {
		json_number(json, "pid", thread->pid);
		json_number(json, "tid", thread->tid);
	}
	json_number(json, "depth", depth);
	json_number(json, "id", n->function);
	json_string(json, "function", xray_name(x, n->function, buffer,
						sizeof(buffer), NULL));
	json_number(json, "calls", n->calls);
	json_number(json, "total", gsym_xray_nanoseconds(n->total, frequency));
	json_number(json, "self", gsym_xray_nanoseconds(n->self, frequency));
	json_number(json, "inferred", n->inferred);
	json_number(json, "unfinished", n->unfinished);
	json_end(json);
	json_line(json);
}

/* Show all nodes below ROOT, which is the root of THREAD (NULL: of all
 * threads).  This is no recursion, because a trace decides how deep a tree
 * is. */
static void show_tree(struct xray *x, const struct gsym_xray_tree *tree,
		      uint32_t root, uint64_t frequency,
		      const struct gsym_xray_thread *thread)
{
	struct gsym_xray_node n;
	unsigned depth = 0;
	gsym_xray_tree_node(tree, root, &n);
	for (uint32_t next = n.callee; next;) {
		gsym_xray_tree_node(tree, next, &n);
		if (x->format == XRAY_JSON)
			json_node(x, &n, depth, frequency, thread);
		else
			show_node(x, &n, depth, frequency);
		if (n.callee) {
			next = n.callee;
			depth++;
			continue;
		}
		while (!n.sibling && n.caller != root) {
			gsym_xray_tree_node(tree, n.caller, &n);
			depth--;
		}
		next = n.sibling;
	}
}

static void show_heading(struct xray *x, uint64_t frequency)
{
	out_printf(&x->out, "%10s %14s %14s    function\n", "calls",
		   frequency ? "total ns" : "total ticks",
		   frequency ? "self ns" : "self ticks");
}

/* ---- threads ------------------------------------------------------------- */

/* A tree with a root for each thread.  The "function" of a root is the index
 * of its thread in KNOWN, which is sorted. */
struct threads {
	struct gsym_xray_tree *tree;
	struct gsym_xray_thread *known;
	uint32_t count;
};

static int by_thread(const void *a, const void *b)
{
	const struct gsym_xray_thread *x = a, *y = b;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

/* Fill T->known; a thread that left several traces counts once. */
static void collect_threads(struct xray *x, struct threads *t)
{
	struct xray_walk w = { .x = x };
	size_t all = 0;
	t->known =
		must_have(calloc(xray_thread_count(x) + 1, sizeof(*t->known)));
	while (xray_walk_thread(&w))
		t->known[all++] = w.thread;
	qsort(t->known, all, sizeof(*t->known), by_thread);
	for (size_t i = 0; i < all; i++)
		if (!t->count ||
		    by_thread(&t->known[t->count - 1], &t->known[i]) != 0)
			t->known[t->count++] = t->known[i];
}

/* Go to the root of THREAD before its calls. */
static void begin_thread(void *context, const struct gsym_xray_thread *thread)
{
	const struct threads *t = context;
	const struct gsym_xray_thread *found =
		bsearch(thread, t->known, t->count, sizeof(*t->known),
			by_thread);
	must(gsym_xray_tree_root(t->tree, (uint32_t)(found - t->known)));
}

/* The root of each thread, malloc'ed; 0 for threads without calls. */
static uint32_t *find_roots(const struct threads *t)
{
	uint32_t *roots =
		must_have(calloc((size_t)t->count + 1, sizeof(*roots)));
	struct gsym_xray_node n;
	gsym_xray_tree_node(t->tree, 0, &n);
	for (uint32_t i = n.callee; i; i = n.sibling) {
		gsym_xray_tree_node(t->tree, i, &n);
		roots[n.function] = i;
	}
	return roots;
}

static void show_threads(struct xray *x, const struct threads *t,
			 uint64_t frequency)
{
	uint32_t *roots = find_roots(t);
	bool first = true;
	for (uint32_t i = 0; i < t->count; i++) {
		struct gsym_xray_node n;
		if (!roots[i])
			continue;
		gsym_xray_tree_node(t->tree, roots[i], &n);
		if (!n.callee)
			continue;
		if (x->format == XRAY_TEXT) {
			out_printf(&x->out, "%sthread %" PRIu32
				   " of process %" PRIu32 ":\n",
				   first ? "" : "\n", t->known[i].tid,
				   t->known[i].pid);
			show_heading(x, frequency);
		}
		show_tree(x, t->tree, roots[i], frequency, &t->known[i]);
		first = false;
	}
	free(roots);
}

void xray_stack(struct xray *x)
{
	struct threads t = { .tree = must_have(gsym_xray_tree_new(0)) };
	struct gsym_xray_stack *stack = must_have(gsym_xray_stack_new(
		gsym_xray_tree_enter, gsym_xray_tree_leave, t.tree));
	uint64_t frequency = x->clocks[0].frequency;
	xray_need_one_clock(x);
	if (x->threads)
		collect_threads(x, &t);
	xray_replay(x, stack, x->threads ? begin_thread : NULL, &t);
	must(gsym_xray_tree_sort(t.tree) == GSYM_OK);
	if (x->threads) {
		show_threads(x, &t, frequency);
	} else {
		if (x->format == XRAY_TEXT)
			show_heading(x, frequency);
		show_tree(x, t.tree, 0, frequency, NULL);
	}
	xray_end_calls(x, stack);
	gsym_xray_tree_free(t.tree);
	free(t.known);
}

/* ---- graph --------------------------------------------------------------- */

/* The calls of a function from one caller; the caller 0 means that there is
 * none. */
struct edge {
	uint32_t caller;
	uint32_t function;
	uint64_t calls, total;
};

struct edges {
	GSYM_VEC(struct edge);
	/* The pairs of caller and function, by the index of their edge. */
	struct gsym_intern pairs;
};

/* Find or add the edge from CALLER to FUNCTION; returns its index + 1. */
static uint64_t edge_of(struct edges *e, uint32_t caller, uint32_t function)
{
	const uint32_t pair[2] = { caller, function };
	uint32_t index = must_intern(&e->pairs, pair, sizeof(pair));

	if (index == e->count)
		*must_push(e) =
			(struct edge){ .caller = caller, .function = function };
	return (uint64_t)index + 1;
}

static bool add_call(void *context, const struct gsym_xray_call *call)
{
	struct edges *e = context;
	struct edge *edge = &e->items[call->mark - 1];
	uint64_t ticks = call->leave - call->enter;
	edge->calls++;
	edge->total += ticks;
	return true;
}

static uint64_t graph_enter(void *context, const struct gsym_xray_event *event,
			    uint64_t caller)
{
	struct edges *e = context;
	/* The mark of a call is the index + 1 of its edge. */
	uint32_t function = caller ? e->items[caller - 1].function : 0;
	return edge_of(e, function, event->function);
}

/* By callee, then by caller. */
static int by_ends(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return x->caller < y->caller ? -1 : x->caller > y->caller;
}

/* Write TEXT for the label of a record in Graphviz's language.  A line ends
 * before a scope from WIDTH characters on. */
static void label(struct out *out, const char *text, size_t width)
{
	size_t column = 0, run;
	for (; *text; text += run, column += run) {
		if (column >= width && strncmp(text, "::", 2) == 0) {
			out_text(out, "\\n");
			column = 0;
		}
		if (strchr("\"\\{}|<>", *text))
			out_text(out, "\\");
		/* No character is divided. */
		run = 1 + strcspn(text + 1, ":\"\\{}|<>");
		out_foreign_bytes(out, text, run);
	}
}

/* Write EDGE, with its time in a unit that fits, and exactly in the tooltip. */
static void put_edge(struct out *out, const struct edge *edge,
		     uint64_t frequency)
{
	uint64_t time = gsym_xray_nanoseconds(edge->total, frequency);
	char text[40];
	xray_time_text((double)time, !frequency, "us", text, sizeof(text));
	out_printf(out, "F%" PRIu32 " -> F%" PRIu32 " [label=\"%s%s\" "
		   "tooltip=\"%" PRIu64 " %s\"];\n", edge->caller,
		   edge->function, text, frequency ? "" : " ticks", time,
		   frequency ? "ns" : "ticks");
}

/* Write the node of FUNCTION, with a short name, and the whole one in the
 * tooltip. */
static void put_node(struct xray *x, uint32_t function, uint64_t calls)
{
	struct out *out = &x->out;
	char buffer[64];
	const char *name =
		xray_name(x, function, buffer, sizeof(buffer), NULL);
	char *brief = xray_short_name(name);
	out_printf(out, "F%" PRIu32 " [label=\"{", function);
	label(out, brief, 24);
	out_printf(out, "|%" PRIu64 "}\" tooltip=\"", calls);
	label(out, name, SIZE_MAX);
	out_text(out, "\"];\n");
	free(brief);
}

void xray_graph(struct xray *x)
{
	struct edges e = { 0 };
	struct gsym_xray_stack *stack =
		must_have(gsym_xray_stack_new(graph_enter, add_call, &e));
	xray_need_one_clock(x);
	xray_replay(x, stack, NULL, NULL);
	uint64_t frequency = x->clocks[0].frequency, calls = 0;
	if (e.count)
		qsort(e.items, e.count, sizeof(*e.items), by_ends);
	out_text(&x->out, "digraph xray {\nnode [shape=record];\n");
	for (uint32_t i = 0; i < e.count; i++) {
		const struct edge *edge = &e.items[i];
		put_edge(&x->out, edge, frequency);
		calls += edge->calls;
		if (i + 1 < e.count && edge[1].function == edge->function)
			continue;
		put_node(x, edge->function, calls);
		calls = 0;
	}
	out_text(&x->out, "}\n");
	xray_end_calls(x, stack);
	gsym_vec_fini(&e);
	gsym_intern_fini(&e.pairs);
}
