/* SPDX-License-Identifier: MIT */
/* Reads pc-value tables: pairs of numbers, the difference to the previous
 * value, and the length of the code for which the value holds. */
#include "go/pclntab.h"

#include "base/search.h"

/* The most pairs with a length of 0.  Compilers write none; in a hostile table
 * they would take time for no code. */
enum { EMPTY_PAIRS = 64 };

/* Read a number of at most 5 bytes at P to RET.  Returns the byte after it;
 * NULL if the number is longer, or not complete. */
static inline const uint8_t *read_number(const uint8_t *p, const uint8_t *end,
					 uint32_t *ret)
{
	uint32_t value = 0;

	for (unsigned shift = 0; shift < 35; shift += 7) {
		uint8_t byte;

		if (p == end)
			return NULL;
		byte = *p++;
		value |= (uint32_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*ret = value;
			return p;
		}
	}
	return NULL;
}

enum pclntab_result gsym_pclntab_values(const struct gsym_pclntab *t,
					uint32_t offset, uint32_t size,
					struct pclntab_values *values)
{
	uint64_t at = t->values + offset;
	uint64_t limit = t->era == PCLNTAB_1_2 ? t->size : t->functions;
	unsigned empty = 0;
	uint32_t value = UINT32_MAX;
	uint64_t pc = 0;
	const uint8_t *end;
	const uint8_t *p;

	values->count = 0;
	if (!offset)
		return PCLNTAB_OK;
	if (at >= limit)
		return PCLNTAB_DAMAGED;
	p = t->bytes + at;
	end = t->bytes + limit;
	for (bool first = true; pc < size; first = false) {
		struct pclntab_span *span;
		uint32_t change;
		uint32_t length;

		p = read_number(p, end, &change);
		if (!p)
			return PCLNTAB_DAMAGED;
		if (!change && !first)
			break;
		p = read_number(p, end, &length);
		if (!p)
			return PCLNTAB_DAMAGED;
		value += change & 1 ? ~(change >> 1) : change >> 1;
		if (!length && ++empty > EMPTY_PAIRS)
			return PCLNTAB_DAMAGED;
		if (!length)
			continue;
		pc += (uint64_t)length * t->quantum;
		span = gsym_vec_push(values);
		if (!span)
			return PCLNTAB_NO_MEMORY;
		span->end = pc < size ? (uint32_t)pc : size;
		span->value = (int32_t)value;
	}
	return PCLNTAB_OK;
}

int32_t gsym_pclntab_value(const struct pclntab_values *values, uint32_t offset)
{
	size_t found =
		GSYM_FIRST(i, 0, values->count, offset < values->items[i].end);

	return found < values->count ? values->items[found].value : -1;
}
