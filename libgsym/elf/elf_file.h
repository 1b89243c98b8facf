/* SPDX-License-Identifier: MIT */
/*
 * elf/elf_file.h - the state of loading one ELF file into a container, and the
 * functions of this room that several of its files use.
 */
#ifndef GSYM_ELF_ELF_FILE_H
#define GSYM_ELF_ELF_FILE_H

#include "container/container.h"
#include "elfview/elfview.h"

#include <elf.h>

struct elf_file {
	/** Checked by gsym_elf_read_header: both header tables lie inside the
	 *  file. */
	struct elfview view;
	/** Its sections have the numbers of the file's sections. */
	struct gsym_container *container;
	/** The loaded data of a relocatable object is relocated, and debug
	 *  sections are neither inflated nor relocated.  If false, debug
	 *  sections are inflated and relocated, and nothing else. */
	bool for_data;
	/** The bytes of the file are a mapping of it. */
	bool mapped;
};

/** The private data of a container that this room makes. */
struct elf_image {
	/** Address and size of the dynamic section; size 0: there is none. */
	uint64_t dynamic;
	uint64_t dynamic_size;
	/** The relocation types whose value is load bias + addend and symbol +
	 *  addend; 0: they are not known for the machine. */
	uint32_t relative;
	uint32_t absolute;
	/** Bytes of the whole file, a bound for the entries of tables. */
	uint64_t file_size;
};

/* ---- header.c ----------------------------------------------------------- */

/**
 * Read the file header and check it.  Both header tables of RET lie inside the
 * file; RET's NAMES is the number of a section, or 0.
 *
 * GSYM_ERR_FORMAT: no ELF file; GSYM_ERR_UNSUPPORTED: a class, byte order,
 * version or type that cannot be read; GSYM_ERR_CORRUPT: a table reaches
 * beyond the file, or its entries have the wrong size.
 */
enum gsym_status gsym_elf_read_header(const uint8_t *bytes, size_t size,
				      struct elfview *ret,
				      struct gsym_error *error);

/** Write the name of VIEW's architecture to RET, cut to SIZE bytes. */
void gsym_elf_architecture(const struct elfview *view, char *ret, size_t size);

/** Set class, byte order, type and machine of RET to those of a shared object
 *  for ARCHITECTURE, a name as gsym_elf_architecture writes it.  False if
 *  there is no such architecture. */
bool gsym_elf_header_for(const char *architecture, struct elfview *ret);

/* ---- symbols.c ---------------------------------------------------------- */

/** Append the symbols of .symtab and .dynsym to the container; false without
 *  memory. */
bool gsym_elf_read_symbols(struct elf_file *file);

/** Append the symbols that the dynamic section points to, of a file without
 *  section headers; false without memory. */
bool gsym_elf_read_dynamic_symbols(struct elf_file *file);

/** The number of the section .symtab; 0 if there is none. */
size_t gsym_elf_symtab(const struct elf_file *file);

/** Set RET to the addresses of all symbols of .symtab, malloc'ed, in table
 *  order; 0 for symbols that are in no section.  COUNT is 0 if there is no
 *  table.  False without memory. */
bool gsym_elf_symbol_values(const struct elf_file *file, uint64_t **ret,
			    size_t *count);

/* ---- segments.c, pointers.c --------------------------------------------- */

/** Fill the container's segments, and what its POINTERS needs; false without
 *  memory. */
bool gsym_elf_read_segments(struct elf_file *file);

/** The container's POINTERS. */
void gsym_elf_each_pointer(const struct gsym_container *container,
			   gsym_pointer_fn *take, void *context);

/* ---- debugdata.c, unxz.c ------------------------------------------------ */

/** Set RET to the ELF file in .gnu_debugdata, decompressed and malloc'ed, or
 *  to NULL if FILE has none or has a .symtab of its own.  A damaged section is
 *  noted as a warning. */
void gsym_elf_unpack_debugdata(struct elf_file *file, uint8_t **ret,
			       size_t *ret_size);

/** Decompress SIZE bytes of xz to RET, malloc'ed.  Returns NULL, or a text
 *  that says what is wrong. */
const char *gsym_elf_unxz(const uint8_t *bytes, size_t size, uint8_t **ret,
			  size_t *ret_size);

#endif
