/* SPDX-License-Identifier: MIT */
/*
 * path.h - makes texts of paths, without a look at the file system.
 */
#ifndef TOOLS_COMMON_PATH_H
#define TOOLS_COMMON_PATH_H

#include <stddef.h>

/** The character to put between DIRECTORY and a base name, by the one rule of
 *  the GSYM format: a backslash if DIRECTORY contains backslashes but no slash,
 *  else a slash; 0 if DIRECTORY is empty or ends with that character. */
char path_separator(const char *directory);

/** The last component of PATH; PATH itself if it ends with a slash. */
const char *path_base(const char *path);
/** The part after the last slash of the *SIZE bytes at PATH; *SIZE becomes its
 *  size. */
const char *path_base_of(const char *path, size_t *size);
/** DIRECTORY and BASENAME with path_separator(DIRECTORY) between them,
 *  malloc'ed.  Dies if memory runs out. */
char *path_join(const char *directory, const char *basename);

/** A path by printf's rules, malloc'ed.  Dies if memory runs out. */
char *path_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* TOOLS_COMMON_PATH_H */
