/* SPDX-License-Identifier: MIT */
/* gsym-xray stack and graph: callers and callees; convert --to=folded: a line
 * for each stack, for flame graphs. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "common/report.h"
#include "xray/xray.h"

/* ---- stack --------------------------------------------------------------- */

static void show_node(struct xray *x, const struct gsym_xray_node *n,
		      unsigned depth, uint64_t frequency)
{
	struct out *out = &x->out;
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
	out_foreign(out, xray_name(x, n->function, NULL));
	out_text(out, "\n");
}

static void json_node(struct xray *x, const struct gsym_xray_node *n,
		      unsigned depth, uint64_t frequency,
		      const struct gsym_xray_thread *thread)
{
	struct json *json = &x->json;
	json_object(json, NULL);
	if (thread) {
		json_number(json, "pid", thread->pid);
		json_signed(json, "tid", (int32_t)thread->tid);
	}
	json_number(json, "depth", depth);
	json_number(json, "id", n->function);
	json_string(json, "function", xray_name(x, n->function, NULL));
	json_number(json, "calls", n->calls);
	json_number(json, "total", gsym_xray_nanoseconds(n->total, frequency));
	json_number(json, "self", gsym_xray_nanoseconds(n->self, frequency));
	json_number(json, "inferred", n->inferred);
	json_number(json, "unfinished", n->unfinished);
	json_end_line(json);
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
	size_t count;
};

/* Go to the root of the thread of W before its calls. */
static void begin_thread(void *context, const struct xray_walk *w)
{
	const struct threads *t = context;
	size_t index = xray_thread_index(&w->thread, t->known, t->count);
	must(gsym_xray_tree_root(t->tree, (uint32_t)index));
}

