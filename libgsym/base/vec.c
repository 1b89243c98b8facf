/* SPDX-License-Identifier: MIT */
/* Grows the memory of an array. */
#include "base/vec.h"

#include "base/pages.h"

#include <stdint.h>
#include <string.h>

bool gsym_vec_grow(void **items, size_t count, size_t *capacity, size_t more,
		   size_t item_size)
{
	size_t want, bytes;
	void *grown, *old;

	if (more > SIZE_MAX / 4 - count)
		return false;
	want = *capacity + *capacity / 2;
	if (want < count + more)
		want = count + more;
	if (want < 16)
		want = 16;
	if (__builtin_mul_overflow(want, item_size, &bytes))
		return false;
	/* *ITEMS is a pointer of another type than void *: it must not be
	 * accessed as one, so copy its bytes. */
	memcpy(&old, items, sizeof(old));
	grown = realloc(old, bytes);
	if (!grown)
		return false;
	gsym_pages_large(grown, bytes);
	memcpy(items, &grown, sizeof(grown));
	*capacity = want;
	return true;
}
