/* SPDX-License-Identifier: MIT */
/* The classes of bytes, and a search in blocks of 64 bytes for ends of lines
 * and starts of records. */
#include "breakpad/text.h"

#define DIGIT(c, value) [c] = (value) + 1
#define LETTER(c, value) DIGIT(c, value), DIGIT((c) - 'a' + 'A', value)
#define STOP(c) [c] = BP_STOP + 1

const uint8_t gsym_bp_classes[256] = {
	DIGIT('0', 0),	 DIGIT('1', 1),	  DIGIT('2', 2),   DIGIT('3', 3),
	DIGIT('4', 4),	 DIGIT('5', 5),	  DIGIT('6', 6),   DIGIT('7', 7),
	DIGIT('8', 8),	 DIGIT('9', 9),	  LETTER('a', 10), LETTER('b', 11),
	LETTER('c', 12), LETTER('d', 13), LETTER('e', 14), LETTER('f', 15),
	STOP(' '),	 STOP('\t'),	  STOP('\n'),	   STOP('\r'),
};

bool gsym_bp_hex(struct bp_text text, uint64_t *ret)
{
	return bp_hex(&text, ret) && text.at == text.end;
}

/* The number of set bits.  For processors without a suitable instruction
 * __builtin_popcountll would call a function of libgcc. */
static unsigned count_bits(uint64_t v)
{
	v -= v >> 1 & 0x5555555555555555;
	v = (v & 0x3333333333333333) + (v >> 2 & 0x3333333333333333);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return (unsigned)(v * 0x0101010101010101 >> 56);
}

void gsym_bp_scan_init(struct bp_scan *s, struct bp_text text)
{
	*s = (struct bp_scan){
		.next = text.at,
		.end = text.end,
		.pause = text.end,
		.number = 1,
	};
}

/* Add to S->breaks, which has the LF, for a block with CR: a CR counts if
 * neither LF nor CR follows it. */
static void find_breaks(struct bp_scan *s, uint64_t feeds)
{
	bool more = s->next < s->end &&
		    (*s->next == '\n' || *s->next == '\r');
	uint64_t follows = s->ends >> 1 | (uint64_t)more << (BP_BLOCK - 1);

	s->has_carriages = true;
	s->breaks |= s->ends & ~feeds & ~follows;
}

/* The marks of the block at P, if the text has LEFT more bytes from P on.
 * Bytes after the text count as LF. */
static inline struct bp_marks mark_some(const char *p, size_t left)
{
	char copy[BP_BLOCK];

	if (left >= BP_BLOCK)
		return bp_mark(p);
	memset(copy, '\n', sizeof(copy));
	memcpy(copy, p, left);
	return bp_mark(copy);
}

static bool next_block(struct bp_scan *s)
{
	size_t left = (size_t)(s->end - s->next);
	struct bp_marks marks;
	bool fresh;

	if (s->next >= s->pause)
		return false;
	fresh = !s->block || s->ends >> (BP_BLOCK - 1);
	s->number += count_bits(s->breaks);
	s->block = s->next;
	s->next += left < BP_BLOCK ? left : BP_BLOCK;
	marks = mark_some(s->block, left);
	s->ends = marks.ends;
	s->digits = marks.digits;
	s->starts = (marks.ends << 1 | fresh) & ~marks.ends;
	s->breaks = marks.feeds;
	if (marks.ends != marks.feeds)
		find_breaks(s, marks.feeds);
	return true;
}

const char *gsym_bp_scan_next(struct bp_scan *s, bool in_body)
{
	for (;;) {
		uint64_t starts = s->starts;
		unsigned bit;

		if (in_body)
			starts &= ~s->digits;
		if (!starts) {
			if (!next_block(s))
				return NULL;
			continue;
		}
		bit = (unsigned)__builtin_ctzll(starts);
		/* Clear the bit of this start, and the bits of skipped starts
		 * before it. */
		s->starts &= ~(uint64_t)1 << bit;
		return s->block + bit;
	}
}

uint64_t gsym_bp_scan_number(const struct bp_scan *s, const char *at)
{
	uint64_t before = ((uint64_t)1 << (at - s->block)) - 1;

	return s->number + count_bits(s->breaks & before);
}

struct bp_text gsym_bp_scan_line(struct bp_scan *s, const char *at)
{
	const char *pause = s->pause;
	struct bp_text line = { at, s->end };
	uint64_t ends = s->ends & ~(uint64_t)0 << (at - s->block);

	s->pause = s->end;
	while (!ends && next_block(s))
		ends = s->ends;
	s->pause = pause;
	if (ends)
		line.end = s->block + __builtin_ctzll(ends);
	while (line.end > line.at &&
	       (line.end[-1] == ' ' || line.end[-1] == '\t'))
		line.end--;
	return line;
}
