/* SPDX-License-Identifier: MIT */
/*
 * base/bytes16.h - sixteen bytes that are compared at once: in one register
 * where the processor has such registers, else as the compiler sees fit.
 */
#ifndef GSYM_BASE_BYTES16_H
#define GSYM_BASE_BYTES16_H

#include <stdbool.h>
#include <stdint.h>

/** Sixteen bytes at any address.  Comparisons give 0xff for each byte for which
 *  they are true, and 0 for the others. */
typedef uint8_t gsym_bytes16
	__attribute__((vector_size(16), aligned(1), may_alias));

/** Whether a byte of BYTES is not 0. */
static inline bool gsym_bytes16_any(gsym_bytes16 bytes)
{
	typedef uint64_t halves __attribute__((vector_size(16)));
	halves h = (halves)bytes;

	return h[0] | h[1];
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

	for (int i = 0; i < 16; i++)
		mask |= (unsigned)(bytes[i] >> 7) << i;
	return mask;
#endif
}

#endif
