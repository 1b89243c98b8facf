/* SPDX-License-Identifier: MIT */
/* Texts and data as parts of an HTML page. */
#include "config.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"
#include "common/html.h"

void html_lines(struct out *out, const char *const *lines)
{
	for (; *lines; lines++)
		out_text(out, *lines);
}

/* The length of the UTF-8 sequence at TEXT; 0 if it is malformed, or a
 * character that is not allowed in a page. */
static size_t sequence(const unsigned char *text)
{
	size_t length = gsym_utf8_length(text, 4);
	/* C1, U+FFFE and U+FFFF. */
	if (*text < 0x20 || *text == 0x7f ||
	    (*text == 0xc2 && text[1] < 0xa0) ||
	    (length == 3 && *text == 0xef && text[1] == 0xbf && text[2] > 0xbd))
		return 0;
	return length;
}

void html_escape(struct out *out, const char *text, size_t limit)
{
	for (size_t n = 0; *text && (!limit || n < limit); n++) {
		size_t length = sequence((const unsigned char *)text);
		if (*text == '&')
			out_text(out, "&amp;");
		else if (*text == '<')
			out_text(out, "&lt;");
		else if (*text == '>')
			out_text(out, "&gt;");
		else if (*text == '"')
			out_text(out, "&quot;");
		else if (length)
			out_bytes(out, text, length);
		else
			out_text(out, "\xef\xbf\xbd");
		text += length ? length : 1;
	}
}

void html_embed(struct out *out, const char *text, size_t size)
{
	const char *end = text + size, *next;
	while ((next = memchr(text, '<', (size_t)(end - text)))) {
		out_bytes(out, text, (size_t)(next - text));
		out_text(out, "\\u003c");
		text = next + 1;
	}
	out_bytes(out, text, (size_t)(end - text));
	out_text(out, "\n");
}
