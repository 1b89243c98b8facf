/* SPDX-License-Identifier: MIT */
/*
 * bytes16.h - sixteen bytes of text that are compared at once: in one register
 * where the processor has such registers, else as the compiler sees fit.
 */
#ifndef TOOLS_COMMON_BYTES16_H
#define TOOLS_COMMON_BYTES16_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define BYTES16 16u
/** Sixteen bytes.  Comparisons give 0xff for each byte for which they are true,
 *  and 0 for the others. */
typedef uint8_t bytes16 __attribute__((vector_size(BYTES16)));

/** The sixteen bytes at TEXT. */
static inline bytes16 bytes16_load(const void *text)
{
	bytes16 bytes;
	memcpy(&bytes, text, sizeof(bytes));
	return bytes;
}

/** The bytes of TEXT, which has LENGTH bytes, from byte FROM on; fewer than
 *  sixteen.  FROM is 0 or at least 16.  Bytes before FROM may be loaded, too,
 *  and bytes may be loaded twice.  Spaces if LENGTH is 0. */
static inline bytes16 bytes16_load_end(const void *text, size_t from,
				       size_t length)
{
	const unsigned char *at = text;
	const uint64_t ones = 0x0101010101010101u;
	uint64_t halves[2] = { ' ' * ones, ' ' * ones };
	bytes16 bytes;
	if (from > 0)
		return bytes16_load(at + length - BYTES16);
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

/** Whether a byte of BYTES is not 0. */
static inline bool bytes16_any(bytes16 bytes)
{
	uint64_t halves[2];
	memcpy(halves, &bytes, sizeof(halves));
	return halves[0] | halves[1];
}

#endif /* TOOLS_COMMON_BYTES16_H */
