/* SPDX-License-Identifier: MIT */
/*
 * gsym/elf.h - ELF files that go with GSYM data: one that has them inside,
 * and one to lie beside them.  Part of libgsym-convert.
 *
 * All functions work on files that are in memory as a whole, of either class
 * and byte order; the caller frees what they make.  GSYM_ERR_FORMAT: no ELF
 * file; GSYM_ERR_UNSUPPORTED, GSYM_ERR_CORRUPT: one that cannot be used;
 * GSYM_ERR_LIMIT: it would become too large for its class.
 */
#ifndef GSYM_ELF_H
#define GSYM_ELF_H

#include <gsym/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A copy of the ELF file at ELF with the GSYM data as section ".gsym", which
 * takes the place of one that is there already.  The section is not loaded;
 * nothing that a program sees when it runs changes: the data, a new table of
 * section names and new section headers come behind all else.
 */
GSYM_API enum gsym_status gsym_elf_embed(const uint8_t *elf, size_t elf_size,
					 const uint8_t *gsym, size_t gsym_size,
					 uint8_t **ret, size_t *ret_size,
					 struct gsym_error *error);

/**
 * What is left of the ELF file at ELF without contents: the headers of its
 * loaded sections, its notes, and its symbol table (.symtab, else .dynsym).
 * Symbolizers that want an ELF file beside a GSYM file are content with it.
 */
GSYM_API enum gsym_status gsym_elf_stub(const uint8_t *elf, size_t elf_size,
					uint8_t **ret, size_t *ret_size,
					struct gsym_error *error);

/**
 * A file like that for a program that is not at hand: with the build ID of
 * ID_SIZE bytes at ID and nothing else, for the processor that ARCHITECTURE
 * names as struct gsym_convert_facts does.  GSYM_ERR_UNSUPPORTED: there is no
 * such processor.
 */
GSYM_API enum gsym_status
gsym_elf_bare_stub(const char *architecture, const uint8_t *id, size_t id_size,
		   uint8_t **ret, size_t *ret_size, struct gsym_error *error);

/** The build ID of the ELF file at ELF, which lies in it.  GSYM_NOT_FOUND if
 *  it has none. */
GSYM_API enum gsym_status gsym_elf_build_id(const uint8_t *elf, size_t elf_size,
					    const uint8_t **ret,
					    size_t *ret_size,
					    struct gsym_error *error);

/** Whether the ELF file at ELF has a section NAME that has contents. */
GSYM_API bool gsym_elf_has_section(const uint8_t *elf, size_t elf_size,
				   const char *name);

#ifdef __cplusplus
}
#endif
#endif /* GSYM_ELF_H */
