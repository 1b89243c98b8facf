/* SPDX-License-Identifier: MIT */
/* Durations of calls in batches, and the test if two lists of them differ. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "common/report.h"
#include "xray/spread.h"

/* ---- batches ------------------------------------------------------------- */

void spread_add(struct spread *s, uint64_t ticks)
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
		s->sums = reallocarray(s->sums, s->room, sizeof(*s->sums));
		if (!s->sums)
			die("out of memory");
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

void spread_end_run(struct spread *s)
{
	double middle, *means;
	if (!s->batches)
		return;
	if (s->count + s->batches > s->capacity) {
		s->capacity = s->count + s->batches;
		s->means =
			reallocarray(s->means, s->capacity, sizeof(*s->means));
		if (!s->means)
			die("out of memory");
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

void spread_fini(struct spread *s)
{
	free(s->sums);
	free(s->means);
	*s = (struct spread){ 0 };
}

double spread_middle(const struct spread *s)
{
	double *copy, middle;
	if (!s->calls)
		return 0;
	if (s->count < SPREAD_FEWEST)
		return (double)s->sum / (double)s->calls;
	copy = malloc(s->count * sizeof(*copy));
	if (!copy)
		die("out of memory");
	for (uint32_t i = 0; i < s->count; i++)
		copy[i] = s->means[i];
	middle = median(copy, s->count);
	free(copy);
	return middle;
}

double spread_range(const struct spread *s)
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

double spread_compare(const struct spread *a, double scale_a,
		      const struct spread *b, double scale_b)
{
	double ranks = 0, ties = 0, n, expected, variance, away;
	size_t count = (size_t)a->count + b->count, same;
	struct ranked *all;
	if (a->count < SPREAD_FEWEST || b->count < SPREAD_FEWEST)
		return -1;
	all = calloc(count, sizeof(*all));
	if (!all)
		die("out of memory");
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

double spread_limit(double *p, size_t count, double rate)
{
	if (count)
		qsort(p, count, sizeof(*p), ascending);
	for (size_t i = count; i; i--)
		if (p[i - 1] <= rate * (double)i / (double)count)
			return p[i - 1];
	return -1;
}
