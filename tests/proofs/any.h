/* SPDX-License-Identifier: MIT */
/* proofs/any.h - any state of the structs that the reader passes around. */
#ifndef GSYM_PROOFS_ANY_H
#define GSYM_PROOFS_ANY_H

#include "base/cursor.h"

/** The rule that each function of the cursor keeps. */
static inline bool is_sound(const struct gsym_cursor *c, const uint8_t *data,
			    size_t size)
{
	return c->start == data && c->at >= data && c->at <= c->end &&
	       c->end <= data + size && (!c->failed || c->at == c->end);
}

/** A cursor in any state that keeps that rule, over the SIZE bytes at DATA. */
static inline struct gsym_cursor any_cursor(const uint8_t *data, size_t size)
{
	size_t end = any_up_to(size);
	size_t at = any_up_to(end);
	struct gsym_cursor c = { data, data + at, data + end, nondet_bool(),
				 nondet_bool() };

	GIVEN(!c.failed || at == end);
	return c;
}

/** What gsym_uleb_read and gsym_sleb_read, which were to read at P, promise of
 *  the result AFTER: NULL, or a byte further on. */
static inline bool is_after(const uint8_t *after, const uint8_t *p,
			    const uint8_t *end)
{
	return !after || (after > p && after <= end);
}

#endif
