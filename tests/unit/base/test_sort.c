/* SPDX-License-Identifier: MIT */
/* Sorting by keys on any number of threads gives one order, in which items with
 * equal keys stay as they were. */
#include "base/order.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>

/* More items than several parts of the sort have. */
enum { MANY = 100003 };

/* Numbers that look random; the same in each run. */
static uint64_t next_number(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1;
	return *state ^ *state >> 29;
}

/* COUNT items with keys from 0 up to, not including, BELOW; 0: any keys.  Their
 * numbers are their order. */
static struct gsym_sort_item *make_items(size_t count, uint64_t below)
{
	struct gsym_sort_item *items = calloc(count + 1, sizeof(*items));
	uint64_t state = count + below;

	cr_assert(items);
	for (size_t i = 0; i < count; i++) {
		uint64_t number = next_number(&state);

		items[i] = (struct gsym_sort_item){
			below ? number % below : number, (uint32_t)i,
			~(uint32_t)i
		};
	}
	return items;
}

/* Whether the COUNT ITEMS of make_items are all there, in order. */
static bool is_sorted(const struct gsym_sort_item *items, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		sum += items[i].index;
		if (items[i].extra != ~items[i].index)
			return false;
		if (i && (items[i - 1].key > items[i].key ||
			  (items[i - 1].key == items[i].key &&
			   items[i - 1].index >= items[i].index)))
			return false;
	}
	return sum == (uint64_t)count * (count - !!count) / 2;
}

static void check(size_t count, uint64_t below)
{
	for (unsigned threads = 1; threads <= 16; threads = threads * 2 + 1) {
		struct gsym_sort_item *items = make_items(count, below);
		struct gsym_sort_item *scratch = make_items(count, below);

		gsym_sort_on_threads(items, count, scratch, threads);
		cr_expect(is_sorted(items, count),
			  "%zu items, keys below %" PRIu64 ", %u threads",
			  count, below, threads);
		free(items);
		free(scratch);
	}
}

Test(sort, any_number_of_items)
{
	static const size_t counts[] = { 0, 1, 2, 39, 40, 41, 8192, 8193,
					 16384, 16385, MANY };

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		check(counts[i], 0);
}

Test(sort, equal_keys)
{
	static const uint64_t below[] = { 1, 2, 3, 63, 64, 65, 1000 };

	for (size_t i = 0; i < sizeof(below) / sizeof(*below); i++)
		check(MANY, below[i]);
}

/* Items that are sorted before, ascending or descending. */
Test(sort, sorted_before)
{
	struct gsym_sort_item *items = make_items(MANY, 0);
	struct gsym_sort_item *scratch = make_items(MANY, 0);

	for (size_t i = 0; i < MANY; i++)
		items[i].key = i / 3;
	gsym_sort_on_threads(items, MANY, scratch, 5);
	cr_expect(is_sorted(items, MANY));
	for (size_t i = 0; i < MANY; i++)
		cr_assert_eq(items[i].index, i);
	for (size_t i = 0; i < MANY; i++)
		items[i].key = MANY - i;
	gsym_sort_on_threads(items, MANY, scratch, 5);
	for (size_t i = 0; i < MANY; i++)
		cr_assert_eq(items[i].index, MANY - 1 - i);
	free(items);
	free(scratch);
}
