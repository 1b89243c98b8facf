/* SPDX-License-Identifier: MIT */
/* input/find.h - where the other files of a program are searched. */
#ifndef GSYM_INPUT_FIND_H
#define GSYM_INPUT_FIND_H

#include <gsym/convert.h>

struct gsym_find {
	/** Trees of debug files, such as /usr/lib/debug. */
	const char *const *directories;
	size_t directory_count;
	/** Threads that load a file, who hears what is tried, who fetches,
	 *  and what else a conversion knows. */
	const struct gsym_convert_options *options;
};

#endif
