/* SPDX-License-Identifier: MIT */
#include "base/cursor.h"

uint64_t gsym_cursor_uleb_slow(struct gsym_cursor *c)
{
	const uint8_t *p = c->at;
	uint64_t value = 0;
	unsigned shift = 0;

	while (p < c->end) {
		uint8_t byte = *p++;
		uint64_t bits = byte & 0x7f;

		if (shift < 64)
			value |= bits << shift;
		if ((shift >= 64 && bits) || (shift == 63 && bits > 1))
			break;
		if (byte < 0x80) {
			c->at = p;
			return value;
		}
		shift = shift < 64 ? shift + 7 : shift;
	}
	gsym_cursor_fail(c);
	return 0;
}

int64_t gsym_cursor_sleb_slow(struct gsym_cursor *c)
{
	const uint8_t *p = c->at;
	uint64_t value = 0;
	unsigned shift = 0;

	while (p < c->end) {
		uint8_t byte = *p++;
		uint64_t bits = byte & 0x7f;

		if (shift < 63) {
			value |= bits << shift;
		} else {
			/* Only copies of the sign may follow bit 62. */
			bool negative = shift == 63 ? bits & 1 : value >> 63;

			if (bits != (negative ? 0x7f : 0))
				break;
			value |= (uint64_t)negative << 63;
		}
		if (byte < 0x80) {
			if (shift < 63 && (byte & 0x40))
				value |= ~(uint64_t)0 << (shift + 7);
			c->at = p;
			return (int64_t)value;
		}
		shift = shift < 63 ? shift + 7 : 64;
	}
	gsym_cursor_fail(c);
	return 0;
}
