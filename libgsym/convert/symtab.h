/* SPDX-License-Identifier: MIT */
/*
 * convert/symtab.h - makes records of the code symbols of a container.
 *
 * Functions and untyped symbols in executable sections count.  A function
 * with a size becomes a record of GSYM_RANK_SYMBOL, cut at the end of its
 * section; every other symbol becomes a label that ends there at the latest.
 * Symbols without a name are left out, and untyped symbols whose name begins
 * with '$': they mark where code and data begin on ARM, AArch64 and RISC-V.
 * Symbols that overlap, nest or share a start all go to the sink, which
 * decides between them.  Knows nothing of ELF and of debug info.
 */
#ifndef GSYM_CONVERT_SYMTAB_H
#define GSYM_CONVERT_SYMTAB_H

#include "base/budget.h"
#include "convert/overlay.h"
#include "dwarf/dwarf.h"

/** Push a record for each code symbol of CONTAINER to SINK, in the order of
 *  the symbol table; warnings go to OPTIONS->warn.  NEAR, unless it is NULL,
 *  leaves out symbols that lie elsewhere: see gsym_symtab_near.  The bytes of
 *  the symbol tables are added to FACTS->input_bytes.  Symbols whose names
 *  exceed the budget are left out.  Returns what SINK returns. */
enum gsym_status gsym_symtab_convert(const struct gsym_container *container,
				     const struct gsym_convert_options *options,
				     const struct gsym_near *near,
				     const struct gsym_sink *sink,
				     struct gsym_convert_facts *facts,
				     struct gsym_error *error);

/* ---- conversions in part ------------------------------------------------- */

/*
 * The answer for an address is a function of the debug info around it, or else
 * the symbol around it, which the functions and symbols within its range cut.
 * So all that decides the answer lies between the starts of the symbols that
 * reach to the address, and their ends; and at the start of the function, whose
 * name the symbols there may replace.
 */

/** Whether CONTAINER can be converted in part, as OPTIONS asks: all addresses
 *  are of code, so no data answer for them. */
bool gsym_symtab_near_serves(const struct gsym_container *container,
			     const struct gsym_convert_options *options);
/** Append to NEAR, which is empty, the ranges around OPTIONS->addresses that
 *  decide their answers.  False without memory. */
bool gsym_symtab_near(const struct gsym_container *container,
		      const struct gsym_convert_options *options,
		      struct gsym_near *near);
/** Set *RET to NEAR and the ranges of FUNCTIONS, those of the debug info, that
 *  have an address of NEAR.  False without memory. */
bool gsym_symtab_near_widen(const struct gsym_near *near,
			    const struct gsym_overlay *functions,
			    struct gsym_near *ret);

/* ---- for data ------------------------------------------------------------ */

/** The bytes that names of symbols of CONTAINER may have together: several
 *  times those of its symbol tables.  In a hostile table every symbol could
 *  have the same name of megabytes. */
struct gsym_budget gsym_symtab_budget(const struct gsym_container *container);
/** Use LENGTH bytes of BUDGET for the name of a symbol.  False, with a warning
 *  to OPTIONS->warn, if they exceed BUDGET: this symbol and the following ones
 *  must be left out. */
bool gsym_symtab_take_name(struct gsym_budget *budget, size_t length,
			   const struct gsym_convert_options *options);

/** The kind of name that a symbol has, by its binding. */
enum gsym_name_kind gsym_symtab_name_kind(const struct gsym_symbol *symbol);

#endif
