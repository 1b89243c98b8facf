/* SPDX-License-Identifier: MIT */
/* gsym-xray convert --to=yaml and --to=json: the events of all traces, by
 * time. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/must.h"
#include "common/report.h"
#include "xray/xray.h"

/* The names that llvm-xray gives to events, by enum gsym_xray_event_kind. */
static const char *const kinds[] = { "function-enter", "function-exit",
				     "function-tail-exit", "function-enter-arg",
				     "custom-event", "typed-event" };

static void yaml_event(struct xray *x, const struct gsym_xray_event *e)
{
	struct out *out = &x->out;
	out_number(out, "  - { type: ", e->type);
	out_number(out, ", func-id: ", e->function);
	out_text(out, ", function: ");
	char buffer[64] = "0";
	const char *name = buffer;
	if (e->kind < GSYM_XRAY_CUSTOM)
		name = xray_name(x, e->function, buffer, sizeof(buffer), NULL);
	/* The name of an unknown function is "#5"; llvm-xray writes 5. */
	name += *name == '#';
	xray_yaml_text(out, name);
	if (e->argument_count) {
		out_text(out, ", args: [ ");
		for (uint32_t i = 0; i < e->argument_count; i++)
			out_number(out, i ? ", " : "", e->arguments[i]);
		out_text(out, " ]");
	}
	out_number(out, ", cpu: ", e->cpu);
	if (e->tid)
		out_number(out, ", thread: ", e->tid);
	if (e->pid)
		out_number(out, ", process: ", e->pid);
	out_text(out, ", kind: ");
	out_text(out, kinds[e->kind]);
	out_number(out, ", tsc: ", e->tsc);
	if (e->size && e->data) {
		out_text(out, ", data: ");
		xray_yaml_bytes(out, e->data, e->size);
		out_text(out, " }\n");
	} else {
		out_text(out, ", data: '' }\n");
	}
}

static void json_event(struct xray *x, const struct xray_clock *clock,
		       const struct gsym_xray_event *e)
{
	struct json *json = &x->json;
	char buffer[64];
	json_object(json, NULL);
	json_number(json, "time", xray_time(clock, e->tsc));
	xray_wall_json(clock, e->tsc, json);
	json_number(json, "pid", e->pid);
	json_number(json, "tid", e->tid);
	json_number(json, "cpu", e->cpu);
	json_string(json, "kind", kinds[e->kind]);
	if (e->kind < GSYM_XRAY_CUSTOM) {
		json_number(json, "id", e->function);
		json_string(json, "name", xray_name(x, e->function, buffer,
						    sizeof(buffer), NULL));
	}
	if (e->argument_count) {
		json_array(json, "args");
		for (uint32_t i = 0; i < e->argument_count; i++)
			json_hex(json, NULL, e->arguments[i]);
		json_end(json);
	}
	if (e->kind == GSYM_XRAY_TYPED) {
		json_number(json, "type", e->type);
		json_string(json, "name", xray_event_type(x, e->type, buffer,
							  sizeof(buffer)));
	}
	if (e->kind >= GSYM_XRAY_CUSTOM) {
		json_number(json, "size", e->size);
		if (e->data) {
			json_data(json, "data", e->data, e->size);
			json_bytes(json, "hex", e->data, e->size);
		}
	}
	json_end(json);
	json_line(json);
}

/* Write the header of the first trace; the output has no other. */
static void yaml_header(struct xray *x)
{
	struct gsym_xray_header h;
	gsym_xray_get_header(x->logs[0], &h);
	if (!xray_one_clock(x))
		die("traces with different frequencies cannot become one YAML "
		    "file: its times are ticks");
	out_printf(&x->out, "---\nheader:\n  version:         %u\n"
		   "  type:            %d\n  constant-tsc:    %s\n"
		   "  nonstop-tsc:     %s\n  cycle-frequency: %" PRIu64
		   "\nrecords:\n", h.version, h.fdr,
		   h.constant_tsc ? "true" : "false",
		   h.nonstop_tsc ? "true" : "false",
		   x->clocks[0].frequency);
}

/* ---- several traces ------------------------------------------------------ */

/* A trace, and its next event. */
struct source {
	size_t trace;
	struct gsym_xray_iter *iter;
	struct gsym_xray_event event;
	/* The sort key: ticks if all traces have one clock, otherwise
	 * nanoseconds. */
	uint64_t time;
};

/* A heap of the traces that have further events: the one with the earliest
 * event comes first. */
struct merge {
	struct xray *x;
	struct source *heap;
	size_t count;
	bool one_clock;
};

/* Go to the next event of S; false if there is none, and S is closed. */
static bool advance(struct merge *m, struct source *s)
{
	if (!gsym_xray_next(s->iter, &s->event)) {
		gsym_xray_iter_free(s->iter);
		return false;
	}
	/* Ticks are finer than nanoseconds. */
	s->time = m->one_clock ? s->event.tsc
			       : xray_time(&m->x->clocks[s->trace],
					   s->event.tsc);
	return true;
}

static bool earlier(const struct source *a, const struct source *b)
{
	return a->time != b->time ? a->time < b->time : a->trace < b->trace;
}

/* Move the source at INDEX down the heap to its place.  The library's heaps are
 * in base/heap.h, which tools do not see. */
static void sink(struct merge *m, size_t index)
{
	struct source s = m->heap[index];
	for (;;) {
		size_t child = 2 * index + 1;
		if (child >= m->count)
			break;
		if (child + 1 < m->count &&
		    earlier(&m->heap[child + 1], &m->heap[child]))
			child++;
		if (!earlier(&m->heap[child], &s))
			break;
		m->heap[index] = m->heap[child];
		index = child;
	}
	m->heap[index] = s;
}

/* Fill the heap. */
static void start(struct merge *m)
{
	struct xray *x = m->x;
	m->one_clock = xray_one_clock(x);
	m->heap = must_have(calloc(x->trace_count, sizeof(*m->heap)));
	for (size_t i = 0; i < x->trace_count; i++) {
		struct source *s = &m->heap[m->count];
		s->trace = i;
		must(gsym_xray_timeline(x->logs[i], &s->iter, NULL) == GSYM_OK);
		m->count += advance(m, s);
	}
	for (size_t i = m->count / 2; i-- > 0;)
		sink(m, i);
}

void xray_to_timeline(struct xray *x)
{
	struct merge m = { .x = x };
	if (x->to == XRAY_TO_YAML)
		yaml_header(x);
	else
		xray_allow_clocks(x);
	xray_check_calls(x);
	start(&m);
	xray_walk_start(x, "converting");
	while (m.count) {
		struct source *s = &m.heap[0];
		if (x->to == XRAY_TO_YAML)
			yaml_event(x, &s->event);
		else
			json_event(x, &x->clocks[s->trace], &s->event);
		xray_walk_step(x, s->trace, s->event.offset);
		if (!advance(&m, s))
			m.heap[0] = m.heap[--m.count];
		if (m.count)
			sink(&m, 0);
	}
	xray_walk_end();
	free(m.heap);
	if (x->to == XRAY_TO_YAML)
		out_text(&x->out, "...\n");
}
