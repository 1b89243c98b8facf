/* SPDX-License-Identifier: MIT */
/*
 * gsym/elf.h - ELF files that go with GSYM data: a program with the data in a
 * section of it, and a stub to lie beside a GSYM file.  A part of
 * libgsym-convert.
 *
 * All functions take a whole ELF file in memory: a program, library or object
 * (ET_EXEC, ET_DYN, ET_REL) of either class and byte order.  The format is that
 * of the System V ABI (gABI); build IDs are notes of the name "GNU" and type
 * NT_GNU_BUILD_ID.
 *
 * Memory: a file that a function makes is malloc'ed, *RET_SIZE bytes at *RET,
 * and the caller frees it.  The input is not needed after the call, except by
 * gsym_elf_build_id.  Threads: all functions may be called from any number of
 * threads at once.
 *
 * Errors of every function that takes an ELF file.  GSYM_ERR_FORMAT: it is no
 * ELF file.  GSYM_ERR_UNSUPPORTED: its class, byte order, version or type (a
 * core file) is not known.  GSYM_ERR_CORRUPT: its header is cut off, or its
 * tables of headers reach beyond the file.  GSYM_ERR_ARGUMENT: a pointer is
 * NULL.  GSYM_ERR_MEMORY.  Others are named with the function.
 */
#ifndef GSYM_ELF_H
#define GSYM_ELF_H

#include <gsym/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Make a copy of the ELF file of ELF_SIZE bytes at ELF with the GSYM_SIZE (not
 * 0) bytes at GSYM as the section ".gsym", which replaces a section of that
 * name.  gsym_open reads such a file.  The content of GSYM is not checked.
 *
 * The new section is not loaded, and all bytes of the program stay where they
 * are: after them come the data, a new table of section names and new section
 * headers.  What an earlier call appended to the file is removed first.
 *
 * GSYM_ERR_CORRUPT: also if the file has sections but no table of their names.
 * GSYM_ERR_LIMIT: a 32-bit file would have more than 4 GiB.
 */
GSYM_API enum gsym_status gsym_elf_embed(const uint8_t *elf, size_t elf_size,
					 const uint8_t *gsym, size_t gsym_size,
					 uint8_t **ret, size_t *ret_size,
					 struct gsym_error *error);

/**
 * Make a stub: an ELF file that has the headers of the loaded sections, the
 * notes, and the symbol table (.symtab, or .dynsym without it) with its strings
 * of the ELF file of ELF_SIZE bytes at ELF, and the program headers of the ELF
 * file of PROGRAM_SIZE bytes at PROGRAM, but no code, data and debug info.
 *
 * The file offsets in the program headers are those of the program, so that
 * gsym_store_address_of can find the address of a byte of the program's file.
 * A debug file has other offsets: if ELF is one, PROGRAM has to be the program,
 * or another stub of the program.  There are no program headers in the stub if
 * PROGRAM is NULL, is no ELF file of the same kind as ELF, or
 * gsym_elf_is_program is false for it.  A program header of type 0x6773796d
 * says that the others are those of a program, and one of type 0x6773796e that
 * the file is a stub.
 *
 * A stub is no debug file.  Only a program header leads to the note with its
 * build ID: debuggers, which look at sections, do not take the stub for the
 * debug file of its program.
 *
 * The release of a Linux kernel, which its data have, becomes a note:
 * gsym_store_read_release reads it.
 *
 * An empty section .debug_line makes perf ask a symbolizer about the stub.
 * Symbolizers that need an ELF file beside a GSYM file accept it.
 *
 * GSYM_ERR_UNSUPPORTED: also for more than 65,271 sections.  GSYM_ERR_LIMIT: a
 * 32-bit stub would have more than 4 GiB.
 */
GSYM_API enum gsym_status gsym_elf_stub(const uint8_t *elf, size_t elf_size,
					const uint8_t *program,
					size_t program_size, uint8_t **ret,
					size_t *ret_size,
					struct gsym_error *error);

/** Whether the program headers in the ELF file of ELF_SIZE bytes at ELF are
 *  those of a program: it is a program or library with its code, or a stub that
 *  gsym_elf_stub made with program headers.  False for a debug file, and for
 *  a file that cannot be read or has more than 64 loaded segments. */
GSYM_API bool gsym_elf_is_program(const uint8_t *elf, size_t elf_size);

/** Whether the ELF file of ELF_SIZE bytes at ELF is a stub (gsym_elf_stub,
 *  gsym_elf_bare_stub).  False also for a file that cannot be read. */
GSYM_API bool gsym_elf_is_stub(const uint8_t *elf, size_t elf_size);

/**
 * Make a stub for a program that is not at hand.  It has a note with the build
 * ID of ID_SIZE (1 to 1024) bytes at ID, and an empty section .debug_line, but
 * nothing else.  ARCHITECTURE is the
 * name of the processor, as struct gsym_convert_facts has it: "x86_64".
 *
 * GSYM_ERR_ARGUMENT: no architecture, or a build ID of another size.
 * GSYM_ERR_UNSUPPORTED: the processor is not known, or has no ELF files here.
 */
GSYM_API enum gsym_status
gsym_elf_bare_stub(const char *architecture, const uint8_t *id, size_t id_size,
		   uint8_t **ret, size_t *ret_size, struct gsym_error *error);

/**
 * Find the build ID of the ELF file of ELF_SIZE bytes at ELF: the first one in
 * a note section, else in a note segment.  *RET points into ELF and is valid as
 * long as that.
 *
 * GSYM_NOT_FOUND: the file has no build ID.
 */
GSYM_API enum gsym_status gsym_elf_build_id(const uint8_t *elf, size_t elf_size,
					    const uint8_t **ret,
					    size_t *ret_size,
					    struct gsym_error *error);

/** Whether the ELF file of ELF_SIZE bytes at ELF has a section called NAME with
 *  contents in the file.  False also for a file that cannot be read. */
GSYM_API bool gsym_elf_has_section(const uint8_t *elf, size_t elf_size,
				   const char *name);

#ifdef __cplusplus
}
#endif
#endif /* GSYM_ELF_H */
