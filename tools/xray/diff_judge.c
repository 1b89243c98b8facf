/* SPDX-License-Identifier: MIT */
/* Which changes of gsym-xray diff are beyond the noise, and their order. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "common/report.h"
#include "xray/diff.h"

/* Of the changes that are found, the part that chance alone may have made. */
#define FALSE_RATE 0.01
/* Numbers of calls differ if their difference is more than this many times that
 * expected of calls that come at random. */
#define COUNT_SIGMA 3.3

/* ---- judging ------------------------------------------------------------- */

double diff_time_of(const struct diff *d, int side, uint64_t ticks)
{
	return (double)ticks * d->scales[side] /
	       (double)d->sides[side]->trace_count;
}

double diff_change(const struct diff *d, const struct diff_row *row)
{
	return diff_self(d, row, DIFF_AFTER) - diff_self(d, row, DIFF_BEFORE);
}

double diff_self(const struct diff *d, const struct diff_row *row, int side)
{
	return diff_calls(d, row, side) * diff_call(d, row, side);
}

double diff_calls(const struct diff *d, const struct diff_row *row, int side)
{
	return (double)row->sides[side].calls /
	       (double)d->sides[side]->trace_count;
}

double diff_call(const struct diff *d, const struct diff_row *row, int side)
{
	const struct diff_calls *c = &row->sides[side];
	double ticks = spread_middle(&c->spread);
	/* All calls are inexact. */
	if (c->calls && c->calls == c->inexact)
		ticks = (double)c->self / (double)c->calls;
	return ticks * d->scales[side];
}

bool diff_is_beyond(const struct diff_row *row)
{
	return row->count != DIFF_COUNT_SAME ||
	       (row->time != DIFF_TIME_SAME && row->time != DIFF_TIME_FEW);
}

int diff_group(const struct diff_row *row)
{
	return diff_is_beyond(row) ? 0 : row->time == DIFF_TIME_FEW ? 2 : 1;
}

const char *const diff_groups[3] = { "beyond the noise", "within the noise",
				     "too few calls to tell" };

const char *diff_verdict(const struct diff_row *row)
{
	static const char *const texts[][3] = {
		[DIFF_TIME_SAME] = { "as before", "more calls", "fewer calls" },
		[DIFF_TIME_SLOWER] = { "slower", "slower, more calls",
				       "slower, fewer calls" },
		[DIFF_TIME_FASTER] = { "faster", "faster, more calls",
				       "faster, fewer calls" },
		[DIFF_TIME_FEW] = { "too few", "more calls", "fewer calls" },
		[DIFF_TIME_NEW] = { "new", "new", "new" },
		[DIFF_TIME_GONE] = { "gone", "gone", "gone" },
	};
	return texts[row->time][row->count];
}

/* Whether AFTER differs from BEFORE by at least PERCENT. */
static bool differs(double before, double after, double percent)
{
	return fabs(after - before) >= before * percent / 100;
}

/* Judge the numbers of calls of ROW. */
static void judge_count(const struct diff *d, struct diff_row *row)
{
	double a = diff_calls(d, row, DIFF_BEFORE);
	double b = diff_calls(d, row, DIFF_AFTER);
	double variance = a / (double)d->sides[DIFF_BEFORE]->trace_count +
			  b / (double)d->sides[DIFF_AFTER]->trace_count;
	if (differs(a, b, d->noise) &&
	    fabs(a - b) > COUNT_SIGMA * sqrt(variance))
		row->count = b > a ? DIFF_COUNT_MORE : DIFF_COUNT_FEWER;
}

/* Judge the time of the calls of ROW. LIMIT is the largest p of a difference.
 * Traces of one side that differ as much show that the change is noise. */
static void judge_time(const struct diff *d, struct diff_row *row, double limit)
{
	const struct diff_calls *a = &row->sides[DIFF_BEFORE];
	const struct diff_calls *b = &row->sides[DIFF_AFTER];
	double before = diff_call(d, row, DIFF_BEFORE);
	double after = diff_call(d, row, DIFF_AFTER);
	if (!a->calls || !b->calls)
		row->time = a->calls ? DIFF_TIME_GONE : DIFF_TIME_NEW;
	else if (row->p < 0)
		row->time = DIFF_TIME_FEW;
	else if (row->p <= limit && differs(before, after, d->noise) &&
		 fabs(after - before) >=
			 spread_range(&a->spread) * d->scales[DIFF_BEFORE] &&
		 fabs(after - before) >=
			 spread_range(&b->spread) * d->scales[DIFF_AFTER])
		row->time =
			after > before ? DIFF_TIME_SLOWER : DIFF_TIME_FASTER;
}

void diff_judge(const struct diff *d, struct diff_rows *rows)
{
	double *p = calloc((size_t)rows->count + 1, sizeof(*p)), limit;
	size_t tested = 0;
	if (!p)
		die("out of memory");
	for (uint32_t i = 0; i < rows->count; i++) {
		struct diff_row *row = &rows->items[i];
		row->p = spread_compare(&row->sides[DIFF_BEFORE].spread,
					d->scales[DIFF_BEFORE],
					&row->sides[DIFF_AFTER].spread,
					d->scales[DIFF_AFTER]);
		if (row->p >= 0)
			p[tested++] = row->p;
	}
	limit = spread_limit(p, tested, FALSE_RATE);
	free(p);
	for (uint32_t i = 0; i < rows->count; i++) {
		judge_count(d, &rows->items[i]);
		judge_time(d, &rows->items[i], limit);
	}
}

/* ---- order --------------------------------------------------------------- */

struct ordered {
	uint32_t number;
	int group;
	double change;
};

static int by_change(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;
	if (x->group != y->group)
		return x->group - y->group;
	if (x->change != y->change)
		return x->change > y->change ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

uint32_t *diff_order(const struct diff *d, const struct diff_rows *rows,
		     uint32_t *count)
{
	struct ordered *list = calloc((size_t)rows->count + 1, sizeof(*list));
	uint32_t *numbers = calloc((size_t)rows->count + 1, sizeof(*numbers));
	uint32_t n = 0;
	if (!list || !numbers)
		die("out of memory");
	for (uint32_t i = 0; i < rows->count; i++) {
		const struct diff_row *row = &rows->items[i];
		if (!row->sides[0].calls && !row->sides[1].calls)
			continue;
		list[n++] = (struct ordered){
			i, diff_group(row), fabs(diff_change(d, row))
		};
	}
	if (n)
		qsort(list, n, sizeof(*list), by_change);
	for (uint32_t i = 0; i < n; i++)
		numbers[i] = list[i].number;
	free(list);
	*count = n;
	return numbers;
}