/* The root of each thread, malloc'ed; 0 for threads without calls. */
static uint32_t *find_roots(const struct threads *t)
{
	uint32_t *roots =
		must_have(calloc(t->count + 1, sizeof(*roots)));
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
	for (size_t i = 0; i < t->count; i++) {
		struct gsym_xray_node n;
		if (!roots[i])
			continue;
		gsym_xray_tree_node(t->tree, roots[i], &n);
		if (!n.callee)
			continue;
		if (x->format == XRAY_TEXT) {
			out_printf(&x->out, "%sthread %" PRId32
				   " of process %" PRIu32 ":\n",
				   first ? "" : "\n",
				   (int32_t)t->known[i].tid, t->known[i].pid);
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
	const struct xray_replay r = {
		.stack = must_have(gsym_xray_stack_new(
			gsym_xray_tree_enter, gsym_xray_tree_leave, t.tree)),
		.thread = x->threads ? begin_thread : NULL,
		.context = &t,
	};
	uint64_t frequency = x->clocks[0].frequency;
	xray_need_one_clock(x);
	if (x->threads)
		t.known = xray_threads(x, &t.count);
	xray_replay(x, "reading calls", &r);
	must(gsym_xray_tree_sort(t.tree) == GSYM_OK);
	if (x->threads) {
		show_threads(x, &t, frequency);
	} else {
		if (x->format == XRAY_TEXT)
			show_heading(x, frequency);
		show_tree(x, t.tree, 0, frequency, NULL);
	}
	xray_end_calls(x, r.stack);
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
	const char *name = xray_name(x, function, NULL);
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
	const struct xray_replay r = {
		.stack = must_have(
			gsym_xray_stack_new(graph_enter, add_call, &e)),
	};
	xray_need_one_clock(x);
	xray_replay(x, "reading calls", &r);
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
	xray_end_calls(x, r.stack);
	gsym_vec_fini(&e);
	gsym_intern_fini(&e.pairs);
}

/* ---- folded stacks ------------------------------------------------------- */

struct folded {
	struct xray *x;
	struct gsym_xray_tree *tree;
	/* The outermost nodes of TREE are threads. */
	bool by_thread;
};

/* Go to the root of the thread of W before its calls. */
static void folded_thread(void *context, const struct xray_walk *w)
{
	struct folded *f = context;
	must(!f->by_thread || gsym_xray_tree_root(f->tree, w->thread.tid));
}

/* A name that is read byte by byte. */
struct clean {
	const char *at;
	/* The bytes from AT on that belong to the same character as the byte
	 * before AT, and whether a terminal must not get that character. */
	size_t left;
	bool harmful;
};

/* The next byte that is written for the name of C; 0 at its end.  ';' separates
 * frames, and a line feed ends a line, so ';' becomes ':', and each byte of a
 * character that a terminal must not get '?'. */
static uint8_t clean_next(struct clean *c)
{
	uint8_t byte = (uint8_t)*c->at;
	if (!byte)
		return 0;
	if (!c->left) {
		size_t size = gsym_utf8_length(c->at, 4);
		c->left = size ? size : 1;
		c->harmful = gsym_utf8_harmful(c->at, c->left) > 0;
	}
	c->at++;
	c->left--;
	return c->harmful ? '?' : byte == ';' ? ':' : byte;
}

static void print_frame(FILE *to, const char *name)
{
	struct clean c = { .at = name };
	for (uint8_t byte; (byte = clean_next(&c));)
		fputc(byte, to);
}

/* A line of the output: the stack of NODE, which has DEPTH frames, then a
 * number. */
struct stack {
	const struct folded *f;
	uint32_t node, depth;
	uint64_t value;
};

static uint32_t caller_of(const struct folded *f, uint32_t node)
{
	struct gsym_xray_node n;
	gsym_xray_tree_node(f->tree, node, &n);
	return n.caller;
}

/* The line of S, malloc'ed, without the frames of TOP and TOP's callers; the
 * whole line if TOP is 0. */
static char *line_below(const struct stack *s, uint32_t top)
{
	struct gsym_xray_node n;
	char *text = NULL;
	uint32_t *path = must_have(calloc((size_t)s->depth + 1, sizeof(*path)));
	uint32_t depth = 0;
	size_t size;
	FILE *to = must_have(open_memstream(&text, &size));
	for (uint32_t i = s->node; i != top; i = caller_of(s->f, i))
		path[depth++] = i;
	for (uint32_t k = depth; k; k--) {
		gsym_xray_tree_node(s->f->tree, path[k - 1], &n);
		if (!n.caller && s->f->by_thread)
			fprintf(to, "thread %" PRId32, (int32_t)n.function);
		else
			print_frame(to, xray_name(s->f->x, n.function, NULL));
		fputc(k > 1 ? ';' : ' ', to);
	}
	fprintf(to, "%" PRIu64, s->value);
	free(path);
	bool failed = ferror(to);
	must(fclose(to) == 0 && !failed && text);
	return text;
}

/* Compare the lines of X and Y by their frames I and K, which have the same
 * callers; 0 if the frames are equal. */
static int by_frame(const struct stack *x, uint32_t i, const struct stack *y,
		    uint32_t k)
{
	const struct folded *f = x->f;
	struct gsym_xray_node n;
	gsym_xray_tree_node(f->tree, k, &n);
	const char *q = xray_name(f->x, n.function, NULL);
	gsym_xray_tree_node(f->tree, i, &n);
	const char *p = xray_name(f->x, n.function, NULL);
	if (!n.caller && f->by_thread)
		return 0;
	struct clean left = { .at = p }, right = { .at = q };
	for (;;) {
		uint8_t c = clean_next(&left), d = clean_next(&right);
		bool end = !c || !d;
		/* After a name comes a separator. */
		c = c ? c : i == x->node ? ' ' : ';';
		d = d ? d : k == y->node ? ' ' : ';';
		if (c != d)
			return c < d ? -1 : 1;
		if (end)
			return 0;
	}
}

/* Compare lines byte by byte.  Lines are not kept in memory: the lines of a
 * deep recursion would take memory in proportion to the square of its depth.
 * Equal frames from the outermost on are skipped. */
static int by_bytes(const void *a, const void *b)
{
	const struct stack *x = a, *y = b;
	const struct folded *f = x->f;
	uint32_t i = x->node, k = y->node, from = x->depth, to = y->depth;
	for (; from > to; from--)
		i = caller_of(f, i);
	for (; to > from; to--)
		k = caller_of(f, k);
	/* One stack is the start of the other: after it comes a blank, which
	 * is less than the semicolon of the other. */
	if (i == k)
		return x->depth < y->depth ? -1 : x->depth > y->depth;
	for (uint32_t up; (up = caller_of(f, i)) != caller_of(f, k);) {
		i = up;
		k = caller_of(f, k);
	}
	int order = by_frame(x, i, y, k);
	if (order)
		return order;
	char *left = line_below(x, caller_of(f, i));
	char *right = line_below(y, caller_of(f, k));
	order = strcmp(left, right);
	free(left);
	free(right);
	return order;
}

/* TICKS in nanoseconds, halves rounded up; ticks if FREQUENCY is 0. */
static uint64_t rounded(uint64_t ticks, uint64_t frequency)
{
	uint64_t whole = gsym_xray_nanoseconds(ticks, frequency);
	if (!frequency || frequency >= UINT64_C(1) << 34)
		return whole;
	uint64_t rest = ticks % frequency * 1000000000 % frequency;
	return whole + (2 * rest >= frequency);
}

/* The frames of all lines may be FRAME_SHARE for each byte of the traces, and
 * SPARE_FRAMES more.  The lines of a stack that grows with each call have
 * frames in proportion to the square of the calls. */
enum { FRAME_SHARE = 4, SPARE_FRAMES = 1 << 23 };

static uint64_t most_frames(const struct xray *x)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < x->trace_count; i++)
		bytes += x->traces[i].size;
	return bytes * FRAME_SHARE + SPARE_FRAMES;
}

