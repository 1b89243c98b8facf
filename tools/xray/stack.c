/* SPDX-License-Identifier: MIT */
/* gsym-xray stack and graph: callers and callees; convert --to=folded: a line
 * for each stack, for flame graphs. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "common/file.h"
#include "common/report.h"
#include "xray/xray.h"

/* ---- stack --------------------------------------------------------------- */

static void show_node(struct xray *x, const struct gsym_xray_node *n,
		      unsigned depth)
{
	struct out *out = &x->out;
	out_printf(out, "%10" PRIu64 " %14" PRIu64 " %14" PRIu64 " %c%c ",
		   n->calls, xray_ns(x, n->total), xray_ns(x, n->self),
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
		      unsigned depth, const struct gsym_xray_thread *thread)
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
	json_number(json, "total", xray_ns(x, n->total));
	json_number(json, "self", xray_ns(x, n->self));
	json_number(json, "inferred", n->inferred);
	json_number(json, "unfinished", n->unfinished);
	json_end_line(json);
}

/* Show all nodes below ROOT, which is the root of THREAD (NULL: of all
 * threads).  This is no recursion, because a trace decides how deep a tree
 * is. */
static void show_tree(struct xray *x, const struct gsym_xray_tree *tree,
		      uint32_t root, const struct gsym_xray_thread *thread)
{
	unsigned depth = 0;
	for (uint32_t next = xray_node(tree, root).callee; next;) {
		struct gsym_xray_node n = xray_node(tree, next);
		if (x->format == XRAY_JSON)
			json_node(x, &n, depth, thread);
		else
			show_node(x, &n, depth);
		if (n.callee) {
			next = n.callee;
			depth++;
			continue;
		}
		while (!n.sibling && n.caller != root) {
			n = xray_node(tree, n.caller);
			depth--;
		}
		next = n.sibling;
	}
}

static void show_heading(struct xray *x)
{
	bool ns = xray_frequency(x);
	out_printf(&x->out, "%10s %14s %14s    function\n", "calls",
		   ns ? "total ns" : "total ticks",
		   ns ? "self ns" : "self ticks");
}

/* ---- threads ------------------------------------------------------------- */

/* A tree with a root for each thread: node I + 1 for thread I of KNOWN. */
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

static void show_threads(struct xray *x, const struct threads *t)
{
	bool first = true;
	for (uint32_t i = 0; i < t->count; i++) {
		if (!xray_node(t->tree, i + 1).callee)
			continue;
		if (x->format == XRAY_TEXT) {
			out_printf(&x->out, "%sthread %" PRId32
				   " of process %" PRIu32 ":\n",
				   first ? "" : "\n",
				   (int32_t)t->known[i].tid, t->known[i].pid);
			show_heading(x);
		}
		show_tree(x, t->tree, i + 1, &t->known[i]);
		first = false;
	}
}

