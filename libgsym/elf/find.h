/* SPDX-License-Identifier: MIT */
/*
 * elf/find.h - finding the other files that hold a program's debug info.
 *
 * A candidate counts only if its build ID, or its checksum, proves that it is
 * the right file, wherever it lies.  Knows nothing of DWARF but the sections
 * that name files.
 */
#ifndef GSYM_ELF_FIND_H
#define GSYM_ELF_FIND_H

#include "container/container.h"
#include "container/find.h"

/**
 * Open the debug file of PROGRAM, which was loaded from PATH.  *FOUND becomes
 * its path, malloc'ed.  If the options name a debug file, that is the only
 * candidate.  Else the candidates are, with BASE for the name in
 * .gnu_debuglink:
 *  1. .build-id/hh/rest.debug in each tree;
 *  2. BASE in the folder of PATH, and in that of the file that PATH leads to
 *     if PATH is a symbolic link;
 *  3. .debug/BASE in both folders;
 *  4. both folders below each tree, with BASE;
 *  5. the file that the options' callback fetches.
 * A candidate needs PROGRAM's build ID or, if one of the two has no build ID,
 * the checksum in .gnu_debuglink.  If there is a .gnu_debuglink but no debug
 * file, or if fetching fails, that is noted among PROGRAM's warnings.
 *
 * GSYM_NOT_FOUND: there is no debug file.  If the options name the file:
 * GSYM_ERR_ARGUMENT: it belongs to another program; all errors of loading it.
 * GSYM_ERR_MEMORY.
 */
enum gsym_status gsym_elf_find_debug(const struct gsym_find *find,
				     const char *path,
				     struct gsym_container *program,
				     struct gsym_container **ret, char **found,
				     struct gsym_error *error);

/**
 * If CONTAINER, which was loaded from PATH, refers to a supplementary file
 * (dwz) in .gnu_debugaltlink or .debug_sup, find that file and make it
 * CONTAINER's ALTERNATE.  The candidates are, for the file name NAME with the
 * last component BASE:
 *  1. NAME, relative to the folder of PATH, symbolic links resolved, then not;
 *  2. .build-id/hh/rest.debug in each tree;
 *  3. .dwz/REST in each tree, where REST follows /.dwz/ in NAME; .dwz/BASE;
 *  4. .dwz/BASE in the folder of PATH;
 *  5. if NAME is absolute: NAME below each of the folders above PATH, as in
 *     a package that was unpacked somewhere;
 *  6. the file that the options' callback fetches.
 * If no candidate has the right build ID, that is noted among CONTAINER's
 * warnings.  GSYM_ERR_MEMORY is the only error.
 */
enum gsym_status gsym_elf_find_alternate(const struct gsym_find *find,
					 const char *path,
					 struct gsym_container *container,
					 struct gsym_error *error);

/**
 * Set OPEN_SPLIT and PACKAGE of CONTAINER, which was loaded from PATH, so that
 * it can open split units.  The package is the file PACKAGE or, if PACKAGE is
 * NULL, PATH.dwp if that exists.  OPEN_SPLIT tries a .dwo file where its unit
 * says, then in the folder of PATH.
 *
 * GSYM_ERR_MEMORY, and all errors of loading PACKAGE.
 */
enum gsym_status gsym_elf_find_split(const struct gsym_find *find,
				     const char *path, const char *package,
				     struct gsym_container *container,
				     struct gsym_error *error);

#endif
