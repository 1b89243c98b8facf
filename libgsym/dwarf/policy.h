/* SPDX-License-Identifier: MIT */
/*
 * dwarf/policy.h - the decisions that both readers of DWARF share, so that
 * they can only differ in what they read.  Parses nothing.
 *
 * Chains.  A chain begins at a DIE and goes on to the DIE that the first of
 * its DW_AT_abstract_origin, DW_AT_specification and DW_AT_signature refers
 * to, DW_MAX_ORIGINS steps at most, into other units, type units and the
 * supplementary file.
 *
 * Names.  Of functions and inlined calls alike, which name is preferred:
 *  1. the linkage name: the first DW_AT_linkage_name or
 *     DW_AT_MIPS_linkage_name along the chain;
 *  2. the source name: the first DW_AT_name along the chain.  If the language
 *     is C++ (any version), it is qualified by the names of the enclosing
 *     contexts (namespaces, classes, structures, unions, subprograms), joined
 *     with "::".  The enclosing contexts are those of the DIE at the end of
 *     the chain.  A context without a name adds nothing; <...> becomes {...}.
 * An empty name counts as none.  The language is that of the unit that is
 * read, not of the unit where the chain ends.  A context's name is found along
 * a chain of its own, and the next context is the one around the end of that
 * chain.  DIEs of other tags in between are passed through.  At most
 * DW_MAX_CONTEXTS contexts are looked at, named or not.
 *
 * Split units.  The DIEs are those of the split unit, with the DW_AT_low_pc of
 * the skeleton; line table and compilation directory are the skeleton's.  If
 * the .dwo file is missing, the DIEs of the skeleton count.
 *
 * Ranges.  DW_AT_low_pc with DW_AT_high_pc, else DW_AT_ranges.  A range is
 * left out if it is empty (start >= end) or its start is a tombstone, which
 * linkers write for dropped code: all ones or all ones but one, for the
 * address size.  Where the container says code_bit0, bit 0 is cleared at both
 * ends before anything else is asked; likewise in claims, rows and ends of
 * sequences.  Sums wrap at the address size.  The base of a range list is the
 * unit's DW_AT_low_pc, else its DW_AT_entry_pc (gcc before 4.4), else 0;
 * entries relative to a tombstone are left out.
 * A list that breaks off gives the ranges before the damage.
 *
 * Nodes.  Trees are followed DW_MAX_DEPTH levels deep.  Call file and call
 * line come from the DIE itself, not from its chain; negative values and
 * values of more than 32 bits count as missing (line 0).
 *
 * Calls.  DW_TAG_call_site with DW_AT_call_return_pc and
 * DW_TAG_GNU_call_site with DW_AT_low_pc, at any depth below a subprogram
 * with ranges of its own.  The callee is the DIE that DW_AT_call_origin or
 * DW_AT_abstract_origin refers to, with a name as above; calls through
 * pointers have none.
 *
 * Data.  DW_TAG_variable, at any depth, if its DW_AT_location is DW_OP_addr,
 * DW_OP_addrx or DW_OP_GNU_addr_index, alone or followed by a
 * DW_OP_plus_uconst.
 *
 * Declarations.  DW_AT_decl_file and DW_AT_decl_line, each the first along the
 * chain.  A file number of another unit than the one that is read counts as
 * none.
 *
 * Lines.  Line numbers wrap at 32 bits.  A sequence starts at its lowest row.
 * It is left out if the address of its first row, in program order, is a
 * tombstone, if its start is not below its end, or if the program stops
 * before its end_sequence.  The file register starts at 1 in all versions.
 *
 * Claims.  A unit claims what its sets of .debug_aranges list, else the ranges
 * of its unit DIE.  All pairs of a set count, to the end of the set, even
 * after a pair of zeros.  Ranges are left out by the rules above.
 *
 * Files.  Entry i of a line table is the name, if that is absolute; else
 * include directory + name; if that is not absolute either, compilation
 * directory + include directory + name (in DWARF 5 directory 0 is the
 * compilation directory already).  The last '/' divides directory from base
 * name; nothing else is normalised.  A directory index without an entry counts
 * as no include directory.  Up to DWARF 4 entry 0 exists but is no file.
 * DW_LNE_define_file appends entries.
 */
