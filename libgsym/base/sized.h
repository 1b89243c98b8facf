/* SPDX-License-Identifier: MIT */
/* base/sized.h - structs of callers that were compiled for another release;
 * gsym/types.h has the rules. */
#ifndef GSYM_BASE_SIZED_H
#define GSYM_BASE_SIZED_H

#include <stddef.h>
#include <string.h>

/** The bytes of TYPE up to the end of MEMBER.  With the last member that TYPE
 *  had in the first release: the least size that a caller may give. */
#define GSYM_SIZE_THROUGH(type, member) \
	(offsetof(type, member) + sizeof(((type *)0)->member))

/** Copy the FROM_SIZE bytes of the struct at FROM to the TO_SIZE bytes at TO.
 *  If FROM is shorter, the rest of TO becomes 0; if TO is shorter, the rest of
 *  FROM is not copied. */
static inline void gsym_sized_copy(void *to, size_t to_size, const void *from,
				   size_t from_size)
{
	size_t both = to_size < from_size ? to_size : from_size;

	/* As a rule both are of one release, and the compiler knows one of the
	 * sizes. */
	if (to_size == from_size) {
		memcpy(to, from, from_size);
		return;
	}
	memcpy(to, from, both);
	memset((char *)to + both, 0, to_size - both);
}

#endif
