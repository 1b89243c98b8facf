/* SPDX-License-Identifier: MIT */
/* Radix sort by 64-bit keys; sorted and joined ranges. */
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

/* Below SMALL items insertion sort is faster than radix sort. */
enum { SMALL = 40, BASE = 256 };

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

/* One pass of a radix sort: from FROM to TO, by the eight bits of the key that
 * begin at bit SHIFT. */
static void distribute(const struct gsym_sort_item *from,
		       struct gsym_sort_item *to, size_t count, unsigned shift)
{
	size_t places[BASE] = { 0 }, at = 0;

	for (size_t i = 0; i < count; i++)
		places[from[i].key >> shift & (BASE - 1)]++;
	for (size_t i = 0; i < BASE; i++) {
		size_t size = places[i];

		places[i] = at;
		at += size;
	}
	for (size_t i = 0; i < count; i++)
		to[places[from[i].key >> shift & (BASE - 1)]++] = from[i];
}

void gsym_sort_by_key(struct gsym_sort_item *items, size_t count,
		      struct gsym_sort_item *scratch)
{
	struct gsym_sort_item *from = items, *to = scratch;
	uint64_t differ = 0;
	bool sorted = true;

	if (count < SMALL) {
		insertion_sort(items, count);
		return;
	}
	for (size_t i = 1; i < count; i++) {
		differ |= items[i].key ^ items->key;
		sorted = sorted && items[i - 1].key <= items[i].key;
	}
	if (sorted)
		return;
	for (unsigned shift = 0; shift < 64; shift += 8) {
		struct gsym_sort_item *swap = from;

		/* No pass is needed for a byte that is equal in all keys. */
		if (!(differ >> shift & (BASE - 1)))
			continue;
		distribute(from, to, count, shift);
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, count * sizeof(*items));
}

static uint64_t key_of(const void *structs, size_t index, size_t size,
		       size_t key)
{
	uint64_t ret;

	memcpy(&ret, (const char *)structs + index * size + key, sizeof(ret));
	return ret;
}

static bool is_sorted(const void *structs, size_t count, size_t size,
		      size_t key)
{
	for (size_t i = 1; i < count; i++)
		if (key_of(structs, i - 1, size, key) >
		    key_of(structs, i, size, key))
			return false;
	return true;
}

bool gsym_sort_items(struct gsym_sort_item *items, size_t count)
{
	struct gsym_sort_item *scratch = calloc(count + 1, sizeof(*scratch));

	if (scratch && count)
		gsym_sort_by_key(items, count, scratch);
	free(scratch);
	return scratch != NULL;
}

bool gsym_sort_structs(void *structs, size_t count, size_t size, size_t key)
{
	struct gsym_sort_item *items;
	char *copy, *to = structs;
	bool fine;

	if (is_sorted(structs, count, size, key))
		return true;
	if (count > UINT32_MAX)
		return false;
	items = calloc(count, sizeof(*items));
	copy = calloc(count, size);
	fine = items && copy;
	for (size_t i = 0; fine && i < count; i++)
		items[i] = (struct gsym_sort_item){
			key_of(structs, i, size, key), (uint32_t)i, 0
		};
	fine = fine && gsym_sort_items(items, count);
	if (fine) {
		memcpy(copy, structs, count * size);
		for (size_t i = 0; i < count; i++)
			memcpy(to + i * size, copy + items[i].index * size,
			       size);
	}
	free(items);
	free(copy);
	return fine;
}

static int by_start(const void *a, const void *b)
{
	const struct gsym_range *x = a, *y = b;

	return GSYM_ORDER(x->start, y->start);
}

void gsym_range_set_join(struct gsym_range_set *set)
{
	struct gsym_range *ranges = set->items;
	size_t last = 0;

	/* A sort that needs no memory takes longer. */
	if (!gsym_vec_sort_by(set, start))
		gsym_vec_sort(set, by_start);
	for (size_t i = 1; i < set->count; i++)
		if (ranges[i].start > ranges[last].end)
			ranges[++last] = ranges[i];
		else if (ranges[i].end > ranges[last].end)
			ranges[last].end = ranges[i].end;
	if (set->count)
		set->count = last + 1;
}

const struct gsym_range *gsym_ranges_at(const struct gsym_range *ranges,
					size_t count, uint64_t address)
{
	size_t at = GSYM_FIRST(i, 0, count, ranges[i].end > address);

	return at < count && ranges[at].start <= address ? &ranges[at] : NULL;
}

bool gsym_ranges_hold(const struct gsym_range *ranges, size_t count,
		      struct gsym_range range)
{
	const struct gsym_range *at =
		gsym_ranges_at(ranges, count, range.start);

	if (!at)
		return false;
	while (at->end < range.end && at + 1 < ranges + count &&
	       at[1].start == at->end)
		at++;
	return at->end >= range.end;
}
