/* SPDX-License-Identifier: MIT */
/*
 * elf/edit.h - section headers as they are read and written where ELF files
 * are made of others.  Plain bytes; knows nothing of what sections hold.
 */
#ifndef GSYM_ELF_EDIT_H
#define GSYM_ELF_EDIT_H

#include "base/emit.h"
#include "base/vec.h"
#include "elf/elf_file.h"

struct elf_edit_section {
	uint32_t name;
	uint32_t type;
	uint64_t flags;
	uint64_t address;
	uint64_t offset;
	uint64_t size;
	uint32_t link;
	uint32_t info;
	uint64_t align;
	uint64_t entry_size;
};

struct elf_edit_table { GSYM_VEC(struct elf_edit_section); };

/** The section headers of the file of SIZE bytes at BYTES, whose header H was
 *  read. */
enum gsym_status gsym_elf_edit_read(const uint8_t *bytes, size_t size,
				    const struct elf_header *h,
				    struct elf_edit_table *ret,
				    struct gsym_error *error);

/** Whether SECTION's bytes lie in a file of SIZE bytes. */
static inline bool elf_edit_has_bytes(const struct elf_edit_section *section,
				      size_t size)
{
	return section->type != SHT_NOBITS && section->type != SHT_NULL &&
	       section->offset <= size &&
	       section->size <= size - section->offset;
}

/** Append TABLE to OUT, which begins with the file header of a file of H's
 *  class and byte order, and have that lead to it; section NAMES has the
 *  names. */
enum gsym_status gsym_elf_edit_write(struct gsym_emit *out,
				     const struct elf_header *h,
				     struct elf_edit_table *table, size_t names,
				     struct gsym_error *error);

#endif
