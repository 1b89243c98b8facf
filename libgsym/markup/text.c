/* SPDX-License-Identifier: MIT */
/* Measures UTF-8 characters, and recognises those that must not be written. */
#include "markup/text.h"

size_t gsym_mk_utf8_length(const char *text, const char *end)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t size = at[0] < 0x80   ? 1
		      : at[0] < 0xc2 ? 0
		      : at[0] < 0xe0 ? 2
		      : at[0] < 0xf0 ? 3
		      : at[0] < 0xf5 ? 4
				     : 0;

	if (size == 0 || size > (size_t)(end - text))
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

/* Whether the UTF-8 character at AT, of SIZE bytes, is U+061C, U+200E, U+200F,
 * U+202A to U+202E, or U+2066 to U+2069. */
static bool changes_direction(const unsigned char *at, size_t size)
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

size_t gsym_mk_harmful(const char *text, const char *end)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t size = gsym_mk_utf8_length(text, end);

	if (at[0] < 0x20 || at[0] == 0x7f ||
	    (!size && at[0] >= 0x80 && at[0] < 0xa0))
		return 1;
	if (size == 2 && at[0] == 0xc2 && at[1] < 0xa0)
		return 2;
	return changes_direction(at, size) ? size : 0;
}
