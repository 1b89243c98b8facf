/* SPDX-License-Identifier: MIT */
/*
 * dwarf/unit.h - what a reader of DWARF makes of a unit, before anything is
 * decided: ranges, names, rows and calls as the debug info has them.
 *
 * Two readers fill it: scan.c, the production reader, and second.c, through
 * libdwarf.  resolve.c turns it into records, in one way for both.
 */
#ifndef GSYM_DWARF_UNIT_H
#define GSYM_DWARF_UNIT_H

#include "base/arena.h"
#include "base/vec.h"

#include <gsym/convert.h>

struct gsym_container;

#define DW_NO_NODE UINT32_MAX
#define DW_NO_FILE UINT32_MAX

struct dw_ranges {
	GSYM_VEC(struct gsym_range);
};

/** What is wanted of a unit besides functions and lines. */
enum dw_want {
	DW_WANT_FOLDED = 1 << 0, /**< what other functions hide */
	DW_WANT_CALLS = 1 << 1,
	DW_WANT_DATA = 1 << 2,
};

/** A name and where it comes from. */
struct dw_name {
	const char *text; /**< NULL: none */
	bool linkage;     /**< DW_AT_linkage_name, else DW_AT_name, perhaps
			       qualified by the policy of dwarf/policy.h */
};

/**
 * A DW_TAG_subprogram or DW_TAG_inlined_subroutine that has code, or whose
 * inlined calls have.  In DIE order, so parents come before children.
 */
struct dw_node {
	uint64_t die; /**< offset in .debug_info, for messages and order */
	/** The node that this call was inlined into: the nearest ancestor
	 *  that is a subprogram or inlined call; DW_NO_NODE for subprograms. */
	uint32_t parent;
	bool inlined;
	struct dw_name name;
	/** DW_AT_call_file, an index into files; DW_NO_FILE if missing. */
	uint32_t call_file;
	uint32_t call_line;
	/** RANGE_COUNT of the unit's ranges from FIRST_RANGE on, as the DIE
	 *  gives them: in any order, none empty, none tombstoned. */
	uint32_t first_range;
	uint32_t range_count;
	/** With DW_WANT_FOLDED, of functions: where they are declared. */
	struct dw_declaration {
		uint32_t file; /**< index into files; DW_NO_FILE */
		uint32_t line; /**< 0: not known */
	} declared;
	/** DW_AT_LLVM_stmt_sequence: which of the sequences of its range is
	 *  the function's own. */
	bool has_sequence;
	uint64_t sequence;
};

/** A call, by the address that it returns to. */
struct dw_call {
	uint64_t address;
	uint32_t function; /**< index of the node that the code is in */
	struct dw_name callee;
};

/** A variable that has one address as long as the program runs. */
struct dw_variable {
	uint64_t address;
	struct dw_name name;
	struct dw_declaration declared;
};

/** A row of the line number matrix; no end_sequence rows.  Of several rows
 *  at one address of a sequence only the last is kept, and a row that says
 *  the same as the one before it is left out: no look-up can tell. */
struct dw_row {
	uint64_t address;
	uint32_t file; /**< index into files */
	uint32_t line;
};

/** ROW_COUNT rows from FIRST_ROW on, sorted by address (stable), that cover
 *  [start, end).  Empty and tombstoned sequences are left out. */
struct dw_sequence {
	uint64_t start;
	uint64_t end; /**< the address of end_sequence */
	uint32_t first_row;
	uint32_t row_count;
	/** Of its first opcode in .debug_line. */
	uint64_t offset;
};

/** A file of the line table, by the index that rows use (DWARF 2 to 4 count
 *  from 1, so that entry 0 has no name).  Compilation directory and include
 *  directory are joined to the name (policy.h).  A file that no row and no
 *  call refers to need not be filled in. */
struct dw_file {
	const char *directory; /**< NULL or "": none */
	const char *basename;  /**< NULL: no such file */
};

