/* SPDX-License-Identifier: MIT */
/*
 * elf/elf_image.h - an ELF file as a container: sections (debug sections
 * inflated), symbols, build ID, text ranges; and the other files of it.  Knows
 * nothing of DWARF and of GSYM.
 *
 * Reads executables, shared objects, separate debug files and relocatable
 * objects, whose sections are laid out (elf/place.c) and relocated.
 */
#ifndef GSYM_ELF_ELF_IMAGE_H
#define GSYM_ELF_ELF_IMAGE_H

#include "container/container.h"

/**
 * Load a file; see gsym_container_load_fn.  Of OPTIONS it uses the number of
 * threads, which inflate one debug section each, and the addresses of sections
 * of a relocatable object.  A damaged section loses its bytes, and is noted
 * among the container's warnings.
 *
 * GSYM_ERR_FORMAT: no ELF file; GSYM_ERR_UNSUPPORTED: a class, byte order or
 * type (core file) that cannot be read; GSYM_ERR_CORRUPT: the file header or a
 * header table is damaged; GSYM_ERR_ARGUMENT: the options place sections that
 * do not exist, or over each other; GSYM_ERR_MEMORY.
 */
gsym_container_load_fn gsym_elf_load;

/** As gsym_elf_load, for bytes that are a mapping of the file: the memory of
 *  compressed sections is given back to the system when they are inflated. */
gsym_container_load_fn gsym_elf_load_mapped;

/** As gsym_elf_load, for users of a program's data: debug sections stay as the
 *  file stores them, the loaded sections of a relocatable object that hold no
 *  code are relocated, and a file without section headers has the symbols that
 *  its dynamic section points to. */
gsym_container_load_fn gsym_elf_load_data;

/** As gsym_elf_load, but only what shows which program the file belongs to:
 *  sections, none of them inflated, and build ID. */
gsym_container_load_fn gsym_elf_load_facts;

/** Map the file PATH and load it with THREADS threads, with OWN_FILES if OWN,
 *  and otherwise the usual options. */
enum gsym_status gsym_elf_open(const char *path, unsigned threads, bool own,
			       struct gsym_container **ret,
			       struct gsym_error *error);

/* ---- the other files that hold a program's debug info ------------------- */

/* A candidate counts only if its build ID, or its checksum, proves that it is
 * the right file, wherever it lies. */

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

/** Both for CONTAINER, which was loaded from DEBUG_PATH, or from PATH, the
 *  program, if DEBUG_PATH is NULL. */
enum gsym_status gsym_elf_find_parts(const struct gsym_find *find,
				     const char *path, const char *debug_path,
				     struct gsym_container *container,
				     struct gsym_error *error);

#endif
