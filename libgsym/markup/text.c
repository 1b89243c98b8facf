/* SPDX-License-Identifier: MIT */
/* Recognises the characters that must not be written. */
#include "markup/text.h"

#include "base/utf8.h"

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
	size_t size = gsym_utf8_length(text, (size_t)(end - text));

	if (at[0] < 0x20 || at[0] == 0x7f ||
	    (!size && at[0] >= 0x80 && at[0] < 0xa0))
		return 1;
	if (size == 2 && at[0] == 0xc2 && at[1] < 0xa0)
		return 2;
	return changes_direction(at, size) ? size : 0;
}
