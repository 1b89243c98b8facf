/* SPDX-License-Identifier: MIT */
/*
 * dwarf/resolve.h - turns a unit, as a reader filled it, into records.
 *
 * A unit counts only at the addresses that it owns (owners.h).  There each
 * stretch of a function becomes a record, with the rows and the inlined calls
 * of that stretch; rows of owned addresses without a function become loose
 * rows.  With DW_WANT_FOLDED each range of a function that did not become a
 * record of exactly that range becomes a folded record, to be merged with
 * whatever record has the range.  With DW_WANT_CALLS records have their
 * calls.
 *
 * Rows come from the line-table sequence that the function names
 * (DW_AT_LLVM_stmt_sequence).  If it names none, and several sequences cover
 * one range because the linker folded functions into one, then with
 * DW_WANT_FOLDED each function takes the sequence that begins at the nearest
 * line after its declaration; without such a sequence, the Nth function of
 * the range takes the Nth sequence.
 *
 * Knows nothing of how the unit was read, nor of GSYM.
 */
#ifndef GSYM_DWARF_RESOLVE_H
#define GSYM_DWARF_RESOLVE_H

#include "dwarf/unit.h"

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
};

/** Rows of a range without a function. */
struct dw_loose {
	struct gsym_range range;
	uint32_t first_row, row_count;
};

/** What a unit resolves to.  A zeroed struct is empty, and a result can be
 *  filled any number of times.  Names and files have numbers of the unit. */
struct dw_result {
	struct { GSYM_VEC(struct dw_record); } records;
	struct { GSYM_VEC(struct dw_loose); } loose;
	/** Files are indexes into the unit's files; DW_NO_FILE: no source. */
	struct { GSYM_VEC(struct gsym_row); } rows;
	struct { GSYM_VEC(struct gsym_inline_node); } inlines;
	struct { GSYM_VEC(struct gsym_range); } ranges;
	/** The patterns of a call are indexes into CALLEES, whose entries are
	 *  indexes into names. */
	struct { GSYM_VEC(struct gsym_call); } calls;
	struct { GSYM_VEC(uint32_t); } callees;
	/** Entry 0 stands for a missing name. */
	struct {
		GSYM_VEC(struct dw_name);
	} names;
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

#endif
