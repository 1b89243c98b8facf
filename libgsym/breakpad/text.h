/* SPDX-License-Identifier: MIT */
/*
 * breakpad/text.h - lines, fields and numbers of the text of a symbol file, and
 * a fast search for the lines that are not line records.  Knows no record.
 */
#ifndef GSYM_BREAKPAD_TEXT_H
#define GSYM_BREAKPAD_TEXT_H

#include "base/cursor.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/** A part of the text: [AT, END). */
struct bp_text {
	const char *at;
	const char *end;
};

static inline size_t bp_length(struct bp_text text)
{
	return (size_t)(text.end - text.at);
}

/** Classes of bytes: the value of a hexadecimal digit, or */
enum {
	BP_STOP = 16, /**< blanks, LF and CR, which end a field */
	BP_OTHER = 17,
};

/** One more than the class of each byte, or 0 for BP_OTHER. */
extern const uint8_t gsym_bp_classes[256];

/** The class of C.  For BP_OTHER it may be any number from BP_OTHER on. */
static inline unsigned bp_class(char c)
{
	return gsym_bp_classes[(uint8_t)c] - 1u;
}

/** Step over the UTF-8 byte order mark at the start of TEXT, if there is
 * one. */
static inline void bp_skip_utf8_mark(struct bp_text *text)
{
	if (bp_length(*text) >= 3 && !memcmp(text->at, "\xef\xbb\xbf", 3))
		text->at += 3;
}

/** Remove the next line, which may be empty, from TEXT. *LINE is the line
 *  without its end and trailing blanks.  CARRIAGES: lines may end with CR.
 *  False after the last line. */
static inline bool bp_next_line(struct bp_text *text, struct bp_text *line,
				bool carriages)
{
	const char *feed, *carriage;

	if (text->at == text->end)
		return false;
	line->at = text->at;
	feed = memchr(text->at, '\n', bp_length(*text));
	line->end = feed ? feed : text->end;
	text->at = feed ? feed + 1 : text->end;
	carriage = carriages ? memchr(line->at, '\r', bp_length(*line)) : NULL;
	if (carriage) {
		const char *next = carriage;

		while (next < line->end && *next == '\r')
			next++;
		if (next < line->end) /* a CR without LF ends a line, too */
			text->at = next;
		line->end = carriage;
	}
	while (line->end > line->at &&
	       (line->end[-1] == ' ' || line->end[-1] == '\t'))
		line->end--;
	return true;
}

static inline void bp_skip_blanks(struct bp_text *line)
{
	while (line->at < line->end && (*line->at == ' ' || *line->at == '\t'))
		line->at++;
}

/** Returns true at the end of the line. */
static inline bool bp_at_end(struct bp_text line)
{
	return line.at == line.end || *line.at == '\n' || *line.at == '\r';
}

/** Step over the rest of the line that TEXT begins with.  CARRIAGES: as for
 *  bp_next_line. */
static inline void bp_skip_line(struct bp_text *text, bool carriages)
{
	struct bp_text line;

	if (text->at < text->end && *text->at == '\n')
		text->at++;
	else
		bp_next_line(text, &line, carriages);
}

/** Remove the next field from LINE and return it; an empty text after the last
 * field. */
static inline struct bp_text bp_field(struct bp_text *line)
{
	struct bp_text field;

	bp_skip_blanks(line);
	field.at = line->at;
	while (line->at < line->end && bp_class(*line->at) != BP_STOP)
		line->at++;
	field.end = line->at;
	return field;
}

/** Remove the rest of LINE without leading blanks, such as a name, and return
 * it. */
static inline struct bp_text bp_rest(struct bp_text *line)
{
	struct bp_text rest;

	bp_skip_blanks(line);
	rest = *line;
	line->at = line->end;
	return rest;
}

/** Returns true if TEXT is WORD. */
static inline bool bp_is(struct bp_text text, const char *word)
{
	size_t length = strlen(word);

	return bp_length(text) == length && !memcmp(text.at, word, length);
}

/** Step over the field WORD at the start of LINE; false if another field is
 *  there. */
static inline bool bp_skip_word(struct bp_text *line, const char *word)
{
	size_t length = strlen(word);

	if (bp_length(*line) < length || memcmp(line->at, word, length) != 0 ||
	    (bp_length(*line) > length &&
	     bp_class(line->at[length]) != BP_STOP))
		return false;
	line->at += length;
	return true;
}

/** Read the next field of LINE as a number in BASE, of MOST at most; 0x may be
 *  in front of a hexadecimal number.  LINE is moved to a place in that field,
 *  and behind it if it is such a number. */
static inline bool bp_number(struct bp_text *line, unsigned base, uint64_t most,
			     uint64_t *ret)
{
	const char *at = line->at, *end = line->end, *start;
	unsigned class = BP_STOP;
	uint64_t value = 0;

	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	if (base == 16 && end - at > 2 && at[0] == '0' && (at[1] | 32) == 'x')
		at += 2;
	for (start = at; at < end && (class = bp_class(*at)) < base; at++)
		value = value * base + class;
	line->at = at;
	*ret = value;
	/* Only numbers of many digits can be too large. */
	return at > start && (at == end || class == BP_STOP) &&
	       (at - start <= (base == 16 ? 15 : 9) ||
		(gsym_number(start, at, base, ret, NULL) && *ret <= most));
}

/** Remove the next field from LINE and read it as a hexadecimal number below
 *  2^64 - 1, or as a decimal number, perhaps with a minus sign.  False if the
 *  field is no such number. */
