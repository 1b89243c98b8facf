/* SPDX-License-Identifier: MIT */
/* base/search.h - the one binary search.  Knows nothing of what is searched. */
#ifndef GSYM_BASE_SEARCH_H
#define GSYM_BASE_SEARCH_H

#include <stddef.h>

/**
 * The first index from LOW up to, not including, HIGH for which CONDITION
 * holds; HIGH if there is none.  CONDITION is an expression that uses INDEX,
 * a name of the caller's choice for a size_t.  It has to be false up to some
 * index and true from there on; on other data the result is still within LOW
 * and HIGH, and the search takes no longer.
 *
 *	size_t row = GSYM_FIRST(i, 0, count, rows[i].address > address);
 *	bool found = row > 0;	// rows[row - 1] is the last one at most ADDRESS
 */
#define GSYM_FIRST(index, low, high, condition)                           \
	__extension__({                                                   \
		size_t first_ = (low), last_ = (high);                    \
									  \
		while (first_ < last_) {                                  \
			size_t index = first_ + (last_ - first_) / 2;     \
									  \
			if (condition)                                    \
				last_ = index;                            \
			else                                              \
				first_ = index + 1;                       \
		}                                                         \
		first_;                                                   \
	})

#endif
