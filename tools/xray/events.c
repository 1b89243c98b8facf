/* SPDX-License-Identifier: MIT */
/* gsym-xray convert --to=chrome: trace-event JSON; --to=yaml and --to=json: the
 * events of all traces, by time. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "common/file.h"
#include "common/report.h"
#include "xray/xray.h"

/* The most calls that wait for their callers. */
enum { MOST_HELD = 1 << 18 };

/* A call that has not ended. */
struct open_call {
	uint64_t time; /* of its entry */
	/* The call waits for its caller: its own place among the held calls;
	 * else the number of held calls when it began. */
	bool waits;
	size_t place;
};

struct chrome {
	struct xray *x;
	/* Clock and numbers of the thread that is being shown. */
	const struct xray_clock *clock;
	uint32_t pid;
	int32_t tid;
	/* An object was written before, so the next one needs a comma. */
	bool comma;
	/* Without --begin-end: the calls that have not ended, from the
	 * outermost on. */
	struct { GSYM_VEC(struct open_call); } open;
	/* Calls that begin at the time at which their callers begin, in the
	 * order of their entries: they wait for their callers. */
	struct { GSYM_VEC(struct gsym_xray_call); } held;
};

/* Write NS as microseconds with three decimals. */
static void microseconds(struct out *out, uint64_t ns)
{
	unsigned rest = ns % 1000;
	char *decimals;
	out_decimal(out, ns / 1000);
	decimals = out_reserve(out, 4);
	decimals[0] = '.';
	decimals[1] = (char)('0' + rest / 100);
	decimals[2] = (char)('0' + rest / 10 % 10);
	decimals[3] = (char)('0' + rest % 10);
	out_take(out, 4);
}

