/* SPDX-License-Identifier: MIT */
/*
 * dwarf/policy.h - decisions that both readers of DWARF share, so that they
 * can only differ in what they read.  Parses nothing.
 *
 * Names.  The fallback order, for functions and inlined calls alike:
 *  1. DW_AT_linkage_name or DW_AT_MIPS_linkage_name of the DIE, or of the
 *     one that its DW_AT_abstract_origin, DW_AT_specification or
 *     DW_AT_signature leads to (the first of these that is there; 16 steps
 *     at most), into other units, type units and the supplementary file;
 *  2. DW_AT_name, found the same way.  If the unit's language is C++ (any
 *     version) the names of the enclosing namespaces, classes, structures,
 *     unions and subprograms, as seen from the DIE that the chain ends at,
 *     stand before it, joined with "::".  A context without a name adds
 *     nothing; <...> becomes {...}.
 * An empty name counts as none.  The language is that of the unit that is
 * read, not of the one that the chain ends in.  A context's name is found
 * along its own chain, and the next context is looked for where that one
 * ends; any other tag in between is passed through.  No more than
 * DW_MAX_CONTEXTS contexts are looked at, with a name or without.
 *
 * Split units.  The DIEs are those of the split unit, whose DW_AT_low_pc is
 * the skeleton's; line table and compilation directory are the skeleton's.
 * Where the split unit is missing the DIEs of the skeleton count.
 *
 * Ranges.  DW_AT_low_pc with DW_AT_high_pc, else DW_AT_ranges.  Left out:
 * start >= end; a start that is a tombstone: all ones or all ones but one,
 * for the address size (what linkers write for dropped code).  Bit 0 is
 * cleared at both ends where the container says code_bit0, before any other
 * question; likewise in claims, rows and ends of sequences.
 * Sums wrap at the address size.  The base of a list is the unit's
 * DW_AT_low_pc, else 0; entries relative to a tombstoned base are left out.
 * A list that breaks off gives the ranges before the damage.
 *
 * Nodes.  Trees are followed DW_MAX_DEPTH levels deep.  Call file and line
 * come from the DIE itself; negative values and those of more than 32 bits
 * count as missing (line 0).
 *
 * Calls.  DW_TAG_call_site with DW_AT_call_return_pc and
 * DW_TAG_GNU_call_site with DW_AT_low_pc, at any depth below a subprogram
 * with ranges of its own.  The callee is the DIE that DW_AT_call_origin or
 * DW_AT_abstract_origin refers to, with a name as above; calls through
 * pointers have none.
 *
 * Data.  DW_TAG_variable, at any depth, whose DW_AT_location is nothing but
 * DW_OP_addr, DW_OP_addrx or DW_OP_GNU_addr_index, with or without a
 * DW_OP_plus_uconst behind it.
 *
 * Declarations.  DW_AT_decl_file and DW_AT_decl_line, each found along the
 * chain as names are; a file of another unit than the one that is read counts
 * as none.
 *
 * Lines.  Row numbers wrap at 32 bits.  A sequence starts at its lowest row;
 * it is left out if the address of its first row, in program order, is a
 * tombstone, if the start is not below the end, or if the program stops
 * before its end_sequence.  The file register starts at 1 in all versions.
 *
 * Claims.  All pairs of a set of .debug_aranges count to the end of the set,
 * also behind a pair of zeros.  Ranges are left out by the rules above.
 *
 * Files.  Entry i of a line table: the name, if absolute; else include
 * directory + name, and before that the compilation directory if that does
 * not make it absolute yet (DWARF 5: directory 0 is the compilation
 * directory already).  The last '/' divides directory from base name;
 * nothing else is normalised.  A directory index without an entry counts as
 * no include directory.  Up to DWARF 4 entry 0 is there but is no file;
 * DW_LNE_define_file appends entries.
 */
#ifndef GSYM_DWARF_POLICY_H
#define GSYM_DWARF_POLICY_H

#include "dwarf/unit.h"

enum {
	DW_MAX_ORIGINS = 16,
	DW_MAX_CONTEXTS = 64,
	/* As many levels as inline trees of the format have. */
	DW_MAX_DEPTH = 1024,
};

/** Whether [START, END) is a range of code, for addresses of ADDRESS_SIZE
 *  bytes. */
bool gsym_dw_range_is_real(uint64_t start, uint64_t end, unsigned address_size);

/** Whether START is what linkers write for dropped code. */
bool gsym_dw_is_tombstone(uint64_t start, unsigned address_size);

/** Whether names of LANGUAGE (DW_LANG_*) are qualified by their context. */
bool gsym_dw_language_is_cplusplus(unsigned language);

/** Whether LANGUAGE nests code in types: true but for C. */
bool gsym_dw_language_nests_code(unsigned language);

/** Whether a DIE with TAG (DW_TAG_*) is a context: its name qualifies the
 *  names inside of it. */
bool gsym_dw_is_context(unsigned tag);

/** CONTEXT "::" NAME, with <...> of the context as {...}; in ARENA.  NULL
 *  without memory. */
const char *gsym_dw_qualify(struct gsym_arena *arena, const char *context,
			    const char *name);

/** Put a file of a line table together.  DIRECTORY is the include directory
 *  (NULL: none), COMP_DIR the compilation directory (NULL: none, or not to
 *  be used).  False without memory. */
bool gsym_dw_make_file(struct gsym_arena *arena, const char *comp_dir,
		       const char *directory, const char *name,
		       struct dw_file *ret);

#endif
