/* SPDX-License-Identifier: MIT */
/*
 * pe/pe_file.h - the state of loading one PE program into a container, and the
 * functions of this room that several of its files use.  An RVA is an address
 * without the image base.
 */
#ifndef GSYM_PE_PE_FILE_H
#define GSYM_PE_PE_FILE_H

#include "container/container.h"

/** Machines (IMAGE_FILE_MACHINE_*). */
enum {
	PE_MACHINE_I386 = 0x14c,
	PE_MACHINE_ARM = 0x1c0,
	PE_MACHINE_ARMNT = 0x1c4,
	PE_MACHINE_X86_64 = 0x8664,
	PE_MACHINE_ARM64 = 0xaa64,
};

/** Numbers of data directories (IMAGE_DIRECTORY_ENTRY_*). */
enum {
	PE_EXPORT_DIRECTORY = 0,
	PE_EXCEPTION_DIRECTORY = 3,
	PE_DEBUG_DIRECTORY = 6,
};

/** A piece of memory that a data directory names; size 0: there is none. */
struct pe_directory {
	uint32_t rva;
	uint32_t size;
};

/** A function of .pdata, or a part of one that lies apart from the rest. */
struct pe_function {
	struct gsym_range range;
	/** Of a part: the start of the part that it continues; else 0. */
	uint64_t continues;
};

struct pe_file {
	const uint8_t *bytes;
	size_t size;
	uint32_t header;   /**< offset of the PE header */
	uint64_t optional; /**< offset of the optional header */
	uint16_t optional_size;
	uint16_t machine;
	uint16_t section_count;
	uint32_t symbols; /**< offset of the COFF symbols; 0: none */
	uint32_t symbol_count;
	uint64_t base;
	struct gsym_cursor strings; /**< strings of the COFF symbols */
	/** The functions of .pdata, ascending; they do not overlap. */
	struct {
		GSYM_VEC(struct pe_function);
	} functions;
	struct gsym_container *container;
};

/* ---- pieces.c ----------------------------------------------------------- */

/** A cursor at OFFSET of the file; failed if it has fewer bytes. */
struct gsym_cursor gsym_pe_cursor(const struct pe_file *file, uint64_t offset);

/** A cursor over the bytes that the file has at RVA, to the end of their
 *  section; empty if it has none. */
struct gsym_cursor gsym_pe_memory(const struct pe_file *file, uint64_t rva);

/** Data directory NUMBER. */
struct pe_directory gsym_pe_directory(const struct pe_file *file,
				      unsigned number);

/* ---- identity.c --------------------------------------------------------- */

/** Set the container's time stamp, size of the image and identity of the
 *  PDB. */
void gsym_pe_read_identity(struct pe_file *file);

/* ---- functions.c -------------------------------------------------------- */

/** Read FILE's functions if the program is for x86-64 or ARM64.  A function
 *  without a frame may have no entry in .pdata.  False without memory. */
bool gsym_pe_read_functions(struct pe_file *file);

/** Set the size of the code symbol SYMBOL, or the address where it ends at the
 *  latest, as far as .pdata tells. */
void gsym_pe_bound(const struct pe_file *file, struct gsym_symbol *symbol);

/** Append a symbol for each part of a function that lies apart and has no
 *  symbol: the name is that of the function.  False without memory. */
bool gsym_pe_name_parts(struct pe_file *file);

/* ---- exports.c ---------------------------------------------------------- */

/** Append the symbols of the export table, with sizes as far as .pdata has
 *  them.  Damage is noted as a warning.  False without memory. */
bool gsym_pe_read_exports(struct pe_file *file);

#endif
