/* SPDX-License-Identifier: MIT */
/*
 * dwarf/resolve.h - from units, as a reader filled them, to records:
 *
 *	live.c       which code of the debug info is in the program
 *	paint.c      which function or inlined call is on top at an address
 *	rows.c       the rows in force in a range
 *	records.c    records of a function, folded ones as well
 *	resolve.c    claims of units; which unit answers for an address; all
 *	             records of a unit, kept until they are handed over
 *	described.c  functions of units that do not own their code; what symbols
 *	             say of functions
 *
 * None of the files knows how a unit was read, nor GSYM.
 */
#ifndef GSYM_DWARF_RESOLVE_H
#define GSYM_DWARF_RESOLVE_H

#include "base/cursor.h"
#include "base/intern.h"
#include "base/order.h"
#include "dwarf/unit.h"

/* ---- resolve.c: claims --------------------------------------------------- */

/** Append to CLAIMS the ranges that units claim, as far as WORK allows.  SELF
 *  is from READER's open.  Damage becomes warnings in OUTSIDE. */
enum gsym_status gsym_dw_claims_read(const struct dw_reader *reader, void *self,
				     struct dw_work *work,
				     struct dw_claims *claims,
				     struct dw_unit *outside);

/* ---- described.c: symbols ------------------------------------------------ */

/** The symbols of code of CONTAINER, as indexes, by address. */
struct dw_symbols {
	GSYM_VEC(struct gsym_sort_item);
	const struct gsym_container *container;
	bool sorted;
	bool has_functions; /**< some have a type */
};

enum dw_verdict {
	DW_DEAD,    /**< symbols name other functions there */
	DW_ALIVE,   /**< a symbol names it */
	DW_UNKNOWN, /**< no symbol of a function begins there */
};

/** Fill SYMBOLS, which is zeroed, with those of CONTAINER.  False without
 *  memory. */
bool gsym_dw_symbols_sort(struct dw_symbols *symbols,
			  const struct gsym_container *container);
/** What the symbols at the start of RANGE say of the function NAME of UNIT
 *  there.  Uses the budget of UNIT; beyond it the function counts as dead. */
enum dw_verdict gsym_dw_symbols_ask(const struct dw_symbols *symbols,
				    struct dw_unit *unit,
				    const struct dw_name *name,
				    struct gsym_range range);

/** Whether one of SYMBOLS has RANGE.  Uses the budget of UNIT; beyond it none
 *  has. */
bool gsym_dw_symbols_has(const struct dw_symbols *symbols,
			 struct dw_unit *unit, struct gsym_range range);

/* ---- live.c -------------------------------------------------------------- */

/** Which code of the debug info is in the program.  Once made it never
 *  changes, so any number of threads may read it. */
struct dw_live {
	const struct gsym_container *container;
	/** False: all code counts as alive.  In relocatable objects, whose
	 *  sections may lie at 0, only what symbols at 0 contradict does
	 *  not: linkers that join objects leave dropped code at 0, too. */
	bool checks;
	struct gsym_range largest; /**< of the ranges of code */
	/** By unit: where the last of its claims on dropped code ends. */
	uint64_t *dead_end;
	/** HAS_LOW: the claim that is alive of those at 0 and 1, where the
	 *  program has code. */
	bool has_low;
	struct dw_claim low;
	/** Sorted only if some dropped code cannot be told by its address
	 *  alone. */
	struct dw_symbols symbols;
};

/** Remove the claims on dropped code from CLAIMS, those of the UNIT_COUNT units
 *  of CONTAINER, and fill LIVE.  False without memory; LIVE has to be freed in
 *  either case. */
bool gsym_dw_live_init(struct dw_live *live,
		       const struct gsym_container *container,
		       size_t unit_count, struct dw_claims *claims);
void gsym_dw_live_fini(struct dw_live *live);
/** The first range of code that ends after ADDRESS; NULL if none does. */
const struct gsym_range *gsym_dw_live_next_code(const struct dw_live *live,
						uint64_t address);
/** Remove dropped functions, inlined calls and sequences from UNIT, which owns
 *  the OWNED_COUNT ranges at OWNED, by UNIT->live.  False without memory. */
bool gsym_dw_live_filter(struct dw_unit *unit, const struct gsym_range *owned,
			 size_t owned_count);

/* ---- resolve.c: owners --------------------------------------------------- */

