/* SPDX-License-Identifier: MIT */
/*
 * path.h - makes texts of paths, such as those of the user's cache folder, in
 * which GSYM files lie that tools fetched or converted by themselves.
 */
#ifndef TOOLS_COMMON_PATH_H
#define TOOLS_COMMON_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/** The cache folder of this release: $XDG_CACHE_HOME/gsym/RELEASE, or else
 *  $HOME/.cache/gsym/RELEASE.  So what an older release has converted answers
 *  nothing.  A variable that is no absolute path is ignored.  Returns a
 *  malloc'ed path, or NULL if neither variable is usable.  Dies if memory runs
 *  out. */
char *path_cache(void);
/** The path of the file for a build ID of SIZE (1 or more) bytes:
 *  DIRECTORY/.build-id/hh/restSUFFIX, where hh is the first byte of BUILD_ID
 *  in hexadecimal, and rest are the others.  Returns a malloc'ed path.  Dies
 *  if memory runs out. */
char *path_build_id(const char *directory, const uint8_t *build_id, size_t size,
		    const char *suffix);
/** Make all missing folders that PATH lies in.  PATH is written to in
 *  between, and is unchanged in the end.  Returns false, with errno set, if
 *  one cannot be made. */
bool path_make_folders(char *path);

/** Whether RELEASE, the name of a release of the Linux kernel, may be the name
 *  of a folder, as in DIR/by-release/RELEASE/vmlinux.gsym: 1 to 64 letters,
 *  digits and signs that leads nowhere else. */
bool path_is_release(const char *release);

#endif /* TOOLS_COMMON_PATH_H */
