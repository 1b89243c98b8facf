/* SPDX-License-Identifier: MIT */
/*
 * elf/elf_image.h - an ELF file as a container: sections (debug sections
 * inflated), symbols, build ID, text ranges.  Knows nothing of DWARF and of
 * GSYM.
 *
 * Reads executables, shared objects, separate debug files and relocatable
 * objects, whose sections are laid out (elf/place.h) and relocated.
 */
#ifndef GSYM_ELF_ELF_IMAGE_H
#define GSYM_ELF_ELF_IMAGE_H

#include "container/container.h"

/** Whether a file that begins with the SIZE bytes at BYTES is an ELF file. */
bool gsym_elf_matches(const uint8_t *bytes, size_t size);

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

/** Map the file PATH and load it with THREADS threads and otherwise the usual
 *  options. */
enum gsym_status gsym_elf_open(const char *path, unsigned threads,
			       struct gsym_container **ret,
			       struct gsym_error *error);

/** As gsym_elf_open, but only what shows which program the file belongs to:
 *  sections, none of them inflated, and build ID. */
enum gsym_status gsym_elf_open_facts(const char *path,
				     struct gsym_container **ret,
				     struct gsym_error *error);

#endif
