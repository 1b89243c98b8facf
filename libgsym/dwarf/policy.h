/* SPDX-License-Identifier: MIT */
/*
 * dwarf/policy.h - decisions that both readers of DWARF share, so that they
 * can only differ in what they read.  Parses nothing.
 *
 * Names.  The fallback order, for functions and inlined calls alike:
 *  1. DW_AT_linkage_name or DW_AT_MIPS_linkage_name of the DIE, or of the
 *     one that its DW_AT_abstract_origin or DW_AT_specification leads to
 *     (both are followed, abstract_origin first, 16 steps at most);
 *  2. DW_AT_name, found the same way.  If the unit's language is C++ (any
 *     version) the names of the enclosing namespaces, classes, structures,
 *     unions and subprograms, as seen from the DIE that the chain ends at,
 *     stand before it, joined with "::".  A context without a name adds
 *     nothing; <...> becomes {...}.
 * An empty name counts as none.
 *
 * Ranges.  DW_AT_low_pc with DW_AT_high_pc, else DW_AT_ranges.  Left out:
 * start >= end; a start that is a tombstone: all ones or all ones but one,
 * for the address size (what linkers write for dropped code).  Bit 0 is
 * cleared at both ends where the container says code_bit0.
 *
 * Files.  Entry i of a line table: the name, if absolute; else include
 * directory + name, and before that the compilation directory if that does
 * not make it absolute yet (DWARF 5: directory 0 is the compilation
 * directory already).  The last '/' divides directory from base name;
 * nothing else is normalised.
 */
#ifndef GSYM_DWARF_POLICY_H
#define GSYM_DWARF_POLICY_H

#include "dwarf/unit.h"

enum { DW_MAX_ORIGINS = 16 };

/** Whether [START, END) is a range of code, for addresses of ADDRESS_SIZE
 *  bytes. */
bool dw_range_is_real(uint64_t start, uint64_t end, unsigned address_size);

/** Whether START is what linkers write for dropped code. */
bool dw_is_tombstone(uint64_t start, unsigned address_size);

/** Whether names of LANGUAGE (DW_LANG_*) are qualified by their context. */
bool dw_language_is_cplusplus(unsigned language);

/** Whether LANGUAGE nests code in types: true but for C. */
bool dw_language_nests_code(unsigned language);

/** CONTEXT "::" NAME, with <...> of the context as {...}; in ARENA.  NULL
 *  without memory. */
const char *dw_qualify(struct gsym_arena *arena, const char *context,
		       const char *name);

/** Put a file of a line table together.  DIRECTORY is the include directory
 *  (NULL: none), COMP_DIR the compilation directory (NULL: none, or not to
 *  be used).  False without memory. */
bool dw_make_file(struct gsym_arena *arena, const char *comp_dir,
		  const char *directory, const char *name,
		  struct dw_file *ret);

#endif
