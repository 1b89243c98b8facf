/* SPDX-License-Identifier: MIT */
/* gsym-xray info: facts about a trace, and its damages. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/report.h"
#include "xray/xray.h"

/* The runtime drops calls of less than this many nanoseconds by default. */
enum { THRESHOLD = 5000 };

/* A trace, and what was counted in it. */
struct facts {
	struct xray *x;
	size_t trace;
	const struct xray_clock *clock;
	struct gsym_xray_header header;
	uint64_t kinds[GSYM_XRAY_BASIC_ARGUMENT + 1];
	uint64_t actions[4];
	/* Events of functions, by the object of the function. */
	uint64_t objects[XRAY_OBJECTS];
	bool cpus[UINT16_MAX + 1];
	unsigned cpu_count;
	uint64_t events, threads;
	bool has_span;
	uint64_t first, last; /* ticks */
	double estimated;     /* see xray_estimate */
	struct gsym_xray_repairs repairs;
	/* Calls that have an entry and an exit, and the ticks of the shortest
	 * one. */
	uint64_t calls, shortest;
	/* The trace has a call that the runtime would drop by default. */
	bool short_pair;
};

static bool count_record(void *context, const struct gsym_xray_record *r)
{
	struct facts *f = context;
	xray_walk_step(f->x, f->trace, r->offset);
	f->kinds[r->kind]++;
	if (r->kind == GSYM_XRAY_FUNCTION || r->kind == GSYM_XRAY_BASIC) {
		f->actions[r->action]++;
		f->objects[xray_object_of(r->function)]++;
	}
	if (r->kind == GSYM_XRAY_NEW_CPU || r->kind == GSYM_XRAY_BASIC)
		f->cpus[r->cpu] = true;
	return true;
}

static bool count_call(void *context, const struct gsym_xray_call *call)
{
	struct facts *f = context;
	uint64_t ticks = call->leave - call->enter;
	if (call->end != GSYM_XRAY_RETURNED &&
	    call->end != GSYM_XRAY_TAIL_CALLED)
		return true;
	if (!f->calls++ || ticks < f->shortest)
		f->shortest = ticks;
	return true;
}

/* Whether EVENT is the exit of a call that the runtime would drop by default:
 * a short one whose entry, BEFORE, directly precedes the exit.  Calls whose
 * arguments are logged are never dropped. */
static bool is_short_pair(const struct facts *f,
			  const struct gsym_xray_event *before,
			  const struct gsym_xray_event *event)
{
	return before->kind == GSYM_XRAY_ENTER &&
	       (event->kind == GSYM_XRAY_EXIT ||
		event->kind == GSYM_XRAY_TAIL_EXIT) &&
	       before->function == event->function &&
	       (event->tsc < before->tsc ||
		gsym_xray_nanoseconds(event->tsc - before->tsc,
				      f->clock->frequency) < THRESHOLD);
}

static void count_thread(struct facts *f, struct gsym_xray_stack *stack,
			 struct xray_walk *w)
{
	struct gsym_xray_event before = { .kind = GSYM_XRAY_CUSTOM };
	f->events += w->thread.events;
	f->threads += w->thread.events > 0;
	while (xray_walk_event(w)) {
		must(gsym_xray_stack_event(stack, &w->event) == GSYM_OK);
		f->short_pair |= is_short_pair(f, &before, &w->event);
		before = w->event;
	}
	must(gsym_xray_stack_end(stack) == GSYM_OK);
}

/* Count the calls of the trace. */
static void count_calls(struct facts *f)
{
	struct gsym_xray_stack *stack =
		must_have(gsym_xray_stack_new(NULL, count_call, f));
	struct xray_walk w = { .x = f->x, .trace = f->trace };
	while (xray_walk_thread(&w) && w.trace == f->trace)
		count_thread(f, stack, &w);
	gsym_xray_stack_repairs(stack, &f->repairs);
	gsym_xray_stack_free(stack);
}

static void collect(struct facts *f)
{
	const struct gsym_xray_log *log = f->x->traces[f->trace].log;
	f->clock = &f->x->traces[f->trace].clock;
	gsym_xray_get_header(log, &f->header);
	must(gsym_xray_records(log, count_record, f, NULL) == GSYM_OK);
	f->has_span = gsym_xray_span(log, &f->first, &f->last);
	for (unsigned n = 0; n <= UINT16_MAX; n++)
		f->cpu_count += f->cpus[n];
	f->estimated = xray_estimate(log);
	count_calls(f);
}

/* Returns true if the runtime seems to have dropped short calls: none of the
 * calls that it can drop is short. */
static bool threshold(const struct facts *f)
{
	return f->clock->frequency && f->calls && !f->short_pair;
}

/* ---- text ---------------------------------------------------------------- */

