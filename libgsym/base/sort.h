/* SPDX-License-Identifier: MIT */
/* base/sort.h - compare numbers, sort by 64-bit keys in linear time, and join
 * ranges.  Knows nothing of what the numbers mean. */
#ifndef GSYM_BASE_SORT_H
#define GSYM_BASE_SORT_H

#include <gsym/types.h>

/** Compare the numbers A and B for qsort: -1 if A is lower, 1 if B is lower, 0
 *  if they are equal. */
#define GSYM_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

struct gsym_sort_item {
	uint64_t key;
	uint32_t index; /**< for the caller: moves with KEY */
	uint32_t extra; /**< for the caller: moves with KEY */
};

/** Sort COUNT items by key, ascending; items with equal keys keep their order.
 *  SCRATCH has room for COUNT items, and undefined content afterwards. */
void gsym_sort_by_key(struct gsym_sort_item *items, size_t count,
		      struct gsym_sort_item *scratch);

/** Sort the COUNT ranges at RANGES by start, and join those that overlap or
 *  touch.  Returns how many ranges are left. */
size_t gsym_sort_join(struct gsym_range *ranges, size_t count);

#endif
