/* SPDX-License-Identifier: MIT */
/* gsym-xray account: what each function took. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/path.h"
#include "common/progress.h"
#include "common/report.h"
#include "xray.h"

enum { BY_SELF, BY_TOTAL, BY_CALLS, BY_MAX, BY_NAME, BY_ID };

struct line {
	struct gsym_xray_account_row row;
	char *name;
	char *place;
};

/* qsort has no context. */
static int sort_key;

static int compare(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	uint64_t p = 0, q = 0;
	int names;
	switch (sort_key) {
	case BY_SELF:
		p = x->row.self;
		q = y->row.self;
		break;
	case BY_TOTAL:
		p = x->row.total;
		q = y->row.total;
		break;
	case BY_CALLS:
		p = x->row.calls;
		q = y->row.calls;
		break;
	case BY_MAX:
		p = x->row.max;
		q = y->row.max;
		break;
	case BY_NAME:
		names = strcmp(x->name, y->name);
		if (names)
			return names;
		break;
	}
	if (p != q)
		return p > q ? -1 : 1;
	return x->row.function < y->row.function ? -1
						 : x->row.function >
							   y->row.function;
}

static void feed_thread(struct xray *x, struct gsym_xray_account *account,
			size_t trace, uint32_t thread, uint64_t *done,
			uint64_t total)
{
	struct gsym_xray_event event;
	struct gsym_xray_iter *iter;
	if (gsym_xray_events(x->logs[trace], thread, &iter, NULL) != GSYM_OK)
		die("out of memory");
	while (gsym_xray_next(iter, &event)) {
		if (gsym_xray_account_event(account, &event) != GSYM_OK)
			die("out of memory");
		if (++*done % 65536)
			continue;
		progress_update(*done, total);
		xray_drop_pages(&x->traces[trace], event.offset);
	}
	gsym_xray_iter_free(iter);
	if (gsym_xray_account_end(account) != GSYM_OK)
		die("out of memory");
}

static void feed(struct xray *x, struct gsym_xray_account *account)
{
	uint64_t done = 0, total = 0;
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < x->trace_count; i++)
			for (uint32_t t = 0;
			     t < gsym_xray_thread_count(x->logs[i]); t++) {
				struct gsym_xray_thread thread;
				gsym_xray_thread_at(x->logs[i], t, &thread);
				if (pass)
					feed_thread(x, account, i, t, &done,
						    total);
				else
					total += thread.events;
			}
}

/* Nanoseconds to read: "12.3 us". */
static void show_time(struct out *out, uint64_t ns, bool ticks, bool mark)
{
	char text[32];
	const char *near = mark ? "~" : "";
	if (ticks)
		snprintf(text, sizeof(text), "%s%" PRIu64, near, ns);
	else if (ns < 10000)
		snprintf(text, sizeof(text), "%s%" PRIu64 " ns", near, ns);
	else if (ns < 10000000)
		snprintf(text, sizeof(text), "%s%.1f us", near, ns / 1e3);
	else if (ns < UINT64_C(10000000000))
		snprintf(text, sizeof(text), "%s%.1f ms", near, ns / 1e6);
	else
		snprintf(text, sizeof(text), "%s%.2f s", near, ns / 1e9);
	out_printf(out, " %10s", text);
}

static void text_line(struct xray *x, const struct line *l, uint64_t f,
		      bool head)
{
	const struct gsym_xray_account_row *r = &l->row;
	bool near = r->approximate, ticks = !f;
	if (head)
		out_printf(&x->out, "%9s %9s %10s %10s %10s %10s %10s %10s "
			   "%10s %9s %9s  %s\n", "id", "calls", "total",
			   "self", "min", "median", "90%", "99%", "max",
			   "inferred", "unfinish.", "function");
	out_printf(&x->out, "%9" PRIu32 " %9" PRIu64, r->function, r->calls);
	show_time(&x->out, gsym_xray_nanoseconds(
				   x->all_levels ? r->total_all : r->total, f),
		  ticks, false);
	show_time(&x->out, gsym_xray_nanoseconds(r->self, f), ticks, false);
	show_time(&x->out, gsym_xray_nanoseconds(r->min, f), ticks, false);
	show_time(&x->out, gsym_xray_nanoseconds(r->median, f), ticks, near);
	show_time(&x->out, gsym_xray_nanoseconds(r->percentile90, f), ticks,
		  near);
	show_time(&x->out, gsym_xray_nanoseconds(r->percentile99, f), ticks,
		  near);
	show_time(&x->out, gsym_xray_nanoseconds(r->max, f), ticks, false);
	out_printf(&x->out, " %9" PRIu64 " %9" PRIu64 "  ", r->inferred,
		   r->unfinished);
	out_foreign(&x->out, l->name);
	if (*l->place) {
		out_text(&x->out, " at ");
		out_foreign(&x->out, l->place);
	}
	out_text(&x->out, "\n");
}

static void csv_text(struct out *out, const char *text)
{
	out_text(out, ",\"");
	for (; *text; text++) {
		out_bytes(out, text, 1);
		if (*text == '"')
			out_text(out, "\"");
	}
	out_text(out, "\"");
}

