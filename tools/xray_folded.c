/* SPDX-License-Identifier: MIT */
/* gsym-xray convert --to=folded: stacks for flame graphs. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/report.h"
#include "xray.h"

struct folded {
	struct xray *x;
	struct gsym_xray_tree *tree;
	bool by_thread;
};

static void folded_thread(void *context, struct gsym_xray_log *log,
			  const struct gsym_xray_thread *thread)
{
	struct folded *f = context;
	(void)log;
	if (f->by_thread && !gsym_xray_tree_root(f->tree, thread->tid))
		die("out of memory");
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

static char *folded_line(struct folded *f, struct gsym_xray_node n,
			 uint64_t value)
{
	uint32_t depth = 1;
	char *text = NULL, buffer[64];
	size_t size;
	for (struct gsym_xray_node i = n; i.caller; depth++)
		gsym_xray_tree_node(f->tree, i.caller, &i);
	uint32_t *path = calloc(depth, sizeof(*path));
	FILE *to = open_memstream(&text, &size);
	if (!path || !to)
		die("out of memory");
	for (uint32_t k = depth; k;) {
		path[--k] = n.function;
		gsym_xray_tree_node(f->tree, n.caller, &n);
	}
	for (uint32_t k = 0; k < depth; k++) {
		if (k)
			fputc(';', to);
		if (k == 0 && f->by_thread)
			fprintf(to, "thread %" PRIu32, path[k]);
		else
			print_frame(to, xray_name(f->x, path[k], buffer,
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

static void folded_lines(struct folded *f)
{
	struct xray *x = f->x;
	uint64_t frequency = xray_frequency(x, x->logs[0]);
	uint32_t nodes = gsym_xray_tree_count(f->tree);
	char **lines = calloc(nodes, sizeof(*lines));
	size_t count = 0;
	if (!lines)
		die("out of memory");
	for (uint32_t i = 1; i < nodes; i++) {
		struct gsym_xray_node n;
		gsym_xray_tree_node(f->tree, i, &n);
		/* The root of a thread is called by nobody. */
		if (f->by_thread && !n.caller)
			continue;
		uint64_t value = x->calls ? n.calls
					  : rounded(n.self, frequency);
		if (value)
			lines[count++] = folded_line(f, n, value);
	}
	qsort(lines, count, sizeof(*lines), by_bytes);
	for (size_t i = 0; i < count; i++) {
		out_text(&x->out, lines[i]);
		out_text(&x->out, "\n");
		free(lines[i]);
	}
	free(lines);
}

void xray_to_folded(struct xray *x)
{
	struct folded f = { x, gsym_xray_tree_new(0), x->threads };
	struct gsym_xray_stack *stack = gsym_xray_stack_new(
		gsym_xray_tree_enter, gsym_xray_tree_leave, f.tree);
	struct gsym_xray_repairs repairs;
	if (!f.tree || !stack)
		die("out of memory");
	if (!x->calls)
		xray_need_one_clock(x);
	xray_replay(x, stack, folded_thread, &f);
	folded_lines(&f);
	out_flush(&x->out);
	gsym_xray_stack_repairs(stack, &repairs);
	xray_repairs(x, &repairs);
	gsym_xray_stack_free(stack);
	gsym_xray_tree_free(f.tree);
}
