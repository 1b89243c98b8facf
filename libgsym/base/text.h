/* SPDX-License-Identifier: MIT */
/* base/text.h - characters: digits, numbers, the digits of bytes, both
 * ways, endings of names, the length of a UTF-8 character, and the characters
 * that a terminal must not get. */
#ifndef GSYM_BASE_TEXT_H
#define GSYM_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** The bytes of NAME, which has SIZE, before END, if NAME ends so and has more
 *  bytes; else SIZE. */
static inline size_t gsym_cut_end(const char *name, size_t size,
				  const char *end)
{
	size_t cut = strlen(end);

	return size > cut && memcmp(name + size - cut, end, cut) == 0
		       ? size - cut
		       : size;
}

/** The value of the hexadecimal digit C, in either case: 0 to 15.  16 if C is
 *  no such digit. */
static inline unsigned gsym_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

/** Step over the digits of BASE, 1 to 16, at TEXT up to END.  *VALUE becomes
 *  the number, UINT64_MAX if it has more than 64 bits, which *FITS, unless
 *  NULL, tells.  Returns the byte after the digits: TEXT if there are none. */
static inline const char *gsym_number(const char *text, const char *end,
				      unsigned base, uint64_t *value,
				      bool *fits)
{
	uint64_t number = 0;
	bool fit = true;

	for (unsigned digit; text < end && (digit = gsym_digit(*text)) < base;
	     text++) {
		fit &= !__builtin_mul_overflow(number, base, &number);
		fit &= !__builtin_add_overflow(number, digit, &number);
	}
	*value = fit ? number : UINT64_MAX;
	if (fits)
		*fits = fit;
	return text;
}

/** The most characters that gsym_hex_put and gsym_decimal_put write. */
enum { GSYM_NUMBER_MAX = 20 };
/** Write VALUE to TO in hexadecimal digits, without 0x, leading zeros or a
 *  NUL.  Returns the number of characters. */
size_t gsym_hex_put(char *to, uint64_t value);
/** The same in decimal digits. */
size_t gsym_decimal_put(char *to, uint64_t value);

/** Write two hexadecimal digits for each of the SIZE bytes at BYTES to the ROOM
 *  bytes at TO, and a NUL.  Bytes for which there is no room are left out. */
static inline void gsym_digits(char *to, size_t room, const uint8_t *bytes,
			       size_t size)
{
	static const char digits[] = "0123456789abcdef";

	for (; size && room > 2; size--, room -= 2) {
		*to++ = digits[*bytes >> 4];
		*to++ = digits[*bytes++ & 15];
	}
	*to = '\0';
}

/** Read SIZE bytes from twice as many hexadecimal digits at TEXT, in either
 *  case, to TO.  Returns false if a character is no such digit. */
static inline bool gsym_digits_read(uint8_t *to, const char *text, size_t size)
{
	for (; size; size--, text += 2) {
		unsigned high = gsym_digit(text[0]), low = gsym_digit(text[1]);

		if (high > 15 || low > 15)
			return false;
		*to++ = (uint8_t)(high << 4 | low);
	}
	return true;
}

/** The number of bytes of the UTF-8 character at TEXT, where LEFT bytes can be
 *  read, at least 1; 0 if no well-formed character begins there.  No byte after
 *  one that continues no character is read, so that LEFT may be 4 where a text
 *  ends with NUL. */
static inline size_t gsym_utf8_length(const void *text, size_t left)
{
	const unsigned char *at = text;
	size_t size = at[0] < 0x80   ? 1
		      : at[0] < 0xc2 ? 0
		      : at[0] < 0xe0 ? 2
		      : at[0] < 0xf0 ? 3
		      : at[0] < 0xf5 ? 4
				     : 0;

	if (size == 0 || size > left)
		return 0;
	for (size_t i = 1; i < size; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	/* Encodings that are longer than needed, surrogates, and numbers above
	 * U+10FFFF. */
	if ((at[0] == 0xe0 && at[1] < 0xa0) ||
	    (at[0] == 0xed && at[1] > 0x9f) ||
	    (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
		return 0;
	return size;
}

/** As gsym_utf8_length, but 0 also for what pages of HTML must not have:
 *  control characters, U+FFFE and U+FFFF. */
static inline size_t gsym_utf8_page(const void *text, size_t left)
{
	const unsigned char *at = text;
	size_t size = gsym_utf8_length(text, left);

	if (!size || at[0] < 0x20 || at[0] == 0x7f ||
	    (at[0] == 0xc2 && at[1] < 0xa0) ||
	    (size == 3 && at[0] == 0xef && at[1] == 0xbf && at[2] > 0xbd))
		return 0;
	return size;
}

/** Write CODE, at most 0x10ffff, in UTF-8; returns the number of bytes. */
static inline size_t gsym_utf8_put(uint32_t code, char to[4])
{
	size_t size = code < 0x80      ? 1
		      : code < 0x800   ? 2
		      : code < 0x10000 ? 3
				       : 4;

	if (size == 1) {
		to[0] = (char)code;
		return 1;
	}
	for (size_t i = size; --i; code >>= 6)
		to[i] = (char)(0x80 | (code & 0x3f));
	to[0] = (char)(0xf00 >> size | code);
	return size;
}

/** Whether the UTF-8 character at AT, of SIZE bytes, is U+061C, U+200E, U+200F,
 *  U+202A to U+202E, or U+2066 to U+2069. */
static inline bool gsym_utf8_turns(const unsigned char *at, size_t size)
{
	if (size == 2)
		return at[0] == 0xd8 && at[1] == 0x9c;
	if (size != 3 || at[0] != 0xe2)
		return false;
	if (at[1] == 0x80)
		return at[2] == 0x8e || at[2] == 0x8f ||
		       (at[2] >= 0xaa && at[2] <= 0xae);
	return at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9;
}

/** If a terminal must not get the character at TEXT, of which LEFT bytes can be
 *  read: the number of its bytes.  Such characters are control characters, C0,
 *  DEL or C1, the last also as one byte, and marks that change the direction of
 *  text.  Otherwise 0. */
static inline size_t gsym_utf8_harmful(const void *text, size_t left)
{
	const unsigned char *at = text;
	size_t size = gsym_utf8_length(text, left);

	if (at[0] < 0x20 || at[0] == 0x7f ||
	    (!size && at[0] >= 0x80 && at[0] < 0xa0))
		return 1;
	if (size == 2 && at[0] == 0xc2 && at[1] < 0xa0)
		return 2;
	return gsym_utf8_turns(at, size) ? size : 0;
}

#endif
