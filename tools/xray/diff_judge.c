/* SPDX-License-Identifier: MIT */
/* Which changes of gsym-xray diff are beyond the noise: durations of calls in
 * batches, the test if two lists of them differ, and the order of changes. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/report.h"
#include "xray/flame.h"

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
	if (s->sums.count == SPREAD_BATCHES) {
		uint64_t *sums = s->sums.items;
		s->sums.count /= 2;
		for (size_t i = 0; i < s->sums.count; i++)
			sums[i] = sums[2 * i] + sums[2 * i + 1];
		/* PART is half a batch now. */
		s->size *= 2;
		return;
	}
	*must_push(&s->sums) = s->part;
	s->part = s->part_calls = 0;
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

/* The median of the COUNT (not 0) numbers at V, which are sorted. */
static double median(double *v, size_t count)
{
	qsort(v, count, sizeof(*v), ascending);
	return (v[(count - 1) / 2] + v[count / 2]) / 2;
}

void diff_spread_end_run(struct spread *s)
{
	size_t batches = s->sums.count;
	double middle;
	if (!batches)
		return;
	for (size_t i = 0; i < batches; i++)
		*must_push(&s->means) =
			(double)s->sums.items[i] / (double)s->size;
	middle = median(s->means.items + s->means.count - batches, batches);
	if (!s->runs || middle < s->low)
		s->low = middle;
	if (!s->runs || middle > s->high)
		s->high = middle;
	s->runs++;
	s->sums.count = 0;
	s->size = s->part = s->part_calls = 0;
}

void diff_spread_fini(struct spread *s)
{
	gsym_vec_fini(&s->sums);
	gsym_vec_fini(&s->means);
}

/* The typical time of a call, in ticks: the median of the mean times of the
 * batches; with fewer than SPREAD_FEWEST batches the mean time of all calls.
 * 0 without calls.  Calls that were interrupted for long move a mean time, and
 * hardly this. */
static double spread_middle(const struct spread *s)
{
	double *copy, middle;
	if (!s->calls)
		return 0;
	if (s->means.count < SPREAD_FEWEST)
		return (double)s->sum / (double)s->calls;
	copy = must_have(malloc(s->means.count * sizeof(*copy)));
	memcpy(copy, s->means.items, s->means.count * sizeof(*copy));
	middle = median(copy, s->means.count);
	free(copy);
	return middle;
}

/* The largest difference between the middles of two traces of S, in ticks; 0
 * if only one trace has calls. */
static double spread_range(const struct spread *s)
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

static void rank_means(const struct spread *s, double scale, bool second,
		       struct ranked *to)
{
	for (size_t i = 0; i < s->means.count; i++)
		to[i] = (struct ranked){ s->means.items[i] * scale, second };
}

/* Compare A and B, whose ticks are multiplied by SCALE_A and SCALE_B, by the
 * rank-sum test of Mann and Whitney.  Returns the probability of a difference
 * as large as theirs between batches of one distribution, or -1 if one of them
 * has fewer than SPREAD_FEWEST batches. */
static double spread_compare(const struct spread *a, double scale_a,
			     const struct spread *b, double scale_b)
{
	double ranks = 0, ties = 0, n, expected, variance, away;
	size_t first = a->means.count, second = b->means.count;
	size_t count = first + second, same;
	struct ranked *all;
	if (first < SPREAD_FEWEST || second < SPREAD_FEWEST)
		return -1;
	all = must_have(calloc(count, sizeof(*all)));
	rank_means(a, scale_a, false, all);
	rank_means(b, scale_b, true, all + first);
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
	expected = (double)first * (n + 1) / 2;
	variance = (double)first * (double)second / 12 *
		   (n + 1 - ties / (n * (n - 1)));
	/* All batches have one mean time. */
	if (variance <= 0)
		return 1;
	away = fabs(ranks - expected) - 0.5;
	return away <= 0 ? 1 : erfc(away / sqrt(2 * variance));
}

/* The largest probability, of the COUNT at P, that counts as a difference so
 * that among the differences found at most the part RATE is expected to be
 * found by chance (Benjamini and Hochberg); negative if none does.  Sorts
 * P. */
static double spread_limit(double *p, size_t count, double rate)
{
	if (count)
		qsort(p, count, sizeof(*p), ascending);
	for (size_t i = count; i; i--)
		if (p[i - 1] <= rate * (double)i / (double)count)
			return p[i - 1];
	return -1;
}

/* ---- judging ------------------------------------------------------------- */

/* Of the changes that are found, the part that chance alone may have made. */
#define FALSE_RATE 0.01
/* Numbers of calls differ if their difference is more than this many times that
 * expected of calls that come at random. */
#define COUNT_SIGMA 3.3

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
	double change = fabs(after - before);
	if (!a->calls || !b->calls)
		row->time = a->calls ? DIFF_TIME_GONE : DIFF_TIME_NEW;
	else if (row->p < 0)
		row->time = DIFF_TIME_FEW;
	else if (row->p <= limit && differs(before, after, d->noise) &&
		 change >= spread_range(&a->spread) *
				   d->scales[DIFF_BEFORE] &&
		 change >= spread_range(&b->spread) *
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
