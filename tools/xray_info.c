/* SPDX-License-Identifier: MIT */
/* gsym-xray info: what a trace is. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/report.h"
#include "xray.h"

struct counts {
	struct xray *x;
	uint64_t kinds[GSYM_XRAY_BASIC_ARGUMENT + 1];
	uint64_t actions[4];
	bool cpus[UINT16_MAX + 1];
};

static bool count_record(void *context, const struct gsym_xray_record *r)
{
	struct counts *c = context;
	xray_passed(c->x, r->offset);
	c->kinds[r->kind]++;
	if (r->kind == GSYM_XRAY_FUNCTION || r->kind == GSYM_XRAY_BASIC)
		c->actions[r->action]++;
	if (r->kind == GSYM_XRAY_NEW_CPU || r->kind == GSYM_XRAY_BASIC)
		c->cpus[r->cpu] = true;
	return true;
}

/* Ticks a second by the wall times of the blocks; 0 if they are less than a
 * tenth of a second apart. */
static double estimate(const struct gsym_xray_log *log)
{
	struct gsym_xray_block b, first = { 0 }, last = { 0 };
	for (uint32_t i = 0; i < gsym_xray_block_count(log); i++) {
		gsym_xray_block_at(log, i, &b);
		if (!b.has_wall_time || !b.has_tsc)
			continue;
		if (!first.has_tsc || b.tsc < first.tsc)
			first = b;
		if (!last.has_tsc || b.tsc > last.tsc)
			last = b;
	}
	if (!first.has_tsc || last.wall_time < first.wall_time + 100000)
		return 0;
	return (double)(last.tsc - first.tsc) * 1e6 /
	       (double)(last.wall_time - first.wall_time);
}

struct facts {
	struct gsym_xray_header header;
	uint64_t events, span, threads;
	unsigned cpus;
	double estimated;
};

static void info_text(struct xray *x, const struct gsym_xray_log *log,
		      const struct counts *c, const struct facts *f)
{
	struct out *out = &x->out;
	out_printf(out, "  mode: %s, version %u, %s-endian\n",
		   f->header.fdr ? "flight data recorder" : "basic",
		   f->header.version, f->header.big_endian ? "big" : "little");
	out_printf(out, "  frequency: %" PRIu64 " Hz%s\n", f->header.frequency,
		   f->header.frequency ? "" : " (not known)");
	if (f->estimated > 0)
		out_printf(out, "  frequency by wall time: %.0f Hz\n",
			   f->estimated);
	out_printf(out, "  flags:%s%s\n",
		   f->header.constant_tsc ? " constant-tsc" : "",
		   f->header.nonstop_tsc ? " nonstop-tsc" : "");
	if (f->header.fdr)
		out_printf(out, "  blocks: %" PRIu32 ", buffers of %" PRIu64
			   " bytes\n", gsym_xray_block_count(log),
			   f->header.buffer_size);
	out_printf(out, "  threads: %" PRIu64 ", processors: %u\n", f->threads,
		   f->cpus);
	out_printf(out, "  events: %" PRIu64 " in %" PRIu64 " %s\n", f->events,
		   gsym_xray_nanoseconds(f->span, xray_frequency(x, log)),
		   xray_frequency(x, log) ? "ns" : "ticks");
	for (int i = 0; i < 4; i++)
		out_printf(out, "    %s: %" PRIu64 "\n", xray_action_names[i],
			   c->actions[i]);
	out_printf(out, "    custom: %" PRIu64 ", typed: %" PRIu64 "\n",
		   c->kinds[GSYM_XRAY_CUSTOM_EVENT],
		   c->kinds[GSYM_XRAY_TYPED_EVENT]);
	for (uint32_t i = 0; i < gsym_xray_thread_count(log); i++) {
		struct gsym_xray_thread t;
		gsym_xray_thread_at(log, i, &t);
		out_printf(out, "  thread %" PRIu32 " of process %" PRIu32
			   ": %" PRIu64 " events\n", t.tid, t.pid, t.events);
	}
}

static void info_json(struct xray *x, const char *path,
		      const struct gsym_xray_log *log, const struct counts *c,
		      const struct facts *f)
{
	struct json *json = &x->json;
	json_object(json, NULL);
	json_string(json, "file", path);
	json_string(json, "mode", f->header.fdr ? "fdr" : "basic");
	json_number(json, "version", f->header.version);
	json_bool(json, "big_endian", f->header.big_endian);
	json_number(json, "frequency", f->header.frequency);
	if (f->estimated > 0)
		json_number(json, "estimated_frequency",
			    (uint64_t)f->estimated);
	json_number(json, "blocks", gsym_xray_block_count(log));
	json_number(json, "processors", f->cpus);
	json_number(json, "events", f->events);
	json_number(json, "span",
		    gsym_xray_nanoseconds(f->span, xray_frequency(x, log)));
	for (int i = 0; i < 4; i++)
		json_number(json, xray_action_names[i], c->actions[i]);
	json_number(json, "custom", c->kinds[GSYM_XRAY_CUSTOM_EVENT]);
	json_number(json, "typed", c->kinds[GSYM_XRAY_TYPED_EVENT]);
	json_array(json, "threads");
	for (uint32_t i = 0; i < gsym_xray_thread_count(log); i++) {
		struct gsym_xray_thread t;
		gsym_xray_thread_at(log, i, &t);
		json_object(json, NULL);
		json_number(json, "pid", t.pid);
		json_number(json, "tid", t.tid);
		json_number(json, "events", t.events);
		json_end(json);
	}
	json_end(json);
	json_end(json);
	json_line(json);
}

void xray_info(struct xray *x)
{
	for (size_t i = 0; i < x->trace_count; i++) {
		struct counts *c = calloc(1, sizeof(*c));
		struct facts f = { 0 };
		uint64_t first, last;
		if (!c)
			die("out of memory");
		c->x = x;
		x->reading = &x->traces[i];
		if (gsym_xray_records(x->logs[i], count_record, c, NULL) !=
		    GSYM_OK)
			die("out of memory");
		gsym_xray_header(x->logs[i], &f.header);
		if (gsym_xray_span(x->logs[i], &first, &last))
			f.span = last - first;
		for (uint32_t t = 0; t < gsym_xray_thread_count(x->logs[i]);
		     t++) {
			struct gsym_xray_thread thread;
			gsym_xray_thread_at(x->logs[i], t, &thread);
			f.events += thread.events;
			f.threads += thread.events > 0;
		}
		for (unsigned n = 0; n <= UINT16_MAX; n++)
			f.cpus += c->cpus[n];
		f.estimated = estimate(x->logs[i]);
		if (x->format == XRAY_JSON) {
			info_json(x, x->traces[i].path, x->logs[i], c, &f);
		} else {
			out_foreign(&x->out, x->traces[i].path);
			out_text(&x->out, ":\n");
			info_text(x, x->logs[i], c, &f);
		}
		double ratio = f.estimated / (double)f.header.frequency;
		if (!x->quiet && f.estimated > 0 && f.header.frequency &&
		    (ratio < 0.95 || ratio > 1.05))
			warn("'%s': the wall times say %.0f ticks a second; "
			     "see --frequency", x->traces[i].path,
			     f.estimated);
		free(c);
	}
}
