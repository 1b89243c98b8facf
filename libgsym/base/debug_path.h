/* SPDX-License-Identifier: MIT */
/*
 * base/debug_path.h - the paths of the files for a build ID, and of the debug
 * file that a program names: one list for the conversion and the tools.
 */
#ifndef GSYM_BASE_DEBUG_PATH_H
#define GSYM_BASE_DEBUG_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The path that FORMAT makes, as with printf; malloc'ed.  NULL without
 *  memory. */
__attribute__((format(printf, 1, 2))) char *
gsym_path_print(const char *format, ...);

/** No build ID is a hash of more bytes, and no folder has files for a longer
 *  one. */
enum { GSYM_DEBUG_PATH_ID = 64 };

/** The path DIRECTORY/.build-id/hh/restSUFFIX, where hhrest is the build ID of
 *  SIZE bytes at ID, malloc'ed.  NULL without memory. */
char *gsym_debug_path_of_id(const char *directory, const uint8_t *id,
			    size_t size, const char *suffix);

/** What is known of a program whose debug file is searched. */
struct gsym_debug_places {
	/** The build ID; ID_SIZE is 0 if there is none. */
	const uint8_t *id;
	size_t id_size;
	/** The path of the program, and the name in its .gnu_debuglink; LINK is
	 *  NULL if there is none. */
	const char *path, *link;
	/** Trees of debug files, such as /usr/lib/debug. */
	const char *const *trees;
	size_t tree_count;
};

/** Takes PATH, which is malloc'ed; NULL: memory ran out.  Returns whether the
 *  search is over. */
typedef bool gsym_debug_path_fn(void *context, char *path);

/**
 * Call TRY for each path at which the debug file may lie, until TRY returns
 * true:
 *  1. .build-id/hh/rest.debug in each tree;
 *  2. LINK in the folder of PATH, and in that of the file that PATH leads to
 *     if PATH is a symbolic link;
 *  3. .debug/LINK in both folders;
 *  4. both folders below each tree, with LINK, if they are absolute.
 * A LINK that is no name of a file is ignored.  Returns whether TRY returned
 * true.
 */
bool gsym_debug_places_try(const struct gsym_debug_places *places,
			   gsym_debug_path_fn *try, void *context);

#endif
