/* SPDX-License-Identifier: MIT */
/*
 * base/vec.h - arrays that grow, typed by macro.
 *
 *	struct rows { GSYM_VEC(struct row); } rows = { 0 };
 *	struct row *row = gsym_vec_push(&rows);	// NULL without memory
 *	if (row)
 *		row->line = 7;
 *	for (size_t i = 0; i < rows.count; i++)
 *		use(&rows.items[i]);
 *	gsym_vec_fini(&rows);
 */
#ifndef GSYM_BASE_VEC_H
#define GSYM_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define GSYM_VEC(type) type *items; size_t count; size_t capacity

/** Make room for MORE items after those of V; false without memory. */
#define gsym_vec_reserve(v, more)                                             \
	((v)->capacity - (v)->count >= (size_t)(more) ||                      \
	 gsym_vec_grow((void **)&(v)->items, (v)->count, &(v)->capacity,      \
		       (more), sizeof(*(v)->items)))

/** Append an item of undefined content; a pointer to it, NULL without memory.
 *  Earlier pointers into V become invalid. */
#define gsym_vec_push(v)                                                      \
	(gsym_vec_reserve(v, 1) ? &(v)->items[(v)->count++] : NULL)

/** The items from INDEX on.  NULL if V never had an item, in which case INDEX
 *  is 0: C does not define NULL + 0. */
#define gsym_vec_from(v, index) ((v)->items ? (v)->items + (index) : NULL)

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
