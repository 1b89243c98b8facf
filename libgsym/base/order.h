/* SPDX-License-Identifier: MIT */
/* base/order.h - order: comparing numbers, sorting by keys in linear time,
 * joining ranges, the binary search and the heap of all rooms.  Knows nothing
 * of what the numbers and items mean. */
#ifndef GSYM_BASE_ORDER_H
#define GSYM_BASE_ORDER_H

#include "base/vec.h"

#include <gsym/types.h>

#include <stddef.h>

/** Compare the numbers A and B for qsort: -1 if A is lower, 1 if B is lower, 0
 *  if they are equal.  Several keys are joined by GNU C's "?:", the most
 *  important first: GSYM_ORDER(a->x, b->x) ?: GSYM_ORDER(a->y, b->y). */
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

/** As gsym_sort_by_key, on THREADS threads at most. */
void gsym_sort_on_threads(struct gsym_sort_item *items, size_t count,
			  struct gsym_sort_item *scratch, unsigned threads);

/** Sort COUNT structs of SIZE bytes by the uint64_t at offset KEY of each,
 *  ascending; structs with equal keys keep their order.  False without memory,
 *  or if there are more than UINT32_MAX. */
bool gsym_sort_structs(void *structs, size_t count, size_t size, size_t key);

/** Sort the structs in the array V (vec.h) by MEMBER, as gsym_sort_structs
 *  does. */
#define gsym_vec_sort_by(v, member)                                           \
	gsym_sort_structs((v)->items, (v)->count, sizeof(*(v)->items),        \
			  offsetof(__typeof__(*(v)->items), member))

/** As gsym_sort_by_key, with scratch memory of its own.  False without
 *  memory. */
bool gsym_sort_items(struct gsym_sort_item *items, size_t count);

/** Ranges of addresses. */
struct gsym_range_set {
	GSYM_VEC(struct gsym_range);
};

/** Sort the ranges of SET by start, and join those that overlap or touch. */
void gsym_range_set_join(struct gsym_range_set *set);

/** Of the COUNT ranges at RANGES, which ascend and do not overlap, the one that
 *  holds ADDRESS; NULL if none does. */
const struct gsym_range *gsym_ranges_at(const struct gsym_range *ranges,
					size_t count, uint64_t address);

/** Whether the COUNT ranges at RANGES, which ascend and of which adjacent ones
 *  count as one, hold all of RANGE. */
bool gsym_ranges_hold(const struct gsym_range *ranges, size_t count,
		      struct gsym_range range);

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

/** Whether SET, whose ranges ascend and do not overlap, has an address of
 *  RANGE. */
static inline bool gsym_range_set_has(const struct gsym_range_set *set,
				      struct gsym_range range)
{
	size_t at =
		GSYM_FIRST(i, 0, set->count, set->items[i].end > range.start);

	return at < set->count && set->items[at].start < range.end;
}

/*
 * A heap is an array (vec.h) whose first item is the one that comes before all
 * others.  BEFORE is an expression that tells whether one item comes before
 * another.  It uses A and B, pointers to the two items, which the macros
 * declare under the names that the caller chooses:
 *
 *	GSYM_VEC_OF(uint32_t) heap = { 0 };
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
