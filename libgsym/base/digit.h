/* SPDX-License-Identifier: MIT */
/* base/digit.h - the value of a digit, for readers of text. */
#ifndef GSYM_BASE_DIGIT_H
#define GSYM_BASE_DIGIT_H

/** The value of the hexadecimal digit C, in either case: 0 to 15.  16 if C is
 *  no such digit. */
static inline unsigned gsym_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

#endif
