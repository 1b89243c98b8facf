/* SPDX-License-Identifier: MIT */
/* Text, numbers and colours on the page of gsym-xray flame. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "xray/flame.h"

const char *flame_duration(const struct flame *f, uint64_t ticks,
			   char text[FLAME_DURATION])
{
	static const struct { double size; const char *name; } units[] = {
		{ 1e9, "s" }, { 1e6, "ms" }, { 1e3, "\xc2\xb5s" }, { 1, "ns" },
	};
	int unit = 0, digits = 3;
	if (!f->frequency) {
		snprintf(text, FLAME_DURATION, "%" PRIu64 " ticks", ticks);
		return text;
	}
	double ns = (double)ticks * 1e9 / (double)f->frequency;
	while (unit < 3 && ns < units[unit].size)
		unit++;
	double value = ns / units[unit].size;
	for (double v = value; v >= 10 && digits; v /= 10)
		digits--;
	snprintf(text, FLAME_DURATION, "%.*f %s", unit == 3 ? 0 : digits,
		 value, units[unit].name);
	return text;
}

unsigned flame_colour(const char *name)
{
	uint32_t hash = 2166136261;
	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619;
	return (hash >> 7 ^ hash >> 19) % FLAME_COLOURS;
}

void flame_lines(struct out *out, const char *const *lines)
{
	for (; *lines; lines++)
		out_text(out, *lines);
}

/* The length of the UTF-8 sequence at TEXT; 0 if it is malformed, or a
 * character that is not allowed in a page. */
static size_t sequence(const unsigned char *text)
{
	size_t length = *text < 0x80 ? 1 : *text < 0xe0 ? 2 : *text < 0xf0 ? 3
									   : 4;
	if (*text < 0x20 || *text == 0x7f ||
	    (*text >= 0x80 && (*text < 0xc2 || *text > 0xf4)))
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	/* C1, overlong forms, surrogates, U+FFFE and U+FFFF, and values beyond
	 * Unicode. */
	if ((*text == 0xc2 && text[1] < 0xa0) ||
	    (*text == 0xe0 && text[1] < 0xa0) ||
	    (*text == 0xed && text[1] > 0x9f) ||
	    (*text == 0xef && text[1] == 0xbf && text[2] > 0xbd) ||
	    (*text == 0xf0 && text[1] < 0x90) ||
	    (*text == 0xf4 && text[1] > 0x8f))
		return 0;
	return length;
}

void flame_escape(struct out *out, const char *text, size_t limit)
{
	for (size_t n = 0; *text && (!limit || n < limit); n++) {
		size_t length = sequence((const unsigned char *)text);
		if (*text == '&')
			out_text(out, "&amp;");
		else if (*text == '<')
			out_text(out, "&lt;");
		else if (*text == '>')
			out_text(out, "&gt;");
		else if (length)
			out_bytes(out, text, length);
		else
			out_text(out, "\xef\xbf\xbd");
		text += length ? length : 1;
	}
}
