/* SPDX-License-Identifier: MIT */
/* gsym-xray stack and graph: who called whom. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/report.h"
#include "xray.h"

/* One caller with one callee.  In a graph a caller is a function (0: none),
 * in a tree the node that it is. */
struct edge {
	uint64_t caller;
	uint32_t function;
	uint32_t next; /* of the same hash, as number + 1 */
	uint64_t calls, total, self;
	uint64_t inferred, unfinished;
	/* Trees: the next one with the same caller, the first callee. */
	uint32_t sibling, child;
};

struct edges {
	struct xray *x;
	struct edge *items;
	uint32_t *slots;
	uint32_t count, capacity;
};

static uint32_t slot_of(const struct edges *e, uint64_t caller,
			uint32_t function)
{
	uint64_t key = (caller * UINT64_C(0xff51afd7ed558ccd) ^ function) *
		       UINT64_C(0x9e3779b97f4a7c15);
	return key >> 32 & (2 * e->capacity - 1);
}

static void grow(struct edges *e)
{
	if (e->capacity > UINT32_MAX / 8)
		die("more than %" PRIu32 " different stacks", e->capacity);
	e->capacity = e->capacity ? 2 * e->capacity : 1024;
	e->items = realloc(e->items, e->capacity * sizeof(*e->items));
	free(e->slots);
	e->slots = calloc(2 * (size_t)e->capacity, sizeof(*e->slots));
	if (!e->items || !e->slots)
		die("out of memory");
	for (uint32_t i = 0; i < e->count; i++) {
		uint32_t slot = slot_of(e, e->items[i].caller,
					e->items[i].function);
		e->items[i].next = e->slots[slot];
		e->slots[slot] = i + 1;
	}
}

/* The number, from 1 on, of the edge; a new one if need be. */
static uint32_t edge_of(struct edges *e, uint64_t caller, uint32_t function)
{
	if (e->count == e->capacity)
		grow(e);
	uint32_t slot = slot_of(e, caller, function);
	for (uint32_t i = e->slots[slot]; i; i = e->items[i - 1].next)
		if (e->items[i - 1].caller == caller &&
		    e->items[i - 1].function == function)
			return i;
	e->items[e->count] = (struct edge){ .caller = caller,
					    .function = function,
					    .next = e->slots[slot] };
	e->slots[slot] = ++e->count;
	return e->count;
}

static uint64_t tree_enter(void *context, const struct gsym_xray_event *event,
			   uint64_t caller)
{
	return edge_of(context, caller, event->function);
}

static bool add_call(void *context, const struct gsym_xray_call *call)
{
	struct edges *e = context;
	struct edge *edge = &e->items[call->mark - 1];
	uint64_t ticks = call->leave - call->enter;
	edge->calls++;
	edge->total += ticks;
	edge->self += ticks > call->children ? ticks - call->children : 0;
	edge->inferred += call->end == GSYM_XRAY_INFERRED;
	edge->unfinished += call->end == GSYM_XRAY_UNFINISHED;
	return true;
}

static int by_total(const void *a, const void *b)
{
	const struct edge *const *x = a, *const *y = b;
	if ((*x)->total != (*y)->total)
		return (*x)->total > (*y)->total ? 1 : -1;
	return (*x)->function < (*y)->function ? 1 : -1;
}

static void show_node(struct edges *e, const struct edge *n, unsigned depth,
		      uint64_t frequency)
{
	struct out *out = &e->x->out;
	char buffer[64];
	out_printf(out, "%10" PRIu64 " %14" PRIu64 " %14" PRIu64 " %c%c ",
		   n->calls, gsym_xray_nanoseconds(n->total, frequency),
		   gsym_xray_nanoseconds(n->self, frequency),
		   n->inferred ? '~' : ' ', n->unfinished ? '!' : ' ');
	/* Deep stacks are numbered, not moved out of sight. */
	if (depth > 30)
		out_printf(out, "%*s%u: ", 60, "", depth);
	else
		out_printf(out, "%*s", 2 * (int)depth, "");
	out_foreign(out, xray_name(e->x, n->function, buffer, sizeof(buffer),
				   NULL));
	out_text(out, "\n");
}