static void text_clock(struct out *out, const struct facts *f)
{
	char wall[XRAY_WALL_SIZE];
	uint64_t frequency = f->clock->frequency;
	if (f->header.frequency)
		out_printf(out, "  frequency: %" PRIu64 " Hz",
			   f->header.frequency);
	else
		out_text(out, "  frequency: not known, times are in ticks");
	if (frequency != f->header.frequency)
		out_printf(out, ", taken as %" PRIu64 " Hz", frequency);
	out_text(out, "\n");
	if (f->estimated > 0)
		out_printf(out, "  frequency by wall times: %.0f Hz\n",
			   f->estimated);
	out_printf(out, "  flags:%s%s%s\n",
		   f->header.constant_tsc ? " constant-tsc" : "",
		   f->header.nonstop_tsc ? " nonstop-tsc" : "",
		   f->header.constant_tsc || f->header.nonstop_tsc ? ""
								   : " none");
	if (!f->has_span)
		return;
	if (f->clock->wall != XRAY_WALL_NONE) {
		const char *unit = f->clock->wall == XRAY_WALL_UPTIME
					   ? " s after the system started"
					   : "";
		xray_wall_text(f->clock, f->first, wall);
		out_printf(out, "  begins: %s%s\n", wall, unit);
		xray_wall_text(f->clock, f->last, wall);
		out_printf(out, "  ends: %s%s\n", wall, unit);
	}
	out_printf(out, "  span: %" PRIu64 " %s\n",
		   gsym_xray_nanoseconds(f->last - f->first, frequency),
		   frequency ? "ns" : "ticks");
}

/* Write the numbers of the processors: " (0-3, 7)". */
static void text_cpus(struct out *out, const struct facts *f)
{
	const char *comma = " (";
	for (unsigned n = 0; n <= UINT16_MAX; n++) {
		unsigned first = n;
		if (!f->cpus[n])
			continue;
		while (n < UINT16_MAX && f->cpus[n + 1])
			n++;
		out_printf(out, "%s%u", comma, first);
		if (n > first)
			out_printf(out, "-%u", n);
		comma = ", ";
	}
	out_text(out, f->cpu_count ? ")\n" : "\n");
}

static void text_damage(struct out *out, const struct xray_damages *d)
{
	bool sound = true;
	for (int kind = 0; kind < GSYM_XRAY_DAMAGE_COUNT; kind++) {
		if (!d->counts[kind])
			continue;
		if (sound)
			out_text(out, "  damage:\n");
		sound = false;
		out_printf(out, "    %s: %" PRIu64 "\n",
			   gsym_xray_damage_name(kind), d->counts[kind]);
		for (int n = 0; n < XRAY_DAMAGES_TOLD && d->texts[kind][n]; n++)
			out_printf(out, "      %s\n", d->texts[kind][n]);
		if (d->counts[kind] > XRAY_DAMAGES_TOLD)
			out_printf(out, "      and %" PRIu64 " more\n",
				   d->counts[kind] - XRAY_DAMAGES_TOLD);
	}
	if (sound)
		out_text(out, "  damage: none\n");
}

/* Write how many events are of functions in shared objects. */
static void text_objects(struct out *out, const struct facts *f)
{
	for (int i = 1; i < XRAY_OBJECTS; i++) {
		if (!f->objects[i])
			continue;
		out_printf(out, "    of functions in the shared object %d: %"
			   PRIu64, i, f->objects[i]);
		if (!f->x->objects[i].map)
			out_printf(out, " (--object=%d=FILE names its file)",
				   i);
		out_text(out, "\n");
	}
}

static void text_calls(struct out *out, const struct facts *f)
{
	const struct gsym_xray_repairs *r = &f->repairs;
	if (f->calls)
		out_printf(out, "  calls: %" PRIu64 ", the shortest %" PRIu64
			   " %s\n", f->calls,
			   gsym_xray_nanoseconds(f->shortest,
						 f->clock->frequency),
			   f->clock->frequency ? "ns" : "ticks");
	out_printf(out, "  exits without entry: %" PRIu64 ", exits inferred: %"
		   PRIu64 ", calls unfinished: %" PRIu64 "\n", r->orphans,
		   r->inferred, r->unfinished);
	if (r->backwards)
		out_printf(out, "  calls that end before they begin: %" PRIu64
			   "\n", r->backwards);
	if (threshold(f))
		out_text(out, "  note: no call without callees is shorter "
			 "than 5 us. The runtime seems to have\n"
			 "    dropped such calls, so that the time of small "
			 "functions counts for their\n"
			 "    callers; its option func_duration_threshold_us=0 "
			 "keeps them.\n");
}