/** A unit's content. */
struct dw_unit {
	uint64_t offset; /**< of its header in .debug_info */
	unsigned wants;  /**< enum dw_want; stays when it is cleared */
	bool no_lines;	 /**< the line table is not to be read */
	struct { GSYM_VEC(struct dw_node); } nodes;
	/** With DW_WANT_CALLS, in DIE order. */
	struct { GSYM_VEC(struct dw_call); } calls;
	/** With DW_WANT_DATA, in DIE order. */
	struct { GSYM_VEC(struct dw_variable); } variables;
	struct dw_ranges ranges;
	size_t max_ranges; /**< see gsym_dw_ranges_fit; stays when it is cleared */
	struct { GSYM_VEC(struct dw_row); } rows;
	struct { GSYM_VEC(struct dw_sequence); } sequences; /**< by end, stable */
	struct { GSYM_VEC(struct dw_file); } files;
	/** Holds the strings that were put together for this unit. */
	struct gsym_arena arena;
	/** A file that other strings lie in, opened for this unit alone
	 *  (.dwo); NULL: none. */
	struct gsym_container *held;
	/** Warnings that came up; handed on in unit order. */
	struct {
		GSYM_VEC(struct dw_warning {
			enum gsym_warning kind;
			const char *text; /* in the arena */
		});
	} warnings;
};

/**
 * Collect the rows of a sequence: zero OPEN but for first_row, which is
 * the present count of UNIT's rows, and the offset of its first opcode; add the
 * rows; end the sequence, which leaves it out if it is empty or tombstoned, and
 * zeroes OPEN for the next one; after all sequences, sort them.
 * False without memory.
 */
struct dw_open_sequence {
	size_t first_row;
	uint64_t first_address; /**< as the program has it */
	uint64_t offset;
	bool unsorted;
};

bool gsym_dw_row_add(struct dw_unit *unit, struct dw_open_sequence *open,
		     uint64_t address, uint32_t file, uint32_t line);
bool gsym_dw_sequence_end(struct dw_unit *unit, struct dw_open_sequence *open,
			  uint64_t end, unsigned address_size);
void gsym_dw_sequences_sort(struct dw_unit *unit);

/** Whether there is room for MORE ranges besides COUNT, at most MAX (0: any
 *  number) in all: many DIEs may refer to one long list.  If not, UNIT gets
 *  a warning of those of DIE. */
bool gsym_dw_ranges_fit(size_t count, size_t more, size_t max,
			struct dw_unit *unit, uint64_t die);

/** Empty UNIT for reuse, keeping its memory. */
void gsym_dw_unit_clear(struct dw_unit *unit);
void gsym_dw_unit_fini(struct dw_unit *unit);

/** Note a warning; quietly dropped without memory. */
void gsym_dw_unit_warn(struct dw_unit *unit, enum gsym_warning kind,
		       const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** A stretch of addresses that a unit claims. */
struct dw_claim {
	struct gsym_range range;
	uint32_t unit; /**< index of the unit */
};

struct dw_claims {
	GSYM_VEC(struct dw_claim);
	size_t max; /**< for gsym_dw_ranges_fit */
};

/**
 * A reader of DWARF.  Units are counted in the order of .debug_info (then
 * .debug_types, which hold no code); compile, partial and skeleton units.
 */
struct dw_reader {
	/** Whether READ_UNIT may be called by several workers at once. */
	bool parallel;
	/** Read what all units have in common.  Damage becomes warnings in
	 *  NOTES. */
	enum gsym_status (*open)(const struct gsym_container *container,
				 unsigned threads, struct dw_unit *notes,
				 void **self, struct gsym_error *error);
	void (*close)(void *self);
	size_t (*unit_count)(void *self);
	/** Bytes of the unit, for progress. */
	uint64_t (*unit_size)(void *self, size_t index);
	/** The offset of its unit DIE in .debug_info. */
	uint64_t (*unit_die)(void *self, size_t index);
	/** Append the ranges of .debug_aranges to CLAIMS; HAS_SET, by unit,
	 *  becomes true for those that have a set there. */
	enum gsym_status (*aranges)(void *self, struct dw_claims *claims,
				    bool *has_set, struct dw_unit *notes);
	/** Append the ranges of the unit DIE to RANGES. */
	enum gsym_status (*unit_ranges)(void *self, size_t index,
					struct dw_ranges *ranges,
					struct dw_unit *notes);
	/** Where the unit's line table is in .debug_line; false if it has
	 *  none. */
	bool (*unit_lines)(void *self, size_t index, uint64_t *offset);
	/** Fill UNIT, which was cleared.  Damage becomes warnings; only a
	 *  lack of memory fails. */
	enum gsym_status (*read_unit)(void *self, size_t index,
				      struct dw_unit *unit);
};

/** scan.c */
extern const struct dw_reader gsym_dwarf_scan;
/** second.c */
extern const struct dw_reader gsym_dwarf_second;

#endif
