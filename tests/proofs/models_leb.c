/* SPDX-License-Identifier: MIT */
/*
 * Models of the functions of base/cursor.c, for proofs of what calls them.  The
 * proofs of cursor.c show that the real ones keep the same promise.
 */
#include "any.h"

static const uint8_t *read_any(const uint8_t *p, const uint8_t *end)
{
	uint64_t left, bytes = nondet_u64();

	PROVE(p <= end);
	left = (uint64_t)(end - p);
	return bytes && bytes <= left ? p + bytes : NULL;
}

const uint8_t *gsym_uleb_read(const uint8_t *p, const uint8_t *end,
			      uint64_t *value)
{
	const uint8_t *after = read_any(p, end);

	if (after)
		*value = nondet_u64();
	return after;
}

const uint8_t *gsym_sleb_read(const uint8_t *p, const uint8_t *end,
			      int64_t *value)
{
	const uint8_t *after = read_any(p, end);

	if (after)
		*value = (int64_t)nondet_u64();
	return after;
}