/* Begin a trace event; PHASE is its type. */
static void begin_object(struct chrome *c, const char *phase)
{
	struct out *out = &c->x->out;
	out_text(out, c->comma ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	out_text(out, phase);
	out_text(out, "\",");
	c->comma = true;
}

static void escaped(struct chrome *c, const char *text)
{
	json_escape(&c->x->out, text, strlen(text));
}

/* ---- calls --------------------------------------------------------------- */

static void file_and_line(struct chrome *c, const struct xray_place *place)
{
	struct out *out = &c->x->out;
	if (!*place->basename)
		return;
	out_text(out, ",\"file\":\"");
	char separator = path_separator(place->directory);
	escaped(c, place->directory);
	if (separator)
		json_escape(out, &separator, 1);
	escaped(c, place->basename);
	out_number(out, "\",\"line\":", place->line);
}

/* Write the process and thread, and the time TSC. */
static void place_in_time(struct chrome *c, uint64_t tsc)
{
	struct out *out = &c->x->out;
	out_number(out, "\"pid\":", c->pid);
	out_text(out, ",\"tid\":");
	out_signed(out, c->tid);
	out_text(out, ",\"ts\":");
	microseconds(out, xray_time(c->clock, tsc));
}

/* Begin a trace event about FUNCTION at TSC.  PLACE becomes the place of
 * FUNCTION. */
static void begin_call(struct chrome *c, const char *phase, uint32_t function,
		       uint64_t tsc, struct xray_place *place)
{
	begin_object(c, phase);
	out_text(&c->x->out, "\"name\":\"");
	escaped(c, xray_name(c->x, function, place));
	out_text(&c->x->out, "\",\"cat\":\"function\",");
	place_in_time(c, tsc);
}

/* Write the arguments of a trace event about FUNCTION, without the closing
 * brace.  CPU is the processor on which the call began. */
static void begin_args(struct chrome *c, uint32_t function, uint16_t cpu,
		       const struct xray_place *place)
{
	out_number(&c->x->out, ",\"args\":{\"id\":", function);
	out_number(&c->x->out, ",\"cpu\":", cpu);
	file_and_line(c, place);
}

/* Write how a call ended if it did not return. */
static void end_of_call(struct chrome *c, enum gsym_xray_end end)
{
	if (end == GSYM_XRAY_INFERRED || end == GSYM_XRAY_UNFINISHED)
		out_printf(&c->x->out, ",\"end\":\"%s\"",
			   end == GSYM_XRAY_INFERRED ? "inferred"
						     : "unfinished");
}

/* Write a call that has ended as one trace event. */
static void whole_call(struct chrome *c, const struct gsym_xray_call *call)
{
	struct out *out = &c->x->out;
	struct xray_place place;
	begin_call(c, "X", call->function, call->enter, &place);
	out_text(out, ",\"dur\":");
	microseconds(out, xray_time(c->clock, call->leave) -
				  xray_time(c->clock, call->enter));
	begin_args(c, call->function, call->cpu, &place);
	end_of_call(c, call->end);
	out_text(out, "}}");
}

/* Note that a call has begun. */
static uint64_t open_call(void *context, const struct gsym_xray_event *event,
			  uint64_t caller)
{
	struct chrome *c = context;
	struct open_call call = { xray_time(c->clock, event->tsc), false,
				  c->held.count };
	(void)caller;
	call.waits = c->open.count && c->held.count < MOST_HELD &&
		     c->open.items[c->open.count - 1].time == call.time;
	if (call.waits)
		must_push(&c->held);
	*must_push(&c->open) = call;
	return 0;
}

/* Write CALL, which has ended, or keep it for its caller.  Of calls that begin
 * at one time viewers take the first one for the caller of the others, so
 * callers are written before the calls that wait for them. */
static bool close_call(void *context, const struct gsym_xray_call *call)
{
	struct chrome *c = context;
	struct open_call open = c->open.items[--c->open.count];
	if (open.waits) {
		c->held.items[open.place] = *call;
		return true;
	}
	whole_call(c, call);
	for (size_t i = open.place; i < c->held.count; i++)
		whole_call(c, &c->held.items[i]);
	c->held.count = open.place;
	return true;
}

/* Write the entry of a call as a trace event of its own, so that readers can
 * show calls that have not ended. */
static uint64_t enter(void *context, const struct gsym_xray_event *event,
		      uint64_t caller)
{
	struct chrome *c = context;
	struct xray_place place;
	(void)caller;
	begin_call(c, "B", event->function, event->tsc, &place);
	begin_args(c, event->function, event->cpu, &place);
	out_text(&c->x->out, "}}");
	return 0;
}

/* Write the end of a call as a trace event.  Name, category and arguments are
 * those of the entry: Speedscope finds the entry by them.  So the kind of the
 * end is not among the arguments. */
static bool leave(void *context, const struct gsym_xray_call *call)
{
	struct chrome *c = context;
	struct xray_place place;
	begin_call(c, "E", call->function, call->leave, &place);
	begin_args(c, call->function, call->cpu, &place);
	out_text(&c->x->out, "}");
	end_of_call(c, call->end);
	out_text(&c->x->out, "}");
	return true;
}

/* ---- events and names ---------------------------------------------------- */

/* Write a custom or typed event. */
static void instant(void *context, const struct xray_walk *w)
{
	struct chrome *c = context;
	const struct gsym_xray_event *e = &w->event;
	struct out *out = &c->x->out;
	begin_object(c, "i");
	out_text(out, "\"s\":\"t\",\"name\":\"");
	escaped(c, e->kind == GSYM_XRAY_TYPED ? xray_event_type(c->x, e->type)
					      : "custom");
	out_text(out, "\",");
	place_in_time(c, e->tsc);
	out_text(out, ",\"args\":{");
	if (e->data) {
		out_text(out, "\"data\":\"");
		bool text = json_escape_bytes(out, e->data, e->size);
		out_text(out, text ? "\"," : "\",\"hex\":\"");
		if (!text)
			out_hex_bytes(out, e->data, e->size);
		out_text(out, text ? "" : "\",");
	}
	out_printf(out, "\"size\":%" PRIu32, e->size);
	if (e->kind == GSYM_XRAY_TYPED)
		out_printf(out, ",\"type\":%u", e->type);
	out_text(out, "}}");
}

/* Give each process the name of the program. */
static void name_processes(struct chrome *c)
{
	const char *path = c->x->objects[0].path;
	struct gsym_xray_thread *threads;
	size_t count;
	if (!path)
		return;
	threads = xray_threads(c->x, &count);
	for (size_t i = 0; i < count; i++) {
		if (i && threads[i].pid == threads[i - 1].pid)
			continue;
		begin_object(c, "M");
		out_printf(&c->x->out, "\"name\":\"process_name\",\"pid\":%"
			   PRIu32 ",\"args\":{\"name\":\"", threads[i].pid);
		escaped(c, path_base(path));
		out_text(&c->x->out, "\"}}");
	}
	free(threads);
}

/* Begin the thread of W. */
static void begin_thread(void *context, const struct xray_walk *w)
{
	struct chrome *c = context;
	c->clock = &c->x->traces[w->trace].clock;
	c->pid = w->thread.pid;
	c->tid = (int32_t)w->thread.tid;
	begin_object(c, "M");
	out_printf(&c->x->out, "\"name\":\"thread_name\",\"pid\":%" PRIu32
		   ",\"tid\":%" PRId32 ",\"args\":{\"name\":\"thread %" PRId32
		   "\"}}", c->pid, c->tid, c->tid);
}

/* Write the date of time 0 if it is known, and equal for all traces. */
static void show_start(struct xray *x)
{
	char wall[XRAY_WALL_SIZE] = "";
	const struct xray_clock *clock = &x->traces[0].clock;
	if (clock->wall == XRAY_WALL_DATE && xray_one_clock(x))
		xray_wall_text(clock, clock->zero, wall);
	if (*wall)
		out_printf(&x->out, ",\"otherData\":{\"start\":\"%s\"}", wall);
}

void xray_to_chrome(struct xray *x)
{
	struct chrome c = { .x = x };
	const struct xray_replay r = {
		.enter = x->begin_end ? enter : open_call,
		.leave = x->begin_end ? leave : close_call,
		.thread = begin_thread,
		.custom = instant,
		.context = &c,
	};
	struct gsym_xray_repairs repairs;
	xray_allow_clocks(x);
	out_text(&x->out, "{\"traceEvents\":[");
	name_processes(&c);
	repairs = xray_replay(x, "converting", &r);
	out_text(&x->out, "\n],\"displayTimeUnit\":\"ns\"");
	show_start(x);
	out_text(&x->out, "}\n");
	xray_warn_repairs(x, &repairs);
	gsym_vec_fini(&c.open);
	gsym_vec_fini(&c.held);
}

/* ---- YAML and JSON ------------------------------------------------------- */

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
	const char *name = e->kind < GSYM_XRAY_CUSTOM
				   ? xray_name(x, e->function, NULL)
				   : "0";
	/* The name of an unknown function is "#5"; llvm-xray writes 5. */
	name += *name == '#';
	xray_yaml(out, name, strlen(name), true);
	if (e->argument_count) {
		out_text(out, ", args: [ ");
		for (uint32_t i = 0; i < e->argument_count; i++)
			out_number(out, i ? ", " : "", e->arguments[i]);
		out_text(out, " ]");
	}
	out_number(out, ", cpu: ", e->cpu);
	/* llvm-xray has numbers without a sign here, and reads no others. */
	if (e->tid)
		out_number(out, ", thread: ", e->tid);
	if (e->pid)
		out_number(out, ", process: ", e->pid);
	out_text(out, ", kind: ");
	out_text(out, kinds[e->kind]);
	out_number(out, ", tsc: ", e->tsc);
	if (e->data) {
		out_text(out, ", data: ");
		xray_yaml(out, e->data, e->size, false);
		out_text(out, " }\n");
	} else {
		out_text(out, ", data: '' }\n");
	}
}