static inline bool bp_hex(struct bp_text *line, uint64_t *ret)
{
	return bp_number(line, 16, UINT64_MAX - 1, ret);
}

static inline bool bp_decimal(struct bp_text *line, uint32_t *ret)
{
	uint64_t value;
	bool fine = bp_number(line, 10, UINT32_MAX, &value);

	*ret = (uint32_t)value;
	return fine;
}

static inline bool bp_signed(struct bp_text *line, int64_t *ret)
{
	struct bp_text start = *line;
	uint64_t value;
	bool fine = bp_number(line, 10, UINT32_MAX, &value);

	*ret = (int64_t)value;
	if (fine)
		return true;
	bp_skip_blanks(&start);
	if (bp_length(start) < 2 || *start.at != '-' ||
	    bp_class(start.at[1]) > 9)
		return false;
	line->at = start.at + 1;
	fine = bp_number(line, 10, UINT32_MAX, &value);
	*ret = -(int64_t)value;
	return fine;
}

/** Whether all of TEXT is a number as bp_hex reads it, which *RET becomes. */
bool gsym_bp_hex(struct bp_text text, uint64_t *ret);

/* ---- the search for lines ------------------------------------------------ */

/*
 * Most lines of a symbol file are line records, which the first pass does not
 * need.  A block of 64 bytes is kept as bit sets: the bytes that end a line,
 * and the bytes that may begin a line record.  Only lines that begin with
 * other bytes are visited.
 */
enum { BP_BLOCK = 64 };

/** Sets of a block's bytes: bit N is byte N. */
struct bp_marks {
	uint64_t feeds;    /**< LF */
	uint64_t ends;     /**< LF and CR */
	uint64_t spaces;
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

/* ---- line records -------------------------------------------------------- */

/* Most of the text is line records, and most of them have the form that
 * producers write: numbers without a prefix, a space between two, and LF or CR
 * LF after the last.  These are read by the bit sets of a block. */

/** A line record.  FILE is an id, or negative. */
struct bp_line {
	uint64_t start;
	uint64_t end;
	int64_t line;
	int64_t file;
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

/** A walk over line records.  The sets of a block show where each number
 *  ends. */
struct bp_line_walk {
	const char *block;
	const char *last; /**< the last place where a block may begin */
	unsigned at;	  /**< offset of the next record in the block */
	uint64_t stops;	  /**< the bytes from AT on that are no digits */
	uint64_t breaks;  /**< neither digits nor spaces */
	uint64_t letters; /**< a-f */
};

/** The bytes of text that a walk needs, from the start of its block: the block
 *  itself, and bytes that a load near the end of the block reads beyond it. */
enum { BP_WALK_ROOM = BP_BLOCK + 16 };

/** Let the block begin AT. */
static inline void bp_walk_seek(struct bp_line_walk *w, const char *at)
{
	struct bp_marks marks = bp_mark(at);

	w->block = at;
	w->at = 0;
	w->stops = ~marks.digits;
	w->breaks = ~(marks.digits | marks.spaces);
	w->letters = marks.letters;
}

/** Begin at AT, in text that goes on up to END; false if that is too near. */
static inline bool bp_walk_init(struct bp_line_walk *w, const char *at,
				const char *end)
{
	if (end - at < BP_WALK_ROOM)
		return false;
	w->last = end - BP_WALK_ROOM;
	bp_walk_seek(w, at);
	return true;
}

/** Whether the set V has at least four bits. */
static inline bool bp_has_four(uint64_t v)
{
	v &= v - 1;
	v &= v - 1;
	return v & (v - 1);
}

/** Read a line record and the end of its line: four numbers, of which the last
 *  two are decimal.  False if the line has another form.  Most of the time of a
 *  conversion is spent here, so all variables should be in registers. */
static inline bool bp_walk_line(struct bp_line_walk *w, struct bp_line *ret)
{
	size_t at;			  /* start of the address */
	size_t address, size, line, file; /* ends of the numbers */
	const char *p;
	uint64_t s;

	if (!bp_has_four(w->stops)) {
		if (w->block + w->at > w->last)
			return false;
		bp_walk_seek(w, w->block + w->at);
		if (!bp_has_four(w->stops))
			return false;
	}
	p = w->block;
	at = w->at;
	s = w->stops;
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
	if (address - at - 1 > 15 || size - address - 2 > 7 ||
	    line - size - 2 > 7 || file - line - 2 > 7 ||
	    w->letters >> size << size << (63 - file) ||
	    w->breaks >> at << at << (63 - file) != (uint64_t)1 << 63)
		return false;
	if (address - at <= 8)
		ret->start = bp_join_hex(bp_digits(p + at, address - at));
	else
		ret->start = bp_join_hex(bp_digits(p + at, address - at - 8))
				     << 32 |
			     bp_join_hex(bp_digits(p + address - 8, 8));
	if (__builtin_add_overflow(ret->start,
				   bp_join_hex(bp_digits(p + address + 1,
							 size - address - 1)),
				   &ret->end) ||
	    ret->start == UINT64_MAX)
		return false;
	ret->line = bp_join_decimal(bp_digits(p + size + 1, line - size - 1));
	ret->file = bp_join_decimal(bp_digits(p + line + 1, file - line - 1));
	if (p[file] == '\n') {
		w->at = (unsigned)file + 1;
	} else if (p[file] == '\r' && p[file + 1] == '\n') {
		s &= s - 1;
		w->at = (unsigned)file + 2;
	} else {
		return false;
	}
	w->stops = s;
	return true;
}

#endif
