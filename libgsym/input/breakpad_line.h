/* SPDX-License-Identifier: MIT */
/*
 * input/breakpad_line.h - line records, which are nearly all of a file, as
 * producers write them.  Whatever is written in any other way is for the
 * careful functions of breakpad_file.h.
 */
#ifndef GSYM_INPUT_BREAKPAD_LINE_H
#define GSYM_INPUT_BREAKPAD_LINE_H

#include "base/bytes.h"
#include "input/breakpad_scan.h"

struct bp_line {
	uint64_t start;
	uint64_t size;
	uint32_t line;
	uint32_t file;
};

enum {
	/* The part of a line that is looked at; a record is shorter. */
	BP_LINE_BYTES = 32,
	/* What has to be there to read, from the start of the line. */
	BP_LINE_ROOM = BP_LINE_BYTES + 8,
	/* Digits of the numbers besides the address. */
	BP_LINE_DIGITS = 8,
};

/** The first COUNT (1 to 8) of the bytes at P, the last of them on top; the
 *  rest is zero. */
static inline uint64_t bp_digits(const char *p, unsigned count)
{
	return gsym_load_u64(p, GSYM_HOST_BIG_ENDIAN) << (64 - 8 * count);
}

/** Up to eight hexadecimal digits as a number: neighbours are joined, then
 *  neighbours of those. */
static inline uint64_t bp_join_hex(uint64_t v)
{
	v = (v & 0x0f0f0f0f0f0f0f0f) + 9 * (v >> 6 & 0x0101010101010101);
	v = (v << 4 | v >> 8) & 0x00ff00ff00ff00ff;
	v = (v << 8 | v >> 16) & 0x0000ffff0000ffff;
	return (v << 16 | v >> 32) & 0xffffffff;
}

static inline uint32_t bp_join_decimal(uint64_t v)
{
	v &= 0x0f0f0f0f0f0f0f0f;
	v = (v * 10 + (v >> 8)) & 0x00ff00ff00ff00ff;
	v = (v * 100 + (v >> 16)) & 0x0000ffff0000ffff;
	return (uint32_t)(v * 10000 + (v >> 32));
}

#ifdef __SSE2__
/** Which of the first BP_LINE_BYTES bytes of a line are no digit: bit N is
 *  byte N. */
static inline uint32_t bp_not_digits(const char *p, uint32_t *not_hex)
{
	uint32_t decimal = 0, letters = 0;

	for (unsigned i = 0; i < BP_LINE_BYTES; i += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(p + i));

		decimal |= (uint32_t)bp_bits(bp_within(v, '0', 10), i);
		letters |= (uint32_t)bp_bits(bp_within(v, 'a', 6), i);
	}
	*not_hex = ~(decimal | letters);
	return ~decimal;
}
#else
static inline uint32_t bp_not_digits(const char *p, uint32_t *not_hex)
{
	uint32_t decimal = 0, letters = 0;

	for (unsigned i = 0; i < BP_LINE_BYTES; i++) {
		decimal |= (uint32_t)(p[i] >= '0' && p[i] <= '9') << i;
		letters |= (uint32_t)(p[i] >= 'a' && p[i] <= 'f') << i;
	}
	*not_hex = ~(decimal | letters);
	return ~decimal;
}
#endif

/** The lowest bit of *SET, which is taken out; 32 of an empty set. */
static inline unsigned bp_next_bit(uint32_t *set)
{
	unsigned bit = *set ? (unsigned)__builtin_ctz(*set) : 32;

	*set &= *set - 1;
	return bit;
}

/**
 * Read the line record at P, of which BP_LINE_ROOM bytes are there: four
 * numbers, of which the last two are decimal, a space between them, and LF
 * or CR LF behind.  Returns what follows the line; NULL: it is none like
 * that.
 */
static inline const char *bp_read_line(const char *p, struct bp_line *ret)
{
	uint32_t hex, decimal = bp_not_digits(p, &hex), past;
	unsigned address, size, line, file; /* ends of the numbers */

	address = bp_next_bit(&hex);
	size = bp_next_bit(&hex);
	past = size < 31 ? decimal & (~(uint32_t)0 << (size + 1)) : 0;
	line = bp_next_bit(&past);
	file = bp_next_bit(&past);
	/* Differences of 0 wrap around. */
	if (file > 31 || address - 1 > 14 ||
	    size - address - 2 > BP_LINE_DIGITS - 1 ||
	    line - size - 2 > BP_LINE_DIGITS - 1 ||
	    file - line - 2 > BP_LINE_DIGITS - 1 || p[address] != ' ' ||
	    p[size] != ' ' || p[line] != ' ')
		return NULL;
	if (address <= 8)
		ret->start = bp_join_hex(bp_digits(p, address));
	else
		ret->start = bp_join_hex(bp_digits(p, address - 8)) << 32 |
			     bp_join_hex(bp_digits(p + address - 8, 8));
	ret->size = bp_join_hex(bp_digits(p + address + 1,
					  size - address - 1));
	ret->line = bp_join_decimal(bp_digits(p + size + 1, line - size - 1));
	ret->file = bp_join_decimal(bp_digits(p + line + 1, file - line - 1));
	if (p[file] == '\n')
		return p + file + 1;
	return p[file] == '\r' && p[file + 1] == '\n' ? p + file + 2 : NULL;
}

#endif
