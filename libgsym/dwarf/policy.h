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

/** How addresses of code look to a unit. */
struct dw_code {
	uint8_t address_size; /**< sums wrap at this size: 4 or 8 bytes */
	bool code_bit0; /**< bit 0 tells the instruction set: it is cleared */
};

/** ADDRESS, a sum perhaps, in as many bits as CODE's addresses have. */
static inline uint64_t dw_wrap(const struct dw_code *code, uint64_t address)
{
	return code->address_size < 8 ? address & UINT32_MAX : address;
}

/** The same of the address of an instruction. */
static inline uint64_t dw_code_address(const struct dw_code *code,
				       uint64_t address)
{
	return dw_wrap(code, address) & ~(uint64_t)code->code_bit0;
}

/** The ranges of a DIE, as a reader comes upon them. */
struct dw_range_list {
	struct dw_code code;
	uint64_t base; /**< what DW_AT_ranges' relative entries are added to */
	struct dw_ranges *ranges; /**< they are appended to this */
};

/** Add [START, END) if it is a range of code.  False without memory. */
bool gsym_dw_range_add(struct dw_range_list *list, uint64_t start,
		       uint64_t end);
/** The same, START and END being relative to the base. */
bool gsym_dw_range_add_relative(struct dw_range_list *list, uint64_t start,
				uint64_t end);

/** Add UNIT's claim on [START, END), if that is a range of code.  False
 *  without memory. */
bool gsym_dw_claim_add(struct dw_claims *claims, uint32_t unit,
		       struct dw_code code, uint64_t start, uint64_t end);

/** The address of a variable: ADDRESS, from its location expression, and
 *  ADDEND.  False if the linker dropped the variable. */
bool gsym_dw_data_address(uint64_t address, uint64_t addend,
			  unsigned address_size, uint64_t *ret);

/** An attribute that should be a constant. */
struct dw_constant {
	bool present; /**< the DIE has the attribute */
	bool valid;   /**< its form is that of a constant, not negative */
	uint64_t value;
};

/** CONSTANT if it is valid and has 32 bits, else MISSING. */
uint32_t gsym_dw_constant_u32(const struct dw_constant *constant,
			      uint32_t missing);

/** Choose a name along a chain of DIEs: for each, in order, LINKAGE and SOURCE
 *  are its linkage name and its DW_AT_name (NULL or "": none).  NAME begins
 *  zeroed.  True if no further DIE can change it. */
bool gsym_dw_name_choose(struct dw_name *name, const char *linkage,
			 const char *source);

/** Choose a declaration along a chain of DIEs: for each, in order, FILE and
 *  LINE are its DW_AT_decl_file and DW_AT_decl_line, and IS_OWN tells whether
 *  it lies in the unit that is read.  CHOICE begins as DW_NO_DECLARATION.
 *  True if no further DIE can change it. */
struct dw_declaration_choice {
	struct dw_declaration found;
	bool has_file, has_line;
};

#define DW_NO_DECLARATION \
	((struct dw_declaration_choice){ .found = { DW_NO_FILE, 0 } })

bool gsym_dw_declaration_choose(struct dw_declaration_choice *choice,
				const struct dw_constant *file,
				const struct dw_constant *line, bool is_own);

/** Whether LANGUAGE nests code in types: true but for C. */
bool gsym_dw_language_nests_code(unsigned language);

/** Whether a DIE with TAG (DW_TAG_*) is a context: its name qualifies the
 *  names inside of it. */
bool gsym_dw_is_context(unsigned tag);

/** CONTEXT "::" NAME, with <...> of the context as {...}; in ARENA.  NULL
 *  without memory. */
const char *gsym_dw_qualify(struct gsym_arena *arena, const char *context,
			    const char *name);

/** A file as a line table has it. */
struct dw_file_parts {
	unsigned version;      /**< of the line table */
	const char *comp_dir;  /**< the compilation directory; NULL: none */
	uint64_t index;	       /**< of the include directory */
	const char *directory; /**< the include directory; NULL: none */
	const char *name;
};

/** Put PARTS together; what has to be joined is allocated in ARENA.  False
 *  without memory. */
bool gsym_dw_make_file(struct gsym_arena *arena,
		       const struct dw_file_parts *parts, struct dw_file *ret);

#endif
