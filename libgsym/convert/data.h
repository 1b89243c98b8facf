/* SPDX-License-Identifier: MIT */
/*
 * convert/data.h - data symbols and variables to records.
 *
 * The symbol table knows how large data are, the debug info where they are
 * declared.  Taken are sized data symbols and variables with a fixed address
 * in sections that are loaded and hold no code, from the first segment on
 * (what lies below has no address in the running program, as the per-CPU data
 * of kernels).  A symbol gets the declaration of the variable at its address,
 * of its name if there are several; a variable the size of the symbol; one
 * without a symbol reaches to whatever follows it, or to the end of its
 * section.  Knows nothing of ELF, nor of how debug info is read.
 */
#ifndef GSYM_CONVERT_DATA_H
#define GSYM_CONVERT_DATA_H

#include "dwarf/dwarf.h"
#include "container/container.h"

/** Hand the data of CONTAINER, and VARIABLES of SINK, to SINK as records. */
enum gsym_status gsym_data_convert(const struct gsym_container *container,
				   const struct gsym_variables *variables,
				   const struct gsym_sink *sink,
				   struct gsym_error *error);

#endif
