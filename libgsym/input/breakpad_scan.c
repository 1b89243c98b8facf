/* SPDX-License-Identifier: MIT */
#include "input/breakpad_scan.h"

/* Not the compiler's: without the instruction it calls a function. */
static unsigned count_bits(uint64_t v)
{
	v -= v >> 1 & 0x5555555555555555;
	v = (v & 0x3333333333333333) + (v >> 2 & 0x3333333333333333);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return (unsigned)(v * 0x0101010101010101 >> 56);
}

void bp_scan_init(struct bp_scan *s, struct bp_text text)
{
	*s = (struct bp_scan){
		.next = text.at,
		.end = text.end,
		.pause = text.end,
		.number = 1,
	};
}

/* Marks of a block with CR in it: of several ends of a line in a row LF
 * counts, and CR if nothing follows it. */
static void find_breaks(struct bp_scan *s)
{
	bool more = s->next < s->end &&
		    (*s->next == '\n' || *s->next == '\r');
	uint64_t follows = s->marks.ends >> 1 |
			   (uint64_t)more << (BP_BLOCK - 1);

	s->has_carriages = true;
	s->breaks |= s->marks.ends & ~s->marks.feeds & ~follows;
}

static bool next_block(struct bp_scan *s)
{
	size_t left = (size_t)(s->end - s->next);
	char copy[BP_BLOCK];

	if (s->next >= s->pause)
		return false;
	s->fresh = !s->block || s->marks.ends >> (BP_BLOCK - 1);
	s->number += count_bits(s->breaks);
	s->block = s->next;
	if (left >= BP_BLOCK) {
		s->next += BP_BLOCK;
		s->marks = bp_mark(s->block);
	} else {
		/* Behind the end all lines are empty. */
		memset(copy, '\n', sizeof(copy));
		memcpy(copy, s->block, left);
		s->next = s->end;
		s->marks = bp_mark(copy);
	}
	s->starts = (s->marks.ends << 1 | s->fresh) & ~s->marks.ends;
	s->breaks = s->marks.feeds;
	if (s->marks.ends != s->marks.feeds)
		find_breaks(s);
	return true;
}

const char *bp_scan_next(struct bp_scan *s, bool bodies)
{
	for (;;) {
		uint64_t starts = s->starts;
		unsigned bit;

		if (bodies)
			starts &= ~s->marks.digits;
		if (!starts) {
			if (!next_block(s))
				return NULL;
			continue;
		}
		bit = (unsigned)__builtin_ctzll(starts);
		/* Those before it were not wanted. */
		s->starts &= ~(uint64_t)1 << bit;
		return s->block + bit;
	}
}

uint64_t bp_scan_number(const struct bp_scan *s, const char *at)
{
	uint64_t before = ((uint64_t)1 << (at - s->block)) - 1;

	return s->number + count_bits(s->breaks & before);
}

struct bp_text bp_scan_line(struct bp_scan *s, const char *at)
{
	const char *pause = s->pause;
	struct bp_text line = { at, s->end };
	uint64_t ends = s->marks.ends & ~(uint64_t)0 << (at - s->block);

	s->pause = s->end;
	while (!ends && next_block(s))
		ends = s->marks.ends;
	s->pause = pause;
	if (ends)
		line.end = s->block + __builtin_ctzll(ends);
	while (line.end > line.at &&
	       (line.end[-1] == ' ' || line.end[-1] == '\t'))
		line.end--;
	return line;
}
