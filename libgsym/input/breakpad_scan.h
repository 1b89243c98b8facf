/* SPDX-License-Identifier: MIT */
/*
 * input/breakpad_scan.h - the lines of a text that matter, found 64 bytes at
 * a time.
 *
 * Most of a symbol file are line records, which the first pass has no use
 * for.  It looks at whole blocks: which bytes end a line, and which could
 * begin a line record.  A line is visited only if it begins otherwise.
 */
#ifndef GSYM_INPUT_BREAKPAD_SCAN_H
#define GSYM_INPUT_BREAKPAD_SCAN_H

#include "input/breakpad_file.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { BP_BLOCK = 64 };

/** Sets of a block's bytes: bit N is byte N. */
struct bp_marks {
	uint64_t feeds;  /**< LF */
	uint64_t ends;   /**< LF and CR */
	uint64_t digits; /**< 0-9 and a-f */
};

/** The marks of BP_BLOCK bytes, one after the other. */
static inline struct bp_marks bp_mark_plainly(const char *bytes)
{
	struct bp_marks m = { 0 };

	for (unsigned i = 0; i < BP_BLOCK; i++) {
		char c = bytes[i];
		uint64_t bit = (uint64_t)1 << i;

		m.feeds |= c == '\n' ? bit : 0;
		m.ends |= c == '\n' || c == '\r' ? bit : 0;
		m.digits |= (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ?
				    bit :
				    0;
	}
	return m;
}

#ifdef __SSE2__
/** The bytes of V from LOW to LOW + COUNT - 1. */
static inline __m128i bp_within(__m128i v, char low, char count)
{
	__m128i from = _mm_sub_epi8(v, _mm_set1_epi8(low));

	return _mm_cmpeq_epi8(
		_mm_min_epu8(from, _mm_set1_epi8((char)(count - 1))), from);
}

static inline uint64_t bp_bits(__m128i v, unsigned at)
{
	return (uint64_t)(unsigned)_mm_movemask_epi8(v) << at;
}

/** The same, sixteen at once. */
static inline struct bp_marks bp_mark(const char *bytes)
{
	struct bp_marks m = { 0 };

	for (unsigned i = 0; i < BP_BLOCK; i += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(bytes + i));
		__m128i feeds = _mm_cmpeq_epi8(v, _mm_set1_epi8('\n'));
		__m128i carriages = _mm_cmpeq_epi8(v, _mm_set1_epi8('\r'));

		m.feeds |= bp_bits(feeds, i);
		m.ends |= bp_bits(_mm_or_si128(feeds, carriages), i);
		m.digits |= bp_bits(_mm_or_si128(bp_within(v, '0', 10),
						 bp_within(v, 'a', 6)),
				    i);
	}
	return m;
}
#else
static inline struct bp_marks bp_mark(const char *bytes)
{
	return bp_mark_plainly(bytes);
}
#endif

struct bp_scan {
	const char *block;  /**< the block at hand; NULL before the first */
	const char *next;   /**< what follows it */
	const char *end;    /**< of the text */
	const char *pause;  /**< no block behind this is begun */
	bool fresh;         /**< the block at hand begins a line */
	bool has_carriages; /**< there was a CR */
	struct bp_marks marks;
	uint64_t starts;    /**< lines of the block, not visited yet */
	uint64_t breaks;    /**< what adds to the number of the line */
	uint64_t number;    /**< of the line that the block begins in */
};

/** Scan TEXT, from the start of a line. */
void bp_scan_init(struct bp_scan *s, struct bp_text text);

/** The start of the next line that is not empty; with BODIES only one that
 *  begins with neither 0-9 nor a-f.  NULL at the end and at a pause. */
const char *bp_scan_next(struct bp_scan *s, bool bodies);

/** The number of the line that begins AT, which bp_scan_next gave last. */
uint64_t bp_scan_number(const struct bp_scan *s, const char *at);

/** The line that begins AT, which bp_scan_next gave last, without trailing
 *  blanks. */
struct bp_text bp_scan_line(struct bp_scan *s, const char *at);

#endif