#ifndef GSYM_DWARF_POLICY_H
#define GSYM_DWARF_POLICY_H

#include "dwarf/unit.h"

enum {
	DW_MAX_ORIGINS = 16,  /**< steps of a chain */
	DW_MAX_CONTEXTS = 64, /**< contexts of a name */
	/** Levels of DIEs; inline trees of GSYM have as many. */
	DW_MAX_DEPTH = 1024,
};

/** Whether LANGUAGE (DW_LANG_*) is C++: source names are qualified. */
bool gsym_dw_language_is_cplusplus(unsigned language);

/** How a unit writes addresses of code. */
struct dw_code {
	uint8_t address_size; /**< 4 or 8 bytes */
	/** Bit 0 is not part of the address but tells the instruction set. */
	bool code_bit0;
};

/** ADDRESS, which may be a sum, cut to the address size of CODE. */
static inline uint64_t dw_wrap(const struct dw_code *code, uint64_t address)
{
	return code->address_size < 8 ? address & UINT32_MAX : address;
}

/** The address of the instruction at ADDRESS, which may be a sum. */
static inline uint64_t dw_code_address(const struct dw_code *code,
				       uint64_t address)
{
	return dw_wrap(code, address) & ~(uint64_t)code->code_bit0;
}

/** The range list of a DIE, while a reader goes through its entries. */
struct dw_range_list {
	struct dw_code code;
	uint64_t base;		  /**< added to relative entries */
	struct gsym_range_set *ranges; /**< where the ranges are appended */
	struct dw_unit *unit;	  /**< whose budget is used */
	bool inlined;		  /**< the ranges are an inlined call's */
};

/** Append [START, END) if it is a range of code.  False without memory. */
bool gsym_dw_range_add(struct dw_range_list *list, uint64_t start,
		       uint64_t end);
/** Append the range of LENGTH bytes from START on, if it is a range of code.
 *  Binaryen writes lengths that lead to 0 for inlined calls whose end it lost:
 *  such a range gets the highest end that there is, and the unit WRAPS.  False
 *  without memory. */
bool gsym_dw_range_add_length(struct dw_range_list *list, uint64_t start,
			      uint64_t length);
/** In a UNIT that WRAPS, cut the inlined calls whose ends wrapped where the
 *  calls or functions around them end.  One warning tells of the first. */
void gsym_dw_unit_unwrap(struct dw_unit *unit);
/** Append [START + base, END + base) if it is a range of code.  False without
 *  memory. */
bool gsym_dw_range_add_relative(struct dw_range_list *list, uint64_t start,
				uint64_t end);

/** Append UNIT's claim on [START, END) if it is a range of code.  False without
 *  memory. */
bool gsym_dw_claim_add(struct dw_claims *claims, uint32_t unit,
		       struct dw_code code, uint64_t start, uint64_t end);

/** A location expression that is one address for the whole life of the
 *  program. */
struct dw_location {
	bool indexed; /**< ADDRESS is an index in the unit's addresses */
	uint64_t address;
	uint64_t addend; /**< of DW_OP_plus_uconst; 0: there is none */
};

/** Read the expression at C, with addresses of ADDRESS_SIZE bytes, to RET;
 *  false if it is no such expression. */
bool gsym_dw_location_read(struct gsym_cursor c, unsigned address_size,
			   struct dw_location *ret);
/** The address of a variable whose location is ADDRESS and ADDEND.  False if
 *  ADDRESS is a tombstone. */
bool gsym_dw_data_address(uint64_t address, uint64_t addend,
			  unsigned address_size, uint64_t *ret);

/** The value of an attribute of the class constant. */
struct dw_constant {
	bool present; /**< the DIE has the attribute */
	bool valid;   /**< its form is a constant's and it is not negative */
	uint64_t value; /**< only if VALID */
};

/** The value of CONSTANT if it is valid and fits into 32 bits, else MISSING. */
uint32_t gsym_dw_constant_u32(const struct dw_constant *constant,
			      uint32_t missing);

/** Choose NAME, which begins zeroed, along a chain.  To be called for each DIE
 *  of the chain, in order, with its linkage name LINKAGE and its DW_AT_name
 *  SOURCE (NULL or "": none).  The cold part of f that gcc calls
 *  __second_sect_of_f is called f.  True if no further DIE can change NAME. */