/* Nanoseconds, or ticks where the frequency is not known. */
static void values(const struct xray *x, const struct gsym_xray_account_row *r,
		   uint64_t f, uint64_t v[8])
{
	v[0] = gsym_xray_nanoseconds(x->all_levels ? r->total_all : r->total,
				     f);
	v[1] = gsym_xray_nanoseconds(r->self, f);
	v[2] = gsym_xray_nanoseconds(r->min, f);
	v[3] = gsym_xray_nanoseconds(r->median, f);
	v[4] = gsym_xray_nanoseconds(r->percentile90, f);
	v[5] = gsym_xray_nanoseconds(r->percentile99, f);
	v[6] = gsym_xray_nanoseconds(r->max, f);
	v[7] = r->calls ? gsym_xray_nanoseconds(r->total_all / r->calls, f)
			: 0;
}

static const char *const value_names[] = { "total", "self", "min", "median",
					   "p90", "p99", "max", "mean" };

static void csv_line(struct xray *x, const struct line *l, uint64_t f,
		     bool head)
{
	uint64_t v[8];
	values(x, &l->row, f, v);
	if (head) {
		out_text(&x->out, "id,calls");
		for (int i = 0; i < 8; i++)
			out_printf(&x->out, ",%s", value_names[i]);
		out_text(&x->out, ",inferred,unfinished,approximate,function,"
				  "place\n");
	}
	out_printf(&x->out, "%" PRIu32 ",%" PRIu64, l->row.function,
		   l->row.calls);
	for (int i = 0; i < 8; i++)
		out_printf(&x->out, ",%" PRIu64, v[i]);
	out_printf(&x->out, ",%" PRIu64 ",%" PRIu64 ",%d", l->row.inferred,
		   l->row.unfinished, l->row.approximate);
	csv_text(&x->out, l->name);
	csv_text(&x->out, l->place);
	out_text(&x->out, "\n");
}

static void json_row(struct xray *x, const struct line *l, uint64_t f)
{
	uint64_t v[8];
	values(x, &l->row, f, v);
	json_object(&x->json, NULL);
	json_number(&x->json, "id", l->row.function);
	json_number(&x->json, "calls", l->row.calls);
	for (int i = 0; i < 8; i++)
		json_number(&x->json, value_names[i], v[i]);
	json_number(&x->json, "inferred", l->row.inferred);
	json_number(&x->json, "unfinished", l->row.unfinished);
	json_bool(&x->json, "approximate", l->row.approximate);
	json_string(&x->json, "function", l->name);
	json_string(&x->json, "place", l->place);
	json_end(&x->json);
	json_line(&x->json);
}

static void name_line(struct xray *x, struct line *l)
{
	char buffer[64], place[4200] = "";
	struct xray_place p;
	l->name = strdup(xray_name(x, l->row.function, buffer, sizeof(buffer),
				   &p));
	if (*p.basename) {
		char separator[2] = "";
		if (*p.directory)
			separator[0] = path_separator(p.directory);
		snprintf(place, sizeof(place), "%s%s%s:%" PRIu32, p.directory,
			 separator, p.basename, p.line);
	}
	l->place = strdup(place);
	if (!l->name || !l->place)
		die("out of memory");
}

void xray_account(struct xray *x)
{
	struct gsym_xray_account *account = gsym_xray_account_new(x->budget);
	struct gsym_xray_repairs repairs;
	if (!account)
		die("out of memory");
	progress_start("accounting", x->quiet);
	feed(x, account);
	progress_end();
	uint32_t count = gsym_xray_account_count(account);
	struct line *lines = calloc(count + 1, sizeof(*lines));
	if (!lines)
		die("out of memory");
	for (uint32_t i = 0; i < count; i++) {
		gsym_xray_account_row(account, i, &lines[i].row);
		name_line(x, &lines[i]);
	}
	sort_key = x->sort;
	qsort(lines, count, sizeof(*lines), compare);
	uint64_t f = xray_frequency(x, x->logs[0]);
	for (size_t i = 1; i < x->trace_count && !x->quiet; i++)
		if (xray_frequency(x, x->logs[i]) != f)
			warn("'%s' has another frequency; its ticks are taken "
			     "for those of the first trace",
			     x->traces[i].path);
	if (!f && !x->quiet)
		warn("the frequency is not known: times are in ticks");
	for (uint32_t i = 0; i < count && (!x->top || i < x->top); i++)
		if (x->format == XRAY_JSON)
			json_row(x, &lines[i], f);
		else if (x->format == XRAY_CSV)
			csv_line(x, &lines[i], f, i == 0);
		else
			text_line(x, &lines[i], f, i == 0);
	out_flush(&x->out);
	gsym_xray_account_repairs(account, &repairs);
	xray_repairs(x, &repairs);
	for (uint32_t i = 0; i < count; i++) {
		free(lines[i].name);
		free(lines[i].place);
	}
	free(lines);
	gsym_xray_account_free(account);
}
