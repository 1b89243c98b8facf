/* SPDX-License-Identifier: MIT */
/*
 * dwarf/unit.h - what a reader of DWARF finds in a unit: functions, ranges,
 * names, rows and calls, still as the debug info has them; the work that it may
 * cause; the files of split units; and the interface of a reader.
 *
 * There are two readers: scan.c, the production reader, and that of the room
 * "second", which reads through libdwarf.  resolve.c turns the units of either
 * into records.
 */
#ifndef GSYM_DWARF_UNIT_H
#define GSYM_DWARF_UNIT_H

#include "base/cursor.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "container/container.h"

#include <gsym/convert.h>

#include <stddef.h>
#include <string.h>

/* ---- work ---------------------------------------------------------------- */

/*
 * Limits the work that the debug info of a program may cause.
 *
 * Little debug info can stand for much work: any number of DIEs may refer to
 * one long range list, one DIE or one line table, or have names that begin one
 * byte apart in one long string.  So a conversion has a budget of
 * DW_WORK_SHARE units of work for each byte of debug info.  A unit of work is
 * what takes about a nanosecond, or a byte of memory.  The debug info of
 * compilers needs less than a tenth of it.
 *
 * Each unit of the program (compile unit) may use DW_WORK_OWN units of work
 * for each of its own bytes, whatever other units do.  Beyond that it draws on
 * a pool, which the units share in the order of .debug_info.  Units are read
 * by several threads at once, before it is known what the units before them
 * have left in the pool.  So each is granted a guess, and settled in order: if
 * the guess was wrong and mattered, the unit is read again, with exactly what
 * is left.  The result does not depend on the number of threads.
 *
 * The bytes of a split unit in a .dwo file count for its skeleton alone, and
 * only for the first skeleton with its ID: any number of skeletons may name
 * one file.
 *
 * What a unit has to leave out becomes a GSYM_WARN_WORK_LIMIT.
 */

enum {
	DW_WORK_SHARE = 64,
	DW_WORK_OWN = 16,
	/** Units of work for debug info of any size. */
	DW_WORK_SPARE = 1 << 20,
	/** Bytes that count for each byte of compressed debug info, at most.
	 *  Debug info is seldom compressed to less than a fifth, and needs far
	 *  less than its share of work. */
	DW_WORK_PACKED = 2,
};

/** Units of work for what debug info causes. */
enum dw_cost {
	DW_COST_DIE_BYTE = 1, /**< a byte of DIEs that are walked */
	DW_COST_RANGE = 64,   /**< an entry of a range list, or another range;
				*   sorting and painting it included */
	DW_COST_CLAIM = 64,   /**< a range that a unit claims */
	DW_COST_NODE = 64,    /**< a function, inlined call or variable */
	DW_COST_STRETCH = 64, /**< a stretch that painting adds */
	DW_COST_EXTEND = 4,   /**< a stretch that painting extends */
	DW_COST_LOOK = 4,     /**< a sequence or stretch that is looked at */
	DW_COST_ROW = 16,     /**< a row of a record */
	DW_COST_INLINE = 64,  /**< a range of an inlined call of a record */
	DW_COST_CALL = 64,    /**< a call, read or put into a record */
	DW_COST_FOLDED = 128, /**< a folded record */
	DW_COST_TEXT = 2,     /**< a byte of a name of a function or file */
	DW_COST_UNIT = 512,   /**< the header of a unit */
	DW_COST_LINE_BYTE = 1, /**< a byte of a line table that is read */
	DW_COST_ROW_READ = 32, /**< a row of a line table */
	DW_COST_OPEN = 1024,  /**< a search for a split unit */
	DW_COST_UNSEEN = 16384, /**< what opening a file takes at least, from
				 *   the pool, before the file is known */
	DW_COST_ABBREV = 4,   /**< a byte of a split unit's abbreviations */
	DW_COST_SIBLING = 64, /**< a unit beside a split unit */
};

