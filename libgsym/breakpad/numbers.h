/* SPDX-License-Identifier: MIT */
/*
 * breakpad/numbers.h - reads numbers and line records fast, in the form that
 * producers write: numbers without a prefix, a space between two, and LF or CR
 * LF after the last.  Other forms are refused; text.h reads them.
 */
#ifndef GSYM_BREAKPAD_NUMBERS_H
#define GSYM_BREAKPAD_NUMBERS_H

#include "base/bytes.h"
#include "breakpad/scan.h"

/** A line record. */
struct bp_line {
	uint64_t start;
	uint64_t size;
	uint32_t line;
	uint32_t file;
};

/** Load 8 bytes at P so that the first COUNT of them (1 to 8) are the highest
 *  bytes of the result, and the others are 0.  Undefined for other values of
 *  COUNT. */
static inline uint64_t bp_digits(const char *p, size_t count)
{
	return gsym_load_u64(p, GSYM_HOST_BIG_ENDIAN)
	       << ((64 - 8 * count) & 63);
}

/** The value of the hexadecimal digits in V, a result of bp_digits.  Digits are
 *  joined to pairs, pairs to fours, fours to eight: each product adds a part of
 *  V, times the base, to the part after it. */
static inline uint64_t bp_join_hex(uint64_t v)
{
	v = (v & 0x0f0f0f0f0f0f0f0f) + 9 * (v >> 6 & 0x0101010101010101);
	v = v * (1 + ((uint64_t)0x10 << 8)) >> 8 & 0x00ff00ff00ff00ff;
	v = v * (1 + ((uint64_t)0x100 << 16)) >> 16 & 0x0000ffff0000ffff;
	return v * (1 + ((uint64_t)0x10000 << 32)) >> 32;
}

static inline uint32_t bp_join_decimal(uint64_t v)
{
	v &= 0x0f0f0f0f0f0f0f0f;
	v = v * (1 + ((uint64_t)10 << 8)) >> 8 & 0x00ff00ff00ff00ff;
	v = v * (1 + ((uint64_t)100 << 16)) >> 16 & 0x0000ffff0000ffff;
	return (uint32_t)(v * (1 + ((uint64_t)10000 << 32)) >> 32);
}

/** A walk over numbers that are separated by single bytes, such as spaces.  The
 *  marks of a block show where each number ends. */
struct bp_numbers {
	const char *block;
	const char *last; /**< the last place where a block may begin */
	unsigned at;	  /**< offset of the next number in the block */
	uint64_t stops;	  /**< the bytes from AT on that are no digits */
	uint64_t breaks;  /**< neither digits nor spaces */
	uint64_t letters; /**< a-f */
};

/** The bytes of text that reading a number needs, from the start of its block:
 *  the block itself, and bytes that a load near the end of the block reads
 *  beyond it. */
enum { BP_NUMBER_ROOM = BP_BLOCK + 16 };

/** Let the block begin AT. False if the text has too few bytes there. */
static inline bool bp_numbers_seek(struct bp_numbers *n, const char *at)
{
	struct bp_marks marks;

	if (at > n->last)
		return false;
	marks = bp_mark(at);
	n->block = at;
	n->at = 0;
	n->stops = ~marks.digits;
	n->breaks = ~(marks.digits | marks.spaces);
	n->letters = marks.letters;
	return true;
}

static inline bool bp_numbers_init(struct bp_numbers *n, const char *at,
				   const char *end)
{
	if (end - at < BP_NUMBER_ROOM)
		return false;
	n->last = end - BP_NUMBER_ROOM;
	return bp_numbers_seek(n, at);
}

/** Make sure that the next COUNT numbers end within the block; begin a new
 *  block if needed.  False if they are too long for a block. */
static inline bool bp_numbers_need(struct bp_numbers *n, unsigned count)
{
	uint64_t stops = n->stops;

	for (unsigned i = 1; i < count; i++)
		stops &= stops - 1;
	if (stops)
		return true;
	if (!bp_numbers_seek(n, n->block + n->at))
		return false;
	stops = n->stops;
	for (unsigned i = 1; i < count; i++)
		stops &= stops - 1;
	return stops;
}

