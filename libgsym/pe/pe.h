/* SPDX-License-Identifier: MIT */
/*
 * pe/pe.h - a PE program as a container: sections, the symbols of its COFF
 * table or, without those, of its export table, image base.  Knows nothing of
 * DWARF, of PDB files and of GSYM.
 *
 * Reads executables and libraries of 32 and 64 bits, which are little-endian.
 * Addresses include the image base.  The identity of the PDB, or of the
 * linker's --build-id, is the build ID.  Split units, and the search for the
 * debug file, are in pe.c.
 */
#ifndef GSYM_PE_PE_H
#define GSYM_PE_PE_H

#include "container/input.h"

/** A function of .pdata, or a part of one that lies apart from the rest. */
struct pe_function {
	struct gsym_range range;
	/** Of a part: the start of the part that it continues; else 0. */
	uint64_t continues;
};

struct pe_file {
	struct peview view;
	/** The functions of .pdata, ascending; they do not overlap. */
	struct {
		GSYM_VEC(struct pe_function);
	} functions;
	struct gsym_container *container;
};

/** Read FILE's functions if the program is for x86-64 or ARM64.  A function
 *  without a frame may have no entry in .pdata.  False without memory. */
bool gsym_pe_read_functions(struct pe_file *file);

/** Set the size of the code symbol SYMBOL, or the address where it ends at the
 *  latest, as far as .pdata tells. */
void gsym_pe_bound(const struct pe_file *file, struct gsym_symbol *symbol);

/** Append a symbol for each part of a function that lies apart and has no
 *  symbol: the name is that of the function.  False without memory. */
bool gsym_pe_name_parts(struct pe_file *file);

/** Append the symbols of the export table, with sizes as far as .pdata has
 *  them.  Damage is noted as a warning.  False without memory. */
bool gsym_pe_read_exports(struct pe_file *file);

#endif