bool gsym_dw_name_choose(struct dw_name *name, const char *linkage,
			 const char *source);

/** A declaration that is being chosen along a chain. */
struct dw_declaration_choice {
	struct dw_declaration found;
	bool has_file, has_line;
};

#define DW_NO_DECLARATION \
	((struct dw_declaration_choice){ .found = { DW_NO_FILE, 0 } })

/** Choose a declaration along a chain; CHOICE begins as DW_NO_DECLARATION.  To
 *  be called for each DIE of the chain, in order, with its DW_AT_decl_file FILE
 *  and its DW_AT_decl_line LINE.  IS_OWN: the DIE lies in the unit that is
 *  read.  True if no further DIE can change CHOICE. */
bool gsym_dw_declaration_choose(struct dw_declaration_choice *choice,
				const struct dw_constant *file,
				const struct dw_constant *line, bool is_own);

/** The classes, structures and unions that may have functions with code below
 *  them. */
enum dw_class_code {
	DW_CLASS_CODE_NONE,
	DW_CLASS_CODE_LOCAL, /**< those inside of functions */
	DW_CLASS_CODE_ALL,
};

/** The classes with code of a unit in LANGUAGE: none in C, all in other
 *  languages.  In C++ by GCC, as PRODUCER (DW_AT_producer; NULL: not known)
 *  says, local classes alone: GCC puts the code of other member functions
 *  below the unit DIE. */
enum dw_class_code gsym_dw_class_code(unsigned language, const char *producer);

/** Whether a DIE with TAG (DW_TAG_*) is a context: in C++ its name qualifies
 *  the names below it. */
bool gsym_dw_is_context(unsigned tag);

/** CONTEXT "::" NAME, allocated in the arena of UNIT; a CONTEXT in <...> is put
 *  into {...}.  NAME itself if UNIT has no work left for names.  NULL without
 *  memory. */
const char *gsym_dw_qualify(struct dw_unit *unit, const char *context,
			    const char *name);

/** The parts that a line table stores of a file. */
struct dw_file_parts {
	unsigned version;      /**< of the line table */
	const char *comp_dir;  /**< the compilation directory; NULL: none */
	uint64_t index;	       /**< of the include directory */
	const char *directory; /**< the include directory; NULL: none */
	const char *name;
};

/** Join PARTS to the file RET.  Joined directories are allocated in the arena
 *  of UNIT, all other texts are those of PARTS.  RET is zeroed if UNIT has no
 *  work left for names.  False without memory. */
bool gsym_dw_make_file(struct dw_unit *unit,
		       const struct dw_file_parts *parts, struct dw_file *ret);

/**
 * The sequence whose rows are being added.  Before the first sequence it is
 * zeroed but for FIRST_ROW, the present count of the unit's rows, and OFFSET,
 * where its first opcode is.
 */
struct dw_open_sequence {
	size_t first_row;
	uint64_t first_address; /**< of the first row, in program order */
	uint64_t offset;
	bool unsorted; /**< addresses of rows have fallen */
};

/** Add a row to the sequence.  False without memory. */
static inline bool dw_row_add(struct dw_unit *unit,
			      struct dw_open_sequence *open, uint64_t address,
			      uint32_t file, uint32_t line)
{
	struct dw_row *row;

	if (unit->lines.rows.count > open->first_row) {
		row = &unit->lines.rows.items[unit->lines.rows.count - 1];
		if (row->address == address) {
			row->file = file;
			row->line = line;
			return true;
		}
		if (address < row->address)
			open->unsorted = true;
	} else {
		open->first_address = address;
	}
	return gsym_vec_add(&unit->lines.rows,
			    (struct dw_row){ address, file, line });
}

/** End the sequence at the address END: add it to UNIT, unless it is empty or
 *  at a tombstone.  OPEN becomes the next sequence, but for its offset.  False
 *  without memory. */
bool gsym_dw_sequence_end(struct dw_unit *unit, struct dw_open_sequence *open,
			  uint64_t end, unsigned address_size);
/** To be called after the last sequence.  False without memory. */
bool gsym_dw_sequences_sort(struct dw_unit *unit);

#endif
