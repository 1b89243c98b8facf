/* SPDX-License-Identifier: MIT */
/* gsym-xray convert --to=chrome: trace-event JSON. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/path.h"
#include "common/report.h"
#include "xray.h"

struct chrome {
	struct xray *x;
	const struct gsym_xray_log *log;
	uint32_t pid, tid;
	uint64_t first, frequency;
	bool comma;
};

/* Microseconds with three decimals, as a number. */
static void microseconds(struct out *out, uint64_t ns)
{
	out_printf(out, "%" PRIu64 ".%03" PRIu64, ns / 1000, ns % 1000);
}

static uint64_t since(const struct chrome *c, uint64_t tsc)
{
	return tsc < c->first ? 0
			      : gsym_xray_nanoseconds(tsc - c->first,
						      c->frequency);
}

static void begin_object(struct chrome *c, const char *phase)
{
	out_printf(&c->x->out, "%s{\"ph\":\"%s\",\"name\":\"",
		   c->comma ? ",\n" : "\n", phase);
	c->comma = true;
}

static bool chrome_call(void *context, const struct gsym_xray_call *call)
{
	struct chrome *c = context;
	struct out *out = &c->x->out;
	char buffer[64];
	struct xray_place place;
	const char *name = xray_name(c->x, call->function, buffer,
				     sizeof(buffer), &place);
	begin_object(c, "X");
	json_escape(out, name, strlen(name));
	out_printf(out, "\",\"cat\":\"function\",\"pid\":%" PRIu32
		   ",\"tid\":%" PRIu32 ",\"ts\":", c->pid, c->tid);
	uint64_t start = since(c, call->enter), end = since(c, call->leave);
	microseconds(out, start);
	out_text(out, ",\"dur\":");
	microseconds(out, end > start ? end - start : 0);
	out_printf(out, ",\"args\":{\"id\":%" PRIu32 ",\"cpu\":%u",
		   call->function, call->cpu);
	if (*place.basename) {
		out_text(out, ",\"file\":\"");
		if (*place.directory) {
			char separator = path_separator(place.directory);
			json_escape(out, place.directory,
				    strlen(place.directory));
			if (separator)
				json_escape(out, &separator, 1);
		}
		json_escape(out, place.basename, strlen(place.basename));
		out_printf(out, "\",\"line\":%" PRIu32, place.line);
	}
	if (call->end == GSYM_XRAY_INFERRED)
		out_text(out, ",\"end\":\"inferred\"");
	if (call->end == GSYM_XRAY_UNFINISHED)
		out_text(out, ",\"end\":\"unfinished\"");
	out_text(out, "}}");
	return true;
}

static void chrome_event(struct chrome *c, const struct gsym_xray_event *e)
{
	struct out *out = &c->x->out;
	begin_object(c, "i");
	if (e->kind == GSYM_XRAY_TYPED)
		out_printf(out, "type %u", e->type);
	else
		out_text(out, "custom");
	out_printf(out, "\",\"s\":\"t\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
		   ",\"ts\":", e->pid, e->tid);
	microseconds(out, since(c, e->tsc));
	out_text(out, ",\"args\":{\"data\":\"");
	if (e->data)
		json_escape(out, (const char *)e->data, e->size);
	out_printf(out, "\",\"size\":%" PRIu32 "}}", e->size);
}

static void chrome_thread(struct chrome *c, uint32_t number,
			  struct gsym_xray_stack *stack)
{
	struct gsym_xray_thread t;
	struct gsym_xray_event e;
	struct gsym_xray_iter *iter;
	char name[48];
	gsym_xray_thread_at(c->log, number, &t);
	c->pid = t.pid;
	c->tid = t.tid;
	begin_object(c, "M");
	snprintf(name, sizeof(name), "thread %" PRIu32, t.tid);
	out_printf(&c->x->out, "thread_name\",\"pid\":%" PRIu32 ",\"tid\":%"
		   PRIu32 ",\"args\":{\"name\":\"%s\"}}", t.pid, t.tid, name);
	if (gsym_xray_events(c->log, number, &iter, NULL) != GSYM_OK)
		die("out of memory");
	while (gsym_xray_next(iter, &e)) {
		if (e.kind >= GSYM_XRAY_CUSTOM)
			chrome_event(c, &e);
		else if (gsym_xray_stack_event(stack, &e) != GSYM_OK)
			die("out of memory");
		xray_passed(c->x, e.offset);
	}
	gsym_xray_iter_free(iter);
	if (gsym_xray_stack_end(stack) != GSYM_OK)
		die("out of memory");
}

/* Say what each process is called: the name of the program. */
static void chrome_processes(struct chrome *c)
{
	const char *path = c->x->objects[0].path, *slash;
	if (!path)
		return;
	slash = strrchr(path, '/');
	path = slash ? slash + 1 : path;
	for (uint32_t i = 0; i < gsym_xray_thread_count(c->log); i++) {
		struct gsym_xray_thread t, before;
		gsym_xray_thread_at(c->log, i, &t);
		/* To say it twice does no harm. */
		if (i && gsym_xray_thread_at(c->log, i - 1, &before) ==
				 GSYM_OK && before.pid == t.pid)
			continue;
		begin_object(c, "M");
		out_printf(&c->x->out, "process_name\",\"pid\":%" PRIu32
			   ",\"args\":{\"name\":\"", t.pid);
		json_escape(&c->x->out, path, strlen(path));
		out_text(&c->x->out, "\"}}");
	}
}

void xray_to_chrome(struct xray *x)
{
	struct chrome c = { .x = x };
	struct gsym_xray_stack *stack = gsym_xray_stack_new(NULL, chrome_call,
							    &c);
	struct gsym_xray_repairs repairs;
	if (!stack)
		die("out of memory");
	out_text(&x->out, "{\"traceEvents\":[");
	for (size_t i = 0; i < x->trace_count; i++) {
		uint64_t last;
		c.log = x->logs[i];
		x->reading = &x->traces[i];
		c.frequency = xray_frequency(x, c.log);
		if (!gsym_xray_span(c.log, &c.first, &last))
			continue;
		chrome_processes(&c);
		for (uint32_t t = 0; t < gsym_xray_thread_count(c.log); t++)
			chrome_thread(&c, t, stack);
	}
	out_text(&x->out, "\n],\"displayTimeUnit\":\"ns\"}\n");
	out_flush(&x->out);
	gsym_xray_stack_repairs(stack, &repairs);
	xray_repairs(x, &repairs);
	gsym_xray_stack_free(stack);
}
