/* SPDX-License-Identifier: MIT */
/*
 * lookup/filter.c - --merged-functions-filter: which of the functions that
 * share the code are shown.
 */
#include "config.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "common/report.h"
#include "lookup/lookup.h"

struct lookup_filter {
	size_t count;
	regex_t patterns[];
};

void lookup_filter_open(struct lookup *l)
{
	size_t count = l->filter_texts.count;
	struct lookup_filter *f;

	if (!count)
		return;
	f = must_have(calloc(1, sizeof(*f) + count * sizeof(*f->patterns)));
	for (; f->count < count; f->count++) {
		const char *text = l->filter_texts.items[f->count];

		if (regcomp(&f->patterns[f->count], text,
			    REG_EXTENDED | REG_NOSUB) != 0)
			die_usage("--merged-functions-filter: '%s' is no "
				  "extended regular expression",
				  text);
	}
	l->filter = f;
}

void lookup_filter_close(struct lookup *l)
{
	if (!l->filter)
		return;
	while (l->filter->count)
		regfree(&l->filter->patterns[--l->filter->count]);
	free(l->filter);
	l->filter = NULL;
}

bool lookup_filter_takes(const struct lookup *l,
			 const struct gsym_frame *frames, size_t count)
{
	const struct lookup_filter *f = l->filter;
	const char *name = count ? frames[count - 1].function : "";

	/* The answer says that a longer name is not shown. */
	if (!f || strnlen(name, FRAMES_BYTES) == FRAMES_BYTES)
		return true;
	for (size_t i = 0; i < f->count; i++)
		if (regexec(&f->patterns[i], name, 0, NULL, 0) == 0)
			return true;
	return false;
}
