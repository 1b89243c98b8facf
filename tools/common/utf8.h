/* SPDX-License-Identifier: MIT */
/*
 * utf8.h - the length of a UTF-8 character.  The library has the same function
 * in base/utf8.h, which tools do not see.
 */
#ifndef TOOLS_COMMON_UTF8_H
#define TOOLS_COMMON_UTF8_H

#include <stddef.h>

/** The number of bytes of the UTF-8 character at TEXT, where LEFT bytes can be
 *  read, at least 1; 0 if no well-formed character begins there.  No byte after
 *  one that continues no character is read, so that LEFT may be 4 where a text
 *  ends with NUL. */
static inline size_t utf8_length(const void *text, size_t left)
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

#endif /* TOOLS_COMMON_UTF8_H */