/* Write the lines of all stacks that have a value, in the order of their
 * bytes. */
static void folded_lines(struct folded *f)
{
	struct xray *x = f->x;
	uint64_t frequency = x->clocks[0].frequency;
	uint32_t nodes = gsym_xray_tree_count(f->tree);
	struct stack *stacks = must_have(calloc(nodes, sizeof(*stacks)));
	uint32_t *depths = must_have(calloc(nodes, sizeof(*depths)));
	uint64_t left = most_frames(x);
	size_t count = 0;
	for (uint32_t i = 1; i < nodes; i++) {
		struct gsym_xray_node n;
		gsym_xray_tree_node(f->tree, i, &n);
		/* Callers have lower numbers than their callees. */
		depths[i] = depths[n.caller] + 1;
		/* The root of a thread is no call. */
		if (f->by_thread && !n.caller)
			continue;
		uint64_t value = x->calls ? n.calls
					  : rounded(n.self, frequency);
		if (!value)
			continue;
		if (depths[i] > left)
			die("the stacks are too deep for folded lines: they "
			    "have more than %d frames for each byte of the "
			    "traces; --to=chrome has each frame once",
			    FRAME_SHARE);
		left -= depths[i];
		stacks[count++] = (struct stack){ f, i, depths[i], value };
	}
	free(depths);
	qsort(stacks, count, sizeof(*stacks), by_bytes);
	for (size_t i = 0; i < count; i++) {
		char *line = line_below(&stacks[i], 0);
		out_text(&x->out, line);
		out_text(&x->out, "\n");
		free(line);
	}
	free(stacks);
}

void xray_to_folded(struct xray *x)
{
	struct folded f = { x, must_have(gsym_xray_tree_new(0)), x->threads };
	const struct xray_replay r = {
		.stack = must_have(gsym_xray_stack_new(
			gsym_xray_tree_enter, gsym_xray_tree_leave, f.tree)),
		.thread = folded_thread,
		.context = &f,
	};
	if (!x->calls)
		xray_need_one_clock(x);
	xray_replay(x, "reading calls", &r);
	folded_lines(&f);
	xray_end_calls(x, r.stack);
	gsym_xray_tree_free(f.tree);
}
