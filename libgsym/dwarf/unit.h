/* SPDX-License-Identifier: MIT */
/*
 * dwarf/unit.h - what a reader of DWARF finds in a unit: functions, ranges,
 * names, rows and calls, still as the debug info has them; and the interface
 * of a reader.
 *
 * There are two readers: scan.c, the production reader, and second.c, which
 * reads through libdwarf.  resolve.c turns the units of either into records.
 */
#ifndef GSYM_DWARF_UNIT_H
#define GSYM_DWARF_UNIT_H

#include "base/arena.h"
#include "base/vec.h"
#include "dwarf/work.h"

#include <gsym/convert.h>

struct gsym_container;

#define DW_NO_NODE UINT32_MAX
#define DW_NO_FILE UINT32_MAX

struct dw_ranges {
	GSYM_VEC(struct gsym_range);
};

/** What a unit is read for besides functions and lines. */
enum dw_want {
	DW_WANT_FOLDED = 1 << 0, /**< functions hidden by other functions */
	DW_WANT_CALLS = 1 << 1,	 /**< call sites */
	DW_WANT_DATA = 1 << 2,	 /**< variables */
};

/** A name, by the policy of dwarf/policy.h. */
struct dw_name {
	const char *text; /**< NULL: none */
	bool linkage;	  /**< a linkage name, else a source name */
};

/**
 * A function or an inlined call (DW_TAG_subprogram,
 * DW_TAG_inlined_subroutine) that has code, or an inlined call below it has.
 * Nodes are in DIE order, so parents come before children.  A node without
 * ranges may also come later, right before the first call inlined into it.
 */
struct dw_node {
	uint64_t die; /**< offset in .debug_info, for messages */
	/** Of an inlined call: the node that it was inlined into, the nearest
	 *  ancestor that is a function or an inlined call.  DW_NO_NODE for
	 *  functions. */
	uint32_t parent;
	bool inlined;
	struct dw_name name;
	/** DW_AT_call_file, an index into files; DW_NO_FILE if missing. */
	uint32_t call_file;
	uint32_t call_line;
	/** RANGE_COUNT of the unit's ranges from FIRST_RANGE on, in the order
	 *  that the DIE gives them: not sorted, none empty, no tombstones. */
	uint32_t first_range;
	uint32_t range_count;
	/** Where a function is declared; with DW_WANT_FOLDED only. */
	struct dw_declaration {
		uint32_t file; /**< index into files; DW_NO_FILE: not known */
		uint32_t line; /**< 0: not known */
	} declared;
	/** DW_AT_LLVM_stmt_sequence: the line-table sequence of a function, by
	 *  the offset that struct dw_sequence has, too. */
	bool has_sequence;
	uint64_t sequence;
};

/** A call site. */
struct dw_call {
	uint64_t address;  /**< return address */
	uint32_t function; /**< node of the calling function */
	struct dw_name callee;
};

/** A variable with one address for the whole life of the program. */
struct dw_variable {
	uint64_t address;
	struct dw_name name;
	struct dw_declaration declared;
};

/** A row of the line table.  end_sequence rows are left out, and so are rows
 *  that no look-up can reach: all but the last row of a sequence at one
 *  address, and rows with the file and line of the row before them. */
struct dw_row {
	uint64_t address;
	uint32_t file; /**< index into files */
	uint32_t line;
};

/** A sequence of the line table: ROW_COUNT rows from FIRST_ROW on, sorted by
 *  address, that cover [START, END).  Empty sequences and those at a tombstone
 *  are left out. */
struct dw_sequence {
	uint64_t start;
	uint64_t end; /**< the address of end_sequence */
	uint32_t first_row;
	uint32_t row_count;
	uint64_t offset; /**< of its first opcode in .debug_line */
};

/** A file of the line table.  Rows and calls refer to it by its index (DWARF 2
 *  to 4 count from 1: entry 0 is no file).  The directory is joined of the
 *  compilation directory and the include directory (policy.h).  A file that
 *  nothing in the unit refers to may be left zeroed. */
struct dw_file {
	const char *directory; /**< NULL or "": none */
	const char *basename;  /**< NULL: no such file */
};

enum { DW_HELD = 2 };

/** The content of a unit.  A zeroed struct is empty. */
struct dw_unit {
	uint64_t offset; /**< of its header in .debug_info */
	/** The work that reading and resolving it may take and has taken, and
	 *  a set of enum dw_cut that was left out. */
	struct gsym_budget work;
	/** The parts of the limit that the unit has for its own bytes, and for
	 *  its split unit; the rest comes from the pool. */
	uint64_t own_work;
	uint64_t split_work;
	unsigned cuts;
	/** A set of enum dw_want, for the reader.  gsym_dw_unit_clear keeps
	 *  it. */
	unsigned wants;
	bool no_lines;	 /**< the line table is not to be read */
	struct { GSYM_VEC(struct dw_node); } nodes;
	/** With DW_WANT_CALLS, in DIE order. */
	struct { GSYM_VEC(struct dw_call); } calls;
	/** With DW_WANT_DATA, in DIE order. */
	struct { GSYM_VEC(struct dw_variable); } variables;
	struct dw_ranges ranges;
	struct { GSYM_VEC(struct dw_row); } rows;
	/** Sorted by end. */
	struct {
		GSYM_VEC(struct dw_sequence);
	} sequences;
	struct { GSYM_VEC(struct dw_file); } files;
	/** Holds texts that are in no section: joined names and paths. */
	struct gsym_arena arena;
	/** .dwo files that texts of the unit may lie in.  They stay open until
	 *  UNIT reads others, as the skeletons after each other may name one
	 *  file: the first candidate, and the last of the others (split.h). */
	struct dw_held {
		struct gsym_container *file; /**< NULL: none */
		const char *name, *directory;
		unsigned n;
	} held[DW_HELD];
	/** Damage and limits that the reader met, in the order it met them. */
	struct {
		GSYM_VEC(struct dw_warning {
			enum gsym_warning kind;
			const char *text; /* in the arena */
		});
	} warnings;
};

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

	if (unit->rows.count > open->first_row) {
		row = &unit->rows.items[unit->rows.count - 1];
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
	row = gsym_vec_push(&unit->rows);
	if (!row)
		return false;
	*row = (struct dw_row){ address, file, line };
	return true;
}

