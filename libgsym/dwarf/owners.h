/* SPDX-License-Identifier: MIT */
/*
 * dwarf/owners.h - which unit answers for an address when several claim it.
 *
 * The claims of all units are swept in address order.  Between two end
 * points the unit of the piece before goes on if it still claims; otherwise
 * the claiming unit that comes first in .debug_info answers.  This is how
 * LLVM's symbolizer decides (DWARFDebugAranges::construct), and it keeps a
 * function that the linker folded from several units in one of them.
 */
#ifndef GSYM_DWARF_OWNERS_H
#define GSYM_DWARF_OWNERS_H

#include "dwarf/unit.h"

/** The pieces that each unit owns: ascending, disjoint, executable. */
struct dw_owners {
	struct { GSYM_VEC(struct gsym_range); } pieces; /**< by unit */
	uint32_t *first; /**< by unit: its first piece; one more at the end */
};

/** Settle CLAIMS, which are sorted in place.  False without memory. */
bool gsym_dw_owners_settle(struct dw_claims *claims, size_t unit_count,
			   const struct gsym_container *container,
			   struct dw_owners *ret);
void gsym_dw_owners_fini(struct dw_owners *owners);

#endif
