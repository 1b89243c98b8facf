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

/* The columns of times. */
enum { VALUES = 8, MEDIAN = 3, P99 = 5 };
static const char *const value_names[VALUES] = { "total", "self", "min",
						 "median", "p90", "p99", "max",
						 "mean" };

/* A row of the table, its times in nanoseconds, or ticks if the frequency is
 * not known, and the name of its function. */
struct line {
	struct gsym_xray_account_row row;
	uint64_t values[VALUES];
	char *name;
	char *place;
};

/* Static, because qsort passes no context to the comparison. */
static int sort_key;

/* The number by which L is sorted, the largest first; 0 if names or numbers of
 * functions sort the lines. */
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
	int by_name = sort_key == BY_NAME ? strcmp(x->name, y->name) : 0;

	return by_name ?: GSYM_ORDER(key_of(y), key_of(x)) ?:
	       GSYM_ORDER(x->row.function, y->row.function);
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

/* Fill L from row INDEX of ACCOUNT. */
static void fill_line(struct xray *x, struct gsym_xray_account *account,
		      uint32_t index, struct line *l)
{
	struct gsym_xray_account_row *r = &l->row;
	struct xray_place place;
	gsym_xray_account_get_row(account, index, r);
	l->name = must_have(strdup(xray_name(x, r->function, &place)));
	l->place = xray_place_text(&place);
	const uint64_t ticks[] = {
		x->all_levels ? r->total_all : r->total, r->self, r->min,
		r->median, r->percentile90, r->percentile99, r->max,
		r->total_all,
	};
	for (int i = 0; i < VALUES; i++)
		l->values[i] = xray_ns(x, ticks[i]);
	l->values[VALUES - 1] = r->calls ? l->values[VALUES - 1] / r->calls : 0;
}

/* ---- text ---------------------------------------------------------------- */

enum { TIME_TEXT = 40 };

/* Write the time of L in COLUMN to TEXT, with "~" if it is an approximation.
 * Returns the length of the text. */
static int show(const struct xray *x, const struct line *l, int column,
		char text[TIME_TEXT])
{
	bool near = l->row.approximate && column >= MEDIAN && column <= P99;
	*text = '~';
	return near + xray_time_text((double)l->values[column],
				     !xray_frequency(x), "us", text + near,
				     TIME_TEXT - near);
}

static void text_line(struct xray *x, const struct line *l,
		      const int widths[VALUES])
{
	const struct gsym_xray_account_row *r = &l->row;
	struct out *out = &x->out;
	char text[TIME_TEXT];
	out_printf(out, "%9" PRIu32 " %9" PRIu64, r->function, r->calls);
	for (int i = 0; i < VALUES; i++) {
		show(x, l, i, text);
		out_printf(out, " %*s", widths[i], r->calls ? text : "-");
	}
	out_printf(out, " %8" PRIu64 " %10" PRIu64 " %7" PRIu64 "  ",
		   r->inferred, r->unfinished, r->orphans);
	xray_put_name(x, l->name, l->place);
	out_text(out, "\n");
}

