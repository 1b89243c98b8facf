/* SPDX-License-Identifier: MIT */
/* gsym-xray account: calls and times of each function. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/report.h"
#include "xray/xray.h"

/* The keys of --sort, in the order of its words. */
enum { BY_SELF, BY_TOTAL, BY_CALLS, BY_MAX, BY_NAME, BY_ID };

/* A row of the table, and the name of its function. */
struct line {
	struct gsym_xray_account_row row;
	char *name;
	char *place;
};

/* Static, because qsort passes no context to the comparison. */
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

struct gsym_xray_account *xray_account_all(struct xray *x)
{
	struct gsym_xray_account *account = gsym_xray_account_new(x->budget);
	struct xray_walk w = { .x = x };
	if (!account)
		die("out of memory");
	xray_walk_start(x, "accounting");
	while (xray_walk_thread(&w)) {
		while (xray_walk_event(&w))
			if (gsym_xray_account_event(account, &w.event) !=
			    GSYM_OK)
				die("out of memory");
		if (gsym_xray_account_end(account) != GSYM_OK)
			die("out of memory");
	}
	xray_walk_end();
	return account;
}

/* The columns of times: nanoseconds, or ticks if the frequency is not known. */
enum { VALUES = 8 };
static const char *const value_names[VALUES] = { "total", "self", "min",
						 "median", "p90", "p99", "max",
						 "mean" };

/* Set V to the times of R. F is the number of ticks in a second. */
static void values(const struct xray *x, const struct gsym_xray_account_row *r,
		   uint64_t f, uint64_t v[VALUES])
{
	v[0] = gsym_xray_nanoseconds(x->all_levels ? r->total_all : r->total,
				     f);
	v[1] = gsym_xray_nanoseconds(r->self, f);
	v[2] = gsym_xray_nanoseconds(r->min, f);
	v[3] = gsym_xray_nanoseconds(r->median, f);
	v[4] = gsym_xray_nanoseconds(r->percentile90, f);
	v[5] = gsym_xray_nanoseconds(r->percentile99, f);
	v[6] = gsym_xray_nanoseconds(r->max, f);
	v[7] = r->calls ? gsym_xray_nanoseconds(r->total_all, f) / r->calls
			: 0;
}

/* ---- text ---------------------------------------------------------------- */

/* Write VALUE to TO, as xray_time_text does.  NEAR: VALUE is an approximation.
 * Returns the length of the text. */
static int show(uint64_t value, bool ticks, bool near, char *to, size_t size)
{
	*to = '~';
	return near + xray_time_text((double)value, ticks, "us", to + near,
				     size - near);
}

/* Whether the value of R in COLUMN, a percentile, is an approximation. */
static bool is_near(int column, const struct gsym_xray_account_row *r)
{
	return r->approximate && column >= 3 && column <= 5;
}

/* The width of COLUMN for COUNT lines. */
static int width_of(const struct xray *x, const struct line *lines,
		    uint32_t count, uint64_t f, int column)
{
	int most = (int)strlen(value_names[column]);
	uint64_t v[VALUES];
	char text[40];
	for (uint32_t i = 0; i < count; i++) {
		values(x, &lines[i].row, f, v);
		int width = show(v[column], !f, is_near(column, &lines[i].row),
				 text, sizeof(text));
		if (width > most)
			most = width;
	}
	return most;
}

static void text_line(struct xray *x, const struct line *l, uint64_t f,
		      const int widths[VALUES])
{
	const struct gsym_xray_account_row *r = &l->row;
	struct out *out = &x->out;
	uint64_t v[VALUES];
	char text[40];
	values(x, r, f, v);
	out_printf(out, "%9" PRIu32 " %9" PRIu64, r->function, r->calls);
	for (int i = 0; i < VALUES; i++) {
		show(v[i], !f, is_near(i, r), text, sizeof(text));
		out_printf(out, " %*s", widths[i], r->calls ? text : "-");
	}
	out_printf(out, " %8" PRIu64 " %10" PRIu64 " %7" PRIu64 "  ",
		   r->inferred, r->unfinished, r->orphans);
	if (x->short_names) {
		char *name = xray_short_name(l->name);
		out_foreign(out, name);
		free(name);
	} else {
		out_foreign(out, l->name);
	}
	if (*l->place) {
		out_text(out, " at ");
		out_foreign(out, l->place);
	}
	out_text(out, "\n");
}

