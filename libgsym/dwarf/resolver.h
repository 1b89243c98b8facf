/* SPDX-License-Identifier: MIT */
/*
 * dwarf/resolver.h - the state of resolving a unit, shared by the files that
 * do the steps.  Each file uses those before it: rows.c, records.c,
 * folded.c, resolve.c.
 */
#ifndef GSYM_DWARF_RESOLVER_H
#define GSYM_DWARF_RESOLVER_H

#include "dwarf/paint.h"
#include "dwarf/resolve.h"

/** A pass over the stretches of a function, for ranges that ascend. */
struct dw_sweep {
	bool active;
	size_t first, last; /**< the stretches FIRST to LAST - 1 */
	uint64_t at;	    /**< the start of the last range */
	size_t next; /**< the first stretch that begins after that range */
	/** Indexes of the stretches before NEXT that may reach further. */
	struct {
		GSYM_VEC(size_t);
	} open;
};

/** The ranges of all functions of the unit, sorted by range, then node. */
struct dw_function_order {
	bool filled;
	GSYM_VEC(struct dw_function_range {
		struct gsym_range range;
		uint32_t node;
	});
};

struct dw_resolver {
	/** The unit, the ranges that it owns, and where records go. */
	struct dw_unit *unit;
	const struct gsym_range *owned;
	size_t owned_count;
	struct dw_result *result;

	/** Slots of an open-addressing hash table: numbers of names in the
	 *  result, by the address of the text; 0: free. */
	uint32_t *name_slots;
	size_t name_slot_count;

	/** The unit that was painted last: UNIT, or one function of it
	 *  (folded.c). */
	struct dw_unit *painted;
	struct dw_extents extents; /**< of PAINTED */

	/** The function whose records are made: its node in UNIT (DW_NO_NODE:
	 *  none), and in PAINTED. */
	uint32_t function;
	uint32_t root;
	bool folding; /**< its records are folded ones */
	struct dw_sweep sweep;
	/** The inlined stretches in the range of a record, cut to it, in the
	 *  order of their addresses. */
	struct {
		GSYM_VEC(struct dw_stretch);
	} window;
	/** The order of the window by node; as much room again is scratch. */
	struct { GSYM_VEC(struct gsym_sort_item); } keys;

	/** The ranges of all records that are not folded. */
	struct {
		GSYM_VEC(struct gsym_range);
	} covered;
	/** Ranges of functions that no record has. */
	struct {
		GSYM_VEC(struct dw_hidden {
			struct gsym_range range;
			uint32_t node;
		});
	} hidden;
	struct dw_function_order order;
	/** The ranges of the function JOINED_OF, sorted, touching ones joined;
	 *  DW_NO_NODE: of none. */
	struct dw_ranges joined;
	uint32_t joined_of;
	/** By file of the unit: the first file with the same name; empty until
	 *  rows.c needs it. */
	struct { GSYM_VEC(uint32_t); } same_files;
};

/* rows.c */

/** Append the rows in force in RANGE to the result, as the function at hand
 *  has them, and set *ROW_COUNT.  False without memory. */
bool gsym_dw_rows_resolve(struct dw_resolver *r, struct gsym_range range,
			  uint32_t *row_count);

/* records.c */

/** Begin with an empty table of names.  False without memory. */
bool gsym_dw_records_begin(struct dw_resolver *r);
/** Paint UNIT.  False without memory. */
bool gsym_dw_records_paint(struct dw_resolver *r, struct dw_unit *unit);
/** Add records of the function at hand for the parts of RANGE that are among
 *  the COUNT ranges at OWNED.  Its inlined calls there are among the stretches
 *  FIRST to LAST - 1.  False without memory. */
bool gsym_dw_records_add(struct dw_resolver *r, size_t first, size_t last,
			 struct gsym_range range,
			 const struct gsym_range *owned, size_t count);

/* folded.c */

/** Note the ranges of the function at hand that none of its records has, those
 *  from FIRST_RECORD on.  False without memory. */
bool gsym_dw_hidden_note(struct dw_resolver *r, size_t first_record);
/** Add folded records for the ranges that were noted.  False without
 *  memory. */
bool gsym_dw_hidden_resolve(struct dw_resolver *r);

#endif