static void text_table(struct xray *x, const struct line *lines,
		       uint32_t count)
{
	int widths[VALUES];
	char text[TIME_TEXT];
	struct out *out = &x->out;
	out_printf(out, "%9s %9s", "id", "calls");
	for (int i = 0; i < VALUES; i++) {
		widths[i] = (int)strlen(value_names[i]);
		for (uint32_t k = 0; k < count; k++) {
			int width = show(x, &lines[k], i, text);
			widths[i] = width > widths[i] ? width : widths[i];
		}
		out_printf(out, " %*s", widths[i], value_names[i]);
	}
	out_printf(out, " %8s %10s %7s  function%s\n", "inferred",
		   "unfinished", "orphans",
		   xray_frequency(x) ? "" : " (times in ticks)");
	for (uint32_t i = 0; i < count; i++)
		text_line(x, &lines[i], widths);
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

static void csv_line(struct xray *x, const struct line *l)
{
	out_printf(&x->out, "%" PRIu32 ",%" PRIu64, l->row.function,
		   l->row.calls);
	for (int i = 0; i < VALUES; i++)
		out_printf(&x->out, ",%" PRIu64, l->values[i]);
	out_printf(&x->out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%d",
		   l->row.inferred, l->row.unfinished, l->row.orphans,
		   l->row.approximate);
	csv_text(&x->out, l->name);
	csv_text(&x->out, l->place);
	out_text(&x->out, "\n");
}

static void json_row(struct xray *x, const struct line *l)
{
	json_object(&x->json, NULL);
	json_number(&x->json, "id", l->row.function);
	json_number(&x->json, "calls", l->row.calls);
	for (int i = 0; i < VALUES; i++)
		json_number(&x->json, value_names[i], l->values[i]);
	json_number(&x->json, "inferred", l->row.inferred);
	json_number(&x->json, "unfinished", l->row.unfinished);
	json_number(&x->json, "orphans", l->row.orphans);
	json_bool(&x->json, "approximate", l->row.approximate);
	json_string(&x->json, "function", l->name);
	json_string(&x->json, "place", l->place);
	json_end_line(&x->json);
}

void xray_account(struct xray *x)
{
	struct gsym_xray_account *account = account_all(x);
	struct gsym_xray_repairs repairs;
	uint32_t count = gsym_xray_account_count(account);
	struct line *lines = must_have(calloc(count + 1, sizeof(*lines)));
	for (uint32_t i = 0; i < count; i++)
		fill_line(x, account, i, &lines[i]);
	sort_key = x->sort;
	qsort(lines, count, sizeof(*lines), compare);
	xray_need_one_clock(x);
	uint32_t shown = x->top && x->top < count ? (uint32_t)x->top : count;
	if (x->format == XRAY_TEXT)
		text_table(x, lines, shown);
	if (x->format == XRAY_CSV)
		csv_head(&x->out);
	for (uint32_t i = 0; i < shown && x->format != XRAY_TEXT; i++)
		if (x->format == XRAY_JSON)
			json_row(x, &lines[i]);
		else
			csv_line(x, &lines[i]);
	gsym_xray_account_repairs(account, &repairs);
	xray_warn_repairs(x, &repairs);
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
	return GSYM_ORDER(y->calls, x->calls) ?:
	       GSYM_ORDER(x->function, y->function);
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

/* What is suggested. */
struct suggestion {
	/* The functions. */
	struct gsym_xray_account_row *rows;
	size_t count;
	/* The number of all calls, and of those of ROWS. */
	uint64_t calls, listed;
	/* The ticks of the shortest call of all: recording a call takes no less
	 * time. */
	uint64_t cost;
};

static struct suggestion suggest(struct gsym_xray_account *account)
{
	uint32_t count = gsym_xray_account_count(account);
	struct gsym_xray_account_row *rows =
		must_have(calloc((size_t)count + 1, sizeof(*rows)));
	struct suggestion s = { .rows = rows, .cost = UINT64_MAX };
	for (uint32_t i = 0; i < count; i++) {
		struct gsym_xray_account_row *r = &rows[i];
		gsym_xray_account_get_row(account, i, r);
		s.calls += r->calls;
		/* Clocks of processors may make a call take no time. */
		if (r->calls && r->min && r->min < s.cost)
			s.cost = r->min;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (!rows[i].calls || self_of(&rows[i]) >= WORTH * s.cost ||
		    rows[i].calls <= s.calls / RARE)
			continue;
		s.listed += rows[i].calls;
		rows[s.count++] = rows[i];
	}
	qsort(rows, s.count, sizeof(*rows), by_calls);
	return s;
}

void xray_suggest(struct xray *x)
{
	struct gsym_demangler *demangler = x->demangler;
	struct gsym_xray_account *account;
	struct suggestion s;
	uint64_t frequency;
	xray_need_one_clock(x);
	/* The list has linkage names. */
	x->demangler = NULL;
	frequency = xray_one_clock(x) ? xray_frequency(x) : 0;
	account = account_all(x);
	s = suggest(account);
	out_printf(&x->out, "# For clang's -fxray-attr-list: functions whose "
		   "calls take less than %d times\n# the shortest call of the "
		   "trace, %" PRIu64 " %s; they are %.1f %% of all calls.\n",
		   WORTH,
		   s.calls ? gsym_xray_nanoseconds(s.cost, frequency) : 0,
		   frequency ? "ns" : "ticks",
		   s.calls ? 100.0 * (double)s.listed / (double)s.calls : 0.0);
	out_text(&x->out, "[never]\n");
	for (size_t i = 0; i < s.count && (!x->top || i < x->top); i++)
		put_function(x, demangler, &s.rows[i], s.calls, frequency);
	free(s.rows);
	gsym_xray_account_free(account);
	x->demangler = demangler;
	out_flush(&x->out);
}
