/* SPDX-License-Identifier: MIT */
/* Text, numbers and colours on the page of gsym-xray flame. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/utf8.h"
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
	size_t length = utf8_length(text, 4);
	/* C1, U+FFFE and U+FFFF. */
	if (*text < 0x20 || *text == 0x7f ||
	    (*text == 0xc2 && text[1] < 0xa0) ||
	    (length == 3 && *text == 0xef && text[1] == 0xbf &&
	     text[2] > 0xbd))
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
