/* SPDX-License-Identifier: MIT */
/*
 * cache.h - the folder for GSYM files that tools made or fetched on their
 * own.  It knows where it is, and not what is in it.
 */
#ifndef TOOLS_COMMON_CACHE_H
#define TOOLS_COMMON_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** $XDG_CACHE_HOME/gsym, or else ~/.cache/gsym, malloc'ed; NULL if neither
 *  is an absolute path.  Dies without memory. */
char *cache_folder(void);

/** "DIRECTORY/.build-id/NN/REST" and SUFFIX for a build ID, malloc'ed.  Dies
 *  without memory. */
char *cache_path(const char *directory, const uint8_t *build_id, size_t size,
		 const char *suffix);
/** Make the folders that lead to PATH; false, with errno set, if that is not
 *  possible. */
bool cache_make_folders(char *path);

/** The bytes that the hexadecimal digits TEXT write go to TO, CAPACITY at
 *  most.  Returns how many; 0 if TEXT is no build ID. */
size_t cache_parse_id(const char *text, uint8_t *to, size_t capacity);

#endif /* TOOLS_COMMON_CACHE_H */