static void text_table(struct xray *x, const struct line *lines,
		       uint32_t count, uint64_t f)
{
	int widths[VALUES];
	struct out *out = &x->out;
	out_printf(out, "%9s %9s", "id", "calls");
	for (int i = 0; i < VALUES; i++) {
		widths[i] = width_of(x, lines, count, f, i);
		out_printf(out, " %*s", widths[i], value_names[i]);
	}
	out_printf(out, " %8s %10s %7s  function%s\n", "inferred",
		   "unfinished", "orphans", f ? "" : " (times in ticks)");
	for (uint32_t i = 0; i < count; i++)
		text_line(x, &lines[i], f, widths);
}

/* ---- CSV and JSON -------------------------------------------------------- */

static void csv_text(struct out *out, const char *text)
{
	out_text(out, ",\"");
	for (;;) {
		size_t plain = strcspn(text, "\"");
		out_foreign_bytes(out, text, plain);
		text += plain;
		if (!*text)
			break;
		out_text(out, "\"\"");
		text++;
	}
	out_text(out, "\"");
}

static void csv_head(struct out *out)
{
	out_text(out, "id,calls");
	for (int i = 0; i < VALUES; i++)
		out_printf(out, ",%s", value_names[i]);
	out_text(out, ",inferred,unfinished,orphans,approximate,function,"
		      "place\n");
}

static void csv_line(struct xray *x, const struct line *l, uint64_t f)
{
	uint64_t v[VALUES];
	values(x, &l->row, f, v);
	out_printf(&x->out, "%" PRIu32 ",%" PRIu64, l->row.function,
		   l->row.calls);
	for (int i = 0; i < VALUES; i++)
		out_printf(&x->out, ",%" PRIu64, v[i]);
	out_printf(&x->out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%d",
		   l->row.inferred, l->row.unfinished, l->row.orphans,
		   l->row.approximate);
	csv_text(&x->out, l->name);
	csv_text(&x->out, l->place);
	out_text(&x->out, "\n");
}

static void json_row(struct xray *x, const struct line *l, uint64_t f)
{
	uint64_t v[VALUES];
	values(x, &l->row, f, v);
	json_object(&x->json, NULL);
	json_number(&x->json, "id", l->row.function);
	json_number(&x->json, "calls", l->row.calls);
	for (int i = 0; i < VALUES; i++)
		json_number(&x->json, value_names[i], v[i]);
	json_number(&x->json, "inferred", l->row.inferred);
	json_number(&x->json, "unfinished", l->row.unfinished);
	json_number(&x->json, "orphans", l->row.orphans);
	json_bool(&x->json, "approximate", l->row.approximate);
	json_string(&x->json, "function", l->name);
	json_string(&x->json, "place", l->place);
	json_end(&x->json);
	json_line(&x->json);
}

/* Look up name and place of the function of L. */
static void name_line(struct xray *x, struct line *l)
{
	char buffer[64];
	struct xray_place p;
	l->name = strdup(xray_name(x, l->row.function, buffer, sizeof(buffer),
				   &p));
	l->place = xray_place_text(&p);
	if (!l->name)
		die("out of memory");
}

void xray_account(struct xray *x)
{
	struct gsym_xray_account *account = xray_account_all(x);
	struct gsym_xray_repairs repairs;
	uint32_t count = gsym_xray_account_count(account);
	struct line *lines = calloc(count + 1, sizeof(*lines));
	if (!lines)
		die("out of memory");
	for (uint32_t i = 0; i < count; i++) {
		gsym_xray_account_get_row(account, i, &lines[i].row);
		name_line(x, &lines[i]);
	}
	sort_key = x->sort;
	qsort(lines, count, sizeof(*lines), compare);
	uint64_t f = xray_frequency(x, x->logs[0]);
	xray_need_one_clock(x);
	uint32_t shown = x->top && x->top < count ? (uint32_t)x->top : count;
	if (x->format == XRAY_TEXT)
		text_table(x, lines, shown, f);
	if (x->format == XRAY_CSV)
		csv_head(&x->out);
	for (uint32_t i = 0; i < shown && x->format != XRAY_TEXT; i++)
		if (x->format == XRAY_JSON)
			json_row(x, &lines[i], f);
		else
			csv_line(x, &lines[i], f);
	out_flush(&x->out);
	gsym_xray_account_repairs(account, &repairs);
	xray_warn_repairs(x, &repairs);
	for (uint32_t i = 0; i < count; i++) {
		free(lines[i].name);
		free(lines[i].place);
	}
	free(lines);
	gsym_xray_account_free(account);
}