/** End the sequence at the address END: add it to UNIT, unless it is empty or
 *  at a tombstone.  OPEN becomes the next sequence, but for its offset.  False
 *  without memory. */
bool gsym_dw_sequence_end(struct dw_unit *unit, struct dw_open_sequence *open,
			  uint64_t end, unsigned address_size);
/** To be called after the last sequence. */
void gsym_dw_sequences_sort(struct dw_unit *unit);

/** Use UNITS of work for what CUT names.  False if that exceeds the budget of
 *  UNIT, which gets a warning: the work must not be done then. */
static inline bool dw_unit_take(struct dw_unit *unit, enum dw_cut cut,
				uint64_t units)
{
	return gsym_budget_take(&unit->work, units) ||
	       gsym_dw_unit_cut(unit, cut);
}

/** Leave out what CUT names, without doing any of its work.  UNIT gets a
 *  warning.  Returns false. */
static inline bool dw_unit_refuse(struct dw_unit *unit, enum dw_cut cut)
{
	unit->work.exceeded = true;
	return gsym_dw_unit_cut(unit, cut);
}

/** The most things that cost COST units of work each, if UNIT did nothing else:
 *  a bound of memory for things that cost no work. */
static inline uint64_t dw_unit_most(const struct dw_unit *unit, uint64_t cost)
{
	return unit->work.limit ? unit->work.limit / cost : UINT64_MAX;
}

/** Give back UNITS of work that were taken but not done. */
static inline void dw_unit_give_back(struct dw_unit *unit, uint64_t units)
{
	unit->work.used -= units;
}

/** The bytes of the debug sections of CONTAINER.  The bytes that they take in
 *  the file are added to *PACKED. */
uint64_t gsym_dw_debug_bytes(const struct gsym_container *container,
			     uint64_t *packed);

/** Empty UNIT for reuse, keeping its memory and its open .dwo files. */
void gsym_dw_unit_clear(struct dw_unit *unit);
void gsym_dw_unit_fini(struct dw_unit *unit);

/** Add a warning to UNIT; without memory it is lost. */
void gsym_dw_unit_warn(struct dw_unit *unit, enum gsym_warning kind,
		       const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** A range of addresses that a unit claims. */
struct dw_claim {
	struct gsym_range range;
	uint32_t unit; /**< index of the unit */
};

struct dw_claims {
	GSYM_VEC(struct dw_claim);
};

/**
 * A reader of DWARF.  Units are the compile, partial and skeleton units, by
 * their index in the order of .debug_info.  Damage becomes warnings in UNIT or
 * NOTES; GSYM_ERR_MEMORY is the only failure but for OPEN.
 */
struct dw_reader {
	/** READ_UNIT may be called by several threads at once. */
	bool parallel;
	/** Read the headers of all units on THREADS threads.  *SELF is what
	 *  the other functions are given. */
	enum gsym_status (*open)(const struct gsym_container *container,
				 unsigned threads, struct dw_unit *notes,
				 void **self, struct gsym_error *error);
	void (*close)(void *self);
	size_t (*unit_count)(void *self);
	/** The bytes of the unit in .debug_info, for progress. */
	uint64_t (*unit_size)(void *self, size_t index);
	/** The offset of the unit header in .debug_info. */
	uint64_t (*unit_offset)(void *self, size_t index);
	/** Append the ranges of .debug_aranges to CLAIMS.  HAS_SET, by unit,
	 *  becomes true for units that have a set there. */
	enum gsym_status (*aranges)(void *self, struct dw_claims *claims,
				    bool *has_set, struct dw_unit *notes);
	/** Append the ranges of the unit DIE to RANGES. */
	enum gsym_status (*unit_ranges)(void *self, size_t index,
					struct dw_ranges *ranges,
					struct dw_unit *notes);
	/** Where the unit's line table is in .debug_line, and the compilation
	 *  directory of the unit, NULL for none; false if it has no table. */
	bool (*unit_lines)(void *self, size_t index, uint64_t *offset,
			   const char **directory);
	/** Fill TABLE with the rows, sequences and files of the line table of
	 *  unit INDEX, whatever the unit refers to. */
	enum gsym_status (*read_lines)(void *self, size_t index,
				       struct dw_unit *table);
	/** Fill UNIT, which was cleared. */
	enum gsym_status (*read_unit)(void *self, size_t index,
				      struct dw_unit *unit);
	/** The records of the units up to INDEX were handed over, and these
	 *  units are not read again: SELF may give their memory back.  Called
	 *  for each unit, in order.  NULL: SELF gives nothing back. */
	void (*unit_done)(void *self, size_t index);
};

/** scan.c */
extern const struct dw_reader gsym_dwarf_scan;
/** second.c */
extern const struct dw_reader gsym_dwarf_second;

#endif
