/* SPDX-License-Identifier: MIT */
/*
 * gsym-xray suggest: functions whose instrumentation costs more than it tells,
 * as a list for clang's -fxray-attr-list.  A call of such a function takes
 * hardly longer than recording an entry and an exit.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/report.h"
#include "xray/xray.h"

enum {
	/* A function is listed if its calls take on average less than this many
	 * times the cost of recording a call, callees left out. */
	WORTH = 2,
	/* And if it has more than one of this many calls. */
	RARE = 1000,
};

struct suggestion {
	struct gsym_xray_account_row row;
	/** Ticks of a call on average, callees left out. */
	uint64_t self;
};

/* The most calls first. */
static int by_calls(const void *a, const void *b)
{
	const struct gsym_xray_account_row *x =
		&((const struct suggestion *)a)->row;
	const struct gsym_xray_account_row *y =
		&((const struct suggestion *)b)->row;
	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	return (x->function > y->function) - (x->function < y->function);
}

/* The rows of ACCOUNT; *COUNT is their number, *CALLS that of their calls, and
 * *COST the ticks of the shortest call of all: recording a call takes no less
 * time. */
static struct suggestion *rows_of(struct gsym_xray_account *account,
				  size_t *count, uint64_t *calls,
				  uint64_t *cost)
{
	uint32_t n = gsym_xray_account_count(account);
	struct suggestion *rows = calloc((size_t)n + 1, sizeof(*rows));
	if (!rows)
		die("out of memory");
	*calls = 0;
	*cost = UINT64_MAX;
	for (uint32_t i = 0; i < n; i++) {
		struct gsym_xray_account_row *r = &rows[i].row;
		gsym_xray_account_get_row(account, i, r);
		rows[i].self = r->calls ? r->self / r->calls : 0;
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
			 const struct suggestion *s, uint64_t calls,
			 uint64_t frequency)
{
	struct out *out = &x->out;
	char buffer[64];
	const char *name = xray_name(x, s->row.function, buffer,
				     sizeof(buffer), NULL);
	/* Clang knows functions by their linkage names alone. */
	bool known = *name != '#' && *name != '@';
	double share = 100.0 * (double)s->row.calls / (double)calls;
	out_printf(out, "# %" PRIu64 " calls, %.1f %% of all, %" PRIu64
		   " %s each: ", s->row.calls, share,
		   gsym_xray_nanoseconds(s->self, frequency),
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
static size_t choose(struct suggestion *rows, size_t count, uint64_t calls,
		     uint64_t cost, uint64_t *listed)
{
	size_t n = 0;
	*listed = 0;
	for (size_t i = 0; i < count; i++) {
		if (!rows[i].row.calls || rows[i].self >= WORTH * cost ||
		    rows[i].row.calls <= calls / RARE)
			continue;
		*listed += rows[i].row.calls;
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
	struct suggestion *rows;
	uint64_t calls, cost, listed, frequency;
	size_t count;
	xray_need_one_clock(x);
	/* The list has linkage names. */
	x->demangler = NULL;
	frequency = xray_one_clock(x) ? x->clocks[0].frequency : 0;
	account = xray_account_all(x);
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
