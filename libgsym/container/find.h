/* SPDX-License-Identifier: MIT */
/* container/find.h - where the other files of a program are searched. */
#ifndef GSYM_CONTAINER_FIND_H
#define GSYM_CONTAINER_FIND_H

#include <gsym/convert.h>

struct gsym_find {
	/** Trees of debug files, such as /usr/lib/debug. */
	const char *const *directories;
	size_t directory_count;
	/** Threads that load a file, who hears what is tried, who fetches,
	 *  and what else a conversion knows. */
	const struct gsym_convert_options *options;
};

/** Debug files that are tried one after the other. */
struct gsym_find_attempt {
	const struct gsym_convert_options *options;
	/** What the last one was, and what was wrong with it. */
	enum gsym_status status;
	char problem[GSYM_ERROR_MESSAGE_SIZE];
	/** The path of the right one, malloc'ed; NULL: none so far. */
	char *found;
};

/** Note what is wrong with a file; false. */
__attribute__((format(printf, 3, 4))) bool
gsym_find_refuse(struct gsym_find_attempt *attempt, enum gsym_status status,
		 const char *format, ...);

/** Open PATH if it is the right file; else say why it is not. */
typedef bool gsym_find_open_fn(void *context, const char *path);
/** Try PATH, malloc'ed (NULL: there was no memory for it) and taken over.
 *  Returns whether the search is over. */
bool gsym_find_try(struct gsym_find_attempt *attempt, char *path,
		   gsym_find_open_fn *open, void *context);
/** A path, malloc'ed; NULL without memory. */
__attribute__((format(printf, 1, 2))) char *gsym_find_path(const char *format,
							   ...);

#endif
