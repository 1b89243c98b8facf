/* SPDX-License-Identifier: MIT */
/*
 * elf/elf_image.h - an ELF file as a container: sections (debug sections
 * inflated), symbols, build ID, text ranges.  The sole user of libelf and
 * of the inflaters.  Knows nothing of DWARF and of GSYM.
 *
 * Executables, shared objects, separate debug files and relocatable objects;
 * the sections of these are laid out (elf/place.h) and relocated.
 */
#ifndef GSYM_ELF_ELF_IMAGE_H
#define GSYM_ELF_ELF_IMAGE_H

#include "container/container.h"

/** Whether the first SIZE bytes of a file look like ELF. */
bool gsym_elf_matches(const uint8_t *bytes, size_t size);

/**
 * Load a file; see gsym_container_load_fn.  OPTIONS say of threads, which
 * inflate debug sections, one section each, and of the places of sections.  A
 * damaged section costs that section, and is noted among the container's
 * warnings.
 *
 * GSYM_ERR_FORMAT: no ELF file; GSYM_ERR_UNSUPPORTED: a class, byte order or
 * type (core file) that cannot be read; GSYM_ERR_CORRUPT: the header or a
 * header table is damaged; GSYM_ERR_ARGUMENT: sections cannot be placed so;
 * GSYM_ERR_MEMORY.
 */
gsym_container_load_fn gsym_elf_load;

/** Map the file PATH and load it by THREADS, with the usual options. */
enum gsym_status gsym_elf_open(const char *path, unsigned threads,
			       struct gsym_container **ret,
			       struct gsym_error *error);

/** As gsym_elf_open, for what tells whose file it is: sections, none of them
 *  inflated, and build ID. */
enum gsym_status gsym_elf_open_facts(const char *path,
				     struct gsym_container **ret,
				     struct gsym_error *error);

#endif
