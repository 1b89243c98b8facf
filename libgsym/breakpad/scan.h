/* SPDX-License-Identifier: MIT */
/*
 * breakpad/scan.h - finds the lines that are not line records, 64 bytes at a
 * time.
 *
 * Most lines of a symbol file are line records, which the first pass does not
 * need.  A block of 64 bytes is kept as bit sets: the bytes that end a line,
 * and the bytes that may begin a line record.  Only lines that begin with
 * other bytes are visited.
 */
#ifndef GSYM_BREAKPAD_SCAN_H
#define GSYM_BREAKPAD_SCAN_H

#include "breakpad/file.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { BP_BLOCK = 64 };

/** Sets of a block's bytes: bit N is byte N. */
struct bp_marks {
	uint64_t feeds;    /**< LF */
	uint64_t ends;     /**< LF and CR */
	uint64_t spaces;
	uint64_t blanks;   /**< spaces and tabs */
	uint64_t digits;   /**< 0-9 and a-f */
	uint64_t letters;  /**< a-f */
};

/** The marks of BP_BLOCK bytes, found byte by byte. */
static inline struct bp_marks bp_mark_plainly(const char *bytes)
{
	struct bp_marks m = { 0 };

	for (unsigned i = 0; i < BP_BLOCK; i++) {
		char c = bytes[i];
		uint64_t bit = (uint64_t)1 << i;

		m.feeds |= c == '\n' ? bit : 0;
		m.ends |= c == '\n' || c == '\r' ? bit : 0;
		m.spaces |= c == ' ' ? bit : 0;
		m.blanks |= c == ' ' || c == '\t' ? bit : 0;
		m.letters |= c >= 'a' && c <= 'f' ? bit : 0;
		m.digits |= (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ?
				    bit :
				    0;
	}
	return m;
}

#ifdef __SSE2__
/** All ones in each byte of V that is C. */
static inline __m128i bp_same(__m128i v, char c)
{
	return _mm_cmpeq_epi8(v, _mm_set1_epi8(c));
}

/** All ones in each byte of V from LOW to LOW + COUNT - 1. */
static inline __m128i bp_within(__m128i v, char low, char count)
{
	__m128i from = _mm_sub_epi8(v, _mm_set1_epi8(low));

	return _mm_cmpeq_epi8(
		_mm_min_epu8(from, _mm_set1_epi8((char)(count - 1))), from);
}

/** The highest bits of the bytes of V, as bits AT and up. */
static inline uint64_t bp_bits(__m128i v, unsigned at)
{
	return (uint64_t)(unsigned)_mm_movemask_epi8(v) << at;
}

/** The marks of BP_BLOCK bytes, found 16 bytes at a time.  The compiler leaves
 *  out the marks that the caller does not use. */
static inline struct bp_marks bp_mark(const char *bytes)
{
	struct bp_marks m = { 0 };

	/* Unrolled, the loop shifts by constants. */
#pragma GCC unroll 4
	for (unsigned i = 0; i < BP_BLOCK; i += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(bytes + i));
		__m128i feeds = bp_same(v, '\n');
		__m128i spaces = bp_same(v, ' ');
		__m128i letters = bp_within(v, 'a', 6);

		m.feeds |= bp_bits(feeds, i);
		m.ends |= bp_bits(_mm_or_si128(feeds, bp_same(v, '\r')), i);
		m.spaces |= bp_bits(spaces, i);
		m.blanks |= bp_bits(_mm_or_si128(spaces, bp_same(v, '\t')), i);
		m.letters |= bp_bits(letters, i);
		m.digits |= bp_bits(
			_mm_or_si128(letters, bp_within(v, '0', 10)), i);
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
	const char *block;  /**< the current block; NULL before the first */
	const char *next;   /**< the byte after the block */
	const char *end;    /**< the end of the text */
	const char *pause;  /**< no block from this place on is read */
	bool has_carriages; /**< a CR was found */
	/** Sets of bytes of the block: */
	uint64_t ends;	 /**< LF and CR */
	uint64_t digits; /**< 0-9 and a-f */
	uint64_t starts; /**< starts of lines that were not visited yet */
	uint64_t breaks; /**< bytes after which the line number is higher */
	uint64_t number; /**< number of the line in which the block begins */
};

/** The number of fields of LINE, a part of TEXT. */
unsigned gsym_bp_count_fields(struct bp_text text, struct bp_text line);

/** Begin to scan TEXT, which begins with the start of a line. */
void gsym_bp_scan_init(struct bp_scan *s, struct bp_text text);

/** The start of the next line that is not empty.  IN_BODY: lines that begin
 *  with 0-9 or a-f are skipped.  NULL at the end of the text and at S->pause,
 *  which the caller may move forward. */
const char *gsym_bp_scan_next(struct bp_scan *s, bool in_body);

/** The number of the line that begins AT: the last result of
 *  gsym_bp_scan_next. */
uint64_t gsym_bp_scan_number(const struct bp_scan *s, const char *at);

/** The line that begins AT, the last result of gsym_bp_scan_next, without
 *  trailing blanks. */
struct bp_text gsym_bp_scan_line(struct bp_scan *s, const char *at);

#endif
