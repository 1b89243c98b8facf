/* SPDX-License-Identifier: MIT */
/*
 * Computes CRC-32C: bytes with tables, runs of zeros by multiplying
 * polynomials.
 */
#include "base/hash.h"

#include "base/cursor.h"

/* A state is a polynomial over GF(2) of degree 31 or less: the highest bit is
 * the coefficient of x^0.  POLYNOMIAL is what x^32 is equal to. */
#define POLYNOMIAL UINT32_C(0x82f63b78)
#define ONE (UINT32_C(1) << 31)

/* STATE times x. */
static uint32_t times_x(uint32_t state)
{
	return state >> 1 ^ (state & 1 ? POLYNOMIAL : 0);
}

void gsym_crc32c_init(struct gsym_crc32c *crc)
{
	for (uint32_t byte = 0; byte < 256; byte++) {
		uint32_t state = byte;

		for (int bit = 0; bit < 8; bit++)
			state = times_x(state);
		crc->table[0][byte] = state;
	}
	/* table[k]: a byte that K zero bytes follow. */
	for (int k = 1; k < 8; k++)
		for (uint32_t byte = 0; byte < 256; byte++) {
			uint32_t state = crc->table[k - 1][byte];

			crc->table[k][byte] = state >> 8 ^
					      crc->table[0][state & 0xff];
		}
}

uint32_t gsym_crc32c_add(const struct gsym_crc32c *crc, uint32_t state,
			 const void *bytes, size_t size)
{
	const uint8_t *p = bytes, *end = p + size;

	/* Eight bytes at once: each by the table of the bytes after it. */
	for (; end - p >= 8; p += 8) {
		uint64_t word = gsym_load_u64(p, GSYM_HOST_BIG_ENDIAN) ^ state;

		state = 0;
		for (int k = 0; k < 8; k++)
			state ^= crc->table[7 - k][word >> 8 * k & 0xff];
	}
	for (; p < end; p++)
		state = state >> 8 ^ crc->table[0][(state ^ *p) & 0xff];
	return state;
}

static uint32_t multiply(uint32_t a, uint32_t b)
{
	uint32_t product = 0;

	for (; a; a <<= 1, b = times_x(b))
		if (a & ONE)
			product ^= b;
	return product;
}

uint32_t gsym_crc32c_zeros(uint32_t state, uint64_t count)
{
	/* x^8, then its square, and so on: 1, 2, 4, ... zero bytes. */
	uint32_t power = ONE >> 8;

	for (; count; count >>= 1, power = multiply(power, power))
		if (count & 1)
			state = multiply(state, power);
	return state;
}