/*
 * Decides which unit owns an address that several claim.
 *
 * The start and end points of all claims cut the addresses into pieces.  In
 * ascending order, a piece goes to the owner of the piece before it if that
 * unit claims both; otherwise to the claiming unit that comes first in
 * .debug_info.  LLVM's symbolizer decides in the same way
 * (DWARFDebugAranges::construct).  A function that the linker folded from
 * several units stays whole: one unit owns all of it.
 */

/** The ranges that each unit owns: ascending, disjoint, executable. */
struct dw_owners {
	struct gsym_range_set pieces; /**< unit after unit */
	/** By unit: its first piece.  One more entry is the number of all
	 *  pieces. */
	uint32_t *first;
	bool contested; /**< several units claim some address */
};

/** Decide which of the UNIT_COUNT units of CONTAINER owns each address.  CLAIMS
 *  has the ranges that the units claim; it is sorted in place.  False without
 *  memory. */
bool gsym_dw_owners_settle(struct dw_claims *claims, size_t unit_count,
			   const struct gsym_container *container,
			   struct dw_owners *ret);
void gsym_dw_owners_fini(struct dw_owners *owners);

/* ---- paint.c ------------------------------------------------------------- */

/*
 * Finds the function or inlined call of a unit that is on top at each address.
 *
 * Several ranges may cover an address.  Each lies in an outermost range there,
 * its own or that of a node that its node was inlined into.  On top is the
 * range whose outermost range begins last; of those with the same start the
 * one of the latest DIE.  Of ranges in one outermost range the one that begins
 * last is on top; of those with the same start the one of the latest DIE.  So
 * children cover their parents, and functions that were folded into one range
 * stay whole. Ranges of one node that touch or overlap count as one.
 *
 * The frames at an address are the node on top and the nodes that it was
 * inlined into.  The extent of a node is where it or a call inlined into it is
 * on top.  So extents nest even if the ranges of the DIEs do not: the extent
 * of a child lies within that of its parent, and extents of siblings do not
 * overlap.
 */

/** A stretch of a node's extent, or a range of a node. */
struct dw_stretch {
	struct gsym_range range;
	uint32_t node;
};

struct dw_stretches { GSYM_VEC(struct dw_stretch); };

/** The extents of a unit's nodes.  A zeroed struct is empty, and it can be
 *  filled any number of times. */
struct dw_extents {
	/** All stretches, sorted by root (the function that the node is in),
	 *  then by start.  Stretches of one node do not overlap. */
	struct dw_stretches stretches;
	/** By node: its depth below its root. */
	GSYM_VEC_OF(uint32_t) depth;
	/** By node: its root; a function is its own root. */
	GSYM_VEC_OF(uint32_t) root;
	/** By node: the first stretch with that root.  One more entry is the
	 *  number of all stretches.  FIRST.COUNT is not set. */
	GSYM_VEC_OF(uint32_t) first;
	/** By node: the next node with the same root; DW_NO_NODE after the
	 *  last.  Empty until a function is painted alone. */
	GSYM_VEC_OF(uint32_t) next;
	bool alone; /**< the stretches are those of one function */
	/* Scratch of painting. */
	GSYM_VEC_OF(struct gsym_sort_item) keys;
	struct dw_stretches sorted;
	GSYM_VEC_OF(uint64_t) stack;
};

/** Fill EXTENTS with those of UNIT's nodes.  Inlined calls outside of their
 *  functions become a warning in UNIT.  Beyond the budget of UNIT, inlined
 *  calls are left out.  False without memory. */
bool gsym_dw_extents_paint(struct dw_unit *unit, struct dw_extents *extents);
/** Let EXTENTS, which has those of UNIT's nodes, have the stretches that
 *  FUNCTION and the calls inlined into it have if no other function covers
 *  them; FIRST has no meaning then.  False without memory. */
bool gsym_dw_extents_paint_alone(struct dw_unit *unit, uint32_t function,
				 struct dw_extents *extents);
void gsym_dw_extents_fini(struct dw_extents *extents);

/* ---- resolve.c ----------------------------------------------------------- */

/*
 * Turns a unit, as a reader filled it, into records.
 *
 * Each stretch of a function becomes a record, with the rows and the inlined
 * calls of that stretch.  A function of a range that the unit does not own
 * (dw_owners) comes second to a function of that range whose unit does: it
 * needs a record only if there is no such function.  Rows of owned addresses
 * without a function become loose rows.  With DW_WANT_FOLDED each range of a
 * function that did not become a record of exactly that range becomes a folded
 * record, to be merged with whatever record has the range.  With DW_WANT_CALLS
 * records have their calls.
 *
 * Rows come from the line-table sequence that the function names
 * (DW_AT_LLVM_stmt_sequence).  If it names none, and several sequences cover
 * one range because the linker folded functions into one, then each function
 * takes the sequence that begins at the nearest line after its declaration.
 * Without such a sequence, with DW_WANT_FOLDED the Nth function of the range
 * takes the Nth sequence.
 */

