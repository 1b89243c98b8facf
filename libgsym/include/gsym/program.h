/* SPDX-License-Identifier: MIT */
/*
 * gsym/program.h - what a program's file holds besides debug info: sections by
 * name, symbols by name, bytes by address, pointers, build ID.  Part of
 * libgsym-convert.
 *
 * ELF files (executables, shared objects, relocatable objects, debug files),
 * Mach-O files (universal ones, too), PE files, Plan 9's programs and
 * WebAssembly modules are read, of either byte order.  No other file is opened.
 *
 * A program does not change once it is open: any number of threads may use it
 * at once.  All pointers that the functions store lead into the program or
 * into the bytes that it was opened on; they last until gsym_program_close.
 */
#ifndef GSYM_PROGRAM_H
#define GSYM_PROGRAM_H

#include <gsym/convert.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gsym_program;

/**
 * Open program NUMBER of the SIZE bytes of a file at BYTES, which the caller
 * keeps unchanged until gsym_program_close.  Programs are numbered from 0; a
 * universal Mach-O file may hold several, any other file holds one.
 *
 * The sections of a relocatable object are given addresses as
 * gsym_convert_file gives them: the sections with code first, from 0 on.  The
 * relocations of its loaded sections without code are applied.
 *
 * The caller hands *RET to gsym_program_close.  A damaged section or symbol
 * table is left out.  GSYM_NOT_FOUND: the file holds NUMBER programs or fewer.
 * GSYM_ERR_FORMAT: the file is of another format.  GSYM_ERR_UNSUPPORTED: it is
 * of a kind that cannot be read, such as a core file.  GSYM_ERR_CORRUPT: its
 * headers are damaged.  GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status gsym_program_open(const uint8_t *bytes, size_t size,
					    size_t number,
					    struct gsym_program **ret,
					    struct gsym_error *error);

/** Close PROGRAM.  NULL is fine. */
GSYM_API void gsym_program_close(struct gsym_program *program);

/** What is known of a program as a whole. */
struct gsym_program_facts {
	enum gsym_format format;
	/** As LLVM names it: "x86_64"; "machine 4711" or "cpu7-3" if it has
	 *  no name. */
	const char *architecture;
	/** The build ID of ELF and WebAssembly, the UUID of Mach-O, of PE the
	 *  GUID and age of its PDB; NULL if there is none. */
	const uint8_t *uuid;
	size_t uuid_size;
	/** Bytes of an address: 4 or 8. */
	unsigned address_size;
	bool big_endian;
	/** The program is an ELF object that is not linked yet, to whose
	 *  sections gsym_program_open gave addresses. */
	bool relocatable;
	/** 0. */
	uint8_t reserved[2];
};

/** Fill FACTS for PROGRAM. */
GSYM_API enum gsym_status
gsym_program_get_facts(const struct gsym_program *program,
		       struct gsym_program_facts *facts);

/** A section of a program. */
struct gsym_program_section {
	/** ".text"; of Mach-O "__TEXT,__text". */
	const char *name;
	uint64_t address;
	/** Bytes in memory. */
	uint64_t size;
	/** The bytes of the section in the file, DATA_SIZE of them; NULL if
	 *  there are none, if they are compressed, if the file is cut off
	 *  before them, or if UNRELOCATED. */
	const uint8_t *data;
	uint64_t data_size;
	/** Where the section begins in the file. */
	uint64_t file_offset;
	/** The section is part of the running program. */
	bool loaded;
	/** The section holds code. */
	bool executable;
	/** The section of a relocatable object has relocations whose types
	 *  are not known for its architecture. */
	bool unrelocated;
	/** 0. */
	uint8_t reserved[5];
};

/**
 * Store the next section of PROGRAM called NAME in RET.  *AT is 0 for the first
 * call; it becomes the place where the next call goes on.  A Mach-O section
 * has two names: "SEGMENT,SECTION" and "SECTION".
 *
 * GSYM_NOT_FOUND: there is no further section with that name.
 */
GSYM_API enum gsym_status
gsym_program_find_section(const struct gsym_program *program, const char *name,
			  size_t *at, struct gsym_program_section *ret);

/** Store the address of the first symbol NAME in *ADDRESS.  The names of
 *  Mach-O symbols are without their first '_'.
 *
 *  GSYM_NOT_FOUND: there is no symbol NAME with a value other than 0. */
GSYM_API enum gsym_status
gsym_program_symbol(const struct gsym_program *program, const char *name,
		    uint64_t *address);

/** The bytes at ADDRESS in the segments of PROGRAM; *LEFT becomes their number.
 *  NULL, with *LEFT unchanged, if the file has no bytes there.  Relocatable
 *  objects have no segments. */
GSYM_API const uint8_t *gsym_program_bytes(const struct gsym_program *program,
					   uint64_t address, uint64_t *left);

/** COPY has a copy of the SIZE bytes of PROGRAM at ADDRESS.  Write to COPY the
 *  pointers that the loader fills there, with the values that they have if
 *  the program is loaded at the address that it was linked to.  Pointers to
 *  symbols of other programs are left as they are. */
GSYM_API void gsym_program_fill_pointers(const struct gsym_program *program,
					 uint64_t address, uint8_t *copy,
					 size_t size);

#ifdef __cplusplus
}
#endif
#endif /* GSYM_PROGRAM_H */
