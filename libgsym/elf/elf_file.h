/* SPDX-License-Identifier: MIT */
/*
 * elf/elf_file.h - what the files of this room share while one ELF file is
 * being loaded.
 */
#ifndef GSYM_ELF_ELF_FILE_H
#define GSYM_ELF_ELF_FILE_H

#include "container/inflate.h"
#include "container/container.h"
#include "elfview/elfview.h"

#include <gelf.h>

struct elf_file {
	const uint8_t *bytes;
	size_t size;
	struct elfview header;
	/** libelf's view of BYTES.  Never asked for elf_getshdrnum and
	 *  elf_getshdrstrndx, which want a file for what is in memory. */
	Elf *elf;
	struct gsym_container *container;
};

/** What a container of this room keeps. */
struct elf_image {
	/** The dynamic section, in memory; size 0: there is none. */
	uint64_t dynamic;
	uint64_t dynamic_size;
	/** The type of relocation that adds the load address alone; 0: of no
	 *  concern. */
	uint32_t relative;
};

/** The strings in the container's section NUMBER. */
struct elfview_strings gsym_elf_strings(const struct elf_file *file,
					size_t number);

/** How much of a file is loaded. */
enum elf_extent {
	ELF_ALL,
	ELF_SYMBOLS, /**< for what is in another file: no more than these */
	ELF_FACTS,   /**< whose file it is */
};

/** As gsym_elf_load, for EXTENT of the file. */
enum gsym_status
gsym_elf_load_extent(const uint8_t *bytes, size_t size, enum elf_extent extent,
		     const struct gsym_convert_options *options,
		     struct gsym_container **ret, struct gsym_error *error);

/** The name of an architecture; as much of it as RET has room for. */
void gsym_elf_architecture(const struct elfview *header, char *ret,
			   size_t size);

/** The header of a shared object for the processor that ARCHITECTURE names as
 *  that does; false if there is none. */
bool gsym_elf_header_for(const char *architecture, struct elfview *ret);

/** Read the file header and check it: both header tables lie in the file, and
 *  RET's NAMES is a section, or 0. */
enum gsym_status gsym_elf_read_header(const uint8_t *bytes, size_t size,
				      struct elfview *ret,
				      struct gsym_error *error);

/** Append the symbols of .symtab and .dynsym; false without memory. */
bool gsym_elf_read_symbols(struct elf_file *file);

/** The number of the section .symtab; 0 if there is none. */
size_t gsym_elf_symtab(struct elf_file *file);

/** The addresses of all symbols of .symtab, malloc'ed, by their numbers; 0
 *  for those that are in no section.  Without a table COUNT is 0.  False
 *  without memory. */
bool gsym_elf_symbol_values(struct elf_file *file, uint64_t **ret,
			    size_t *count);

/** Append the symbols of .gnu_debugdata, which stand in for a .symtab that is
 *  not there; false without memory. */
bool gsym_elf_read_debugdata(struct elf_file *file);

/** Fill in the segments, and what tells of their pointers; false without
 *  memory. */
bool gsym_elf_read_segments(struct elf_file *file);

/** The container's POINTERS. */
void gsym_elf_each_pointer(const struct gsym_container *container,
			   gsym_pointer_fn *take, void *context);

/** The first build ID of the SIZE bytes of notes at DATA, aligned to ALIGN;
 *  false if there is none. */
bool gsym_elf_search_notes(const uint8_t *data, uint64_t size, uint64_t align,
			   bool swap, const uint8_t **id, size_t *id_size);

/** Set the build ID, from sections, else from segments. */
void gsym_elf_read_build_id(struct elf_file *file);

/** Decompress SIZE bytes of xz into *OUT (malloc'ed).  Returns NULL, or what
 *  is wrong. */
const char *gsym_elf_unxz(const uint8_t *bytes, size_t size, uint8_t **out,
			  size_t *out_size);

#endif
