/* SPDX-License-Identifier: MIT */
/*
 * pe/pe.h - a PE program as a container: sections, the symbols of its COFF
 * table or, without those, of its export table, image base.  Knows nothing of
 * DWARF, of PDB files and of GSYM.
 *
 * Reads executables and libraries of 32 and 64 bits, which are little-endian.
 * Addresses include the image base.  PE has no build ID: the identity of the
 * PDB file and the time stamp of the header take its place.
 */
#ifndef GSYM_PE_PE_H
#define GSYM_PE_PE_H

#include "container/container.h"

/**
 * Load a program; see gsym_container_load_fn.  A damaged section or table is
 * left out, and noted among the container's warnings.
 *
 * GSYM_ERR_FORMAT: no PE file; GSYM_ERR_UNSUPPORTED: neither PE32 nor PE32+;
 * GSYM_ERR_CORRUPT: a header is damaged; GSYM_ERR_MEMORY.
 */
gsym_container_load_fn gsym_pe_load;

#endif