/** What a unit may have to leave out. */
enum dw_cut {
	DW_CUT_DIES,
	DW_CUT_RANGES,
	DW_CUT_CLAIMS,
	DW_CUT_NODES,
	DW_CUT_ROWS,
	DW_CUT_INLINES,
	DW_CUT_CALLS,
	DW_CUT_FOLDED,
	DW_CUT_NAMES,
	DW_CUT_UNITS,
	DW_CUT_SPLIT,
	DW_CUT_COUNT
};

struct dw_unit;

/** The budget of a conversion.  A zeroed struct has no limit. */
struct dw_work {
	bool limited;
	/** How many bytes of the debug info count as one, because it was
	 *  compressed exceptionally well; 0: each byte counts. */
	uint64_t packing;
	uint64_t left; /**< in the pool */
	/** LEFT in steps of 64 Ki, for threads that do not settle. */
	_Atomic unsigned guess;
};

/** Begin WORK, for debug info of SIZE bytes that takes STORED bytes in the
 *  file. */
void gsym_dw_work_init(struct dw_work *work, uint64_t size, uint64_t stored);
/** Grant UNIT, which was cleared and has SIZE bytes, its own share and one of
 *  PARTS parts of the pool.  More than one part is a guess. */
void gsym_dw_work_grant(struct dw_work *work, struct dw_unit *unit,
			uint64_t size, size_t parts);
/** Take the work of UNIT out of the pool.  False if the unit has to be read
 *  again, with a grant of one part. */
bool gsym_dw_work_settle(struct dw_work *work, const struct dw_unit *unit,
			 uint64_t size);

/** Let UNIT do the work of SIZE bytes of debug info more, those of its split
 *  unit. */
void gsym_dw_work_extend(struct dw_unit *unit, uint64_t size);
/** Use the work of handing over TEXT, a name.  False if that exceeds the budget
 *  of UNIT.  From the first name that is refused on, UNIT gets no others: they
 *  would have to be measured, too. */
bool gsym_dw_unit_take_text(struct dw_unit *unit, const char *text);
/** Use the work of reading the line table at OFFSET of LINE, the section.
 *  False if that exceeds the budget of UNIT: the table must not be read then.
 *  From compilers few units refer to one table, but any number of units may. */
bool gsym_dw_unit_take_lines(struct dw_unit *unit, struct gsym_cursor line,
			     uint64_t offset);
/** Warn that UNIT leaves CUT out, once for each CUT.  Returns false. */
bool gsym_dw_unit_cut(struct dw_unit *unit, enum dw_cut cut);

/* ---- headers of units ---------------------------------------------------- */

/** What the sizes of forms depend on. */
struct dw_encoding {
	uint16_t version;
	uint8_t address_size; /**< 4 or 8 */
	uint8_t offset_size;  /**< 4, or 8 in 64-bit DWARF */
};

struct dw_sections;
struct dw_abbrevs;

/** A unit header, and the attributes of the unit DIE that are needed to read
 *  the unit.  Offsets are in the section of the unit, .debug_info or
 *  .debug_types. */
struct dw_header {
	uint64_t offset; /**< of the header */
	uint64_t die;	 /**< of the unit DIE */
	uint64_t end;	 /**< where the unit ends */
	struct dw_encoding encoding;
	/** HAS_ID: the ID that a skeleton and its split unit have in common.
	 *  Of a type unit: its signature. */
	bool has_id;
	uint64_t id;
	uint64_t type; /**< offset of a type unit's type; 0: no type unit */
	uint16_t language;
	const char *comp_dir; /**< NULL: none */
	uint64_t addr_base;
	uint64_t rnglists_base;
	uint64_t low_pc; /**< base address of its range lists */

	/** Of a skeleton: the .dwo file of its split unit; NULL: none. */
	const char *split_name;
	/** Of a skeleton, DWARF 4: where the split unit's part of
	 *  .debug_ranges begins. */
	uint64_t ranges_base;

