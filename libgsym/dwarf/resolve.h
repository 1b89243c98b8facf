/* SPDX-License-Identifier: MIT */
/*
 * dwarf/resolve.h - from a unit, as a reader filled it, to records.
 *
 * What a unit says counts where it owns the address (owners.h).  There each
 * stretch of a function becomes a record of its own, with the rows and the
 * inlined calls of that stretch; rows of owned addresses that no function
 * covers are handed on as loose ones.  With DW_WANT_FOLDED every range of a
 * function that did not become a record as it is becomes a folded one, for
 * whatever else has that range; with DW_WANT_CALLS records have their calls.
 *
 * Rows come from the line-table sequence that the function names
 * (DW_AT_LLVM_stmt_sequence).  Where several sequences cover one range,
 * because the linker folded functions into one, and those functions are
 * wanted, each takes the one that begins nearest behind its declaration;
 * failing that, the Nth function takes the Nth.  Knows nothing of how the unit was
 * read, nor of GSYM.
 */
#ifndef GSYM_DWARF_RESOLVE_H
#define GSYM_DWARF_RESOLVE_H

#include "dwarf/paint.h"

/** A record whose parts lie in the result's arrays. */
struct dw_record {
	struct gsym_range range;
	uint32_t name; /**< index into names */
	uint32_t first_row, row_count;
	uint32_t first_inline, inline_count;
	uint32_t first_range; /**< of its inlined calls */
	uint32_t first_call, call_count;
	bool folded;
};

/** Rows of a range that no function covers. */
struct dw_loose {
	struct gsym_range range;
	uint32_t first_row, row_count;
};

/** What becomes of a unit.  A zeroed struct is empty; it can be filled again
 *  and again.  Names and files are numbered within the unit. */
struct dw_result {
	struct { GSYM_VEC(struct dw_record); } records;
	struct { GSYM_VEC(struct dw_loose); } loose;
	/** Files are indexes into the unit's, or DW_NO_FILE for NOSRC. */
	struct { GSYM_VEC(struct gsym_row); } rows;
	struct { GSYM_VEC(struct gsym_inline_node); } inlines;
	struct { GSYM_VEC(struct gsym_range); } ranges;
	/** Calls have patterns by their place in CALLEES, names' numbers. */
	struct { GSYM_VEC(struct gsym_call); } calls;
	struct { GSYM_VEC(uint32_t); } callees;
	/** Entry 0 is the missing name. */
	struct { GSYM_VEC(struct dw_name); } names;

	/** Memory for resolving. */
	struct dw_extents extents;
	uint32_t *name_slots; /* names by address of the text */
	size_t name_slot_count;
	struct { GSYM_VEC(struct dw_stretch); } window;
	/** The stretches FIRST to LAST are being gone through for ranges that
	 *  ascend, the last of which began at AT. */
	struct {
		bool active;
		size_t first, last;
		size_t next; /* the first that begins behind those ranges */
		uint64_t at;
		/* Those before that may not have ended, by index. */
		struct { GSYM_VEC(size_t); } open;
	} sweep;
	struct { GSYM_VEC(struct gsym_range); } covered;
	struct { GSYM_VEC(uint32_t); } depths;
	/** The unit, and the function at hand; DW_NO_NODE: none. */
	const struct dw_unit *unit;
	uint32_t function;
	bool folding; /**< records are folded ones */
	/** Ranges of functions that did not become records. */
	struct {
		GSYM_VEC(struct dw_hidden {
			struct gsym_range range;
			uint32_t node;
		});
	} hidden;
	/** Functions by range; filled when it is needed. */
	bool ordered;
	struct {
		GSYM_VEC(struct dw_function_order {
			struct gsym_range range;
			uint32_t node;
		});
	} order;
};

/** Resolve UNIT, which owns the COUNT pieces at OWNED.  False without
 *  memory. */
bool gsym_dw_resolve(struct dw_unit *unit, const struct gsym_range *owned,
		     size_t count, struct dw_result *result);
void gsym_dw_result_fini(struct dw_result *result);

#endif