/** A record; its parts are in the arrays of the result. */
struct dw_record {
	struct gsym_range range;
	uint32_t name; /**< index into names */
	uint32_t first_row, row_count;
	uint32_t first_inline, inline_count;
	/** The ranges of its inlined calls begin here. */
	uint32_t first_range;
	uint32_t first_call, call_count;
	bool folded;
	bool unclaimed; /**< the unit does not own all of it */
};

/** Rows of a range without a function. */
struct dw_loose {
	struct gsym_range range;
	uint32_t first_row, row_count;
};

/** What a unit resolves to.  A zeroed struct is empty, and a result can be
 *  filled any number of times.  Names and files have numbers of the unit. */
struct dw_result {
	GSYM_VEC_OF(struct dw_record) records;
	GSYM_VEC_OF(struct dw_loose) loose;
	/** Files are indexes into the unit's files; DW_NO_FILE: no source. */
	GSYM_VEC_OF(struct gsym_row) rows;
	GSYM_VEC_OF(struct gsym_inline_node) inlines;
	struct gsym_range_set ranges;
	/** The patterns of a call are indexes into CALLEES, whose entries are
	 *  indexes into names. */
	GSYM_VEC_OF(struct gsym_call) calls;
	GSYM_VEC_OF(uint32_t) callees;
	/** Entry 0 stands for a missing name. */
	GSYM_VEC_OF(struct dw_name) names;
};

void gsym_dw_result_fini(struct dw_result *result);

/** Memory for resolving, to be used for one unit after another. */
struct dw_resolver;

/** NULL without memory. */
struct dw_resolver *gsym_dw_resolver_new(void);
void gsym_dw_resolver_free(struct dw_resolver *resolver);

/** Resolve UNIT, which owns the OWNED_COUNT ranges at OWNED, into RESULT.
 *  False without memory. */
bool gsym_dw_resolve(struct dw_resolver *resolver, struct dw_unit *unit,
		     const struct gsym_range *owned, size_t owned_count,
		     struct dw_result *result);

/** Set *WANTED to whether a record is wanted for RANGE of the function NAME of
 *  UNIT, which does not own all of it.  False without memory. */
typedef bool dw_unclaimed_fn(void *context, struct dw_unit *unit,
			     const struct dw_name *name,
			     struct gsym_range range, bool *wanted);

/** Add to the result of the last gsym_dw_resolve the records of functions that
 *  the unit describes and other units own, where IS_WANTED says so.  False
 *  without memory. */
bool gsym_dw_unclaimed_resolve(struct dw_resolver *resolver,
			       dw_unclaimed_fn *is_wanted, void *context);

/* ---- described.c --------------------------------------------------------- */

/** Which functions the units described that were handed over.  Zeroed but for
 *  LIVE and OWNERS it is empty. */
struct dw_described {
	const struct dw_live *live;
	const struct dw_owners *owners;
	/** Starts of the functions, and the end of each; of equal starts the
	 *  first counts.  Where no units claim each other's code, those that
	 *  are UNCLAIMED alone. */
	struct gsym_keys starts;
	GSYM_VEC_OF(uint64_t) ends;
	/** Filled when they are needed first: what any unit owns, joined, and
	 *  symbols, unless LIVE has them. */
	struct gsym_range_set owned;
	struct dw_symbols symbols;
};

void gsym_dw_described_fini(struct dw_described *described);
/** Note the functions of RESULT.  False without memory. */
bool gsym_dw_described_note(struct dw_described *described,
			    const struct dw_result *result);
/** A dw_unclaimed_fn; SELF is a struct dw_described: whether no function with
 *  RANGE was noted, and nothing speaks against NAME. */
bool gsym_dw_described_lacks(void *self, struct dw_unit *unit,
			     const struct dw_name *name,
			     struct gsym_range range, bool *lacks);

/* ---- the state of resolving a unit --------------------------------------- */

/** A pass over the stretches of a function, for ranges that ascend. */
struct dw_sweep {
	bool active;
	size_t first, last; /**< the stretches FIRST to LAST - 1 */
	uint64_t at;	    /**< the start of the last range */
	size_t next; /**< the first stretch that begins after that range */
	/** Indexes of the stretches before NEXT that may reach further. */
	GSYM_VEC_OF(size_t) open;
};