static void json_event(struct xray *x, const struct xray_clock *clock,
		       const struct gsym_xray_event *e)
{
	struct json *json = &x->json;
	json_object(json, NULL);
	json_number(json, "time", xray_time(clock, e->tsc));
	xray_wall_json(clock, e->tsc, json);
	json_number(json, "pid", e->pid);
	json_signed(json, "tid", (int32_t)e->tid);
	json_number(json, "cpu", e->cpu);
	json_string(json, "kind", kinds[e->kind]);
	if (e->kind < GSYM_XRAY_CUSTOM) {
		json_number(json, "id", e->function);
		json_string(json, "name", xray_name(x, e->function, NULL));
	}
	if (e->argument_count) {
		json_array(json, "args");
		for (uint32_t i = 0; i < e->argument_count; i++)
			json_hex(json, NULL, e->arguments[i]);
		json_end(json);
	}
	if (e->kind >= GSYM_XRAY_CUSTOM)
		xray_payload_json(x, e->kind == GSYM_XRAY_TYPED, e->type,
				  e->data, e->size);
	json_end_line(json);
}

/* Write the header of the first trace; the output has no other. */
static void yaml_header(struct xray *x)
{
	struct gsym_xray_header h;
	gsym_xray_get_header(x->traces[0].log, &h);
	if (!xray_one_clock(x))
		die("traces with different frequencies cannot become one YAML "
		    "file: its times are ticks");
	out_printf(&x->out, "---\nheader:\n  version:         %u\n"
		   "  type:            %d\n  constant-tsc:    %s\n"
		   "  nonstop-tsc:     %s\n  cycle-frequency: %" PRIu64
		   "\nrecords:\n", h.version, h.fdr,
		   h.constant_tsc ? "true" : "false",
		   h.nonstop_tsc ? "true" : "false",
		   xray_frequency(x));
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

/* The traces that have further events, a heap: the one with the earliest event
 * comes first. */
struct merge {
	struct xray *x;
	GSYM_VEC(struct source);
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
			       : xray_time(&m->x->traces[s->trace].clock,
					   s->event.tsc);
	return true;
}

static bool earlier(const struct source *a, const struct source *b)
{
	return a->time != b->time ? a->time < b->time : a->trace < b->trace;
}

void xray_to_timeline(struct xray *x)
{
	struct merge m = { .x = x, .one_clock = xray_one_clock(x) };
	if (x->to == XRAY_TO_YAML)
		yaml_header(x);
	else
		xray_allow_clocks(x);
	xray_check_calls(x);
	for (size_t i = 0; i < x->trace_count; i++) {
		struct source s = { .trace = i };
		must(gsym_xray_timeline(x->traces[i].log, &s.iter, NULL) ==
		     GSYM_OK);
		if (advance(&m, &s))
			must(GSYM_HEAP_PUSH(&m, s, a, b, earlier(a, b)));
	}
	xray_walk_start(x, "converting");
	while (m.count) {
		struct source *s = &m.items[0];
		if (x->to == XRAY_TO_YAML)
			yaml_event(x, &s->event);
		else
			json_event(x, &x->traces[s->trace].clock, &s->event);
		xray_walk_step(x, s->trace, s->event.offset);
		if (advance(&m, s))
			GSYM_HEAP_SINK(m.items, m.count, 0, a, b,
				       earlier(a, b));
		else
			GSYM_HEAP_POP(&m, a, b, earlier(a, b));
	}
	report_work_end();
	gsym_vec_fini(&m);
	if (x->to == XRAY_TO_YAML)
		out_text(&x->out, "...\n");
}