	/* The rest is the production reader's. */
	bool repeated; /**< an earlier skeleton has the same ID */
	bool follows;  /**< the skeleton before names the same file */
	const struct dw_sections *sections; /**< INFO is the unit's section */
	uint64_t abbrev_offset;
	const struct dw_abbrevs *abbrevs;
	uint8_t unit_type;
	bool usable; /**< the unit DIE could be read */
	/** Nobody needs the unit so far: its abbreviation table and its unit
	 *  DIE are not read, and it is not usable. */
	bool waits;
	bool reported;	      /**< a warning has told that it is not usable */
	const char *producer; /**< NULL: not known */
	bool has_lines;	      /**< the unit has a line table, at STMT_LIST */
	uint64_t stmt_list;
	uint64_t str_offsets_base;
};

/** The bytes of the unit at HEADER. */
static inline uint64_t dw_unit_bytes(const struct dw_header *header)
{
	return header->end - header->offset;
}

/* ---- units --------------------------------------------------------------- */

#define DW_NO_NODE UINT32_MAX
#define DW_NO_FILE UINT32_MAX

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
	/** The DIE has ranges, and each is empty or begins at a tombstone: what
	 *  is inlined into it was dropped, too, wherever it seems to lie. */
	bool dropped;
	struct dw_name name;
	/** DW_AT_call_file, an index into files; DW_NO_FILE if missing. */
	uint32_t call_file;
	uint32_t call_line;
	/** RANGE_COUNT of the unit's ranges from FIRST_RANGE on, in the order
	 *  that the DIE gives them: not sorted, none empty, no tombstones. */
	uint32_t first_range;
	uint32_t range_count;
	/** Where a function is declared; without DW_WANT_FOLDED the line alone,
	 *  and only if the DIE itself has it. */
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
	uint64_t entry;	 /**< the address of its first row, before sorting */
	uint64_t offset; /**< of its first opcode in .debug_line */
};