/* Print the tree without recursion: its depth is that of the trace. */
static void show_tree(struct edges *e, uint32_t first, uint64_t frequency)
{
	uint32_t node = first;
	unsigned depth = 0;
	while (node) {
		const struct edge *n = &e->items[node - 1];
		show_node(e, n, depth, frequency);
		if (n->child) {
			node = n->child;
			depth++;
			continue;
		}
		while (node && !e->items[node - 1].sibling) {
			node = e->items[node - 1].caller;
			if (node)
				depth--;
		}
		if (node)
			node = e->items[node - 1].sibling;
	}
}

/* Chain the callees of each node, those with the greatest total first. */
static uint32_t link_tree(struct edges *e)
{
	struct edge **order = calloc((size_t)e->count + 1, sizeof(*order));
	uint32_t first = 0;
	if (!order)
		die("out of memory");
	for (uint32_t i = 0; i < e->count; i++)
		order[i] = &e->items[i];
	qsort(order, e->count, sizeof(*order), by_total);
	for (uint32_t i = 0; i < e->count; i++) {
		uint32_t *head = order[i]->caller
					 ? &e->items[order[i]->caller - 1].child
					 : &first;
		order[i]->sibling = *head;
		*head = order[i] - e->items + 1;
	}
	free(order);
	return first;
}

static void finish(struct edges *e, struct gsym_xray_stack *stack)
{
	struct gsym_xray_repairs repairs;
	out_flush(&e->x->out);
	gsym_xray_stack_repairs(stack, &repairs);
	xray_repairs(e->x, &repairs);
	gsym_xray_stack_free(stack);
	free(e->items);
	free(e->slots);
}

void xray_stack(struct xray *x)
{
	struct edges e = { .x = x };
	struct gsym_xray_stack *stack =
		gsym_xray_stack_new(tree_enter, add_call, &e);
	if (!stack)
		die("out of memory");
	xray_replay(x, stack, NULL, NULL);
	uint64_t frequency = xray_frequency(x, x->logs[0]);
	out_printf(&x->out, "%10s %14s %14s    function\n", "calls",
		   frequency ? "total ns" : "total ticks",
		   frequency ? "self ns" : "self ticks");
	show_tree(&e, link_tree(&e), frequency);
	finish(&e, stack);
}

/* ---- graph -------------------------------------------------------------- */

static uint64_t graph_enter(void *context, const struct gsym_xray_event *event,
			    uint64_t caller)
{
	struct edges *e = context;
	/* The caller's mark is its edge; here its function counts. */
	uint64_t function = caller ? e->items[caller - 1].function : 0;
	return edge_of(e, function, event->function);
}

static int by_ends(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return x->caller < y->caller ? -1 : x->caller > y->caller;
}

static void label(struct out *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("\"\\{}|<>", *text))
			out_text(out, "\\");
		out_foreign_bytes(out, text, 1);
	}
}

void xray_graph(struct xray *x)
{
	struct edges e = { .x = x };
	struct gsym_xray_stack *stack =
		gsym_xray_stack_new(graph_enter, add_call, &e);
	if (!stack)
		die("out of memory");
	xray_replay(x, stack, NULL, NULL);
	uint64_t frequency = xray_frequency(x, x->logs[0]), calls = 0;
	if (e.count)
		qsort(e.items, e.count, sizeof(*e.items), by_ends);
	out_text(&x->out, "digraph xray {\nnode [shape=record];\n");
	for (uint32_t i = 0; i < e.count; i++) {
		const struct edge *edge = &e.items[i];
		char buffer[64];
		out_printf(&x->out, "F%" PRIu64 " -> F%" PRIu32 " [label=\"%"
			   PRIu64 " %s\"];\n", edge->caller, edge->function,
			   gsym_xray_nanoseconds(edge->total, frequency),
			   frequency ? "ns" : "ticks");
		calls += edge->calls;
		if (i + 1 < e.count && edge[1].function == edge->function)
			continue;
		out_printf(&x->out, "F%" PRIu32 " [label=\"{", edge->function);
		label(&x->out, xray_name(x, edge->function, buffer,
					 sizeof(buffer), NULL));
		out_printf(&x->out, "|%" PRIu64 "}\"];\n", calls);
		calls = 0;
	}
	out_text(&x->out, "}\n");
	finish(&e, stack);
}
