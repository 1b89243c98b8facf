/* SPDX-License-Identifier: MIT */
/* base/digit.h - the value of a digit, and the digits of bytes, both ways. */
#ifndef GSYM_BASE_DIGIT_H
#define GSYM_BASE_DIGIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The value of the hexadecimal digit C, in either case: 0 to 15.  16 if C is
 *  no such digit. */
static inline unsigned gsym_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

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

#endif
