/* SPDX-License-Identifier: MIT */
/*
 * cache.h - the user's cache folder of GSYM files that tools fetched or
 * converted by themselves, and the names of files in it.  It knows paths and
 * build IDs, not GSYM.
 */
#ifndef TOOLS_COMMON_CACHE_H
#define TOOLS_COMMON_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The cache folder: $XDG_CACHE_HOME/gsym, or else $HOME/.cache/gsym.  A
 *  variable that is no absolute path is ignored.  Returns a malloc'ed path,
 *  or NULL if neither variable is usable.  Dies if memory runs out. */
char *cache_folder(void);

/** The start of the names of folders in the cache folder in which files are
 *  made, before they are renamed. */
#define CACHE_STAGING ".new."

/** The path of the file for a build ID of SIZE (1 or more) bytes:
 *  DIRECTORY/.build-id/hh/restSUFFIX, where hh is the first byte of BUILD_ID
 *  in hexadecimal, and rest are the others.  Returns a malloc'ed path.  Dies
 *  if memory runs out. */
char *cache_path(const char *directory, const uint8_t *build_id, size_t size,
		 const char *suffix);
/** Make all missing folders that PATH lies in.  PATH is written to in
 *  between, and is unchanged in the end.  Returns false, with errno set, if
 *  one cannot be made. */
bool cache_make_folders(char *path);

/** Read a build ID from hexadecimal digits: TEXT becomes bytes at TO, which
 *  has room for CAPACITY.  Returns the number of bytes; 0 if TEXT is empty,
 *  has other characters, an odd length, or more than CAPACITY bytes. */
size_t cache_parse_id(const char *text, uint8_t *to, size_t capacity);

#endif /* TOOLS_COMMON_CACHE_H */
