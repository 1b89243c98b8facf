/* SPDX-License-Identifier: MIT */
/*
 * base/bytes16.h - sixteen bytes that are compared at once: in one register
 * where the processor has such registers, else as the compiler sees fit.
 */
#ifndef GSYM_BASE_BYTES16_H
#define GSYM_BASE_BYTES16_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Sixteen bytes at any address.  Comparisons give 0xff for each byte for which
 *  they are true, and 0 for the others. */
typedef uint8_t gsym_bytes16
	__attribute__((vector_size(16), aligned(1), may_alias));

/** The bytes of TEXT, which has LENGTH bytes, from byte FROM on; fewer than
 *  sixteen.  FROM is 0 or at least 16.  Bytes before FROM may be loaded, too,
 *  and bytes may be loaded twice.  Spaces if LENGTH is 0. */
static inline gsym_bytes16 gsym_bytes16_load_end(const void *text, size_t from,
						 size_t length)
{
	const unsigned char *at = text;
	const uint64_t ones = 0x0101010101010101u;
	uint64_t halves[2] = { ' ' * ones, ' ' * ones };
	gsym_bytes16 bytes;

	if (from > 0)
		return *(const gsym_bytes16 *)(at + length - sizeof(bytes));
	if (length >= 8) {
		memcpy(&halves[0], at, 8);
		memcpy(&halves[1], at + length - 8, 8);
	} else if (length >= 4) {
		memcpy(&halves[0], at, 4);
		memcpy(&halves[1], at + length - 4, 4);
	} else if (length > 0) {
		halves[0] = at[0] * ones;
		halves[1] = at[length / 2] * (ones >> 32) +
			    at[length - 1] * (ones << 32);
	}
	memcpy(&bytes, halves, sizeof(bytes));
	return bytes;
}

/** Whether a byte of BYTES, which are the result of comparisons, is not 0. */
static inline bool gsym_bytes16_any(gsym_bytes16 bytes)
{
#ifdef __SSE2__
	typedef char chars __attribute__((vector_size(16)));

	return __builtin_ia32_pmovmskb128((chars)bytes);
#else
	typedef uint64_t halves __attribute__((vector_size(16)));
	halves h = (halves)bytes;

	return h[0] | h[1];
#endif
}

/** A bit for each byte of BYTES, the lowest for the first byte: whether the
 *  byte's highest bit is set. */
static inline unsigned gsym_bytes16_mask(gsym_bytes16 bytes)
{
#ifdef __SSE2__
	typedef char chars __attribute__((vector_size(16)));

	return (unsigned)__builtin_ia32_pmovmskb128((chars)bytes);
#else
	unsigned mask = 0;

	/* Most masks are 0, and the loop takes long. */
	if (!gsym_bytes16_any(bytes))
		return 0;
	for (int i = 0; i < 16; i++)
		mask |= (unsigned)(bytes[i] >> 7) << i;
	return mask;
#endif
}

#endif
