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

/* The most bytes of names that are tried for an address: many functions may
 * have one long name.  Each name counts as EACH bytes more. */
#define TRIED GSYM_LIMIT(16 * FRAMES_BYTES, 4096)
enum { EACH = 64 };

/* Shared by all threads. */
struct lookup_filter {
	size_t count;
	regex_t patterns[];
};

void lookup_filter_open(struct lookup *l)
{
	size_t count = l->asked->filter_texts.count;
	struct lookup_filter *f;

	if (!count)
		return;
	f = must_have(calloc(1, sizeof(*f) + count * sizeof(*f->patterns)));
	for (; f->count < count; f->count++) {
		const char *text = l->asked->filter_texts.items[f->count];

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
	free(l->asked->filter_texts.items);
	if (!l->filter)
		return;
	while (l->filter->count)
		regfree(&l->filter->patterns[--l->filter->count]);
	free(l->filter);
	l->filter = NULL;
}

void lookup_filter_begin(struct lookup *l)
{
	l->filter_left = TRIED;
}

bool lookup_filter_is_spent(const struct lookup *l)
{
	return l->filter && !l->filter_left;
}

bool lookup_filter_takes(struct lookup *l, const struct gsym_frame *frames,
			 size_t count)
{
	const struct lookup_filter *f = l->filter;
	const char *name = count ? frames[count - 1].function : "";
	size_t size = f ? strnlen(name, FRAMES_BYTES) : 0;

	/* The answer says that a longer name is not shown. */
	if (!f || size == FRAMES_BYTES)
		return true;
	l->filter_left -= size + EACH < l->filter_left ? size + EACH
						       : l->filter_left;
	for (size_t i = 0; i < f->count; i++)
		if (regexec(&f->patterns[i], name, 0, NULL, 0) == 0)
			return true;
	return false;
}
