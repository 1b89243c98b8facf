/* SPDX-License-Identifier: MIT */
/* base/heap.h - the binary heaps of all rooms of the library.  Knows nothing of
 * the items. */
#ifndef GSYM_BASE_HEAP_H
#define GSYM_BASE_HEAP_H

#include "base/vec.h"

/*
 * A heap is an array (vec.h) whose first item is the one that comes before all
 * others.  BEFORE is an expression that tells whether one item comes before
 * another.  It uses A and B, pointers to the two items, which the macros
 * declare under the names that the caller chooses:
 *
 *	struct { GSYM_VEC(uint32_t); } heap = { 0 };
 *	if (!GSYM_HEAP_PUSH(&heap, 7, x, y, *x < *y))
 *		return false;
 *	while (heap.count) {
 *		use(heap.items[0]);
 *		GSYM_HEAP_POP(&heap, x, y, *x < *y);
 *	}
 */

/** Add ITEM to the heap V.  The value is false, with nothing changed, if memory
 *  runs out. */
#define GSYM_HEAP_PUSH(v, item, a, b, before)                             \
	__extension__({                                                   \
		bool room_ = gsym_vec_reserve(v, 1);                      \
									  \
		if (room_) {                                              \
			__typeof__((v)->items) heap_ = (v)->items;        \
			__typeof__(*heap_) item_ = (item);                \
			size_t at_ = (v)->count++;                        \
									  \
			for (; at_; at_ = (at_ - 1) / 2) {                \
				const __typeof__(*heap_) *a = &item_,     \
					*b = &heap_[(at_ - 1) / 2];       \
									  \
				if (!(before))                            \
					break;                            \
				heap_[at_] = *b;                          \
			}                                                 \
			heap_[at_] = item_;                               \
		}                                                         \
		room_;                                                    \
	})

/** Move the item at INDEX of a heap of COUNT ITEMS down to its place, after it
 *  has changed. */
#define GSYM_HEAP_SINK(items_of, count_of, index, a, b, before)           \
	do {                                                              \
		__typeof__(*(items_of)) *heap_ = (items_of);              \
		size_t count_ = (count_of), at_ = (index), child_;        \
		__typeof__(*heap_) item_ = heap_[at_];                    \
									  \
		while ((child_ = 2 * at_ + 1) < count_) {                 \
			if (child_ + 1 < count_) {                        \
				const __typeof__(*heap_) *a =             \
					&heap_[child_ + 1],               \
					*b = &heap_[child_];              \
									  \
				if (before)                               \
					child_++;                         \
			}                                                 \
			const __typeof__(*heap_) *a = &heap_[child_],     \
				*b = &item_;                              \
									  \
			if (!(before))                                    \
				break;                                    \
			heap_[at_] = *a;                                  \
			at_ = child_;                                     \
		}                                                         \
		heap_[at_] = item_;                                       \
	} while (0)

/** Remove the first item of the heap V, which is not empty. */
#define GSYM_HEAP_POP(v, a, b, before)                                    \
	do {                                                              \
		(v)->items[0] = (v)->items[--(v)->count];                 \
		if ((v)->count)                                           \
			GSYM_HEAP_SINK((v)->items, (v)->count, 0, a, b,   \
				       before);                           \
	} while (0)

#endif
