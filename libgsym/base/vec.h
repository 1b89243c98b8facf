/* SPDX-License-Identifier: MIT */
/*
 * base/vec.h - arrays that grow, typed by macro.
 *
 *	GSYM_VEC_OF(struct row) rows = { 0 };
 *	if (!gsym_vec_add(&rows, row))		// false without memory
 *		return false;
 *	for (size_t i = 0; i < rows.count; i++)
 *		use(&rows.items[i]);
 *	gsym_vec_fini(&rows);
 */
#ifndef GSYM_BASE_VEC_H
#define GSYM_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/** The members of an array, for a struct with a name or with more members; and
 *  the type of an array. */
#define GSYM_VEC(type) type *items; size_t count; size_t capacity
#define GSYM_VEC_OF(type) struct { GSYM_VEC(type); }

/** Make room for MORE items after those of V; false without memory. */
#define gsym_vec_reserve(v, more)                                             \
	((v)->capacity - (v)->count >= (size_t)(more) ||                      \
	 gsym_vec_grow((void **)&(v)->items, (v)->count, &(v)->capacity,      \
		       (more), sizeof(*(v)->items)))

/** Append the item that follows V, an expression that does not change V and
 *  does not use its count.  False, with nothing changed, without memory. */
#define gsym_vec_add(v, ...)                                                  \
	(gsym_vec_reserve(v, 1) &&                                            \
	 ((v)->items[(v)->count++] = (__VA_ARGS__), true))

/** Append an item of undefined content; a pointer to it, NULL without memory.
 *  Earlier pointers into V become invalid. */
#define gsym_vec_push(v)                                                      \
	(gsym_vec_reserve(v, 1) ? &(v)->items[(v)->count++] : NULL)

/** The items from INDEX on.  NULL if V never had an item, in which case INDEX
 *  is 0: C does not define NULL + 0. */
#define gsym_vec_from(v, index) ((v)->items ? (v)->items + (index) : NULL)

/** Sort the items in the order of COMPARE, as qsort. */
#define gsym_vec_sort(v, compare)                                             \
	((v)->count ? qsort((v)->items, (v)->count, sizeof(*(v)->items),      \
			    compare)                                          \
		    : (void)0)

/** Free the items; V is empty then and can be used again. */
#define gsym_vec_fini(v)                                                      \
	(free((v)->items), (v)->items = NULL, (v)->count = (v)->capacity = 0)

/** The part of gsym_vec_reserve that is not inline: reallocate *ITEMS, with
 *  COUNT items of ITEM_SIZE bytes, for at least MORE further items, and set
 *  *CAPACITY.  Returns false, with nothing changed, if memory runs
 *  out or the size overflows. */
bool gsym_vec_grow(void **items, size_t count, size_t *capacity, size_t more,
		   size_t item_size);

#endif
