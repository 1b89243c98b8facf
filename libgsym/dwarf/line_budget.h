/* SPDX-License-Identifier: MIT */
/*
 * dwarf/line_budget.h - how much of .debug_line is worth running.
 *
 * Any number of units may refer to one line table, each of which has to run
 * it.  Compilers let few do so, but for partial units (dwz), which have no
 * code; a small file with many units and one long table would take hours.
 * So all units together may run some multiple of the section's bytes: units
 * that claim addresses first, in the order of .debug_info, then the others.
 * It depends on the file alone.  Shared by both readers.
 */
#ifndef GSYM_DWARF_LINE_BUDGET_H
#define GSYM_DWARF_LINE_BUDGET_H

#include "base/cursor.h"
#include "dwarf/unit.h"

/** What a unit says of its line table. */
struct dw_line_use {
	bool has_lines;
	uint64_t offset; /**< in .debug_line */
	bool claims;     /**< filled in from the claims */
	bool refused;    /**< there is nothing left for it */
};

/** Share LINE, the section, out to the units that READER has open as SELF,
 *  which made CLAIMS.  USES, one for each unit, is filled. */
void gsym_dw_line_budget_share(const struct dw_reader *reader, void *self,
			       struct gsym_cursor line,
			       const struct dw_claims *claims,
			       struct dw_line_use *uses);
/** Say in UNIT that its table was refused, if it has anything to miss. */
void gsym_dw_line_budget_warn(struct dw_unit *unit,
			      const struct dw_line_use *use);

#endif
