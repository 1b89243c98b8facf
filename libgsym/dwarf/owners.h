/* SPDX-License-Identifier: MIT */
/*
 * dwarf/owners.h - decides which unit owns an address that several claim.
 *
 * The start and end points of all claims cut the addresses into pieces.  In
 * ascending order, a piece goes to the owner of the piece before it if that
 * unit claims both; otherwise to the claiming unit that comes first in
 * .debug_info.  LLVM's symbolizer decides in the same way
 * (DWARFDebugAranges::construct).  A function that the linker folded from
 * several units stays whole: one unit owns all of it.
 */
#ifndef GSYM_DWARF_OWNERS_H
#define GSYM_DWARF_OWNERS_H

#include "dwarf/unit.h"

/** The ranges that each unit owns: ascending, disjoint, executable. */
struct dw_owners {
	struct {
		GSYM_VEC(struct gsym_range);
	} pieces; /**< unit after unit */
	/** By unit: its first piece.  One more entry is the number of all
	 *  pieces. */
	uint32_t *first;
};

/** Decide which of the UNIT_COUNT units of CONTAINER owns each address.  CLAIMS
 *  has the ranges that the units claim; it is sorted in place.  False without
 *  memory. */
bool gsym_dw_owners_settle(struct dw_claims *claims, size_t unit_count,
			   const struct gsym_container *container,
			   struct dw_owners *ret);
void gsym_dw_owners_fini(struct dw_owners *owners);

#endif
