/* SPDX-License-Identifier: MIT */
/* gsym-xray convert --to=folded: stacks for flame graphs. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/report.h"
#include "xray.h"

/* A node of the tree of all stacks; number 0 is the root. */
struct node {
	uint32_t function;
	uint32_t parent;
	uint32_t next;  /* of the same hash; 0 ends */
	uint64_t self;
	uint64_t calls;
};

struct folded {
	struct xray *x;
	struct node *nodes;
	uint32_t *slots;
	uint32_t count, capacity, slot_count;
	/* The root of the thread at hand. */
	uint32_t root;
	bool by_thread;
};

static uint32_t slot_of(const struct folded *f, uint32_t parent,
			uint32_t function)
{
	uint64_t key = ((uint64_t)parent << 32 | function) *
		       UINT64_C(0x9e3779b97f4a7c15);
	return key >> 32 & (f->slot_count - 1);
}

static void grow_nodes(struct folded *f)
{
	uint32_t capacity = f->capacity ? 2 * f->capacity : 1024;
	f->nodes = realloc(f->nodes, capacity * sizeof(*f->nodes));
	free(f->slots);
	f->slots = calloc(2 * (size_t)capacity, sizeof(*f->slots));
	if (!f->nodes || !f->slots || capacity > UINT32_MAX / 4)
		die("out of memory");
	f->capacity = capacity;
	f->slot_count = 2 * capacity;
	for (uint32_t i = 1; i < f->count; i++) {
		uint32_t slot = slot_of(f, f->nodes[i].parent,
					f->nodes[i].function);
		f->nodes[i].next = f->slots[slot];
		f->slots[slot] = i;
	}
}

/* The child of PARENT for FUNCTION, a new one if need be. */
static uint32_t child_of(struct folded *f, uint32_t parent, uint32_t function)
{
	if (f->count >= f->capacity)
		grow_nodes(f);
	if (!f->count)
		f->nodes[f->count++] = (struct node){ 0 };
	uint32_t slot = slot_of(f, parent, function);
	for (uint32_t i = f->slots[slot]; i; i = f->nodes[i].next)
		if (f->nodes[i].parent == parent &&
		    f->nodes[i].function == function)
			return i;
	f->nodes[f->count] = (struct node){ function, parent, f->slots[slot],
					    0, 0 };
	f->slots[slot] = f->count;
	return f->count++;
}

static uint64_t folded_enter(void *context,
			     const struct gsym_xray_event *event,
			     uint64_t caller)
{
	struct folded *f = context;
	uint32_t parent = caller ? (uint32_t)caller : f->root;
	return child_of(f, parent, event->function);
}

static bool folded_leave(void *context, const struct gsym_xray_call *call)
{
	struct folded *f = context;
	struct node *n = &f->nodes[call->mark];
	uint64_t ticks = call->leave - call->enter;
	n->calls++;
	n->self += ticks > call->children ? ticks - call->children : 0;
	return true;
}

static void folded_thread(void *context, struct gsym_xray_log *log,
			  const struct gsym_xray_thread *thread)
{
	struct folded *f = context;
	(void)log;
	/* A thread is a child of the root, by a number that no function
	 * has: those have 28 bits in FDR traces; the parent tells. */
	if (f->by_thread)
		f->root = child_of(f, 0, thread->tid);
}

/* A frame: ';' separates frames, and a line is a line. */
static void print_frame(FILE *to, const char *name)
{
	for (; *name; name++)
		fputc(*name == ';'                      ? ':'
		      : (uint8_t)*name < 0x20 || *name == 0x7f ? '?'
							       : *name,
		      to);
}

static char *folded_line(struct folded *f, uint32_t index, uint64_t value)
{
	uint32_t depth = 0;
	char *text = NULL, buffer[64];
	size_t size;
	for (uint32_t i = index; i; i = f->nodes[i].parent)
		depth++;
	uint32_t *path = calloc(depth + 1, sizeof(*path));
	FILE *to = open_memstream(&text, &size);
	if (!path || !to)
		die("out of memory");
	for (uint32_t i = index, k = depth; i; i = f->nodes[i].parent)
		path[--k] = i;
	for (uint32_t k = 0; k < depth; k++) {
		const struct node *n = &f->nodes[path[k]];
		if (k)
			fputc(';', to);
		if (k == 0 && f->by_thread)
			fprintf(to, "thread %" PRIu32, n->function);
		else
			print_frame(to, xray_name(f->x, n->function, buffer,
						  sizeof(buffer), NULL));
	}
	fprintf(to, " %" PRIu64, value);
	free(path);
	if (fclose(to) != 0)
		die("out of memory");
	return text;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Ticks in nanoseconds, rounded half up. */
static uint64_t rounded(uint64_t ticks, uint64_t frequency)
{
	uint64_t whole = gsym_xray_nanoseconds(ticks, frequency);
	if (!frequency || frequency >= UINT64_C(1) << 34)
		return whole;
	uint64_t rest = ticks % frequency * 1000000000 % frequency;
	return whole + (2 * rest >= frequency);
}

void xray_to_folded(struct xray *x)
{
	struct folded f = { .x = x, .by_thread = x->threads };
	struct gsym_xray_stack *stack =
		gsym_xray_stack_new(folded_enter, folded_leave, &f);
	struct gsym_xray_repairs repairs;
	uint64_t frequency = xray_frequency(x, x->logs[0]);
	if (!stack)
		die("out of memory");
	xray_replay(x, stack, folded_thread, &f);
	char **lines = calloc(f.count + 1, sizeof(*lines));
	size_t count = 0;
	if (!lines)
		die("out of memory");
	for (uint32_t i = 1; i < f.count; i++) {
		uint64_t value = x->calls ? f.nodes[i].calls
					  : rounded(f.nodes[i].self, frequency);
		if (value)
			lines[count++] = folded_line(&f, i, value);
	}
	qsort(lines, count, sizeof(*lines), by_bytes);
	for (size_t i = 0; i < count; i++) {
		out_text(&x->out, lines[i]);
		out_text(&x->out, "\n");
		free(lines[i]);
	}
	out_flush(&x->out);
	gsym_xray_stack_repairs(stack, &repairs);
	xray_repairs(x, &repairs);
	gsym_xray_stack_free(stack);
	free(lines);
	free(f.nodes);
	free(f.slots);
}
