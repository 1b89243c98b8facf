/* SPDX-License-Identifier: MIT */
/* Text, numbers and colours on the page of gsym-xray flame. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "xray/flame.h"

const char *flame_duration(const struct flame *f, uint64_t ticks,
			   char text[FLAME_DURATION])
{
	if (f->frequency)
		xray_time_text((double)ticks * 1e9 / (double)f->frequency,
			       false, FLAME_MICRO, text, FLAME_DURATION);
	else
		snprintf(text, FLAME_DURATION, "%" PRIu64 " ticks", ticks);
	return text;
}

unsigned flame_colour(const char *name)
{
	uint32_t hash = 2166136261;
	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619;
	return (hash >> 7 ^ hash >> 19) % FLAME_COLOURS;
}
