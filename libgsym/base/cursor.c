/* SPDX-License-Identifier: MIT */
/*
 * The loops that read LEB128 numbers of a cursor; the other reads are inline
 * functions.
 */
#include "base/cursor.h"

const uint8_t *gsym_uleb_read(const uint8_t *p, const uint8_t *end,
			      uint64_t *ret)
{
	uint64_t value = 0;
	unsigned shift = 0;

	while (p < end) {
		uint8_t byte = *p++;
		uint64_t bits = byte & 0x7f;

		if (shift < 64)
			value |= bits << shift;
		if ((shift >= 64 && bits) || (shift == 63 && bits > 1))
			break;
		if (byte < 0x80) {
			*ret = value;
			return p;
		}
		shift = shift < 64 ? shift + 7 : shift;
	}
	return NULL;
}

const uint8_t *gsym_sleb_read(const uint8_t *p, const uint8_t *end,
			      int64_t *ret)
{
	uint64_t value = 0;
	unsigned shift = 0;

	while (p < end) {
		uint8_t byte = *p++;
		uint64_t bits = byte & 0x7f;

		if (shift < 63) {
			value |= bits << shift;
		} else {
			/* All bits above bit 62 have to equal the sign. */
			bool negative = shift == 63 ? bits & 1 : value >> 63;

			if (bits != (negative ? 0x7f : 0))
				break;
			value |= (uint64_t)negative << 63;
		}
		if (byte < 0x80) {
			if (shift < 63 && (byte & 0x40))
				value |= ~(uint64_t)0 << (shift + 7);
			*ret = (int64_t)value;
			return p;
		}
		shift = shift < 63 ? shift + 7 : 64;
	}
	return NULL;
}
