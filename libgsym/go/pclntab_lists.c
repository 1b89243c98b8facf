/* SPDX-License-Identifier: MIT */
/* Lists of values by pc: pairs of differences, of a value and of a pc. */
#include "go/pclntab.h"

/* Pairs without any code in them that a list may have; compilers write
 * none. */
enum { EMPTY_PAIRS = 64 };

/* A number of at most 5 bytes; NULL if there is none. */
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

enum pclntab_result gsym_pclntab_list(const struct gsym_pclntab *t,
				      uint32_t offset, uint32_t size,
				      struct pclntab_list *list)
{
	uint64_t at = t->lists + offset;
	uint64_t limit = t->era == PCLNTAB_1_2 ? t->size : t->functions;
	unsigned empty = 0;
	uint32_t value = UINT32_MAX;
	uint64_t pc = 0;
	const uint8_t *end;
	const uint8_t *p;

	list->count = 0;
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
		span = gsym_vec_push(list);
		if (!span)
			return PCLNTAB_NO_MEMORY;
		span->end = pc < size ? (uint32_t)pc : size;
		span->value = (int32_t)value;
	}
	return PCLNTAB_OK;
}

int32_t gsym_pclntab_value(const struct pclntab_list *list, uint32_t offset)
{
	size_t low = 0;
	size_t high = list->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (offset < list->items[middle].end)
			high = middle;
		else
			low = middle + 1;
	}
	return low < list->count ? list->items[low].value : -1;
}
