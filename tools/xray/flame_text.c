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
