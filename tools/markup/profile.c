/* SPDX-License-Identifier: MIT */
/* Profiles, which are no logs: said once, for users who look for gsym-pprof. */
#include "config.h"

#include <string.h>

#include "common/report.h"
#include "markup/markup.h"

/* Whether the SIZE bytes begin with WORD. */
static bool begins(const char *bytes, size_t size, const char *word)
{
	return size >= strlen(word) && memcmp(bytes, word, strlen(word)) == 0;
}

/* Whether the line AT to END is "main;work;leaf 12". */
static bool is_folded(const char *at, const char *end)
{
	const char *digits = end;
	while (digits > at && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	return digits < end && digits - at > 1 && digits[-1] == ' ' &&
	       memchr(at, ';', (size_t)(digits - at)) &&
	       !memchr(" \t;<[{\"", *at, 7);
}

/* Whether the first lines of the SIZE bytes, two at least, are folded stacks.
 * The last line may be cut. */
static bool are_folded(const char *bytes, size_t size)
{
	enum { MOST = 64, LEAST = 2 };
	const char *at = bytes, *end;
	int lines = 0;
	while (lines < MOST &&
	       (end = memchr(at, '\n', size - (size_t)(at - bytes)))) {
		if (!is_folded(at, end))
			return false;
		at = end + 1;
		lines++;
	}
	return lines >= LEAST;
}

void markup_tell_profile(struct markup *m, const char *bytes, size_t size,
			 const char *path)
{
	if (!m->options.logs.forms || m->profile_told)
		return;
	m->profile_told = true;
	if (begins(bytes, size, "heap profile: ") ||
	    begins(bytes, size, "heap_v2/"))
		report_note("note: '%s' is a heap profile, not a log: "
			    "gsym-pprof names its addresses",
			    path);
	else if (are_folded(bytes, size))
		report_note("note: '%s' has folded stacks, not a log: "
			    "gsym-pprof names the addresses of a profile "
			    "before its stacks are folded",
			    path);
	else
		m->profile_told = false;
}
