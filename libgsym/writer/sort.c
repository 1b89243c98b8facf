/* SPDX-License-Identifier: MIT */
#include "writer/sort.h"

#include <stdbool.h>
#include <string.h>

/* Below this insertion is faster than counting. */
enum { SMALL = 40, DIGITS = 8, BASE = 256 };

static void insertion_sort(struct gsym_sort_item *items, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct gsym_sort_item item = items[i];
		size_t at = i;

		for (; at && items[at - 1].key > item.key; at--)
			items[at] = items[at - 1];
		items[at] = item;
	}
}

/* One pass of a radix sort: by the byte at SHIFT, whose values COUNTS has. */
static void distribute(const struct gsym_sort_item *from,
		       struct gsym_sort_item *to, size_t count,
		       const size_t *counts, unsigned shift)
{
	size_t places[BASE], at = 0;

	for (size_t i = 0; i < BASE; i++) {
		places[i] = at;
		at += counts[i];
	}
	for (size_t i = 0; i < count; i++)
		to[places[from[i].key >> shift & (BASE - 1)]++] = from[i];
}

void gsym_sort_by_key(struct gsym_sort_item *items, size_t count,
		      struct gsym_sort_item *scratch)
{
	size_t counts[DIGITS][BASE];
	struct gsym_sort_item *from = items, *to = scratch;

	if (count < SMALL) {
		insertion_sort(items, count);
		return;
	}
	memset(counts, 0, sizeof(counts));
	for (size_t i = 0; i < count; i++)
		for (unsigned d = 0; d < DIGITS; d++)
			counts[d][items[i].key >> (d * 8) & (BASE - 1)]++;
	for (unsigned d = 0; d < DIGITS; d++) {
		struct gsym_sort_item *swap = from;

		/* A byte that all keys share orders nothing. */
		if (counts[d][items->key >> (d * 8) & (BASE - 1)] == count)
			continue;
		distribute(from, to, count, counts[d], d * 8);
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, count * sizeof(*items));
}
