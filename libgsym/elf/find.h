/* SPDX-License-Identifier: MIT */
/*
 * elf/find.h - the other files that a program's debug info is spread over.
 *
 * A candidate counts only if it proves to be the right one, by its build ID
 * or checksum; then where it was found does not matter.  Knows nothing of
 * DWARF but the sections that name files.
 */
#ifndef GSYM_ELF_FIND_H
#define GSYM_ELF_FIND_H

#include "input/container.h"

/** Where to look. */
struct gsym_find {
	/** Trees of debug files, such as /usr/lib/debug. */
	const char *const *directories;
	size_t directory_count;
	/** Threads that load a file. */
	unsigned threads;
};

/**
 * Find the supplementary file (dwz) that CONTAINER, loaded from PATH, refers
 * to in .gnu_debugaltlink or .debug_sup, and make it CONTAINER's alternate.
 * Looked at are, for the name NAME with the last component BASE:
 *  1. NAME, from the folder that PATH lies in (links followed, then not);
 *  2. .build-id/hh/rest.debug in each tree;
 *  3. .dwz/BASE in each tree, or what follows /.dwz/ in NAME;
 *  4. .dwz/BASE beside PATH;
 *  5. if NAME is absolute: NAME below each of the folders above PATH, as in
 *     a package that was unpacked somewhere.
 * A file that is not found, or only with another build ID, is noted among
 * CONTAINER's warnings.  Fails only without memory.
 */
enum gsym_status gsym_find_alternate(const struct gsym_find *find,
				     const char *path,
				     struct gsym_container *container,
				     struct gsym_error *error);

/**
 * Let CONTAINER, loaded from PATH, open split units: the package PATH.dwp, or
 * PACKAGE if that is not NULL, and .dwo files where they are named, else
 * beside PATH.  Fails if PACKAGE cannot be opened, or without memory.
 */
enum gsym_status gsym_find_split(const struct gsym_find *find,
				 const char *path, const char *package,
				 struct gsym_container *container,
				 struct gsym_error *error);

#endif