static void info_text(const struct facts *f)
{
	struct out *out = &f->x->out;
	const struct gsym_xray_log *log = f->x->traces[f->trace].log;
	out_foreign(out, f->x->traces[f->trace].path);
	out_printf(out, ":\n  mode: %s, version %u, %s-endian\n",
		   f->header.fdr ? "flight data recorder" : "basic",
		   f->header.version, f->header.big_endian ? "big" : "little");
	text_clock(out, f);
	if (f->header.fdr)
		out_printf(out, "  blocks: %" PRIu32 ", buffers of %" PRIu64
			   " bytes\n", gsym_xray_block_count(log),
			   f->header.buffer_size);
	out_printf(out, "  threads: %" PRIu64 ", processors: %u", f->threads,
		   f->cpu_count);
	text_cpus(out, f);
	out_printf(out, "  events: %" PRIu64 "\n", f->events);
	for (int i = 0; i < 4; i++)
		out_printf(out, "    %s: %" PRIu64 "\n", xray_action_names[i],
			   f->actions[i]);
	out_printf(out, "    custom: %" PRIu64 ", typed: %" PRIu64 "\n",
		   f->kinds[GSYM_XRAY_CUSTOM_EVENT],
		   f->kinds[GSYM_XRAY_TYPED_EVENT]);
	text_objects(out, f);
	text_calls(out, f);
	text_damage(out, &f->x->traces[f->trace].damages);
	for (uint32_t i = 0; i < gsym_xray_thread_count(log); i++) {
		struct gsym_xray_thread t;
		gsym_xray_thread_at(log, i, &t);
		out_printf(out, "  thread %" PRId32 " of process %" PRIu32
			   ": %" PRIu64 " events\n", (int32_t)t.tid, t.pid,
			   t.events);
	}
}

/* ---- JSON ---------------------------------------------------------------- */

static void json_damage(struct json *json, const struct xray_damages *d)
{
	json_array(json, "damage");
	for (int kind = 0; kind < GSYM_XRAY_DAMAGE_COUNT; kind++) {
		if (!d->counts[kind])
			continue;
		json_object(json, NULL);
		json_string(json, "kind", gsym_xray_damage_name(kind));
		json_number(json, "count", d->counts[kind]);
		json_array(json, "offsets");
		for (int n = 0; n < XRAY_DAMAGES_TOLD && d->texts[kind][n]; n++)
			json_number(json, NULL, d->offsets[kind][n]);
		json_end(json);
		json_end(json);
	}
	json_end(json);
}

static void json_clock(struct json *json, const struct facts *f)
{
	uint64_t frequency = f->clock->frequency;
	json_number(json, "frequency", f->header.frequency);
	if (frequency != f->header.frequency)
		json_number(json, "frequency_taken", frequency);
	if (f->estimated > 0)
		json_number(json, "frequency_estimated",
			    (uint64_t)f->estimated);
	json_bool(json, "constant_tsc", f->header.constant_tsc);
	json_bool(json, "nonstop_tsc", f->header.nonstop_tsc);
	if (!f->has_span)
		return;
	json_number(json, "first", f->first);
	json_number(json, "last", f->last);
	xray_wall_json(f->clock, f->first, json);
	json_number(json, "span",
		    gsym_xray_nanoseconds(f->last - f->first, frequency));
}

static void info_json(const struct facts *f)
{
	struct json *json = &f->x->json;
	const struct gsym_xray_log *log = f->x->traces[f->trace].log;
	json_object(json, NULL);
	json_string(json, "file", f->x->traces[f->trace].path);
	json_string(json, "mode", f->header.fdr ? "fdr" : "basic");
	json_number(json, "version", f->header.version);
	json_bool(json, "big_endian", f->header.big_endian);
	json_clock(json, f);
	json_number(json, "blocks", gsym_xray_block_count(log));
	json_number(json, "processors", f->cpu_count);
	json_number(json, "events", f->events);
	for (int i = 0; i < 4; i++)
		json_number(json, xray_action_names[i], f->actions[i]);
	json_number(json, "custom", f->kinds[GSYM_XRAY_CUSTOM_EVENT]);
	json_number(json, "typed", f->kinds[GSYM_XRAY_TYPED_EVENT]);
	json_array(json, "objects");
	for (int i = 0; i < XRAY_OBJECTS; i++) {
		if (!f->objects[i])
			continue;
		json_object(json, NULL);
		json_number(json, "object", i);
		json_number(json, "events", f->objects[i]);
		json_end(json);
	}
	json_end(json);
	json_number(json, "calls", f->calls);
	if (f->calls)
		json_number(json, "shortest",
			    gsym_xray_nanoseconds(f->shortest,
						  f->clock->frequency));
	json_bool(json, "threshold", threshold(f));
	json_number(json, "orphans", f->repairs.orphans);
	json_number(json, "inferred", f->repairs.inferred);
	json_number(json, "unfinished", f->repairs.unfinished);
	json_number(json, "backwards", f->repairs.backwards);
	json_damage(json, &f->x->traces[f->trace].damages);
	json_array(json, "threads");
	for (uint32_t i = 0; i < gsym_xray_thread_count(log); i++) {
		struct gsym_xray_thread t;
		gsym_xray_thread_at(log, i, &t);
		json_object(json, NULL);
		json_number(json, "pid", t.pid);
		json_signed(json, "tid", (int32_t)t.tid);
		json_number(json, "events", t.events);
		json_end(json);
	}
	json_end(json);
	json_end_line(json);
}

void xray_info(struct xray *x)
{
	xray_walk_start(x, "reading");
	/* collect passes all records, and then all events. */
	x->total *= 2;
	for (size_t i = 0; i < x->trace_count; i++) {
		struct facts *f = must_have(calloc(1, sizeof(*f)));
		f->x = x;
		f->trace = i;
		collect(f);
		if (x->format == XRAY_JSON)
			info_json(f);
		else
			info_text(f);
		free(f);
	}
	report_work_end();
}
