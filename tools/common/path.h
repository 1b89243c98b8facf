/* SPDX-License-Identifier: MIT */
/*
 * path.h - how a directory and a base name become a path: the one rule of
 * the GSYM format, for text, JSON and comparisons.  It knows no file system.
 */
#ifndef TOOLS_COMMON_PATH_H
#define TOOLS_COMMON_PATH_H

#include <string.h>

/** What stands between DIRECTORY, which is not empty, and a base name: a
 *  backslash if it has backslashes and no slash; 0 if it ends with one. */
static inline char path_separator(const char *directory)
{
	size_t length = strlen(directory);
	char last = directory[length - 1];
	if (last == '/')
		return 0;
	if (memchr(directory, '/', length))
		return '/';
	if (!memchr(directory, '\\', length))
		return '/';
	return last == '\\' ? 0 : '\\';
}

#endif /* TOOLS_COMMON_PATH_H */
