/* SPDX-License-Identifier: MIT */
/*
 * path.h - joins a directory and a base name by the one rule of the GSYM
 * format, for text, JSON and comparisons.  It does not touch the file system.
 */
#ifndef TOOLS_COMMON_PATH_H
#define TOOLS_COMMON_PATH_H

#include <string.h>

/** The character to put between DIRECTORY, which must not be empty, and a
 *  base name: a backslash if DIRECTORY contains backslashes but no slash, else
 *  a slash; 0 if DIRECTORY ends with that character already. */
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
