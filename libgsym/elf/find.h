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

#include "container/container.h"
#include "container/find.h"

/**
 * Open the debug file of PROGRAM, which was loaded from PATH, and set FOUND
 * to its own path, malloc'ed.  Looked at are, unless the options name a file,
 * for the name BASE in .gnu_debuglink:
 *  1. .build-id/hh/rest.debug in each tree;
 *  2. BASE beside PATH, then beside what PATH leads to if it is a link;
 *  3. .debug/BASE at both;
 *  4. in each tree the folders of both, with BASE;
 *  5. what the options fetch.
 * A candidate has to have the same build ID, or, where one of the two has
 * none, the checksum of .gnu_debuglink.  If the link leads nowhere, or
 * fetching fails, that is noted among PROGRAM's warnings.
 *
 * GSYM_NOT_FOUND: there is none.  For a file that the options name, what is
 * wrong with it; GSYM_ERR_ARGUMENT: it belongs to another program.
 * GSYM_ERR_MEMORY.
 */
enum gsym_status gsym_elf_find_debug(const struct gsym_find *find,
				     const char *path,
				     struct gsym_container *program,
				     struct gsym_container **ret, char **found,
				     struct gsym_error *error);

/**
 * Find the supplementary file (dwz) that CONTAINER, loaded from PATH, refers
 * to in .gnu_debugaltlink or .debug_sup, and make it CONTAINER's alternate.
 * Looked at are, for the name NAME with the last component BASE:
 *  1. NAME, from the folder that PATH lies in (links followed, then not);
 *  2. .build-id/hh/rest.debug in each tree;
 *  3. .dwz/BASE in each tree, or what follows /.dwz/ in NAME;
 *  4. .dwz/BASE beside PATH;
 *  5. if NAME is absolute: NAME below each of the folders above PATH, as in
 *     a package that was unpacked somewhere;
 *  6. what the options fetch.
 * A file that is not found, or only with another build ID, is noted among
 * CONTAINER's warnings.  Fails only without memory.
 */
enum gsym_status gsym_elf_find_alternate(const struct gsym_find *find,
					 const char *path,
					 struct gsym_container *container,
					 struct gsym_error *error);

/**
 * Let CONTAINER, loaded from PATH, open split units: the package PATH.dwp, or
 * PACKAGE if that is not NULL, and .dwo files where they are named, else
 * beside PATH.  Fails if PACKAGE cannot be opened, or without memory.
 */
enum gsym_status gsym_elf_find_split(const struct gsym_find *find,
				     const char *path, const char *package,
				     struct gsym_container *container,
				     struct gsym_error *error);

#endif
