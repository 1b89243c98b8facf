/* SPDX-License-Identifier: MIT */
/* Recognises symbol files, plain and compressed, by their first bytes. */
#include "breakpad/kind.h"

#include "breakpad/breakpad.h"
#include "breakpad/text.h"

enum bp_kind gsym_bp_kind(const uint8_t *head, size_t size)
{
	static const uint8_t zstd[4] = { 0x28, 0xb5, 0x2f, 0xfd };

	if (size >= 2 && head[0] == 0x1f && head[1] == 0x8b)
		return BP_GZIP;
	if (size >= 4 && !memcmp(head, zstd, 4))
		return BP_ZSTD;
	if (size >= 4 && !memcmp(head, "MSCF", 4))
		return BP_CABINET;
	if (size >= 2 &&
	    ((head[0] == 0xff && head[1] == 0xfe) ||
	     (head[0] == 0xfe && head[1] == 0xff) ||
	     (head[0] == 'M' && !head[1]) || (!head[0] && head[1] == 'M')))
		return BP_UTF16;
	return BP_PLAIN;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The first word of a text that begins with the SIZE bytes at HEAD. */
static struct bp_text first_word(const uint8_t *head, size_t size)
{
	struct bp_text text = { (const char *)head, (const char *)head + size };
	struct bp_text word;

	bp_skip_utf8_mark(&text);
	while (text.at < text.end && is_blank(*text.at))
		text.at++;
	word = (struct bp_text){ text.at, text.at };
	while (word.end < text.end && *word.end && !is_blank(*word.end))
		word.end++;
	return word;
}

size_t gsym_breakpad_blanks(const uint8_t *head, size_t size)
{
	return (size_t)((const uint8_t *)first_word(head, size).at - head);
}

bool gsym_breakpad_plain_matches(const uint8_t *head, size_t size)
{
	struct bp_text word = first_word(head, size);

	return bp_is(word, "MODULE") &&
	       (const uint8_t *)word.end < head + size &&
	       (*word.end == ' ' || *word.end == '\t');
}

bool gsym_breakpad_matches(const uint8_t *head, size_t size)
{
	/* No program begins with the first bytes of a compressed file, a
	 * cabinet archive or a text in UTF-16. */
	return gsym_bp_kind(head, size) != BP_PLAIN ||
	       gsym_breakpad_plain_matches(head, size);
}

bool gsym_breakpad_starts(const uint8_t *head, size_t size)
{
	static const char *const words[] = {
		"MODULE", "INFO",  "FILE",   "FUNC",
		"PUBLIC", "STACK", "INLINE", "INLINE_ORIGIN",
	};
	struct bp_text word = first_word(head, size);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (bp_is(word, words[i]))
			return true;
	return false;
}