/** Step over the next number and the byte after it.  Returns its digits; *COUNT
 *  is how many. */
static inline const char *bp_next_digits(struct bp_numbers *n, unsigned *count)
{
	unsigned end = (unsigned)__builtin_ctzll(n->stops);
	const char *digits = n->block + n->at;

	n->stops &= n->stops - 1;
	*count = end - n->at;
	n->at = end + 1;
	return digits;
}

/** Read the next number.  *GOOD is cleared unless it has 1 to 15 digits. */
static inline __attribute__((always_inline)) uint64_t
bp_next_hex(struct bp_numbers *n, bool *good)
{
	unsigned count;
	const char *p = bp_next_digits(n, &count);

	*good = *good && count - 1 < 15;
	if (count <= 8)
		return bp_join_hex(bp_digits(p, count));
	return bp_join_hex(bp_digits(p, count - 8)) << 32 |
	       bp_join_hex(bp_digits(p + count - 8, 8));
}

/** Read the next number.  *GOOD is cleared unless it has 1 to 8 digits; the
 *  caller has to check for letters among them. */
static inline uint32_t bp_next_decimal(struct bp_numbers *n, bool *good)
{
	unsigned count;
	const char *p = bp_next_digits(n, &count);

	*good = *good && count - 1 < 8;
	return bp_join_decimal(bp_digits(p, count));
}

/** Returns true if there are letters from offset FROM up to the last byte that
 * was stepped over. */
static inline bool bp_has_letters(const struct bp_numbers *n, unsigned from)
{
	return n->letters >> from << from << (63 - (n->at - 1));
}

/** The last byte that was stepped over.  For CR LF steps over the LF, too, and
 *  returns LF. */
static inline char bp_last_stop(struct bp_numbers *n)
{
	const char *stop = n->block + n->at - 1;

	if (*stop != '\r' || stop[1] != '\n')
		return *stop;
	n->stops &= n->stops - 1;
	n->at++;
	return '\n';
}

static inline bool bp_was_space(const struct bp_numbers *n)
{
	return n->block[n->at - 1] == ' ';
}

/** Read a line record and the end of its line: four numbers, of which the last
 *  two are decimal.  False if the line has another form.  Most of the time of a
 *  conversion is spent here, so all variables should be in registers. */
static inline bool bp_read_line(struct bp_numbers *n, struct bp_line *ret)
{
	size_t at;			  /* start of the address */
	size_t address, size, line, file; /* ends of the numbers */
	const char *p;
	uint64_t s;

	if (!bp_numbers_need(n, 4))
		return false;
	p = n->block;
	at = n->at;
	s = n->stops;
	address = (size_t)__builtin_ctzll(s);
	s &= s - 1;
	size = (size_t)__builtin_ctzll(s);
	s &= s - 1;
	line = (size_t)__builtin_ctzll(s);
	s &= s - 1;
	file = (size_t)__builtin_ctzll(s);
	s &= s - 1;
	/* If a number has no digits, the difference wraps around and is too
	 * large.  The line has to end after the fourth number. */
	if (address - at - 1 > 14 || size - address - 2 > 7 ||
	    line - size - 2 > 7 || file - line - 2 > 7 ||
	    n->letters >> size << size << (63 - file) ||
	    n->breaks >> at << at << (63 - file) != (uint64_t)1 << 63)
		return false;
	if (p[file] == '\n') {
		n->at = (unsigned)file + 1;
	} else if (p[file] == '\r' && p[file + 1] == '\n') {
		s &= s - 1;
		n->at = (unsigned)file + 2;
	} else {
		return false;
	}
	n->stops = s;
	if (address - at <= 8)
		ret->start = bp_join_hex(bp_digits(p + at, address - at));
	else
		ret->start = bp_join_hex(bp_digits(p + at, address - at - 8))
				     << 32 |
			     bp_join_hex(bp_digits(p + address - 8, 8));
	ret->size = bp_join_hex(bp_digits(p + address + 1, size - address - 1));
	ret->line = bp_join_decimal(bp_digits(p + size + 1, line - size - 1));
	ret->file = bp_join_decimal(bp_digits(p + line + 1, file - line - 1));
	return true;
}

#endif
