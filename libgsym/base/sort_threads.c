/* SPDX-License-Identifier: MIT */
/*
 * Sorts items by their keys on several threads (a sample sort).  The keys of
 * some items, at equal distances, divide all keys into ranges.  Threads move
 * parts of the items to the range of their keys, and sort the ranges.
 */
#include "base/order.h"
#include "base/pool.h"

#include <stdlib.h>
#include <string.h>

enum {
	PART = 8192, /* items */
	RANGES = 64, /* a power of two */
	/* Keys that are looked at for each range, so that ranges have about as
	 * many items. */
	SAMPLES = 16,
};

struct sort {
	struct gsym_sort_item *items;
	struct gsym_sort_item *scratch;
	size_t count;
	/* The first key of each range but the lowest. */
	uint64_t limits[RANGES - 1];
	/* By part and range: the number of such items, then the place in
	 * SCRATCH of the next one. */
	size_t (*places)[RANGES];
	size_t ends[RANGES]; /* of the ranges, in ITEMS and in SCRATCH */
};

/* Set S->limits.  S has more items than samples, as it has several parts. */
static void choose_limits(struct sort *s)
{
	struct gsym_sort_item samples[RANGES * SAMPLES];
	struct gsym_sort_item scratch[RANGES * SAMPLES];
	size_t distance = s->count / (RANGES * SAMPLES);

	for (size_t i = 0; i < RANGES * SAMPLES; i++)
		samples[i] = s->items[i * distance];
	gsym_sort_by_key(samples, RANGES * SAMPLES, scratch);
	for (size_t i = 1; i < RANGES; i++)
		s->limits[i - 1] = samples[i * SAMPLES].key;
}

static size_t range_of(const struct sort *s, uint64_t key)
{
	size_t range = 0;

	for (size_t step = RANGES / 2; step; step /= 2)
		range += key >= s->limits[range + step - 1] ? step : 0;
	return range;
}

/* The item after part INDEX. */
static size_t end_of(const struct sort *s, size_t index)
{
	size_t first = index * PART;

	return s->count - first < PART ? s->count : first + PART;
}

static enum gsym_status count_part(void *context, size_t index, unsigned worker)
{
	struct sort *s = context;

	(void)worker;
	for (size_t i = index * PART; i < end_of(s, index); i++)
		s->places[index][range_of(s, s->items[i].key)]++;
	return GSYM_OK;
}

/* Items of one range keep their order. */
static enum gsym_status move_part(void *context, size_t index, unsigned worker)
{
	struct sort *s = context;

	(void)worker;
	for (size_t i = index * PART; i < end_of(s, index); i++) {
		struct gsym_sort_item item = s->items[i];

		s->scratch[s->places[index][range_of(s, item.key)]++] = item;
	}
	return GSYM_OK;
}

static enum gsym_status sort_range(void *context, size_t index, unsigned worker)
{
	const struct sort *s = context;
	size_t first = index ? s->ends[index - 1] : 0;
	size_t count = s->ends[index] - first;

	(void)worker;
	gsym_sort_by_key(s->scratch + first, count, s->items + first);
	memcpy(s->items + first, s->scratch + first,
	       count * sizeof(*s->items));
	return GSYM_OK;
}

/* Turn the numbers of items of PARTS parts into places. */
static void place_ranges(struct sort *s, size_t parts)
{
	size_t at = 0;

	for (size_t range = 0; range < RANGES; range++) {
		for (size_t i = 0; i < parts; i++) {
			size_t count = s->places[i][range];

			s->places[i][range] = at;
			at += count;
		}
		s->ends[range] = at;
	}
}

void gsym_sort_on_threads(struct gsym_sort_item *items, size_t count,
			  struct gsym_sort_item *scratch, unsigned threads)
{
	struct sort s = { .items = items, .scratch = scratch, .count = count };
	size_t parts = (count + PART - 1) / PART;
	bool done = false;

	threads = gsym_pool_threads(threads, parts);
	if (threads > 1)
		s.places = calloc(parts, sizeof(*s.places));
	if (s.places) {
		choose_limits(&s);
		done = gsym_pool_run(threads, parts, 0, count_part, NULL, NULL,
				     &s) == GSYM_OK;
	}
	if (done) {
		place_ranges(&s, parts);
		done = gsym_pool_run(threads, parts, 0, move_part, NULL, NULL,
				     &s) == GSYM_OK;
	}
	if (done)
		done = gsym_pool_run(threads, RANGES, 0, sort_range, NULL, NULL,
				     &s) == GSYM_OK;
	/* If memory runs out, no thread has changed the items. */
	if (!done)
		gsym_sort_by_key(items, count, scratch);
	free(s.places);
}