void xray_stack(struct xray *x)
{
	struct threads t = { .tree = must_have(gsym_xray_tree_new(0)) };
	const struct xray_replay r = {
		.tree = t.tree,
		.thread = x->threads ? begin_thread : NULL,
		.context = &t,
	};
	struct gsym_xray_repairs repairs;
	xray_need_one_clock(x);
	if (x->threads)
		t.known = xray_threads(x, &t.count);
	for (uint32_t i = 0; i < t.count; i++)
		must(gsym_xray_tree_root(t.tree, i));
	repairs = xray_replay(x, "reading calls", &r);
	must(gsym_xray_tree_sort(t.tree) == GSYM_OK);
	if (x->threads) {
		show_threads(x, &t);
	} else {
		if (x->format == XRAY_TEXT)
			show_heading(x);
		show_tree(x, t.tree, 0, NULL);
	}
	xray_warn_repairs(x, &repairs);
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
	edge->calls++;
	edge->total += call->leave - call->enter;
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
	return GSYM_ORDER(x->function, y->function) ?:
	       GSYM_ORDER(x->caller, y->caller);
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
static void put_edge(struct xray *x, const struct edge *edge)
{
	bool ticks = !xray_frequency(x);
	uint64_t time = xray_ns(x, edge->total);
	char text[40];
	xray_time_text((double)time, ticks, "us", text, sizeof(text));
	out_printf(&x->out, "F%" PRIu32 " -> F%" PRIu32 " [label=\"%s%s\" "
		   "tooltip=\"%" PRIu64 " %s\"];\n", edge->caller,
		   edge->function, text, ticks ? " ticks" : "", time,
		   ticks ? "ticks" : "ns");
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
	const struct xray_replay r = { .enter = graph_enter, .leave = add_call,
				       .context = &e };
	struct gsym_xray_repairs repairs;
	uint64_t calls = 0;
	xray_need_one_clock(x);
	repairs = xray_replay(x, "reading calls", &r);
	if (e.count)
		qsort(e.items, e.count, sizeof(*e.items), by_ends);
	out_text(&x->out, "digraph xray {\nnode [shape=record];\n");
	for (uint32_t i = 0; i < e.count; i++) {
		const struct edge *edge = &e.items[i];
		put_edge(x, edge);
		calls += edge->calls;
		if (i + 1 < e.count && edge[1].function == edge->function)
			continue;
		put_node(x, edge->function, calls);
		calls = 0;
	}
	out_text(&x->out, "}\n");
	xray_warn_repairs(x, &repairs);
	gsym_vec_fini(&e);
	gsym_intern_fini(&e.pairs);
}

/* ---- folded stacks ------------------------------------------------------- */

struct folded {
	struct xray *x;
	struct gsym_xray_tree *tree;
	/* The outermost nodes of TREE are threads. */
	bool by_thread;
	/* What is written for frames. */
	struct gsym_intern texts;
	/* By the number of a node. */
	struct folded_node {
		uint32_t caller, depth;
		/* The number of its frame in TEXTS, plus 1; 0: not known. */
		uint32_t text;
	} *nodes;
};

/* Go to the root of the thread of W before its calls. */
static void folded_thread(void *context, const struct xray_walk *w)
{
	struct folded *f = context;
	must(!f->by_thread || gsym_xray_tree_root(f->tree, w->thread.tid));
}

/* NAME as it is written, malloc'ed.  ';' separates frames, and a line feed ends
 * a line, so ';' becomes ':', and each byte of a character that a terminal must
 * not get '?'. */
static char *clean(const char *name)
{
	char *text = must_have(strdup(name));
	for (size_t at = 0, size; text[at]; at += size) {
		size = gsym_utf8_length(text + at, 4);
		size = size ? size : 1;
		if (gsym_utf8_harmful(text + at, size))
			memset(text + at, '?', size);
		else if (text[at] == ';')
			text[at] = ':';
	}
	return text;
}

/* What is written for the frame of NODE. */
static const char *frame_text(struct folded *f, uint32_t node)
{
	uint32_t *number = &f->nodes[node].text;
	if (!*number) {
		struct gsym_xray_node n = xray_node(f->tree, node);
		char *text = f->by_thread && !n.caller
				     ? path_print("thread %" PRId32,
						  (int32_t)n.function)
				     : clean(xray_name(f->x, n.function, NULL));
		*number = 1 + must_intern(&f->texts, text, strlen(text));
		free(text);
	}
	return gsym_intern_entry(&f->texts, *number - 1)->bytes;
}

/* A line of the output: the stack of NODE, then a number. */
struct stack {
	struct folded *f;
	uint32_t node;
	uint64_t value;
};

/* The line of S, malloc'ed, without the frames of TOP and TOP's callers; the
 * whole line if TOP is 0. */
static char *line_below(const struct stack *s, uint32_t top)
{
	const struct folded_node *nodes = s->f->nodes;
	char *text = NULL;
	uint32_t *path = must_have(
		calloc((size_t)nodes[s->node].depth + 1, sizeof(*path)));
	uint32_t depth = 0;
	size_t size;
	FILE *to = must_have(open_memstream(&text, &size));
	for (uint32_t i = s->node; i != top; i = nodes[i].caller)
		path[depth++] = i;
	for (uint32_t k = depth; k; k--) {
		fputs(frame_text(s->f, path[k - 1]), to);
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
	const char *q = frame_text(x->f, k), *p = frame_text(x->f, i);
	while (*p && *p == *q) {
		p++;
		q++;
	}
	/* After a name comes a separator. */
	uint8_t c = *p ? *p : i == x->node ? ' ' : ';';
	uint8_t d = *q ? *q : k == y->node ? ' ' : ';';
	return GSYM_ORDER(c, d);
}

/* Compare lines byte by byte.  Lines are not kept in memory: the lines of a
 * deep recursion would take memory in proportion to the square of its depth.
 * Equal frames from the outermost on are skipped. */
static int by_bytes(const void *a, const void *b)
{
	const struct stack *x = a, *y = b;
	const struct folded_node *nodes = x->f->nodes;
	uint32_t i = x->node, k = y->node;
	while (nodes[i].depth > nodes[k].depth)
		i = nodes[i].caller;
	while (nodes[k].depth > nodes[i].depth)
		k = nodes[k].caller;
	/* One stack is the start of the other: after it comes a blank, which
	 * is less than the semicolon of the other. */
	if (i == k)
		return GSYM_ORDER(nodes[x->node].depth, nodes[y->node].depth);
	while (nodes[i].caller != nodes[k].caller) {
		i = nodes[i].caller;
		k = nodes[k].caller;
	}
	int order = by_frame(x, i, y, k);
	if (order)
		return order;
	char *left = line_below(x, nodes[i].caller);
	char *right = line_below(y, nodes[k].caller);
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
		bytes += x->traces[i].bytes.size;
	return bytes * FRAME_SHARE + SPARE_FRAMES;
}

/* Write the lines of all stacks that have a value, in the order of their
 * bytes. */
static void folded_lines(struct folded *f)
{
	struct xray *x = f->x;
	uint32_t nodes = gsym_xray_tree_count(f->tree);
	struct stack *stacks = must_have(calloc(nodes, sizeof(*stacks)));
	uint64_t left = most_frames(x);
	size_t count = 0;
	f->nodes = must_have(calloc(nodes, sizeof(*f->nodes)));
	for (uint32_t i = 1; i < nodes; i++) {
		struct gsym_xray_node n = xray_node(f->tree, i);
		/* Callers have lower numbers than their callees. */
		uint32_t depth = f->nodes[n.caller].depth + 1;
		f->nodes[i].caller = n.caller;
		f->nodes[i].depth = depth;
		/* The root of a thread is no call. */
		if (f->by_thread && !n.caller)
			continue;
		uint64_t value = x->calls ? n.calls
					  : rounded(n.self, xray_frequency(x));
		if (!value)
			continue;
		if (depth > left)
			die("the stacks are too deep for folded lines: they "
			    "have more than %d frames for each byte of the "
			    "traces; --to=chrome has each frame once",
			    FRAME_SHARE);
		left -= depth;
		stacks[count++] = (struct stack){ f, i, value };
	}
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
	struct folded f = { .x = x, .tree = must_have(gsym_xray_tree_new(0)),
			    .by_thread = x->threads };
	const struct xray_replay r = { .tree = f.tree, .thread = folded_thread,
				       .context = &f };
	struct gsym_xray_repairs repairs;
	if (!x->calls)
		xray_need_one_clock(x);
	repairs = xray_replay(x, "reading calls", &r);
	folded_lines(&f);
	xray_warn_repairs(x, &repairs);
	gsym_intern_fini(&f.texts);
	free(f.nodes);
	gsym_xray_tree_free(f.tree);
}
