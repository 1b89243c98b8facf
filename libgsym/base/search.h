/* SPDX-License-Identifier: MIT */
/* base/search.h - the binary search of all rooms.  Knows nothing of the data
 * that are searched. */
#ifndef GSYM_BASE_SEARCH_H
#define GSYM_BASE_SEARCH_H

#include <stddef.h>

/**
 * The first index from LOW up to, not including, HIGH for which CONDITION is
 * true; HIGH if there is none.  CONDITION is an expression that uses INDEX, a
 * variable of type size_t that the macro declares under that name.  CONDITION
 * has to be false up to some index and true from there on; on other data the
 * result is still in LOW to HIGH, and the search takes no longer.
 *
 *	size_t end = GSYM_FIRST(i, 0, count, rows[i].address > address);
 *	bool found = end > 0; // then rows[end - 1] is in force at ADDRESS
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
