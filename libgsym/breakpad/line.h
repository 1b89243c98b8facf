/* SPDX-License-Identifier: MIT */
/*
 * breakpad/line.h - line records, which are nearly all of a file, as
 * producers write them.  Whatever is written in any other way is for the
 * careful functions of breakpad_file.h.
 */
#ifndef GSYM_BREAKPAD_LINE_H
#define GSYM_BREAKPAD_LINE_H

#include "base/bytes.h"
#include "breakpad/scan.h"

struct bp_line {
	uint64_t start;
	uint64_t size;
	uint32_t line;
	uint32_t file;
};

/** The first COUNT (1 to 8) of the bytes at P, the last of them on top; the
 *  rest is zero.  Nonsense for any other COUNT. */
static inline uint64_t bp_digits(const char *p, unsigned count)
{
	return gsym_load_u64(p, GSYM_HOST_BIG_ENDIAN)
	       << ((64 - 8 * count) & 63);
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

/** Numbers in a row, with a space between them.  Of a block of the text is
 *  known where they end. */
struct bp_numbers {
	const char *block;
	const char *last; /**< no block begins behind this */
	unsigned at;      /**< the next number, from the block */
	uint64_t stops;   /**< what is no digit, from AT on */
	uint64_t letters; /**< a-f */
};

/** Numbers are read while so many bytes are left: a block, and what a load
 *  from its end takes. */
enum { BP_NUMBER_ROOM = BP_BLOCK + 16 };

/** Go on AT.  False if too little of the text is left. */
static inline bool bp_numbers_seek(struct bp_numbers *n, const char *at)
{
	struct bp_marks marks;

	if (at > n->last)
		return false;
	marks = bp_mark(at);
	n->block = at;
	n->at = 0;
	n->stops = ~marks.digits;
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

/** See to it that the ends of COUNT numbers are known. */
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

/** The digits of the next number, whose end is known; *COUNT is how many.
 *  What follows them is stepped over. */
static inline const char *bp_next_digits(struct bp_numbers *n, unsigned *count)
{
	unsigned end = (unsigned)__builtin_ctzll(n->stops);
	const char *digits = n->block + n->at;

	n->stops &= n->stops - 1;
	*count = end - n->at;
	n->at = end + 1;
	return digits;
}

/** The next number, of which 1 to 15 digits are good. */
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

/** The next number, of which 1 to 8 digits are good.  Letters are for the
 *  caller to find. */
static inline uint32_t bp_next_decimal(struct bp_numbers *n, bool *good)
{
	unsigned count;
	const char *p = bp_next_digits(n, &count);

	*good = *good && count - 1 < 8;
	return bp_join_decimal(bp_digits(p, count));
}

/** Whether there are letters from FROM up to what was read. */
static inline bool bp_has_letters(const struct bp_numbers *n, unsigned from)
{
	return n->letters >> from << from << (63 - (n->at - 1));
}

/** What was stepped over last.  CR counts as LF if that follows. */
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

/** Read a line record and the end of its line: four numbers, the last two of
 *  them decimal.  False if it is none, or written in another way.  This is most
 *  of the work on a file: nothing is stored on the way. */
static inline bool bp_read_line(struct bp_numbers *n, struct bp_line *ret)
{
	unsigned at, address, size, line, file; /* the last four: ends */
	const char *p;
	uint64_t s;

	if (!bp_numbers_need(n, 4))
		return false;
	p = n->block;
	at = n->at;
	s = n->stops;
	address = (unsigned)__builtin_ctzll(s);
	s &= s - 1;
	size = (unsigned)__builtin_ctzll(s);
	s &= s - 1;
	line = (unsigned)__builtin_ctzll(s);
	s &= s - 1;
	file = (unsigned)__builtin_ctzll(s);
	s &= s - 1;
	/* Numbers without digits wrap around. */
	if (address - at - 1 > 14 || size - address - 2 > 7 ||
	    line - size - 2 > 7 || file - line - 2 > 7 ||
	    p[address] != ' ' || p[size] != ' ' || p[line] != ' ' ||
	    n->letters >> size << size << (63 - file))
		return false;
	if (p[file] == '\r' && p[file + 1] == '\n') {
		s &= s - 1;
		n->at = file + 2;
	} else if (p[file] == '\n') {
		n->at = file + 1;
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
