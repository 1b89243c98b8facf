/* SPDX-License-Identifier: MIT */
/* base/path_map.h - paths of source files: the character between a directory
 * and a base name, and prefixes that are replaced by others.  Opens no file. */
#ifndef GSYM_BASE_PATH_MAP_H
#define GSYM_BASE_PATH_MAP_H

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/** What joins DIRECTORY, whose style tells whether it is a path of Windows, and
 *  a base name: "" if DIRECTORY is empty or ends with a separator. */
static inline const char *gsym_path_separator(const char *directory)
{
	size_t length = strlen(directory);
	char last = length ? directory[length - 1] : '/';

	if (last == '/')
		return "";
	if (memchr(directory, '/', length) || !memchr(directory, '\\', length))
		return "/";
	return last == '\\' ? "" : "\\";
}

/** Prefixes of paths, and what replaces them: texts OLD=NEW, malloc'ed, or
 *  "auto".  Zeroed: none. */
struct gsym_path_map {
	GSYM_VEC(char *);
};

/** A path that was mapped. */
struct gsym_path_mapped {
	char *text; /**< malloc'ed; NULL: no prefix fits */
	/** Point into TEXT. */
	const char *directory, *basename;
};

/** Free the array PATHS of COUNT paths; PATHS may be NULL. */
void gsym_path_mapped_free(struct gsym_path_mapped *paths, size_t count);
/** Whether TEXT is OLD=NEW with a text OLD, or "auto". */
bool gsym_path_map_valid(const char *text);
/** Add a copy of the COUNT texts of TEXTS, which are valid, to MAP.  False
 *  without memory. */
bool gsym_path_map_add(struct gsym_path_map *map, const char *const *texts,
		       size_t count);
/** Whether the sources in DIRECTORY are no part of the project that is built:
 *  those of Rust's library, and of crates that Cargo has fetched. */
bool gsym_path_is_fetched(const char *directory);
void gsym_path_map_fini(struct gsym_path_map *map);
/** Map the path of DIRECTORY and BASENAME: the last OLD of MAP that it begins
 *  with becomes NEW.  False without memory. */
bool gsym_path_map_apply(const struct gsym_path_map *map,
			 const char *directory, const char *basename,
			 struct gsym_path_mapped *ret);

/** Whether the SIZE bytes at PATH are the path of a shared library of ELF, by
 *  its file name: "/lib/libc.so.6", but not "/home/tmp.sorted/program". */
static inline bool gsym_path_is_library(const char *path, size_t size)
{
	size_t at = size;

	while (at && path[at - 1] != '/')
		at--;
	for (; at + 3 <= size; at++)
		/* No letter follows, as in "a.source". */
		if (!memcmp(path + at, ".so", 3) &&
		    (at + 3 == size || (path[at + 3] | 0x20) < 'a' ||
		     (path[at + 3] | 0x20) > 'z'))
			return true;
	return false;
}

#endif /* GSYM_BASE_PATH_MAP_H */
