/* SPDX-License-Identifier: MIT */
/*
 * pe/pe.h - a PE program as a container: sections, the symbols of its COFF
 * table, image base.  Knows nothing of DWARF, of debug data in PDB files, and
 * of GSYM.
 *
 * Executables and libraries of 32 and 64 bits, which are little-endian.
 * Addresses count from the image base, as in all other inputs.  There is no
 * build ID; what a program has instead is the identity of its PDB, and when it
 * was linked.
 */
#ifndef GSYM_PE_PE_H
#define GSYM_PE_PE_H

#include "container/container.h"

/** Whether the first SIZE bytes of a file may be those of a PE file. */
bool gsym_pe_matches(const uint8_t *bytes, size_t size);

/**
 * Load a program; see gsym_container_load_fn.  Damage in a section or table
 * costs just that, and is noted among the container's warnings.
 *
 * GSYM_ERR_FORMAT: no PE file; GSYM_ERR_UNSUPPORTED: of a kind that cannot be
 * read; GSYM_ERR_CORRUPT: a header is damaged; GSYM_ERR_MEMORY.
 */
gsym_container_load_fn gsym_pe_load;

#endif