/** The sequences of a line table, sorted by end, and their rows. */
struct dw_lines {
	GSYM_VEC_OF(struct dw_row) rows;
	GSYM_VEC_OF(struct dw_sequence) sequences;
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
	/** Which code is in the program, and the number of the unit there.
	 *  NULL: all of it is.  gsym_dw_unit_clear keeps both. */
	const struct dw_live *live;
	uint32_t index;
	GSYM_VEC_OF(struct dw_node) nodes;
	/** Some inlined call runs over the end of the address space. */
	bool wraps;
	bool drops; /**< some node is DROPPED */
	/** With DW_WANT_CALLS, in DIE order. */
	GSYM_VEC_OF(struct dw_call) calls;
	/** With DW_WANT_DATA, in DIE order. */
	GSYM_VEC_OF(struct dw_variable) variables;
	struct gsym_range_set ranges;
	struct dw_lines lines;
	GSYM_VEC_OF(struct dw_file) files;
	/** Holds texts that are in no section: joined names and paths. */
	struct gsym_arena arena;
	/** .dwo files that texts of the unit may lie in.  They stay open until
	 *  UNIT reads others, as the skeletons after each other may name one
	 *  file: the first candidate, and the last of the others. */
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

/** The bytes of the debug sections of CONTAINER.  The bytes that they take in
 *  the file are added to *STORED. */
uint64_t gsym_dw_debug_bytes(const struct gsym_container *container,
			     uint64_t *stored);

/** Empty UNIT for reuse, keeping its memory and its open .dwo files. */
void gsym_dw_unit_clear(struct dw_unit *unit);
void gsym_dw_unit_fini(struct dw_unit *unit);

/** Add a warning to UNIT; without memory it is lost. */
void gsym_dw_unit_warn(struct dw_unit *unit, enum gsym_warning kind,
		       const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- split units (dwarf/split.c) ----------------------------------------- */

/*
 * Finds the split unit of a skeleton: in a .dwo file, or in a
 * package of .dwo files (.dwp).
 *
 * Either becomes a container in which the split unit looks like any other
 * unit.  Its sections have their plain names.  .debug_addr and .debug_ranges,
 * which the linker left with the skeleton, are cut so that the unit's part is
 * where units without the attributes for it look: after the section's header
 * in DWARF 5, at offset 0 before.  DW_AT_low_pc, the line table and the
 * compilation directory are the skeleton's; readers take them from there.
 */

/** Whether A and B, names or folders of skeletons, are equal; NULL is equal to
 *  NULL alone. */
static inline bool dw_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

struct dw_split {
	struct gsym_container container;
	/** The .dwo file that the sections lie in, freed with the split;
	 *  NULL: they lie in the package. */
	struct gsym_container *file;
	/** The work of opening it that is not yet paid for. */
	uint64_t price;
};

/**
 * Open the candidate N, from 0 on, for the split unit of SKELETON, which is in
 * the program MAIN: the package, then each .dwo file that may be meant.  The
 * candidate is the right one if it has a unit with the ID of SKELETON.
 *
 * GSYM_NOT_FOUND: there is no candidate N, and none after it.
 * GSYM_ERR_MEMORY: no memory.  Any other failure: this candidate cannot be
 * used; the next one may be.
 */
enum gsym_status gsym_dw_split_open(const struct gsym_container *main,
				    const struct dw_header *skeleton,
				    unsigned n, struct dw_split *ret);
void gsym_dw_split_close(struct dw_split *split);

enum {
	/** Type units of a package that are opened for one split unit.  Each
	 *  costs reading its abbreviations, and only source names need any. */
	DW_SPLIT_MAX_TYPES = 64,
};

/**
 * The type units of the package of MAIN that the split unit of SKELETON refers
 * to.  A package may have thousands of type units, and few are needed for
 * names: so a type unit is opened when a reference to its signature is
 * followed.  Not thread-safe.
 */
struct dw_package {
	const struct gsym_container *main;
	const struct dw_header *skeleton;
	const struct dw_info *alternate; /**< the production reader's */
	struct dw_package_type {
		uint64_t signature;
		struct dw_split split;
		void *unit; /**< what the reader made of SPLIT */
	} *types[DW_SPLIT_MAX_TYPES];
	size_t count;
	bool no_memory;
};

/** The type unit with SIGNATURE of PACKAGE; *ADDED: it was opened now.  NULL:
 *  the package does not have it, or no other may be opened. */
struct dw_package_type *gsym_dw_package_type(struct dw_package *package,
					     uint64_t signature, bool *added);
/** Close all type units; CLOSE frees what the reader made of each, or NULL. */
void gsym_dw_package_close(struct dw_package *package,
			   void (*close)(void *unit));

/** Let UNIT, which was found in SPLIT by SKELETON and has SIZE bytes there, do
 *  the work of a split unit, and take the price of SPLIT.  False beyond the
 *  budget: UNIT stays without nodes. */
bool gsym_dw_split_pay(const struct dw_header *skeleton,
		       struct dw_split *split, struct dw_unit *unit,
		       uint64_t size);

/** Read the nodes of the split unit of SKELETON into UNIT, if SPLIT holds that
 *  unit and gsym_dw_split_pay agrees; *FOUND, which is false, tells whether
 *  SPLIT holds it.  False without memory. */
typedef bool dw_split_read_fn(void *context, const struct dw_header *skeleton,
			      struct dw_split *split, struct dw_unit *unit,
			      bool *found);

/** Call READ for the candidates for the split unit of SKELETON, which is in
 *  MAIN, until one is the right one.  If none is, the .dwo file is missing, or
 *  the budget of UNIT does not allow to open more: UNIT gets a warning, and
 *  *FOUND is false: the reader reads the DIEs of the skeleton then.  False
 *  without memory. */
bool gsym_dw_split_read(const struct gsym_container *main,
			const struct dw_header *skeleton,
			dw_split_read_fn *read, void *context,
			struct dw_unit *unit, bool *found);

/* ---- readers ------------------------------------------------------------- */

/** A range of addresses that a unit claims. */
struct dw_claim {
	struct gsym_range range;
	uint32_t unit; /**< index of the unit */
};

struct dw_claims {
	GSYM_VEC(struct dw_claim);
};

/**
 * What readers of DWARF can do.  Units are the compile, partial and
 * skeleton units, by their index in the order of .debug_info.  Damage becomes
 * warnings in UNIT.  OUTSIDE, which stands for no unit, takes the warnings
 * about what is read outside of units, and has the budget for that.
 * GSYM_ERR_MEMORY is the only failure but for OPEN, and for readers that are
 * IN_PASSING.
 */
struct dw_reader {
	/** Units are read while their section is inflated, each once, and
	 *  without the units after it.  OPEN, ARANGES and READ_UNIT return
	 *  GSYM_NOT_FOUND for debug info that cannot be read so.  A warning
	 *  has to end the conversion, too: the reader of the whole section may
	 *  not have it.  UNIT_RANGES is NULL, as each unit has a set. */
	bool in_passing;
	/** Read the headers of all units.  *SELF is what the other functions
	 *  are given.  The production reader takes THREADS threads, and with
	 *  FEW no unit can be used before it is needed (NEED). */
	enum gsym_status (*open)(const struct gsym_container *container,
				 bool few, unsigned threads,
				 struct dw_unit *outside, void **self,
				 struct gsym_error *error);
	void (*close)(void *self);
	size_t (*unit_count)(void *self);
	const struct dw_header *(*unit)(void *self, size_t index);
	/** Append the ranges of .debug_aranges to CLAIMS.  HAS_SET, by unit,
	 *  becomes true for units that have a set there; the unit DIEs of the
	 *  others can be read from then on. */
	enum gsym_status (*aranges)(void *self, struct dw_claims *claims,
				    bool *has_set, struct dw_unit *outside);
	/** Append the ranges of the unit DIE to RANGES. */
	enum gsym_status (*unit_ranges)(void *self, size_t index,
					struct gsym_range_set *ranges,
					struct dw_unit *outside);
	/** Fill UNIT, which was cleared. */
	enum gsym_status (*read_unit)(void *self, size_t index,
				      struct dw_unit *unit);
	/** The other functions may be NULL. */
	/** Whether unit INDEX may describe functions with code; NULL: every
	 *  unit may.  If IN_PASSING, all units up to INDEX are inflated, unless
	 *  the reader was opened for FEW units and NEED was not called. */
	bool (*has_code)(void *self, size_t index);
	/** The reader was opened for FEW units: those are needed for which
	 *  NEEDED, by unit, is true.  NEEDED has to live as long as SELF. */
	enum gsym_status (*need)(void *self, const bool *needed,
				 struct dw_unit *outside);
	/** Unit INDEX was read, and is seldom read again: its memory is given
	 *  back if it lies in the mapped file. */
	void (*unit_read)(void *self, size_t index);
	/** The units up to INDEX are not read again, and the names that lie in
	 *  their bytes are not needed: their memory is given back.  To be
	 *  called in order, by one thread at a time; units may be left out. */
	void (*unit_done)(void *self, size_t index);
};

/** scan.c */
extern const struct dw_reader gsym_dwarf_scan;
/** passing.c: for containers with PASSING. */
extern const struct dw_reader gsym_dwarf_passing;

struct gsym_convert_options;

/** Tell OPTIONS->compiled_in which compilation directory more than half of the
 *  COUNT units have that R has opened as SELF. */
void gsym_dw_tell_directory(const struct dw_reader *r, void *self, size_t count,
			    const struct gsym_convert_options *options);

#endif
