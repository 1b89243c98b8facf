/* SPDX-License-Identifier: MIT */
/*
 * macho/macho.h - a Mach-O file as a container: sections, symbols, UUID and
 * text ranges of one of its programs.  Knows nothing of DWARF and of GSYM.
 *
 * Executables, libraries, bundles, objects and the debug files of dsymutil,
 * of 32 and 64 bits and both byte orders, alone or in a universal file.
 * Sections are named "__TEXT,__text", and debug sections as ELF names them
 * (".debug_info").  One '_' is taken off the names of symbols.
 */
#ifndef GSYM_MACHO_MACHO_H
#define GSYM_MACHO_MACHO_H

#include "container/container.h"
#include "container/find.h"

/** Whether the first SIZE bytes of a file look like Mach-O. */
bool gsym_macho_matches(const uint8_t *bytes, size_t size);

/**
 * Load the program for OPTIONS->architecture, which may be NULL if the file
 * holds one only; see gsym_container_load_fn.  Damage in a section or table
 * costs just that, and is noted among the container's warnings.
 *
 * GSYM_ERR_FORMAT: no Mach-O file; GSYM_ERR_ARGUMENT: no such architecture, or
 * one has to be named; GSYM_ERR_UNSUPPORTED: neither a program nor a debug
 * file (core files and the like); GSYM_ERR_CORRUPT: a header or a load command
 * is damaged; GSYM_ERR_MEMORY.
 */
gsym_container_load_fn gsym_macho_load;

/** Store the architectures of the file PATH, CAPACITY at most, and their
 *  number in *COUNT. */
enum gsym_status
gsym_macho_architectures(const char *path, struct gsym_architecture *array,
			 size_t capacity, size_t *count,
			 struct gsym_error *error);

/** The debug file inside the folder PATH of dsymutil (malloc'ed); NULL if
 *  PATH is no such folder.  GSYM_ERR_FORMAT: there is none or several;
 *  GSYM_ERR_IO; GSYM_ERR_MEMORY. */
enum gsym_status gsym_macho_bundle(const char *path, char **ret,
				   struct gsym_error *error);

/**
 * Open the debug file (dSYM) of PROGRAM, which was loaded from PATH, and set
 * FOUND to its own path, malloc'ed.  Looked at are, unless the options name a
 * file or folder, in Contents/Resources/DWARF all files of
 *  1. PATH.dSYM, and that of what PATH leads to if it is a link;
 *  2. X.dSYM for the folders X around each that have a dot in their name, as
 *     those of programs and frameworks;
 *  3. BASE.dSYM in each tree, where BASE is the last component of PATH.
 * It has to have the same UUID.  If there are only others, and PROGRAM has no
 * debug map either, that is noted among PROGRAM's warnings.
 *
 * GSYM_NOT_FOUND: there is none.  For a file that the options name, what is
 * wrong with it; GSYM_ERR_ARGUMENT: it belongs to another program.
 * GSYM_ERR_MEMORY.
 */
enum gsym_status gsym_macho_find_debug(const struct gsym_find *find,
				       const char *path,
				       struct gsym_container *program,
				       struct gsym_container **ret,
				       char **found, struct gsym_error *error);

#endif
