/* SPDX-License-Identifier: MIT */
/* Which changes of gsym-xray diff are beyond the noise: durations of calls in
 * batches, the test if two lists of them differ, and the order of changes. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "base/system.h"
#include "common/report.h"
#include "xray/flame.h"

/* ---- durations ----------------------------------------------------------- */

/* ---- batches ------------------------------------------------------------- */

void diff_spread_add(struct spread *s, uint64_t ticks)
{
	s->sum += ticks;
	s->calls++;
	s->part += ticks;
	s->part_calls++;
	if (!s->size)
		s->size = 1;
	if (s->part_calls < s->size)
		return;
	if (s->batches == SPREAD_BATCHES) {
		s->batches /= 2;
		for (uint32_t i = 0; i < s->batches; i++)
			s->sums[i] = s->sums[2 * i] + s->sums[2 * i + 1];
		/* PART is half a batch now. */
		s->size *= 2;
		return;
	}
	if (s->batches == s->room) {
		s->room = s->room ? 2 * s->room : SPREAD_FEWEST;
		s->sums = must_have(
			reallocarray(s->sums, s->room, sizeof(*s->sums)));
	}
	s->sums[s->batches++] = s->part;
	s->part = s->part_calls = 0;
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

/* The median of the COUNT (not 0) numbers at V, which are sorted. */
static double median(double *v, uint32_t count)
{
	qsort(v, count, sizeof(*v), ascending);
	return (v[(count - 1) / 2] + v[count / 2]) / 2;
}

void diff_spread_end_run(struct spread *s)
{
	double middle, *means;
	if (!s->batches)
		return;
	if (s->count + s->batches > s->capacity) {
		s->capacity = s->count + s->batches;
		s->means = must_have(
			reallocarray(s->means, s->capacity, sizeof(*s->means)));
	}
	means = s->means + s->count;
	for (uint32_t i = 0; i < s->batches; i++)
		means[i] = (double)s->sums[i] / (double)s->size;
	middle = median(means, s->batches);
	if (!s->runs || middle < s->low)
		s->low = middle;
	if (!s->runs || middle > s->high)
		s->high = middle;
	s->runs++;
	s->count += s->batches;
	s->batches = 0;
	s->size = s->part = s->part_calls = 0;
}

void diff_spread_fini(struct spread *s)
{
	free(s->sums);
	free(s->means);
	*s = (struct spread){ 0 };
}

double diff_spread_middle(const struct spread *s)
{
	double *copy, middle;
	if (!s->calls)
		return 0;
	if (s->count < SPREAD_FEWEST)
		return (double)s->sum / (double)s->calls;
	copy = must_have(malloc(s->count * sizeof(*copy)));
	for (uint32_t i = 0; i < s->count; i++)
		copy[i] = s->means[i];
	middle = median(copy, s->count);
	free(copy);
	return middle;
}

double diff_spread_range(const struct spread *s)
{
	return s->high - s->low;
}

/* ---- the test ------------------------------------------------------------ */

/* The mean time of a batch, and its side. */
struct ranked {
	double mean;
	bool second;
};

static int by_mean(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	return ascending(&x->mean, &y->mean);
}

static void put(const struct spread *s, double scale, bool second,
		struct ranked *to)
{
	for (uint32_t i = 0; i < s->count; i++)
		to[i] = (struct ranked){ s->means[i] * scale, second };
}

double diff_spread_compare(const struct spread *a, double scale_a,
		      const struct spread *b, double scale_b)
{
	double ranks = 0, ties = 0, n, expected, variance, away;
	size_t count = (size_t)a->count + b->count, same;
	struct ranked *all;
	if (a->count < SPREAD_FEWEST || b->count < SPREAD_FEWEST)
		return -1;
	all = must_have(calloc(count, sizeof(*all)));
	put(a, scale_a, false, all);
	put(b, scale_b, true, all + a->count);
	qsort(all, count, sizeof(*all), by_mean);
	/* The sum of the ranks of A's batches; equal ones share their ranks. */
	for (size_t i = 0; i < count; i += same) {
		for (same = 1; i + same < count; same++)
			if (all[i + same].mean > all[i].mean)
				break;
		for (size_t k = i; k < i + same; k++)
			if (!all[k].second)
				ranks += (double)i + ((double)same + 1) / 2;
		ties += (double)same * (double)same * (double)same -
			(double)same;
	}
	free(all);
	n = (double)count;
	expected = a->count * (n + 1) / 2;
	variance = (double)a->count * b->count / 12 *
		   (n + 1 - ties / (n * (n - 1)));
	/* All batches have one mean time. */
	if (variance <= 0)
		return 1;
	away = fabs(ranks - expected) - 0.5;
	return away <= 0 ? 1 : erfc(away / sqrt(2 * variance));
}

double diff_spread_limit(double *p, size_t count, double rate)
{
	if (count)
		qsort(p, count, sizeof(*p), ascending);
	for (size_t i = count; i; i--)
		if (p[i - 1] <= rate * (double)i / (double)count)
			return p[i - 1];
	return -1;
}

/* ---- rows ---------------------------------------------------------------- */

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
	double ticks = diff_spread_middle(&c->spread);
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
	double change = fabs(after - before);
	if (!a->calls || !b->calls)
		row->time = a->calls ? DIFF_TIME_GONE : DIFF_TIME_NEW;
	else if (row->p < 0)
		row->time = DIFF_TIME_FEW;
	else if (row->p <= limit && differs(before, after, d->noise) &&
		 change >= diff_spread_range(&a->spread) *
				   d->scales[DIFF_BEFORE] &&
		 change >= diff_spread_range(&b->spread) *
				   d->scales[DIFF_AFTER])
		row->time =
			after > before ? DIFF_TIME_SLOWER : DIFF_TIME_FASTER;
}

void diff_judge(const struct diff *d, struct diff_rows *rows)
{
	double *p = must_have(calloc((size_t)rows->count + 1, sizeof(*p))),
	       limit;
	size_t tested = 0;
	for (uint32_t i = 0; i < rows->count; i++) {
		struct diff_row *row = &rows->items[i];
		row->p = diff_spread_compare(&row->sides[DIFF_BEFORE].spread,
					d->scales[DIFF_BEFORE],
					&row->sides[DIFF_AFTER].spread,
					d->scales[DIFF_AFTER]);
		if (row->p >= 0)
			p[tested++] = row->p;
	}
	limit = diff_spread_limit(p, tested, FALSE_RATE);
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
	struct ordered *list =
		must_have(calloc((size_t)rows->count + 1, sizeof(*list)));
	uint32_t *numbers =
		must_have(calloc((size_t)rows->count + 1, sizeof(*numbers)));
	uint32_t n = 0;
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
