/* SPDX-License-Identifier: MIT */
/*
 * convert/data.h - makes records of data symbols and variables.
 *
 * The symbol table has the sizes of data, the debug info their declarations.
 * Data symbols with a size count, and variables with a fixed address, if they
 * lie in a loaded section without code, at or above the base address.  (Data
 * below it, such as the per-CPU data of kernels, have no address in the
 * running program.)  A symbol gets the declaration of the variable at its
 * address; of several, of the variable with its name.  A variable gets the
 * size of the symbol at its address; of several, of the symbol with its name.
 * A variable without a symbol reaches to the next symbol or variable, or to the
 * end of its section.  So does a variable whose symbol has size 0, but only if
 * no other symbol or variable covers its address.  Knows nothing of ELF, nor of
 * how debug info is read.
 */
#ifndef GSYM_CONVERT_DATA_H
#define GSYM_CONVERT_DATA_H

#include "dwarf/dwarf.h"
#include "container/container.h"

/** Push a record for each data symbol of CONTAINER and each of VARIABLES,
 *  whose numbers are SINK's, to SINK.  Symbols whose names exceed the budget
 *  are left out, with a warning to OPTIONS->warn.  Returns GSYM_ERR_MEMORY or
 *  what SINK returns. */
enum gsym_status gsym_data_convert(const struct gsym_container *container,
				   const struct gsym_convert_options *options,
				   const struct gsym_variables *variables,
				   const struct gsym_sink *sink,
				   struct gsym_error *error);

#endif
