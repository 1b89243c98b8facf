/* SPDX-License-Identifier: MIT */
/* base/sort.h - sort by 64-bit keys in linear time.  Knows nothing of what
 * the keys mean. */
#ifndef GSYM_BASE_SORT_H
#define GSYM_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

struct gsym_sort_item {
	uint64_t key;
	uint32_t index; /**< the caller's */
	uint32_t extra; /**< the caller's */
};

/** Sort COUNT items by key, ascending and stable.  SCRATCH has room for as
 *  many. */
void gsym_sort_by_key(struct gsym_sort_item *items, size_t count,
		      struct gsym_sort_item *scratch);

#endif
