/* SPDX-License-Identifier: MIT */
/* gsym-xray convert --to=folded: a line for each stack, for flame graphs. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "common/must.h"
#include "common/report.h"
#include "xray/xray.h"

struct folded {
	struct xray *x;
	struct gsym_xray_tree *tree;
	/* The outermost nodes of TREE are threads. */
	bool by_thread;
};

/* Go to the root of THREAD before its calls. */
static void folded_thread(void *context, const struct gsym_xray_thread *thread)
{
	struct folded *f = context;
	must(!f->by_thread || gsym_xray_tree_root(f->tree, thread->tid));
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
	char *text = NULL, buffer[64];
	uint32_t *path = must_have(calloc((size_t)s->depth + 1, sizeof(*path)));
	uint32_t depth = 0;
	size_t size;
	FILE *to = must_have(open_memstream(&text, &size));
	for (uint32_t i = s->node; i != top; i = caller_of(s->f, i))
		path[depth++] = i;
	for (uint32_t k = depth; k; k--) {
		gsym_xray_tree_node(s->f->tree, path[k - 1], &n);
		if (!n.caller && s->f->by_thread)
			fprintf(to, "thread %" PRIu32, n.function);
		else
			print_frame(to, xray_name(s->f->x, n.function, buffer,
						  sizeof(buffer), NULL));
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
	char buffers[2][64];
	struct gsym_xray_node n;
	gsym_xray_tree_node(f->tree, k, &n);
	const char *q = xray_name(f->x, n.function, buffers[1],
				  sizeof(buffers[1]), NULL);
	gsym_xray_tree_node(f->tree, i, &n);
	const char *p = xray_name(f->x, n.function, buffers[0],
				  sizeof(buffers[0]), NULL);
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
	uint64_t frequency = xray_frequency(x, x->logs[0]);
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
	struct gsym_xray_stack *stack = must_have(gsym_xray_stack_new(
		gsym_xray_tree_enter, gsym_xray_tree_leave, f.tree));
	if (!x->calls)
		xray_need_one_clock(x);
	xray_replay(x, stack, folded_thread, &f);
	folded_lines(&f);
	xray_end_calls(x, stack);
	gsym_xray_tree_free(f.tree);
}