/** A range of the function NAME, of which the unit does not own all.  FIRST and
 *  LAST are arguments of gsym_dw_records_add. */
struct dw_unclaimed {
	struct gsym_range range;
	struct dw_name name;
	uint32_t function;
	size_t first, last;
};

struct dw_unclaimed_list {
	GSYM_VEC(struct dw_unclaimed);
};

struct dw_resolver {
	/** The unit, the ranges that it owns, and where records go. */
	struct dw_unit *unit;
	const struct gsym_range *owned;
	size_t owned_count;
	struct dw_result *result;

	/** The names of the result but the missing one, by the addresses of
	 *  their texts. */
	struct gsym_keys name_keys;

	struct dw_extents extents; /**< of UNIT, or of one function of it */
	/** If sequences of UNIT overlap: its rows in sequences that do not. */
	struct dw_lines flat;
	bool shared; /**< some sequences of UNIT have the same range */

	/** The function whose records are made; DW_NO_NODE: none. */
	uint32_t function;
	bool folding; /**< its records are folded ones */
	struct dw_sweep sweep;
	/** The inlined stretches in the range of a record, cut to it, in the
	 *  order of their addresses. */
	struct dw_stretches window;
	/** The order of the window by node; as much room again is scratch. */
	GSYM_VEC_OF(struct gsym_sort_item) keys;

	/** The ranges of all records that are not folded. */
	struct gsym_range_set covered;
	/** Ranges of functions that no record has. */
	struct dw_stretches hidden;
	/** Ranges of functions of which the unit does not own all. */
	struct dw_unclaimed_list unclaimed;
	/** If HAS_ORDER: the ranges of all functions of the unit, sorted by
	 *  range, then node. */
	struct dw_stretches order;
	bool has_order;
	/** The ranges of the function JOINED_OF, sorted, touching ones joined;
	 *  DW_NO_NODE: of none. */
	struct gsym_range_set joined;
	uint32_t joined_of;
};

/* rows.c */

/** Fill R->flat.  False without memory. */
bool gsym_dw_rows_flatten(struct dw_resolver *r);
/** Append the rows in force in RANGE to the result, as the function at hand
 *  has them, and set *ROW_COUNT.  False without memory. */
bool gsym_dw_rows_resolve(struct dw_resolver *r, struct gsym_range range,
			  uint32_t *row_count);

/* records.c */

/** For each part of RANGE that is code, add a record of the function at hand if
 *  the unit owns the whole part, else note the part (R->unclaimed).  The
 *  inlined calls of the function there are among the stretches FIRST to LAST -
 *  1.  False without memory. */
bool gsym_dw_records_add(struct dw_resolver *r, size_t first, size_t last,
			 struct gsym_range range);

/* records.c: folded records */

/** Note the ranges of the function at hand that none of its records has, those
 *  from FIRST_RECORD on.  False without memory. */
bool gsym_dw_hidden_note(struct dw_resolver *r, size_t first_record);
/** Add folded records for the ranges that were noted.  False without
 *  memory. */
bool gsym_dw_hidden_resolve(struct dw_resolver *r);

/* ---- resolve.c: memory for reading units --------------------------------- */

/*
 * Units are read at once and wait for the units before them.  Reading a unit
 * takes many times the memory of what is kept of it.  So a thread has that
 * memory, and uses it for one unit after another.
 */

/** The records of a unit, and its measured names.  Entry 0 of the names is no
 *  name. */
struct dw_contents {
	struct dw_result result;
	GSYM_VEC_OF(struct gsym_text) texts;
	/** In packed contents: the ranges that the resolver has noted. */
	struct dw_unclaimed_list unclaimed;
};

/** Memory for reading and resolving one unit after another. */
struct dw_reading {
	struct dw_resolver *resolver;
	struct dw_contents contents;
	/** The nodes, calls, ranges and lines of a unit that is not being
	 *  read; all else is zeroed. */
	struct dw_unit arrays;
};

/** NULL without memory. */
struct dw_reading *gsym_dw_reading_new(void);
void gsym_dw_reading_free(struct dw_reading *reading);
/** Exchange the nodes, calls, ranges and lines of READING for those of UNIT. */
void gsym_dw_reading_swap(struct dw_reading *reading, struct dw_unit *unit);

/** Let RET, which cannot grow, have copies of the contents of FROM.  Returns
 *  their memory, to be freed; NULL without memory. */
void *gsym_dw_contents_pack(const struct dw_reading *from,
			    struct dw_contents *ret);

#endif
