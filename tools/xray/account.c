/* SPDX-License-Identifier: MIT */
/*
 * gsym-xray account: calls and times of each function; and gsym-xray suggest,
 * which lists functions whose instrumentation costs more than it tells, for
 * clang's -fxray-attr-list.
 */
#include "config.h"

#include <inttypes.h>
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

/* What sorts L unless it is its name or its number. */
static uint64_t key_of(const struct line *l)
{
	switch (sort_key) {
	case BY_SELF:
		return l->row.self;
	case BY_TOTAL:
		return l->row.total;
	case BY_CALLS:
		return l->row.calls;
	case BY_MAX:
		return l->row.max;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	uint64_t p = key_of(x), q = key_of(y);
	int names = sort_key == BY_NAME ? strcmp(x->name, y->name) : 0;
	if (names)
		return names;
	if (p != q)
		return p > q ? -1 : 1;
	return (x->row.function > y->row.function) -
	       (x->row.function < y->row.function);
}

/* A new account of all events of all traces, for gsym_xray_account_free.  Dies
 * without memory. */
static struct gsym_xray_account *account_all(struct xray *x)
{
	struct gsym_xray_account *account =
		must_have(gsym_xray_account_new(x->budget));
	struct xray_walk w = { .x = x };
	xray_walk_start(x, "accounting");
	while (xray_walk_thread(&w)) {
		while (xray_walk_event(&w))
			must(gsym_xray_account_event(account, &w.event) ==
			     GSYM_OK);
		must(gsym_xray_account_end(account) == GSYM_OK);
	}
	report_work_end();
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
	xray_put_name(x, l->name, l->place);
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
	json_end_line(&x->json);
}

/* Look up name and place of the function of L. */
static void name_line(struct xray *x, struct line *l)
{
	struct xray_place p;
	const char *name = xray_name(x, l->row.function, &p);
	l->name = must_have(strndup(name, strlen(name)));
	l->place = xray_place_text(&p);
}

void xray_account(struct xray *x)
{
	struct gsym_xray_account *account = account_all(x);
	struct gsym_xray_repairs repairs;
	uint32_t count = gsym_xray_account_count(account);
	struct line *lines = must_have(calloc(count + 1, sizeof(*lines)));
	for (uint32_t i = 0; i < count; i++) {
		gsym_xray_account_get_row(account, i, &lines[i].row);
		name_line(x, &lines[i]);
	}
	sort_key = x->sort;
	qsort(lines, count, sizeof(*lines), compare);
	uint64_t f = x->clocks[0].frequency;
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
	xray_warn_repairs(&repairs);
	for (uint32_t i = 0; i < count; i++) {
		free(lines[i].name);
		free(lines[i].place);
	}
	free(lines);
	gsym_xray_account_free(account);
}

/* ---- gsym-xray suggest --------------------------------------------------- */

enum {
	/* A function is listed if its calls take on average less than this many
	 * times the cost of recording a call, callees left out. */
	WORTH = 2,
	/* And if it has more than one of this many calls. */
	RARE = 1000,
};

/* Ticks of a call of R on average, callees left out. */
static uint64_t self_of(const struct gsym_xray_account_row *r)
{
	return r->calls ? r->self / r->calls : 0;
}

/* The most calls first. */
static int by_calls(const void *a, const void *b)
{
	const struct gsym_xray_account_row *x = a, *y = b;
	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	return (x->function > y->function) - (x->function < y->function);
}

/* The rows of ACCOUNT; *COUNT is their number, *CALLS that of their calls, and
 * *COST the ticks of the shortest call of all: recording a call takes no less
 * time. */
static struct gsym_xray_account_row *rows_of(struct gsym_xray_account *account,
					     size_t *count, uint64_t *calls,
					     uint64_t *cost)
{
	uint32_t n = gsym_xray_account_count(account);
	struct gsym_xray_account_row *rows =
		must_have(calloc((size_t)n + 1, sizeof(*rows)));
	*calls = 0;
	*cost = UINT64_MAX;
	for (uint32_t i = 0; i < n; i++) {
		struct gsym_xray_account_row *r = &rows[i];
		gsym_xray_account_get_row(account, i, r);
		*calls += r->calls;
		/* Clocks of processors may make a call take no time. */
		if (r->calls && r->min && r->min < *cost)
			*cost = r->min;
	}
	*count = n;
	return rows;
}

/* Write NAME for a list of special cases, in which some characters have a
 * meaning. */
static void put_pattern(struct out *out, const char *name)
{
	for (; *name; name++) {
		if (strchr("*?[]{}\\#", *name))
			out_text(out, "?");
		else
			out_bytes(out, name, 1);
	}
}

static void put_function(struct xray *x, struct gsym_demangler *demangler,
			 const struct gsym_xray_account_row *r, uint64_t calls,
			 uint64_t frequency)
{
	struct out *out = &x->out;
	const char *name = xray_name(x, r->function, NULL);
	/* Clang knows functions by their linkage names alone. */
	bool known = *name != '#' && *name != '@';
	double share = 100.0 * (double)r->calls / (double)calls;
	out_printf(out, "# %" PRIu64 " calls, %.1f %% of all, %" PRIu64
		   " %s each: ", r->calls, share,
		   gsym_xray_nanoseconds(self_of(r), frequency),
		   frequency ? "ns" : "ticks");
	out_foreign(out, demangler && known ? demangle(demangler, name) : name);
	out_text(out, "\n");
	if (!known)
		return;
	out_text(out, "fun:");
	put_pattern(out, name);
	out_text(out, "\n");
}

/* Move the suggested ROWS to the front; returns their number. *LISTED is the
 * number of their calls. */
static size_t choose(struct gsym_xray_account_row *rows, size_t count,
		     uint64_t calls, uint64_t cost, uint64_t *listed)
{
	size_t n = 0;
	*listed = 0;
	for (size_t i = 0; i < count; i++) {
		if (!rows[i].calls || self_of(&rows[i]) >= WORTH * cost ||
		    rows[i].calls <= calls / RARE)
			continue;
		*listed += rows[i].calls;
		rows[n++] = rows[i];
	}
	if (n)
		qsort(rows, n, sizeof(*rows), by_calls);
	return n;
}

void xray_suggest(struct xray *x)
{
	struct gsym_demangler *demangler = x->demangler;
	struct gsym_xray_account *account;
	struct gsym_xray_account_row *rows;
	uint64_t calls, cost, listed, frequency;
	size_t count;
	xray_need_one_clock(x);
	/* The list has linkage names. */
	x->demangler = NULL;
	frequency = xray_one_clock(x) ? x->clocks[0].frequency : 0;
	account = account_all(x);
	rows = rows_of(account, &count, &calls, &cost);
	count = choose(rows, count, calls, cost, &listed);
	out_printf(&x->out, "# For clang's -fxray-attr-list: functions whose "
		   "calls take less than %d times\n# the shortest call of the "
		   "trace, %" PRIu64 " %s; they are %.1f %% of all calls.\n",
		   WORTH, calls ? gsym_xray_nanoseconds(cost, frequency) : 0,
		   frequency ? "ns" : "ticks",
		   calls ? 100.0 * (double)listed / (double)calls : 0.0);
	out_text(&x->out, "[never]\n");
	for (size_t i = 0; i < count && (!x->top || i < x->top); i++)
		put_function(x, demangler, &rows[i], calls, frequency);
	free(rows);
	gsym_xray_account_free(account);
	x->demangler = demangler;
	out_flush(&x->out);
}
